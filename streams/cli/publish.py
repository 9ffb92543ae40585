"""`copydesk publish`: puts items from files on the raw topic."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import click

from streams.errors import BusError
from streams.inputs.lines import STANDARD_INPUT, Numbering, read_lines
from streams.settings import Settings, load
from streams.text.dates import arrival


@click.command("publish")
@click.argument("names", metavar="FILE...", nargs=-1, required=True)
@click.option("--topic", help="The raw topic (default: the first of raw_topics).")
@click.option("--broker", help="Kafka bootstrap servers, host:port.")
@click.pass_obj
def command(config: Path | None, names: tuple[str, ...], topic: str | None, broker: str | None) -> None:
    """Put items from FILEs (JSON Lines, plain or gzip; - is standard input) on the raw topic.

    The record's timestamp is the item's `published_at`; one without a date, or with one from the future, gets
    that of the item before it. Lines are sent as they are, whatever they are; `sample` is the shipped sample.
    """
    settings, _ = load(config, overrides={"broker": broker})
    chosen = [
        str(Path(__file__).parent.parent / "sample" / "news-day.jsonl") if n == "sample" else n for n in names
    ]
    for name in chosen:
        if name != STANDARD_INPUT and not Path(name).is_file():
            raise click.UsageError(f"no file {name}")
    count = asyncio.run(publish(settings, chosen, topic or settings.raw_topics[0]))
    click.echo(f"{count} items published to {topic or settings.raw_topics[0]}.")


async def publish(settings: Settings, names: list[str], topic: str) -> int:
    """How many lines were put on the topic, all acknowledged."""
    from aiokafka import AIOKafkaProducer
    from aiokafka.errors import KafkaError

    producer = AIOKafkaProducer(
        bootstrap_servers=settings.broker,
        client_id="copydesk-publish",
        acks="all",
        enable_idempotence=True,
        linger_ms=5,
        max_request_size=settings.max_message_bytes + 1_048_576,
    )
    now = int(time.time() * 1000)
    numbering, arrived, count = Numbering(0, now), None, 0
    try:
        await producer.start()
        for lines in read_lines(names):
            sends = []
            for record in numbering.records(lines):
                arrived = arrival(arrived, record.timestamp, now, settings.ahead_minutes * 60_000)
                sends.append(await producer.send(topic, record.value, timestamp_ms=max(arrived, 0)))
            await asyncio.gather(*sends)
            count += len(sends)
    except KafkaError as error:
        raise BusError(f"published {count} items to {topic} at {settings.broker}, then: {error}") from None
    finally:
        await producer.stop()
    return count
