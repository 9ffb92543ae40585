"""`copydesk watch`: shows verdicts and relations as they come."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click
import orjson

from streams.cli.report import describe_relation, describe_verdict
from streams.codec import decode_relation, decode_verdict
from streams.errors import BusError
from streams.settings import Settings, load

_SHOWN = ("verdicts", "duplicates", "containments", "reuse-links", "dead-letters")


@click.command("watch")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: topic and value.")
@click.option(
    "--all", "from_start", is_flag=True, help="From the start of the topics, not only what comes now."
)
@click.option("--count", type=int, help="End after this many verdicts and dead letters.")
@click.option("--broker", help="Kafka bootstrap servers, host:port.")
@click.pass_obj
def command(
    config: Path | None, as_json: bool, from_start: bool, count: int | None, broker: str | None
) -> None:
    """Show verdicts and relations as they come, until Ctrl-C."""
    settings, _ = load(config, overrides={"broker": broker})
    asyncio.run(_watch(settings, as_json, from_start, count))


async def _watch(settings: Settings, as_json: bool, from_start: bool, count: int | None) -> None:
    from aiokafka import AIOKafkaConsumer
    from aiokafka.errors import KafkaError

    from streams.kafka.topics import topic_name

    names = {topic_name(settings, name): name for name in _SHOWN}
    consumer = AIOKafkaConsumer(
        *names,
        bootstrap_servers=settings.broker,
        client_id="copydesk-watch",
        auto_offset_reset="earliest" if from_start else "latest",
        max_partition_fetch_bytes=settings.max_message_bytes,
    )
    seen = 0
    try:
        await consumer.start()
        async for message in consumer:
            name = names[message.topic]
            if as_json:
                line = orjson.dumps({"topic": name, "value": _value(name, message)}).decode()
            else:
                line = _words(name, message)
            click.echo(line)
            sys.stdout.flush()
            seen += name in ("verdicts", "dead-letters")
            if count is not None and seen >= count:
                return
    except KafkaError as error:
        raise BusError(f"cannot read from {settings.broker}: {error}") from None
    finally:
        await consumer.stop()


def _value(name: str, message: object) -> object:
    value: bytes = message.value or b""  # type: ignore[attr-defined]  # aiokafka has no types
    if name != "dead-letters":
        return orjson.loads(value)
    return {key.rsplit(".", 1)[-1]: text.decode() for key, text in message.headers}  # type: ignore[attr-defined]


def _words(name: str, message: object) -> str:
    value: bytes = message.value or b""  # type: ignore[attr-defined]
    if name == "verdicts":
        return describe_verdict(decode_verdict(value))
    if name != "dead-letters":
        return describe_relation(decode_relation(value), None)
    reasons = {key.rsplit(".", 1)[-1]: text.decode() for key, text in message.headers}  # type: ignore[attr-defined]
    where = f"{reasons['topic']}/{reasons['partition']}@{reasons['offset']}"
    return f"{'dead letter':<12}{where}: {reasons['exception']}: {reasons['message']}"
