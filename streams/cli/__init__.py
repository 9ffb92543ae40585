"""The command `copydesk`. Exit codes: 0 done, 1 failed with a message, 2 wrong usage, 130 interrupted."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import click

from streams import __version__
from streams.errors import CopydeskError

_COMMANDS = {  # each is loaded only when it is called: a heavy import must not slow the others down
    "run": "Judge files in this process, without a broker.",
    "worker": "Run the stages on Kafka.",
    "topics": "Show the topics that are needed and what is there; --create makes what is missing.",
    "publish": "Put items from files on the raw topic.",
    "watch": "Show verdicts and relations as they come.",
    "evaluate": "Score methods on a corpus with the truth for every pair.",
    "explain": "Show two items side by side, and why they are told as what they are.",
    "settings": "Show every setting, its value, where that came from and what it does.",
}


class _ReaderGone(Exception):
    """Whoever read our output has gone, as with `| head`: that is no error."""


class _Lazy(click.Group):
    """A group whose commands live in modules of their own."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would exit with 1
            raise _ReaderGone from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"streams.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Lazy,
    epilog="Exit codes: 0 done, 1 failed with a message, 2 wrong usage, 130 interrupted.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="copydesk")
@click.option(
    "--config", type=click.Path(path_type=Path), help="TOML file of settings (default: copydesk.toml)."
)
@click.pass_context
def _copydesk(ctx: click.Context, config: Path | None) -> None:
    """Tell, for every item on a news bus, whether it copies, contains or reuses an earlier one."""
    ctx.obj = config


def main() -> None:
    """Runs the command line; errors are one line, and an interruption is no error."""
    try:
        _copydesk.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except CopydeskError as error:
        click.echo(f"copydesk: {error}", err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except _ReaderGone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        click.echo(f"copydesk: {error}", err=True)
        sys.exit(1)
