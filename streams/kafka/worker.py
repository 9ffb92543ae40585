"""The worker: the intake and the stages' apps in one process, from start to a clean end.

Whatever could not be delivered ends the process: nothing after it is committed, so that the next worker, or
this one started again, does it over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Sequence
from typing import Any

import faust

from streams.errors import BusError
from streams.kafka.agents import STAGES
from streams.kafka.intake import Intake
from streams.kafka.topics import check_topics
from streams.settings import Settings

logger = logging.getLogger(__name__)

INTAKE = "normalize"
ALL_STAGES = (INTAKE, *STAGES)
STOP_SECONDS = 20.0


class Worker:
    """Runs stages until it is stopped or fails."""

    def __init__(self, settings: Settings, stages: Sequence[str] = ALL_STAGES) -> None:
        self._settings = settings
        self._stages = stages
        self._ended = asyncio.Event()
        self._failure: BaseException | None = None
        self.ready = asyncio.Event()

    async def run(self) -> None:
        """Works until `stop`; raises `BusError` if something could not be delivered."""
        raw = await check_topics(self._settings)
        apps = [STAGES[name](self._settings, self._fail) for name in self._stages if name != INTAKE]
        intake = Intake(self._settings, raw) if INTAKE in self._stages else None
        reading: asyncio.Task[None] | None = None
        starting = asyncio.create_task(self._start(apps))
        try:
            if intake is not None:
                reading = asyncio.create_task(intake.run())
                reading.add_done_callback(self._intake_ended)
            await self._ended.wait()
        finally:
            starting.cancel()
            if intake is not None and reading is not None:
                intake.stop()
                await asyncio.wait([reading], timeout=STOP_SECONDS)
                reading.cancel()
            await self._stop(apps)
        if self._failure is not None:
            raise BusError(f"stopped, because something could not be delivered: {self._failure!r}")

    def stop(self) -> None:
        """Ends `run` after what is under way."""
        self._ended.set()

    async def _start(self, apps: list[faust.App]) -> None:
        """Starts the apps, tells when their tables are back, and watches over them."""
        try:
            for app in apps:
                app.finalize()
            await asyncio.gather(*(app.start() for app in apps))
            await asyncio.gather(*(_recovered(app) for app in apps))
            self.ready.set()
            logger.info("ready: %s", ", ".join(self._stages))
            # a crashed app neither ends the process nor the other apps
            await asyncio.gather(*(self._watch(app) for app in apps))
        except Exception as error:
            self._fail(error)

    async def _watch(self, app: faust.App) -> None:
        await app._crashed.wait()
        self._fail(app.crash_reason or RuntimeError(f"{app.conf.id} crashed"))

    async def _stop(self, apps: list[faust.App]) -> None:
        for app in apps:
            with contextlib.suppress(Exception):  # one that has crashed cannot stop in good order
                await asyncio.wait_for(app.stop(), STOP_SECONDS)

    def _fail(self, error: BaseException) -> None:
        if self._failure is None:
            self._failure = error
            logger.error("cannot go on: %r", error)
        self._ended.set()

    def _intake_ended(self, reading: asyncio.Task[None]) -> None:
        if not reading.cancelled() and (error := reading.exception()) is not None:
            self._fail(error)


async def _recovered(app: Any) -> None:
    """Returns when the app's tables are back."""
    await app.tables.recovery.completed.wait()


async def run_until_signal(settings: Settings, stages: Sequence[str]) -> None:
    """Runs a worker until SIGTERM or Ctrl-C."""
    worker = Worker(settings, stages)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, worker.stop)
    await worker.run()
