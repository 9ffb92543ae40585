"""JSON Lines, plain or gzip, from files or standard input, as raw records in runs of what is there."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from streams.errors import InputError
from streams.records import RawRecord
from streams.text.dates import read_date

STANDARD_INPUT = "-"
TOPIC = "files"
"""The raw topic that records from files are said to come from."""
_CHUNK = 1 << 20


def read_lines(names: list[str], progress: Callable[[int], None] | None = None) -> Iterator[list[bytes]]:
    """Runs of lines of the named files, one file after the other; empty lines are passed over.

    From a pipe a run is what has come by now, so that a slow one is not kept waiting. `progress` is told
    how many bytes of the files, as they lie on disk, were read.
    """
    for name in names:
        if name == STANDARD_INPUT:
            yield from _split(iter(lambda: os.read(sys.stdin.fileno(), _CHUNK), b""))
        else:
            yield from _split(_chunks(Path(name), progress))


def _chunks(path: Path, progress: Callable[[int], None] | None) -> Iterator[bytes]:
    done = 0
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            stream = gzip.GzipFile(fileobj=file) if packed else file
            while chunk := stream.read(_CHUNK):
                yield chunk
                if progress is not None:
                    progress(file.tell() - done)
                    done = file.tell()
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: {error}") from None


def _split(chunks: Iterator[bytes]) -> Iterator[list[bytes]]:
    rest: list[bytes] = []  # a line may span many chunks; joining it once keeps that linear
    for chunk in chunks:
        head, newline, tail = chunk.partition(b"\n")
        if not newline:
            rest.append(chunk)
            continue
        lines = tail.split(b"\n")
        found = [b"".join([*rest, head]), *lines[:-1]]
        rest = [lines[-1]]
        if kept := [line for line in found if line.strip()]:
            yield kept
    last = b"".join(rest)
    if last.strip():
        yield [last]


class Numbering:
    """Gives lines their offsets and timestamps, as the bus would have."""

    def __init__(self, first: int, now: int) -> None:
        self._next = first
        self._timestamp = now

    def records(self, lines: list[bytes]) -> list[RawRecord]:
        """The lines as raw records; one without a date came together with the one before it."""
        records = []
        for line in lines:
            date = _date_of(line)
            if date is not None:
                self._timestamp = date
            records.append(RawRecord(TOPIC, 0, self._next, self._timestamp, None, line))
            self._next += 1
        return records


def _date_of(line: bytes) -> int | None:
    if b'"published_at"' not in line:
        return None
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return read_date(fields.get("published_at")) if isinstance(fields, dict) else None
