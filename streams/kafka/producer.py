"""What is written: sends in their order, and table writes that can be waited for.

An offset is committed only after the broker has acknowledged all that was sent and stored for the record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import faust
from faust.exceptions import ProducerSendError
from faust.transport.drivers import aiokafka as driver
from faust.transport.producer import ProducerBuffer
from faust.types import EventT, FutureMessage, Message


class _Buffer(ProducerBuffer):
    """Tells a buffered write that it could not be sent, where Faust's leaves it pending and dies."""

    async def _send_pending(self, fut: FutureMessage) -> None:
        try:
            await super()._send_pending(fut)
        except Exception as error:
            fut.set_exception(error)


class OrderedProducer(driver.Producer):
    """A producer that writes each partition in the order of the sends, and nothing after a send that failed.

    Faust's is idempotent in transactions only, and a batch that is tried again can be overtaken. Sequence
    numbers alone do not do: where the refused batch was the first in its partition, the next is accepted.
    """

    failure: BaseException | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.buffer = _Buffer(loop=self.loop, beacon=self.beacon)
        self.buffer.app = self.app

    def _settings_extra(self) -> Mapping[str, Any]:
        return {"acks": "all", "enable_idempotence": True}

    async def send(self, *args: Any, **options: Any) -> asyncio.Future[Any]:
        """A future of the broker's acknowledgement; raises once any send has failed."""
        if self.failure is not None:
            raise ProducerSendError(f"an earlier send failed: {self.failure!r}") from self.failure
        sent: Any = await super().send(*args, **options)
        sent.add_done_callback(self._on_sent)
        return sent  # type: ignore[no-any-return] # aiokafka has no types

    def _on_sent(self, sent: asyncio.Future[Any]) -> None:
        if sent.cancelled() or sent.exception() is None or self.failure is not None:
            return
        self.failure = sent.exception()
        if self._producer is not None:
            halt(self._producer, self.failure)


def _retrieve(sent: asyncio.Future[Any]) -> None:
    """Keep asyncio quiet about a failure that nobody asks for, because an earlier one has ended the work."""
    if not sent.cancelled():
        sent.exception()


def halt(producer: Any, failure: BaseException | None) -> None:
    """Let an aiokafka producer send nothing more: what follows a failed send must not overtake it."""
    producer._sender.sender_task.cancel()  # requests under way end, no other begins
    producer._message_accumulator.fail_all(failure)


class AcknowledgedTable(faust.Table[bytes, bytes]):
    """A table that gives a future of the broker's acknowledgement for each write.

    Before a commit Faust flushes the changelog, but gives up after a tenth of a second without progress, and
    a changelog message that failed is only logged. So an agent waits for `sends(event)` as for its other
    sends before it acknowledges the event.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._sends: WeakKeyDictionary[Message, list[FutureMessage]] = WeakKeyDictionary()
        self._generations: WeakKeyDictionary[FutureMessage, int] = WeakKeyDictionary()

    def sends(self, event: EventT[Any]) -> list[FutureMessage]:
        """The changelog messages of the writes made for this event since the last call."""
        return self._sends.pop(event.message, [])

    def send_changelog(self, *args: Any, **options: Any) -> FutureMessage:
        """Send a write to the changelog, and remember for which event."""
        sent = super().send_changelog(*args, **options)
        sent.add_done_callback(_retrieve)
        self._generations[sent] = self.app.consumer_generation_id
        event = faust.current_event()
        if event is not None:
            self._sends.setdefault(event.message, []).append(sent)
        return sent

    def _on_changelog_sent(self, fut: FutureMessage) -> None:
        # A write acknowledged after a rebalance can lie behind writes of another owner that the local store
        # lacks; with its offset stored, the next recovery here would pass over them.
        if self._generations.get(fut) == self.app.consumer_generation_id:
            super()._on_changelog_sent(fut)
