"""Acknowledgement in order, with events and futures that are not Kafka's."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from streams.kafka.acknowledge import InOrder


class Event:
    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def ack(self) -> bool:
        self.log.append(self.name)
        return True


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def failures() -> list[BaseException]:
    return []


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def futures(number: int) -> list[asyncio.Future[None]]:
    return [asyncio.get_running_loop().create_future() for _ in range(number)]


async def end(agent: asyncio.Task[None]) -> None:
    agent.cancel()
    with suppress(asyncio.CancelledError):
        await agent


async def test_events_are_acknowledged_in_order_even_if_later_sends_finish_first(log, failures):
    first, second, third = futures(3)
    async with InOrder(failures.append) as done:
        await done.append(Event("a", log), [first])
        await done.append(Event("b", log), [second])
        await done.append(Event("c", log), [third])
        third.set_result(None)
        second.set_result(None)
        await settle()
        assert log == []
        first.set_result(None)
        await settle()
        assert log == ["a", "b", "c"]
    assert failures == []


async def test_an_event_waits_for_all_its_sends_and_one_without_sends_for_its_turn(log, failures):
    one, other = futures(2)
    async with InOrder(failures.append) as done:
        await done.append(Event("a", log), [one, other])
        await done.append(Event("b", log), [])
        one.set_result(None)
        await settle()
        assert log == []
        other.set_result(None)
    assert log == ["a", "b"]


async def test_the_callback_of_an_event_comes_after_its_acknowledgement(log, failures):
    async with InOrder(failures.append) as done:
        await done.append(Event("a", log), [], lambda: log.append("after a"))
        await done.append(Event("b", log), [])
    assert log == ["a", "after a", "b"]


async def test_nothing_at_or_after_a_failed_send_is_acknowledged_and_the_agent_stands_still(log, failures):
    first, second, third = futures(3)
    went_on = []

    async def work() -> None:
        async with InOrder(failures.append, limit=8) as done:
            for name, sent in zip("abc", (first, second, third), strict=True):
                await done.append(Event(name, log), [sent])
            went_on.append(True)

    agent = asyncio.create_task(work())
    await settle()
    third.set_result(None)
    second.set_exception(OSError("too large"))
    await settle()
    assert failures == []  # not before its turn
    first.set_result(None)
    await settle()
    assert log == ["a"]
    assert [str(failure) for failure in failures] == ["too large"]
    assert went_on
    assert not agent.done()
    await end(agent)
    assert log == ["a"]


async def test_an_exception_in_the_agent_is_a_failure_and_the_agent_stands_still(log, failures):
    (first,) = futures(1)

    async def work() -> None:
        async with InOrder(failures.append) as done:
            await done.append(Event("a", log), [first])
            raise ValueError("cannot decode")

    agent = asyncio.create_task(work())
    await settle()
    first.set_result(None)
    await settle()
    assert [str(failure) for failure in failures] == ["cannot decode"]
    assert not agent.done()
    await end(agent)
    assert len(failures) == 1
    assert log == []


async def test_only_so_many_events_are_in_flight(log, failures):
    sends = futures(5)
    appended = []

    async def work() -> None:
        async with InOrder(failures.append, limit=3) as done:
            for name, sent in zip("abcde", sends, strict=True):
                await done.append(Event(name, log), [sent])
                appended.append(name)

    agent = asyncio.create_task(work())
    await settle()
    assert appended == ["a", "b"]  # the third is in flight, and its append has not returned
    sends[0].set_result(None)
    await settle()
    assert appended == ["a", "b", "c"]
    for sent in sends[1:]:
        sent.set_result(None)
    await agent
    assert log == list("abcde")


async def test_a_cancelled_agent_acknowledges_nothing_more_and_leaves_the_sends_alone(log, failures):
    first, second = futures(2)

    async def work() -> None:
        async with InOrder(failures.append) as done:
            await done.append(Event("a", log), [first])
            await done.append(Event("b", log), [second])
            await asyncio.sleep(60)

    agent = asyncio.create_task(work())
    await settle()
    first.set_result(None)
    await settle()
    await end(agent)
    assert not second.cancelled()
    second.set_result(None)
    await settle()
    assert log == ["a"]
    assert failures == []
