"""The methods that the papers compare with, one a file."""

from __future__ import annotations

from streams.methods.comparison import Method

BASELINES: dict[str, Method] = {}
