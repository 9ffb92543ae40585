"""The intake loses nothing while partitions change hands."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from streams.kafka.intake import Intake
from streams.kafka.worker import Worker
from tests.broker import Broker, NamedBroker
from tests.buses import WAIT, KafkaBus, make_topics, produce, raw, read_all, wait_for_ends
from tests.texts import item, story


async def test_what_is_fetched_while_a_partition_is_taken_over_is_not_lost(
    broker: Broker | NamedBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = Intake.take

    async def take_slowly(self: Intake, tps: list[object]) -> None:
        await asyncio.sleep(1.5)  # a slow broker: the fetch is faster than the question for the last commit
        await take(self, tps)

    monkeypatch.setattr(Intake, "take", take_slowly)
    settings = KafkaBus(broker.bootstrap).settings(tmp_path)
    await make_topics(settings)
    await produce(settings, raw([item(f"early-{n}", story(n), n / 10) for n in range(5)]))
    worker = Worker(settings)
    running = asyncio.create_task(worker.run())
    try:
        await asyncio.sleep(4)
        await produce(settings, raw([item(f"later-{n}", story(n), 1 + n / 10) for n in range(5)]))
        await wait_for_ends(settings, 5, running, wait=20)
        await asyncio.sleep(1)
    finally:
        worker.stop()
        await asyncio.wait_for(running, WAIT)
    judged = {verdict.item for verdict in (await read_all(settings)).verdicts}
    assert judged == {f"{when}-{n}" for when in ("early", "later") for n in range(5)}
