"""The broker that the other tests stand on."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from tests.broker import Broker, BrokerError, NamedBroker, is_free, nodes_known_to

MIB = 1024 * 1024


async def make_topic(bootstrap: str, **settings: str) -> str:
    """The name of a new topic with one partition."""
    topic = f"broker-test-{uuid.uuid4().hex[:8]}"
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic(topic, 1, 1, topic_configs=settings)])
    await admin.close()
    return topic


async def send(bootstrap: str, topic: str, values: list[bytes]) -> None:
    """Return when the broker has acknowledged all values."""
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all", max_request_size=16 * MIB)
    async with producer:
        for value in values:
            await producer.send_and_wait(topic, value)


async def read(bootstrap: str, topic: str, count: int) -> list[bytes]:
    """The first values of a topic."""
    consumer = AIOKafkaConsumer(
        topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest", max_partition_fetch_bytes=16 * MIB
    )
    async with consumer:
        return [(await asyncio.wait_for(consumer.getone(), 30)).value for _ in range(count)]


def runs(pid: int) -> bool:
    """Whether a process with this id is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_it_answers(broker: Broker | NamedBroker) -> None:
    topic = await make_topic(broker.bootstrap)
    await send(broker.bootstrap, topic, [b"one", b"two"])
    assert await read(broker.bootstrap, topic, 2) == [b"one", b"two"]


async def test_a_message_of_12_mb_passes_on_a_topic_that_allows_it(broker: Broker | NamedBroker) -> None:
    topic = await make_topic(broker.bootstrap, **{"max.message.bytes": str(16 * MIB)})
    large = os.urandom(12_000_000)
    await send(broker.bootstrap, topic, [large])
    assert await read(broker.bootstrap, topic, 1) == [large]


async def test_killed_and_restarted_it_still_has_what_was_acknowledged(broker: Broker | NamedBroker) -> None:
    topic = await make_topic(broker.bootstrap)
    values = [str(number).encode() for number in range(200)]
    await send(broker.bootstrap, topic, values)
    broker.kill()
    await asyncio.to_thread(broker.restart)
    assert await read(broker.bootstrap, topic, 200) == values


def test_nothing_is_left_running_after_stop() -> None:
    broker = Broker()
    broker.start()
    process, folder = broker.process, broker.folder
    assert process is not None
    assert folder is not None
    broker.stop()
    assert not runs(process.pid)
    assert not folder.exists()
    assert is_free(broker.port)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_it_dies_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = """
import threading, time, tests.broker
broker = tests.broker.Broker()
thread = threading.Thread(target=broker.start)  # ends before the broker is to end
thread.start()
thread.join()
print(broker.process.pid, broker.port, flush=True)
time.sleep(300)
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert parent.stdout is not None
    pid, port = map(int, parent.stdout.readline().split())
    time.sleep(0.5)
    assert nodes_known_to("127.0.0.1", port) == {1}
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 10
    while not is_free(port) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert is_free(port), f"the broker, process {pid}, outlived its parent"


def test_a_broker_that_cannot_start_fails_with_the_end_of_its_log() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        broker = Broker(controller_port=taken.getsockname()[1])
        with pytest.raises(BrokerError, match=r"it ended(.|\n)*Address already in use"):
            broker.start()
    assert broker.folder is None


def test_a_named_broker_is_never_killed() -> None:
    with pytest.raises(BrokerError, match="unset COPYDESK_TEST_BROKER"):
        NamedBroker("127.0.0.1:9092").kill()
