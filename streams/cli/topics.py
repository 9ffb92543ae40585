"""`copydesk topics`: what the settings ask for, and what is there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from streams.settings import Settings, load


@click.command("topics")
@click.option("--create", is_flag=True, help="Make copydesk's own topics where they are missing.")
@click.option("--raw", is_flag=True, help="With --create: make the raw topics too, for a trial.")
@click.option("--broker", help="Kafka bootstrap servers, host:port.")
@click.pass_obj
def command(config: Path | None, create: bool, raw: bool, broker: str | None) -> None:
    """Show the topics that the settings ask for and what is there.

    The bus's own raw topics are never made unless --raw says so.
    """
    settings, _ = load(config, overrides={"broker": broker})
    if not asyncio.run(_show(settings, create, raw)):
        raise SystemExit(1)


async def _show(settings: Settings, create: bool, raw: bool) -> bool:
    """Prints a line a topic; whether all are there and right."""
    from streams.kafka.topics import Admin, raw_topic

    right = True
    async with Admin(settings) as admin:
        there = await admin.partitions(settings.raw_topics)
        for name in settings.raw_topics:
            state = "ok" if name in there else "missing"
            if state == "missing" and create and raw:
                await admin.create(raw_topic(settings, name))
                state, there[name] = "made", settings.stage_partitions
            right = right and state != "missing"
            click.echo(
                f"{state:<10} {name:<38} {there.get(name, '-')!s:>4}  the bus's own, read by normalize"
            )
        for found in await admin.look():
            state, topic = found.state, found.topic
            if state == "missing" and create:
                await admin.create(topic)
                state = "made"
            right = right and state in ("ok", "made")
            click.echo(f"{state:<10} {topic.full_name:<38} {topic.partitions:>4}  {topic.content}")
    if not right and not create:
        click.echo(
            "`copydesk topics --create` makes what is missing; the raw topics too with --raw.", err=True
        )
    return right
