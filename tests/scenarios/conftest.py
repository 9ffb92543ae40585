"""The two buses: each scenario runs on both."""

from __future__ import annotations

import pytest

from tests.buses import EmbeddedBus, KafkaBus


@pytest.fixture(scope="session", params=["embedded", "kafka"])
def bus(request: pytest.FixtureRequest) -> EmbeddedBus | KafkaBus:
    """The embedded bus, then the one on a broker."""
    if request.param == "embedded":
        return EmbeddedBus()
    return KafkaBus(request.getfixturevalue("broker").bootstrap)
