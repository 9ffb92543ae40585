"""Stories for tests: the same seed tells the same story, another one shares nothing with it."""

from __future__ import annotations

import random
from typing import Any

from tests.buses import iso_at

_SYLLABLES = ("bra", "cor", "dun", "el", "fen", "gar", "hol", "is", "jun", "kel", "lor", "mar")
_SYLLABLES += ("nim", "or", "pel", "quin", "ros", "sil", "tan", "ul", "ver", "win", "yar", "zed")
_PATTERNS = (
    "The {} of {} will {} the {} after {} and {} had {} in {}.",
    "According to {}, the {} {} near {} was {} by {} before the {} could {}.",
    "Officials in {} said that {} {} had {} with {} over the {} of {}.",
    "Nobody at {} expected the {} to {} while {} {} were still {} for {}.",
)


def word(random_: random.Random) -> str:
    """A word that no language has."""
    return "".join(random_.choices(_SYLLABLES, k=3))


def sentences(seed: object, count: int = 6) -> list[str]:
    """So many sentences of about a dozen words."""
    random_ = random.Random(f"story {seed}")
    told = []
    for _ in range(count):
        pattern = random_.choice(_PATTERNS)
        told.append(pattern.format(*(word(random_) for _ in range(pattern.count("{}")))))
    return told


def story(seed: object, count: int = 6) -> str:
    """The sentences as one text."""
    return " ".join(sentences(seed, count))


def item(id_: str, text: str, hours: float = 0, **fields: object) -> dict[str, Any]:
    """An item that was published so many hours after START."""
    return {"id": id_, "text": text, "published_at": iso_at(hours), **fields}


def day(size: int, seed: int = 1) -> list[dict[str, Any]]:
    """Items over a day: originals, copies, containers, abridgements, quotes, re-deliveries and new versions."""
    random_ = random.Random(seed)
    items: list[dict[str, Any]] = []
    for number in range(size):
        hours = 24 * number / size
        name = f"item-{number:04}"
        earlier = random_.choice(items[-60:]) if items else None
        turn = random_.random()
        if earlier is None or turn < 0.55:
            items.append(item(name, story((seed, number), random_.randint(3, 8)), hours))
            continue
        told = earlier["text"].split(". ")
        if turn < 0.70:
            items.append(item(name, earlier["text"], hours))
        elif turn < 0.80:
            items.append(item(name, f"{earlier['text']} {story((seed, number), len(told) + 2)}", hours))
        elif turn < 0.88:
            quote = told[0] if told[0].endswith(".") else told[0] + "."
            items.append(item(name, f"{quote} {story((seed, number), 6)}", hours))
        elif turn < 0.94:
            items.append({**earlier, "published_at": item(name, "", hours)["published_at"]})
        else:
            items.append(item(str(earlier["id"]), f"{earlier['text']} {story((seed, number), 2)}", hours))
    return items
