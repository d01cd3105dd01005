"""What the tests of the core share."""

import pytest

from perf_assets.core.analyses import closing, effects, incidence, lifetimes, trends
from perf_assets.core.analyses import permutation_series as series
from perf_assets.core.questions import difficulty


@pytest.fixture
def without_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statistics of however few events: known values are those of tiny samples."""
    for module in (effects, lifetimes, difficulty):
        monkeypatch.setattr(module, "COMPARISON", 1)
    for module in (incidence, difficulty):
        monkeypatch.setattr(module, "CURVE", 1)
    for module in (closing, series, trends):
        monkeypatch.setattr(module, "REGRESSION", 0)
    monkeypatch.setattr(trends, "PAIRS", 0)
