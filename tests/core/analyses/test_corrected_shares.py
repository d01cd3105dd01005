"""The corrected share: known shares found again, limits that hold them, and whom to believe."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.analyses.corrected_shares import adjusted_share, corrected_shares
from perf_assets.schema import schema_of


def calibrated(share: float, trained: float, reports: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return probabilities of a classifier of normal margins, calibrated for ``trained``."""
    random = np.random.default_rng(5)
    positives = round(share * reports)
    margins = random.normal(size=reports) + np.where(np.arange(reports) < positives, 2.0, 0.0)
    odds = np.exp(2 * margins - 2) * trained / (1 - trained)
    return np.asarray(odds / (1 + odds))


@pytest.mark.parametrize("share", [0.04, 0.1, 0.2, 0.4])
@pytest.mark.parametrize("trained", [0.1, 0.3])
def test_a_share_is_found_again_whatever_the_classifier_was_trained_with(
    share: float, trained: float
) -> None:
    found, low, high = adjusted_share(calibrated(share, trained, 20_000), trained)
    assert found == pytest.approx(share, rel=0.1)
    assert low < share < high


@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=60), st.floats(0.02, 0.9))
def test_limits_hold_the_estimate(probabilities: list[float], trained: float) -> None:
    found, low, high = adjusted_share(np.array(probabilities), trained)
    assert 0 <= low <= found <= high <= 1


def frames(reports: int, judged: int) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    numbers = {"repository": "owner/name", "number": range(reports)}
    probability = calibrated(0.2, 0.1, reports)
    quality = pl.DataFrame(
        {
            "dataset": "live",
            "repository": "owner/name",
            "rater": "consensus",
            "measure": "corrected_share",
            "estimate_percent": [21.0] * judged,
            "low_percent": [15.0] * judged,
            "high_percent": [28.0] * judged,
        },
        schema_overrides={"estimate_percent": pl.Float64},
    )
    return (
        pl.DataFrame({**numbers, "dataset": "live", "is_performance": probability > 0.9}),
        pl.DataFrame(
            {
                **numbers,
                "probability": probability,
                "is_performance": probability > 0.5,
                "trained_share": 0.1,
            }
        ),
        quality,
    )


@pytest.mark.parametrize(
    ("reports", "judged", "believed"), [(400, 1, "people"), (400, 0, "corrected"), (40, 0, "rule")]
)
def test_people_are_believed_before_the_corrected_share_before_the_rule(
    reports: int, judged: int, believed: str
) -> None:
    found = corrected_shares(*frames(reports, judged))
    assert dict(found.schema) == schema_of("analysis.corrected_shares")
    of_name = found.filter(pl.col("repository") == "owner/name")
    assert of_name.filter("is_believed")["method"].to_list() == [believed]
    by_method = dict(of_name.select("method", "estimate_percent").iter_rows())
    if "corrected" in by_method:
        assert by_method["rule"] < by_method["corrected"] == pytest.approx(20, abs=4)


def test_without_probabilities_there_is_no_row() -> None:
    bug_reports, probabilities, quality = frames(60, 0)
    assert corrected_shares(bug_reports, probabilities.head(0), quality).is_empty()
