"""A Faust transport that loses no record when a worker, a send or a rebalance fails.

    app = fence(faust.App(..., Table=AcknowledgedTable))    # before agents and tables are declared

Written against faust-streaming 0.15.3 and aiokafka 0.14.0. The consumer is fenced in two halves. The *gate*:
from a seek until the queues were cleared and the flow was resumed, nothing is fetched or delivered. The
*commit*: only the unbroken run of acknowledged offsets from the sought position, of this generation. So
agents read with `stream.noack()`, and the topics are neither compacted nor written in transactions: commits
would stop (and nothing be lost) at the first offset that does not exist.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import faust
from faust.exceptions import ImproperlyConfigured
from faust.transport.consumer import ensure_TP
from faust.transport.drivers import aiokafka as driver
from faust.types import TP, AppT, Message
from faust.types.enums import ProcessingGuarantee
from faust.types.tuples import ack_lock
from mode.utils.futures import notify

from streams.kafka.producer import OrderedProducer

FETCH_WAIT_MS = 20
PARTITION_FETCH_BYTES = 16 * 1024 * 1024
FETCH_BYTES = 64 * 1024 * 1024
POLL_SECONDS = 0.25  # the longest that a seek waits for a fetch to end
REQUIRED = {
    "processing_guarantee": ProcessingGuarantee.AT_LEAST_ONCE,  # transactions lose counts
    "producer_threaded": False,  # its flush leaves out what is under way
    "consumer_auto_offset_reset": "earliest",  # others skip records
    "key_serializer": "raw",  # what Faust fails to decode, it acknowledges unprocessed
    "value_serializer": "raw",
}
_SEEK = object()  # holds the gate from a seek until the flow is resumed


def fence(app: faust.App) -> faust.App:
    """The app, with its consumer and producer fenced; raises if its settings would let records be lost."""
    app.transport = app.producer_transport = FencedTransport(app.conf.broker_consumer, app)
    return app


class _Thread(driver.AIOKafkaConsumerThread):
    """Fetches what there is at once, where Faust waits 1.5 s for more, and takes messages of many MiB."""

    def _create_worker_consumer(self, transport: driver.Transport) -> Any:
        consumer = super()._create_worker_consumer(transport)
        consumer._fetch_max_wait_ms = FETCH_WAIT_MS  # aiokafka reads these when the consumer starts
        consumer._fetch_max_bytes = FETCH_BYTES
        consumer._max_partition_fetch_bytes = PARTITION_FETCH_BYTES
        return consumer


class FencedConsumer(driver.Consumer):
    """A consumer whose committed offset never passes a record that was not acknowledged."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._gate = asyncio.Lock()
        self._gate_holder: object = None
        self._held: set[TP] = set()  # stream partitions that wait for the seek
        self._sought = False
        self._acknowledged: dict[TP, int] = {}  # where the run of acknowledged offsets ends
        self._committed: dict[TP, int] = {}
        super().__init__(*args, **options)

    def _new_consumer_thread(self) -> driver.AIOKafkaConsumerThread:
        return _Thread(self, loop=self.loop, beacon=self.beacon)

    def committed(self, tp: TP) -> int | None:
        """The offset where a restart would read on, as far as known; None if the partition is not ours."""
        return self._committed.get(tp)

    # The gate. After a recovery Faust resumes the partitions, then seeks, then clears the agents' queues,
    # while the fetcher runs: what is delivered meanwhile is cleared, and dropped as known when read again.

    async def getmany(self, timeout: float) -> AsyncIterator[tuple[TP, Message]]:
        """Records; none that was fetched before a seek is delivered after it."""
        if not self._get_active_partitions():
            await self.sleep(POLL_SECONDS / 5)
            return
        while True:
            if not self.flow_active:  # not inside the gate: the flow is resumed only after a seek
                await self.wait(self.can_resume_flow)  # type: ignore[arg-type] # mode forgot asyncio's Event
            await self._gate.acquire()
            if self.flow_active or self.should_stop:
                break
            self._gate.release()
        self._gate_holder = drainer = asyncio.current_task()
        try:
            async for tp, message in super().getmany(min(timeout, POLL_SECONDS)):
                yield tp, message
        finally:
            self._open_gate(drainer)

    async def _drain_messages(self, fetcher: Any) -> None:
        try:
            await super()._drain_messages(fetcher)
        finally:  # cancelled at a delivery, it leaves getmany suspended
            self._open_gate(asyncio.current_task())

    def _open_gate(self, holder: object) -> None:
        if self._gate_holder is holder:
            self._gate_holder = None
            self._gate.release()

    def resume_partitions(self, tps: Iterable[TP]) -> None:
        """Resume changelogs now, and stream partitions when the flow is resumed after the seek."""
        changelogs = {tp for tp in tps if self._is_changelog_tp(tp)}
        self._held |= set(tps) - changelogs
        super().resume_partitions(changelogs)

    def resume_flow(self) -> None:
        """Open the gate: Faust has just cleared the queues."""
        super().resume_flow()
        if self._sought:
            super().resume_partitions(self._held & self.assignment())
            self._held.clear()
        self._open_gate(_SEEK)

    async def perform_seek(self) -> None:
        """Seek the stream partitions to the last commit; the gate stays shut until the flow is resumed."""
        if self._gate_holder is asyncio.current_task():
            return  # a fetch that ended after the flow had stopped; the seek that follows brings it again
        if self._gate_holder is not _SEEK:
            await self._gate.acquire()
            self._gate_holder = _SEEK
        committed = {ensure_TP(tp): offset for tp, offset in (await self.seek_to_committed()).items()}
        tps = [tp for tp in committed if not self._is_changelog_tp(tp)]
        earliest = {ensure_TP(tp): offset for tp, offset in (await self.earliest_offsets(*tps)).items()}
        # aiokafka does not seek without a commit; and what retention removed can never be acknowledged
        start = {tp: max(committed[tp] or 0, earliest[tp]) for tp in tps}
        await self.seek_wait(start)
        for tp, offset in start.items():
            if committed[tp] and committed[tp] < offset:
                self.log.error("%s: retention removed %s unread records", tp, offset - committed[tp])
            self._read_offset[tp] = offset or None
            self._acked_index[tp].clear()
            self._acknowledged[tp] = offset
            self._committed[tp] = max(offset, self._committed.get(tp, 0))
        self._sought = True

    async def on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        """Fetch nothing from new partitions before they were sought."""
        self._held.clear()
        self._sought = False
        self.pause_partitions(assigned)
        await super().on_partitions_assigned(assigned, generation_id)

    async def on_partitions_revoked(self, revoked: set[TP]) -> None:
        """Commit what was acknowledged before Faust forgets it, or a rebalance repeats it."""
        await self.commit()
        self._held.clear()
        self._sought = False
        for tp in revoked:
            self._acknowledged.pop(tp, None)
            self._committed.pop(tp, None)
        await super().on_partitions_revoked(revoked)

    # The commit. Faust passes over one missing offset at the head, takes each jump between delivered offsets
    # for a gap in the log and acknowledges the record after it, and begins wherever the first run begins.

    def ack(self, message: Message) -> bool:
        """Count the offset, if this generation was given it since the seek."""
        with ack_lock:
            if message.acked:
                return False
            message.acked = True
            self._unacked_messages.discard(message)
            notify(self._waiting_for_ack)
            known = self._acknowledged.get(message.tp)
            if known is None or message.offset < known or not self._is_current(message):
                return False
            self._acked_index[message.tp].add(message.offset)
            self._n_acked += 1
            return True

    def _is_current(self, message: Message) -> bool:
        return message.generation_id == self.app.consumer_generation_id

    async def _add_gap(self, tp: TP, offset_from: int, offset_to: int) -> None:
        """What was not delivered is not acknowledged."""

    def _filter_tps_with_pending_acks(self, topics: Any = None) -> Iterator[TP]:
        return (tp for tp in [*self._acknowledged] if not topics or tp in topics or tp.topic in topics)

    def _new_offset(self, tp: TP) -> int | None:
        with ack_lock:
            offset, acknowledged = self._acknowledged[tp], self._acked_index[tp]
            while offset in acknowledged:
                acknowledged.remove(offset)
                offset += 1
            self._acknowledged[tp] = offset
        return offset if offset > self._committed[tp] else None

    def _should_commit(self, tp: TP, offset: int) -> bool:
        return True  # decided above; Faust also counts commits that failed

    async def _commit(self, offsets: Mapping[TP, int]) -> bool:
        done = await super()._commit(offsets)
        for tp, offset in offsets.items():
            if done and tp in self._acknowledged:
                self._committed[tp] = max(offset, self._committed[tp])
        return done


class FencedTransport(driver.Transport):
    """Faust's aiokafka transport with the fenced consumer and the ordered producer."""

    Consumer = FencedConsumer
    Producer = OrderedProducer

    def __init__(self, url: Any, app: AppT, **options: Any) -> None:
        for name, right in REQUIRED.items():
            value = getattr(app.conf, name)
            if value != right:
                raise ImproperlyConfigured(f"records would be lost: {name} is {value!r}, must be {right!r}")
        # without it, events of an earlier generation are acknowledged unprocessed
        if faust.streams._CStreamIterator is None:  # type: ignore[attr-defined] # private, and there is no other
            raise ImproperlyConfigured("records would be lost without Faust's compiled extension")
        super().__init__(url, app, **options)
