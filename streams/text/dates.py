"""When an item happened, from what it says and from when it came."""

from __future__ import annotations

import math
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from dateutil.parser import isoparse

from streams.records import HOUR_MS

_FIRST_MS, _LAST_MS = -62_135_596_800_000, 253_402_300_799_999  # years 1 to 9999


def read_date(value: object) -> int | None:
    """Milliseconds since 1970, or None where the value is no date.

    ISO 8601, the form of e-mail and RSS, and seconds or milliseconds since 1970 are understood;
    without a zone it is UTC.

    >>> read_date("1987-02-26T15:02:20Z"), read_date("Thu, 26 Feb 1987 15:02:20 GMT"), read_date("soon")
    (541350140000, 541350140000, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            return None
        milliseconds = value if abs(value) >= 1e11 else value * 1000
        return int(milliseconds) if _FIRST_MS <= milliseconds <= _LAST_MS else None
    if not isinstance(value, str) or len(value) > 64:
        return None
    moment = _read_text(value.strip())
    if moment is None:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    try:
        return int(moment.timestamp() * 1000)
    except (OverflowError, ValueError, OSError):
        return None


def _read_text(text: str) -> datetime | None:
    for read in (datetime.fromisoformat, isoparse, parsedate_to_datetime):
        try:
            return read(text)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def arrival(previous: int | None, timestamp: int, now: int, ahead: int) -> int:
    """When a record came: its timestamp, but never back in time, and never from the future.

    A clock that jumps back, or a date of 2099, must neither expire the window nor fall out of it: such a
    record counts as come together with the one before it.

    >>> arrival(None, 5_000, now=9_000, ahead=0), arrival(5_000, 2_000, 9_000, 0), arrival(5_000, 99_000, 9_000, 0)
    (5000, 5000, 5000)
    """
    if timestamp > now + ahead:
        return previous if previous is not None else now
    return timestamp if previous is None else max(previous, timestamp)


def event_time(published: int | None, arrived: int, window_hours: int, ahead: int) -> int:
    """The published date where it is plausible, else the time of arrival.

    >>> event_time(None, 10, 24, 0), event_time(8, 10, 24, 0), event_time(11, 10, 24, 0)
    (10, 8, 10)
    """
    if published is None or not arrived - window_hours * HOUR_MS <= published <= arrived + ahead:
        return arrived
    return published
