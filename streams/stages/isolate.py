"""One bad item must not stop a pack: a stage's result without it, and a dead letter for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import orjson

from streams.records import DeadLetter, Normalized, Sentences

Pack = TypeVar("Pack", Normalized, Sentences)
Result = TypeVar("Result")


def isolate(name: str, stage: Callable[[Pack], Result], pack: Pack) -> tuple[Result, list[DeadLetter]]:
    """What the stage makes of the pack, and dead letters for the items on which it fails.

    What is known to be unusable is refused by `normalize`, with its raw bytes. This is for what nobody
    thought of; the dead letter has the normalized item, and tells where the raw one is.
    """
    try:
        return stage(pack), []
    except Exception:
        good: list[int] = []
        dead: list[DeadLetter] = []
        for number in range(len(pack.items)):
            try:
                stage(pack.only([number]))
                good.append(number)
            except Exception as error:
                item = pack.items[number]
                where, message = pack.origin, f"{type(error).__name__}: {error}"
                key, value = item.id.encode(), orjson.dumps(item)
                dead.append(
                    DeadLetter(
                        where.topic, where.partition, item.offset, key, value, name, "stage-failed", message
                    )
                )
        if not dead:  # it was not an item's fault
            raise
        return stage(pack.only(good)), dead
