"""When a way of labelling begins or ends."""

import polars as pl
import pytest

from perf_assets.base.months import add_months
from perf_assets.core.analyses.instruments import instrument_changes
from perf_assets.schema import schema_of

REPOSITORY = "owner/name"
MONTHS = [add_months("2020-01", place) for place in range(24)]


def changes_of(used: dict[str, int], opened: int = 10) -> list[tuple[str, bool]]:
    """Month and begin of the changes of a label that was used on so many issues of each month."""
    series = pl.DataFrame({"month": MONTHS}).with_columns(
        dataset=pl.lit("live"),
        repository=pl.lit(REPOSITORY),
        is_complete=pl.lit(value=True),
        opened_total=pl.lit(opened),
    )
    use = pl.DataFrame(
        {"month": list(used), "used_on": list(used.values())},
        schema={"month": pl.String, "used_on": pl.Int64},
    ).with_columns(
        repository=pl.lit(REPOSITORY), instrument=pl.lit("automation"), name=pl.lit("triage[bot]")
    )
    found = instrument_changes(use, series)
    assert found.schema == schema_of("marts.instrument_changes")
    return list(found.select("month", "begins").iter_rows())


def from_to(first: int, last: int, a_month: int = 2) -> dict[str, int]:
    return dict.fromkeys(MONTHS[first:last], a_month)


@pytest.mark.parametrize(
    ("used", "changes"),
    [
        ({}, []),
        (from_to(0, 24), []),
        (from_to(6, 24), [(MONTHS[6], True)]),
        (from_to(0, 12), [(MONTHS[12], False)]),
        (from_to(6, 12), [(MONTHS[6], True), (MONTHS[12], False)]),
        (from_to(2, 24), []),  # it may have been there before the series
        (from_to(3, 22), [(MONTHS[3], True)]),
        (from_to(6, 10), []),  # eight issues
        ({**from_to(6, 12), "1999-01": 5}, [(MONTHS[6], True), (MONTHS[12], False)]),
    ],
)
def test_an_instrument_begins_and_ends_within_the_series(
    used: dict[str, int], changes: list[tuple[str, bool]]
) -> None:
    assert changes_of(used) == changes


def test_what_is_used_on_few_of_many_issues_changes_nothing() -> None:
    assert changes_of(from_to(6, 24, 1), opened=25) == []
