"""When an item happened."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.records import HOUR_MS
from streams.text.dates import arrival, event_time, read_date

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=zones)
times = st.integers(0, 10**13)


def milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


@given(moments)
def test_iso_dates_are_read_to_the_millisecond(moment: datetime) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert read_date(moment.isoformat()) == milliseconds(moment)
    assert read_date(moment.isoformat(sep=" ")) == milliseconds(moment)


@given(moments)
def test_dates_of_mail_and_feeds_are_read(moment: datetime) -> None:
    moment = moment.replace(microsecond=0)
    assert read_date(format_datetime(moment)) == milliseconds(moment)


@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)))
def test_a_date_without_a_zone_is_utc(moment: datetime) -> None:
    moment = moment.replace(microsecond=0)
    assert read_date(moment.isoformat()) == milliseconds(moment.replace(tzinfo=timezone.utc))


@given(st.integers(946_684_800, 4_102_444_800))
def test_seconds_and_milliseconds_since_1970_are_read(seconds: int) -> None:
    assert read_date(seconds) == read_date(seconds * 1000) == seconds * 1000


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(),
        st.text(max_size=70),
        st.text("0123456789-+:.TZW/ ,", max_size=30),
        st.text("0123456789 JanFebMo,:+-GMT", max_size=35),
        st.lists(st.integers(), max_size=2),
        st.dictionaries(st.text(), st.integers(), max_size=2),
    )
)
def test_whatever_it_is_reading_does_not_fail(value: object) -> None:
    assert read_date(value) is None or isinstance(read_date(value), int)


NO_DATES = [None, "", "soon", "yesterday", True, [], {}, "0000-00-00", "2026-02-30", "x" * 100]


@pytest.mark.parametrize("value", [*NO_DATES, 2**63, -(2**63), 1e300, float("nan"), float("inf")])
def test_this_is_no_date(value: object) -> None:
    assert read_date(value) is None


@given(st.none() | times, times, times, st.integers(0, HOUR_MS))
def test_a_record_never_comes_before_the_one_before_it_nor_from_the_future(
    previous: int | None, timestamp: int, now: int, ahead: int
) -> None:
    arrived = arrival(previous, timestamp, now, ahead)
    assert previous is None or arrived >= previous
    assert arrived <= max(now + ahead, previous or 0)
    if timestamp <= now + ahead and timestamp >= (previous or 0):
        assert arrived == timestamp


@given(st.none() | times, times, st.integers(1, 100), st.integers(0, 2 * HOUR_MS))
def test_event_time_is_the_published_date_where_that_is_plausible(
    published: int | None, arrived: int, window: int, ahead: int
) -> None:
    time = event_time(published, arrived, window, ahead)
    assert arrived - window * HOUR_MS <= time <= arrived + ahead
    assert time in (published, arrived)
    if published is not None and arrived - window * HOUR_MS <= published <= arrived + ahead:
        assert time == published
