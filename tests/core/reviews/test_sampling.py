"""Samples for review: fair, and drawn again by their seed."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.reviews.sampling import draw
from tests.rows import REPOSITORY


@given(st.data())
def test_a_sample_is_drawn_again_by_its_seed_and_grows_by_adding(data: st.DataObject) -> None:
    labelled, others = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 30))
    seed = data.draw(st.integers(0, 10**9))
    bugs = pl.DataFrame(
        [
            {"repository": REPOSITORY, "number": n, "is_performance": n < labelled}
            for n in range(labelled + others)
        ]
    )
    n, m = data.draw(st.integers(1, labelled)), data.draw(st.integers(1, others))
    sample = draw(bugs, n, m, seed)
    assert sample["is_performance"].sum() == n
    assert (~sample["is_performance"]).sum() == m
    assert sample["number"].is_unique().all()
    assert sample.equals(draw(bugs.reverse(), n, m, seed))
    assert set(sample["number"]) <= set(draw(bugs, labelled, m, seed)["number"])


@pytest.mark.slow
def test_every_bug_is_as_likely_to_be_drawn() -> None:
    bugs = pl.DataFrame(
        [{"repository": REPOSITORY, "number": n, "is_performance": True} for n in range(20)]
    )
    drawn = pl.concat(draw(bugs, 5, 0, seed)["number"] for seed in range(2000))
    # 500 expected of each, with a standard deviation of 19.
    counts = drawn.value_counts()["count"]
    assert counts.len() == 20
    assert counts.is_between(400, 600).all()
