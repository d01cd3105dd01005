"""Who fixes: known coefficients, groups of half, programs left out, repositories pooled."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.analyses.fixers import fixing_concentration
from perf_assets.core.statistics.concentration import gini, half_group
from perf_assets.schema import schema_of
from tests.effort import examples
from tests.rows import fixer

amounts = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=30)


def found(*rows: dict[str, object]) -> pl.DataFrame:
    frame = pl.DataFrame(list(rows), schema=schema_of("marts.bug_fixers"))
    table = fixing_concentration(frame)
    assert table.schema == schema_of("analysis.fixing_concentration")
    return table


@pytest.mark.parametrize(
    ("values", "coefficient", "group"),
    [
        ([5], 0, 1),
        ([1, 1, 1, 1], 0, 2),
        ([1, 3], 0.25, 1),
        ([1, 2, 3, 4, 5], 4 / 15, 2),  # incomes of one to five: the textbook's 0.267
        ([1 / 3] * 3, 0, 2),
    ],
)
def test_known_coefficients(values: list[float], coefficient: float, group: int) -> None:
    assert gini(values) == pytest.approx(coefficient)
    assert half_group(values) == group


@given(amounts)
@settings(max_examples=examples(30))
def test_the_coefficient_is_half_the_mean_difference_whatever_the_order(
    values: list[float],
) -> None:
    mean = sum(values) / len(values)
    difference = sum(abs(a - b) for a in values for b in values) / len(values) ** 2
    assert gini(values) == pytest.approx(difference / (2 * mean), abs=1e-9)
    assert gini(values[::-1]) == pytest.approx(gini(values), abs=1e-12)
    group = sorted(values, reverse=True)[: half_group(values)]
    assert sum(group) >= sum(values) / 2 * (1 - 1e-9)
    assert sum(group[:-1]) <= sum(values) / 2 * (1 + 1e-9)


@pytest.mark.parametrize("values", [[], [1, 0], [-1, 2]])
def test_nothing_and_nothings_have_no_coefficient(values: list[float]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        gini(values)


def test_fixes_are_spread_over_those_who_made_them() -> None:
    table = found(
        fixer(1, "ada", is_member=True),
        fixer(2, "ada", is_member=True, fixing_share=0.5),
        fixer(2, "new", is_first_contribution=True, fixing_share=0.5),
        fixer(3, "bob"),
        fixer(4, "stale[bot]", is_bot=True),
        fixer(5, "ada", is_member=True, is_fixed=False),
        fixer(6, "bob", is_performance=True),
    )
    own = table.filter(pl.col("repository") != "pooled", ~pl.col("is_performance"))
    (row,) = own.rows(named=True)
    assert (row["n"], row["persons"], row["half_group"]) == (3, 3, 1)
    assert row["by_members_share"] == pytest.approx(0.5)
    assert row["by_newcomers_share"] == pytest.approx(1 / 6)
    assert row["gini"] == pytest.approx(gini([1.5, 0.5, 1]))
    assert table.filter("is_performance")["persons"].to_list() == [1, 1]


def test_part_of_members_is_null_where_nobody_is_known() -> None:
    unknown = found(fixer(1, "ada", is_member=None), fixer(2, "bob", is_member=None))
    assert unknown["by_members_share"].to_list() == [None, None]
    known = found(fixer(1, "ada", is_member=None), fixer(2, "bob", is_member=False))
    assert known["by_members_share"].to_list() == [0, 0]


def test_one_account_in_two_repositories_is_one_person() -> None:
    table = found(fixer(1, "ada"), fixer(1, "ada", repository="other/one"))
    pooled = table.filter(repository="pooled")
    assert pooled.select("n", "persons").rows() == [(2, 1)]


def test_nobody_known_makes_no_row() -> None:
    assert found().is_empty()
    assert found(fixer(1, "ci[bot]", is_bot=True)).is_empty()
