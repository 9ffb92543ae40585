"""Arrays as bytes: how the signatures of a pack lie on a topic and in the table.

A small JSON header names the arrays with type and length, then come their bytes, one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

Array = NDArray[Any]


def to_bytes(arrays: Mapping[str, Array]) -> bytes:
    """The arrays as one string of bytes.

    >>> from_bytes(to_bytes({"a": np.arange(3, dtype=np.uint16)}))["a"].tolist()
    [0, 1, 2]
    """
    header = orjson.dumps([[name, array.dtype.str, len(array)] for name, array in arrays.items()])
    parts = [len(header).to_bytes(4, "little"), header]
    parts += [np.ascontiguousarray(array).tobytes() for array in arrays.values()]
    return b"".join(parts)


def from_bytes(data: bytes) -> dict[str, Array]:
    """The arrays that `to_bytes` wrote, read-only and without a copy."""
    end = 4 + int.from_bytes(data[:4], "little")
    arrays: dict[str, Array] = {}
    for name, dtype, length in orjson.loads(data[4:end]):
        array = np.frombuffer(data, dtype=dtype, count=length, offset=end)
        arrays[name] = array
        end += array.nbytes
    return arrays
