"""Keywords and stems beside each other, and the two readings of the stems."""

import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from perf_assets.core.analyses.labelling_rule_agreement import (
    CELLS,
    keyword_stem_hits,
    labelling_rule_agreement,
)
from perf_assets.core.labelling.stems import MEANT, PUBLISHED
from perf_assets.schema import schema_of

COLUMNS = ("dataset", "repository", "month", "stem_set", *CELLS)
COUNTS = {
    ("a/a", "2020-01"): (20, 5, 10, 15),
    ("a/a", "2020-02"): (0, 0, 0, 7),
    ("b/b", "2020-01"): (3, 1, 0, 6),
}
QUESTIONS = ("forum", "tag_set", "stem_set", "stem", "questions", "only_by_it", "all_questions")


def matches(stem_set: str) -> list[tuple[object, ...]]:
    return [("live", *place, stem_set, *counts) for place, counts in COUNTS.items()]


@pytest.fixture(scope="module")
def agreement() -> pl.DataFrame:
    rows = [*matches("as_meant"), *matches("as_published")]
    return labelling_rule_agreement(pl.DataFrame(rows, schema=COLUMNS, orient="row"))


def of(agreement: pl.DataFrame, repository: str, month: str) -> dict[str, object]:
    found = agreement.filter(repository=repository, month=month, stem_set="as_meant")
    return found.row(0, named=True)


@pytest.mark.parametrize(
    ("repository", "month", "counts"),
    [
        ("a/a", "2020-01", (20, 5, 10, 15)),
        ("a/a", "all", (20, 5, 10, 22)),
        ("pooled", "2020-01", (23, 6, 10, 21)),
        ("pooled", "all", (23, 6, 10, 28)),
    ],
)
def test_kappa_is_that_of_another_implementation(
    agreement: pl.DataFrame, repository: str, month: str, counts: tuple[int, ...]
) -> None:
    row = of(agreement, repository, month)
    assert tuple(row[name] for name in CELLS) == counts
    assert row["n"] == sum(counts)
    by_rule: tuple[list[bool], list[bool]] = ([], [])
    for pair, count in zip(CELLS.values(), counts, strict=True):
        for ratings, found in zip(by_rule, pair, strict=True):
            ratings.extend([found] * count)
    assert row["kappa"] == pytest.approx(cohen_kappa_score(*by_rule))
    assert row["low"] < row["kappa"] < row["high"]  # type: ignore[operator]


def test_rules_that_find_fewer_than_five_have_no_kappa(agreement: pl.DataFrame) -> None:
    row = of(agreement, "b/b", "2020-01")
    assert tuple(row[name] for name in CELLS) == (3, 1, 0, 6)
    assert (row["kappa"], row["low"], row["reading"]) == (None, None, None)


def test_where_both_rules_find_nothing_there_is_no_kappa(agreement: pl.DataFrame) -> None:
    row = of(agreement, "a/a", "2020-02")
    assert (row["n"], row["kappa"], row["low"], row["reading"]) == (7, None, None, None)


def test_each_reading_has_its_rows(agreement: pl.DataFrame) -> None:
    assert agreement.schema == schema_of("analysis.labelling_rule_agreement")
    assert agreement.height == 2 * (3 + 2 + 3)  # two months and all, one and all, two and all
    readings = ("as_meant", "as_published")
    one, other = (agreement.filter(stem_set=name).drop("stem_set") for name in readings)
    assert one.equals(other)


def test_without_bug_reports_there_is_no_agreement() -> None:
    nothing = pl.DataFrame(matches("as_meant"), schema=COLUMNS, orient="row").clear()
    assert labelling_rule_agreement(nothing).schema == schema_of(
        "analysis.labelling_rule_agreement"
    )


def test_entries_that_find_nothing_have_a_row_too() -> None:
    counted = [
        ("so", "keras", "as_meant", "any", 5, 5, 8),
        ("so", "keras", "as_meant", "veri slow", 4, 3, 8),
        ("so", "keras", "as_meant", "oom", 2, 1, 8),
        ("so", "keras", "as_published", "any", 2, 2, 8),
        ("so", "keras", "as_published", "oom", 2, 2, 8),
    ]
    found = keyword_stem_hits(pl.DataFrame(counted, schema=QUESTIONS, orient="row"))
    assert found.schema == schema_of("analysis.keyword_stem_hits")
    assert found.height == 2 * 25
    by_entry = {(row["entry"], row["stem_set"]): row for row in found.iter_rows(named=True)}
    slow = by_entry["very slow", "as_meant"]
    assert (slow["stem"], slow["questions"], slow["only_by_it"]) == ("veri slow", 4, 3)
    assert (slow["all_questions"], slow["percent"]) == (8, 50.0)
    never = by_entry["very slow", "as_published"]
    assert (never["stem"], never["questions"], never["percent"]) == ("very slow", 0, 0.0)
    assert by_entry["any", "as_published"]["percent"] == 25.0
    assert {entry for entry, _ in by_entry} == {*PUBLISHED, "any"}
    assert {row["entry"] for row in by_entry.values() if row["entry"] != row["stem"]} == set(MEANT)


def test_without_questions_there_are_no_entries() -> None:
    nothing = pl.DataFrame([("",) * 4 + (0,) * 3], schema=QUESTIONS, orient="row").clear()
    assert keyword_stem_hits(nothing).is_empty()
