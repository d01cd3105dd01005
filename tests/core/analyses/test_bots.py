"""How much bots change: counted apart, compared without and with them, told where not known."""

from statistics import median

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from perf_assets.core.analyses.bots import DISCUSSED, bot_sensitivity
from perf_assets.core.analyses.group_samples import POOLED
from perf_assets.schema import schema_of
from tests.effort import examples

WITH_BOTS = [f"{metric}_with_bots" for metric in DISCUSSED]
SCHEMA = {
    "dataset": pl.String,
    "repository": pl.String,
    "number": pl.Int64,
    "is_performance": pl.Boolean,
    "is_fixed": pl.Boolean,
    "fix_time_days": pl.Float64,
    "fix_size": pl.Float64,
    "has_author_types": pl.Boolean,
    **dict.fromkeys((*DISCUSSED, *WITH_BOTS), pl.Float64),
}


def bug(
    *,
    is_performance: bool = False,
    without: tuple[int, int, float | None] = (1, 1, 2.0),
    with_bots: tuple[int, int, float | None] | None = None,
    is_typed: bool = True,
    repository: str = "a/a",
) -> tuple[object, ...]:
    """A bug report by its comments, commentators and hours, without bots and with them."""
    place = ("live", repository, 1, is_performance, False, None, None, is_typed)
    return (*place, *without, *(with_bots or without))


def found(*bugs: tuple[object, ...]) -> pl.DataFrame:
    table = bot_sensitivity(pl.DataFrame(bugs, schema=SCHEMA, orient="row"))
    assert table.schema == schema_of("analysis.bot_sensitivity")
    return table


BUGS = (
    bug(is_performance=True, without=(4, 2, 9.0), with_bots=(6, 3, 0.5)),
    bug(is_performance=True, without=(2, 1, 8.0)),
    bug(without=(0, 0, None), with_bots=(3, 2, 1.0)),
    bug(without=(1, 1, 3.0)),
)


@pytest.mark.usefixtures("without_minimum")
def test_what_bots_did_is_counted_and_every_metric_compared_both_ways() -> None:
    table = found(*BUGS).filter(repository="a/a")
    assert table.select("metric", "bots").rows() == [
        (metric, bots) for metric in DISCUSSED for bots in ("left_out", "counted")
    ]
    counts = ["bug_reports", "with_types", "with_bots", "with_bots_share", "comments"]
    assert set(table.select(*counts, "comments_of_bots").rows()) == {(4, 4, 2, 0.5, 12, 5)}
    medians = table.select("metric", "bots", "n", "median_performance", "median_other").rows()
    assert medians == [
        ("comments", "left_out", 4, 3.0, 0.5),
        ("comments", "counted", 4, 4.0, 2.0),
        ("commentators", "left_out", 4, 1.5, 0.5),
        ("commentators", "counted", 4, 2.0, 1.5),
        ("hours_to_first_comment", "left_out", 3, 8.5, 3.0),
        ("hours_to_first_comment", "counted", 4, 4.25, 2.0),
    ]


@pytest.mark.usefixtures("without_minimum")
def test_a_sentence_can_be_read_alone() -> None:
    left_out, counted, *_ = found(*BUGS).filter(repository="pooled")["result"]
    assert left_out.startswith(
        "without bots: median 3.00 of performance bugs, 0.50 of others, delta = 1.000 (large), p = "
    )
    assert counted.startswith(
        "with bots (they comment on 2 of 4 bug reports, 50.0 %, and wrote 5 of 12 comments): "
        "median 4.00 of performance bugs, 2.00 of others"
    )


def test_where_no_types_are_known_nothing_is_said_of_bots() -> None:
    table = found(bug(is_performance=True, is_typed=False), bug(is_typed=False))
    of_bots = ["with_bots", "with_bots_share", "comments", "comments_of_bots"]
    assert set(table.select("with_types", *of_bots).rows()) == {(0, None, None, None, None)}
    assert set(table["result"].str.split(":").list.first()) == {
        "types of accounts not known, bots count as persons"
    }


def test_bots_are_counted_where_types_are_known_and_the_others_are_named() -> None:
    table = found(*BUGS, bug(is_typed=False, without=(90, 9, 1.0)))
    first, second = table.filter(repository="a/a", metric="comments").rows(named=True)
    assert (first["bug_reports"], first["with_types"], first["comments"]) == (5, 4, 12)
    for row in (first, second):
        assert "types known of 4 of 5 bug reports" in row["result"]
        assert row["n"] == 5


def test_a_group_without_bug_reports_leaves_nothing_to_compare() -> None:
    table = found(bug())
    assert table["cliffs_delta"].null_count() == table.height
    assert table["is_too_few"].all()
    reason = "too few to compare: 0 performance bugs and 1 other with a value"
    assert table["result"].str.contains(reason).all()
    assert found().is_empty()


COUNTS = st.tuples(st.integers(0, 4), st.integers(0, 3), st.none() | st.floats(0, 99))


@pytest.mark.slow
@pytest.mark.usefixtures("without_minimum")
@settings(max_examples=examples(30), deadline=None)
@given(
    st.lists(
        st.builds(
            bug,
            is_performance=st.booleans(),
            without=COUNTS,
            with_bots=COUNTS,
            is_typed=st.booleans(),
            repository=st.sampled_from(["a/a", "b/b"]),
        ),
        max_size=12,
    )
)
def test_each_way_of_counting_compares_the_values_of_its_column(
    bugs: list[tuple[object, ...]],
) -> None:
    frame = pl.DataFrame(bugs, schema=SCHEMA, orient="row")
    # Pooled rows compare within each repository.
    table = bot_sensitivity(frame).filter(pl.col("repository") != POOLED)
    for row in table.rows(named=True):
        column = row["metric"] + ("_with_bots" if row["bots"] == "counted" else "")
        chosen = frame.filter(repository=row["repository"])
        performance, other = (
            chosen.filter(is_performance=kind)[column].drop_nulls().to_list()
            for kind in (True, False)
        )
        assert (row["n_performance"], row["n_other"]) == (len(performance), len(other))
        if performance and other:
            test = mannwhitneyu(performance, other, method="asymptotic")
            assert row["statistic"] == test.statistic
            assert row["p_value"] == pytest.approx(test.pvalue, nan_ok=True)
            assert row["median_performance"] == median(performance)
            assert row["median_other"] == median(other)


@pytest.mark.parametrize("metric", DISCUSSED)
def test_without_any_bot_both_ways_are_one(metric: str) -> None:
    rows = found(bug(is_performance=True, without=(3, 2, 4.0)), bug()).filter(
        repository="a/a", metric=metric
    )
    first, second = rows.drop("bots", "result").rows()
    assert first == second
