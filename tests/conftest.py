"""Fixtures that many tests share: a Kafka broker, and the corpora beside the repository."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.broker import KAFKA, Broker, NamedBroker

BROKER_REPORT = pytest.StashKey[str]()

# the same examples in every run, and no deadline: the first call of many functions fills a table
settings.register_profile("copydesk", deadline=None, derandomize=True)
settings.load_profile("copydesk")


@pytest.fixture(scope="session")
def broker(request: pytest.FixtureRequest) -> Iterator[Broker | NamedBroker]:
    """The broker of this test run, started for the first test that asks; fails, never skips, without one."""
    named = os.environ.get("COPYDESK_TEST_BROKER")
    broker = NamedBroker(named) if named else Broker()
    started = time.monotonic()
    broker.start()
    what = "COPYDESK_TEST_BROKER" if named else f"Kafka {KAFKA}"
    took = time.monotonic() - started
    request.config.stash[BROKER_REPORT] = f"broker: {what} on {broker.bootstrap}, ready in {took:.1f} s"
    yield broker
    broker.stop()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how long the broker took, where one was used."""
    if BROKER_REPORT in config.stash:
        terminalreporter.write_line(config.stash[BROKER_REPORT])


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the shared corpora, which is beside the repository and not in it."""
    folder = Path(__file__).parents[2] / "shared" / "corpora"
    if not folder.is_dir():
        pytest.skip(f"no corpora in {folder}")
    return folder
