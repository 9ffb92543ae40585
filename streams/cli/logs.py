"""Logs of the worker: one line an event, on standard error."""

from __future__ import annotations

import logging

_QUIET = ("faust", "mode", "aiokafka", "asyncio", "streams.kafka.transport", "streams.kafka.producer")
"""Libraries that tell of every heartbeat: from them only what is wrong."""


def set_up_logs(level: str) -> None:
    """Sets logging up for a process that runs until it is stopped."""
    logging.basicConfig(
        level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
