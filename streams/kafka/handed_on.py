"""What a stage has already handed on: it passes over what comes a second time.

After a crash upstream the same items come again, in packs that may be cut otherwise. Items of one raw
partition come in the order of their offsets, so the last offset handed on tells for each whether it is new.
"""

from __future__ import annotations

from typing import TypeVar

from streams.records import Fingerprints, Normalized, Sentences

Pack = TypeVar("Pack", Normalized, Sentences, Fingerprints)


class HandedOn:
    """The last offset handed on, of every raw partition, by this process."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, int, int], int] = {}

    def fresh(self, partition: int, pack: Pack) -> Pack | None:
        """The pack with the items that were not handed on; None where there are none."""
        last = self._last.get((pack.origin.topic, pack.origin.partition, partition), -1)
        if last < pack.origin.first:
            return pack
        numbers = [number for number, item in enumerate(pack.items) if item.offset > last]
        if not numbers:
            return None
        return pack if len(numbers) == len(pack.items) else pack.only(numbers)

    def note(self, partition: int, pack: Normalized | Sentences | Fingerprints) -> None:
        """Remembers that the pack was handed on."""
        where = (pack.origin.topic, pack.origin.partition, partition)
        self._last[where] = max(pack.origin.last, self._last.get(where, -1))
