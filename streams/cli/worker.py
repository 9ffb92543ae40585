"""`copydesk worker`: runs stages on Kafka."""

from __future__ import annotations

from pathlib import Path

import click

from streams.settings import load


@click.command("worker")
@click.option(
    "--stages", help="Only these, with commas: normalize, split, fingerprint, detect (default: all)."
)
@click.option(
    "--state", type=click.Path(file_okay=False, path_type=Path), help="Folder of the tables, one a worker."
)
@click.option("--broker", help="Kafka bootstrap servers, host:port.")
@click.pass_obj
def command(config: Path | None, stages: str | None, state: Path | None, broker: str | None) -> None:
    """Run the stages on Kafka until SIGTERM or Ctrl-C.

    Any number of workers share the work. One that cannot deliver ends with an error and commits nothing that
    it did not deliver: start it again, by a supervisor.
    """
    settings, _ = load(config, overrides={"state_dir": state, "broker": broker})
    from streams.cli.logs import set_up_logs
    from streams.kafka.worker import ALL_STAGES, run_until_signal

    names = tuple(name.strip() for name in stages.split(",")) if stages else ALL_STAGES
    if unknown := [name for name in names if name not in ALL_STAGES]:
        raise click.BadParameter(
            f"{', '.join(unknown)}; known are {', '.join(ALL_STAGES)}", param_hint="--stages"
        )
    set_up_logs(settings.log_level)
    import uvloop

    uvloop.run(run_until_signal(settings, names))
