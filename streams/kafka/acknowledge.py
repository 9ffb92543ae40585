"""Acknowledgement of events in their order, each when the broker has acknowledged what was sent for it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Protocol


class Acknowledgeable(Protocol):
    """An event of a Faust stream."""

    def ack(self) -> bool:
        """Count the event as done."""


_Entry = tuple[Acknowledgeable, list["asyncio.Future[Any]"], "Callable[[], None] | None"]


class InOrder:
    """Acknowledges events strictly in the order of `append`, and ends the work at the first failure.

    An agent reads without Faust's own acknowledgement, which also counts events at which the agent failed::

        async with InOrder(on_failure) as done:
            async for event in stream.noack().events():
                sends = [await app.producer.send(topic, key, value, partition, None, None)]
                await done.append(event, [*sends, *table.sends(event)])

    `await app.producer.send(...)` takes bytes and returns when the record has its place in a batch, so sends
    keep their order; what comes back is a future of the broker's acknowledgement (`await topic.send(...)`
    gives the same after serializing). `append` returns when fewer than `limit` events wait for theirs.

    A failed send, or an exception in the body, is told to `on_failure`, once. From that event on nothing is
    acknowledged, and the agent waits to be cancelled: if it ended, Faust would start it again behind the
    hole. A cancelled agent acknowledges nothing more.
    """

    def __init__(self, on_failure: Callable[[BaseException], None], limit: int = 32) -> None:
        self._on_failure = on_failure
        self._room = asyncio.Semaphore(limit - 1)  # the last one in flight is being appended
        self._waiting: deque[_Entry] = deque()
        self._arrived = asyncio.Event()
        self._failed = False
        self._closing = False
        self._worker: asyncio.Task[None] | None = None

    async def append(
        self,
        event: Acknowledgeable,
        sends: Iterable[asyncio.Future[Any]],
        acknowledged: Callable[[], None] | None = None,
    ) -> None:
        """Acknowledge the event in its turn, when all sends have succeeded, and then call `acknowledged`."""
        self._waiting.append((event, list(sends), acknowledged))
        self._arrived.set()
        if self._failed:
            await asyncio.Event().wait()
        await self._room.acquire()

    async def _work(self) -> None:
        try:
            while self._waiting or not self._closing:
                if not self._waiting:
                    self._arrived.clear()
                    await self._arrived.wait()
                    continue
                event, sends, acknowledged = self._waiting[0]
                if sends:
                    await asyncio.wait(sends)  # unlike gather, leaves the sends alone if it is cancelled
                for sent in sends:
                    sent.result()
                self._waiting.popleft()
                event.ack()
                self._room.release()
                if acknowledged is not None:
                    acknowledged()
        except Exception as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if not self._failed:
            self._failed = True
            self._on_failure(error)

    async def __aenter__(self) -> InOrder:
        self._worker = asyncio.create_task(self._work())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._worker is not None
        self._closing = True
        self._arrived.set()
        try:
            if error is None:
                await self._worker
            elif isinstance(error, Exception):
                self._worker.cancel()
                self._fail(error)
            if self._failed:
                await asyncio.Event().wait()
        finally:
            self._worker.cancel()
