"""A worker that is killed or stopped in mid-stream loses nothing."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

import pytest

from streams.settings import Settings
from tests.broker import Broker, NamedBroker, free_port
from tests.buses import (
    EmbeddedBus,
    KafkaBus,
    Outcome,
    Raw,
    make_topics,
    produce,
    raw,
    read_all,
    reader,
    wait_for_ends,
)
from tests.commands import Running, copydesk, running
from tests.texts import day

SIZE = 1_000


def variables(settings: Settings) -> dict[str, str]:
    """The settings as the environment of a process."""
    chosen = ("broker", "topic_prefix", "group_prefix", "state_dir", "stage_partitions", "pack_items")
    named = {f"COPYDESK_{name.upper()}": str(getattr(settings, name)) for name in chosen}
    # the shortest that a broker takes: the next worker waits so long for what the killed one held
    return {**named, "COPYDESK_RAW_TOPICS": settings.raw_topics[0], "COPYDESK_SESSION_SECONDS": "6"}


def stream() -> list[Raw]:
    """Items of a day, some of them no items at all."""
    records = raw(day(SIZE, seed=5))
    for number in range(50, SIZE, 100):
        records[number] = Raw(b"broken", f"broken-{number}".encode(), records[number].timestamp)
    return records


async def judged(settings: Settings) -> int:
    """How many verdicts there are by now."""
    async with reader(settings, ["verdicts"]) as (consumer, names):
        return sum((await consumer.end_offsets(list(names))).values())


async def wait_until_some_are_judged(settings: Settings, worker: Running, least: int) -> int:
    deadline = time.monotonic() + 60
    while (count := await judged(settings)) < least:
        assert worker.process.poll() is None, worker.errors[-20:]
        assert time.monotonic() < deadline, worker.errors[-20:]
        await asyncio.sleep(0.02)
    return count


@pytest.fixture(scope="module")
async def undisturbed() -> Outcome:
    return await EmbeddedBus().judge(stream())


def check(outcome: Outcome, undisturbed: Outcome) -> None:
    """Whether input ids = verdict ids + dead letters, and all is as in the undisturbed run."""
    ids = {v.item for v in outcome.verdicts}
    assert ids == {v.item for v in undisturbed.verdicts}
    assert {d.key for d in outcome.dead_letters} == {d.key for d in undisturbed.dead_letters}
    assert {d.value for d in outcome.dead_letters} == {b"broken"}
    assert outcome.relation_ids == undisturbed.relation_ids
    assert outcome.verdict_ids == undisturbed.verdict_ids


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])
async def test_a_worker_that_ends_in_mid_stream_loses_nothing(
    broker: Broker | NamedBroker, tmp_path: Path, undisturbed: Outcome, how: signal.Signals
) -> None:
    settings = KafkaBus(broker.bootstrap).settings(tmp_path / "state", pack_items=8)
    records = stream()
    await make_topics(settings)
    await produce(settings, records[: SIZE // 2])
    with running("worker", folder=tmp_path, **variables(settings)) as worker:
        await wait_until_some_are_judged(settings, worker, 50)
        await produce(settings, records[SIZE // 2 :])
        count = await wait_until_some_are_judged(settings, worker, SIZE // 2 + 20)
        code = await asyncio.to_thread(worker.end, how)
    assert code == (0 if how is signal.SIGTERM else -how)
    assert count < SIZE, "it was ended too late to be in mid-stream"
    wanted = set(undisturbed.verdict_ids)
    with running("worker", folder=tmp_path, **variables(settings)) as worker:
        try:
            await wait_for_ends(
                settings,
                SIZE,
                wait=60,
                done=lambda items, letters: items >= wanted and letters >= len(undisturbed.dead_letters),
            )
            await asyncio.sleep(1)
        finally:
            code = await asyncio.to_thread(worker.end, signal.SIGTERM)
    assert code == 0
    check(await read_all(settings), undisturbed)


async def test_a_second_worker_takes_over_what_the_killed_one_held(
    broker: Broker | NamedBroker, tmp_path: Path, undisturbed: Outcome
) -> None:
    settings = KafkaBus(broker.bootstrap).settings(tmp_path / "one", pack_items=8)
    other = {**variables(settings), "COPYDESK_STATE_DIR": str(tmp_path / "two")}
    records = stream()
    await make_topics(settings)
    await produce(settings, records[: SIZE // 2])
    with running("worker", folder=tmp_path, **variables(settings)) as one:
        await wait_until_some_are_judged(settings, one, 50)
        with running("worker", folder=tmp_path, **other) as two:
            await produce(settings, records[SIZE // 2 :])
            await wait_until_some_are_judged(settings, one, SIZE // 2 + 20)
            await asyncio.to_thread(one.end, signal.SIGKILL)
            wanted = set(undisturbed.verdict_ids)
            await wait_for_ends(
                settings,
                SIZE,
                wait=60,
                done=lambda items, letters: items >= wanted and letters >= len(undisturbed.dead_letters),
            )
            await asyncio.sleep(1)
            assert await asyncio.to_thread(two.end, signal.SIGTERM) == 0
    check(await read_all(settings), undisturbed)


def test_a_worker_without_topics_says_what_to_do(broker: Broker | NamedBroker, tmp_path: Path) -> None:
    settings = KafkaBus(broker.bootstrap).settings(tmp_path / "state")
    done = copydesk("worker", folder=tmp_path, **variables(settings))
    assert done.returncode == 1
    assert "copydesk topics --create" in done.stderr
    assert "Traceback" not in done.stderr


async def test_a_worker_without_the_raw_topic_says_what_to_do(
    broker: Broker | NamedBroker, tmp_path: Path
) -> None:
    settings = KafkaBus(broker.bootstrap).settings(tmp_path / "state")
    await make_topics(settings)
    named = {**variables(settings), "COPYDESK_RAW_TOPICS": "not-there"}
    done = await asyncio.to_thread(copydesk, "worker", folder=tmp_path, **named)
    assert done.returncode == 1
    assert "not-there" in done.stderr
    assert "--raw" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command", [["worker"], ["topics"], ["topics", "--create"], ["publish", "sample"], ["watch"]]
)
def test_a_broker_that_is_not_there_is_told_in_bounded_time(tmp_path: Path, command: list[str]) -> None:
    address = f"127.0.0.1:{free_port()}"
    done = copydesk(*command, "--broker", address, folder=tmp_path, timeout=45)
    assert done.returncode == 1
    assert address in done.stderr
    assert "Traceback" not in done.stderr


def test_a_stage_that_does_not_exist_is_wrong_usage(tmp_path: Path) -> None:
    done = copydesk("worker", "--stages", "split,sort", folder=tmp_path)
    assert done.returncode == 2
    assert "sort" in done.stderr
    assert "normalize, split, fingerprint, detect" in done.stderr
