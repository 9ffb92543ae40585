"""An array of integers that grows at its end and is forgotten from its beginning."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Growing:
    """Integers by number; numbers only go up."""

    def __init__(self, empty: int) -> None:
        self._empty = empty
        self._values = np.full(1024, empty, dtype=np.int64)
        self._base = 0
        self._end = 0

    def __getitem__(self, number: Any) -> Any:
        return self._values[number - self._base]

    def __setitem__(self, number: Any, value: Any) -> None:
        self._values[number - self._base] = value

    def put(self, first: int, values: NDArray[np.int64]) -> None:
        """Sets the values from number `first` on, which become the last ones."""
        self._end = first + len(values)
        while self._end - self._base > len(self._values):
            self._values = np.concatenate([self._values, np.full(len(self._values), self._empty)])
        self._values[first - self._base : self._end - self._base] = values

    def where(self, value: int) -> list[int]:
        """The numbers that have this value."""
        found = np.flatnonzero(self._values[: max(0, self._end - self._base)] == value)
        return [int(n) + self._base for n in found]

    def forget_before(self, number: int) -> None:
        """Gives back the memory of smaller numbers, once that is worth it."""
        gone = number - self._base
        if gone > 4096 and gone > (self._end - self._base) // 2:
            kept = self._values[gone : self._end - self._base]
            self._values = np.full(max(1024, 2 * len(kept)), self._empty)
            self._values[: len(kept)] = kept
            self._base = number
