"""`copydesk settings`: each setting with its value, where that came from and what it does."""

from __future__ import annotations

import json
from pathlib import Path

import click

from streams.settings import PREFIX, Settings, load


@click.command("settings")
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@click.pass_obj
def command(config: Path | None, as_json: bool) -> None:
    """Show every setting, its value, where that came from and what it does."""
    settings, origins = load(config)
    values = settings.model_dump(mode="json")
    if as_json:
        click.echo(
            json.dumps({name: {"value": values[name], "from": origins[name]} for name in values}, indent=2)
        )
        return
    for name, field in Settings.model_fields.items():
        click.echo(f"{click.style(name, bold=True)} = {json.dumps(values[name])}")
        click.echo(f"    {field.description}")
        if origins[name] != "default":
            click.echo(f"    from {origins[name]}")
    click.echo(f"\nSet them in copydesk.toml, as {PREFIX}NAME, or with --config FILE.")
