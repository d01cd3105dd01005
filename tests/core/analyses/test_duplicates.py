"""Groups of duplicates: where the marks lead."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.analyses.duplicates import duplicate_groups
from perf_assets.schema import schema_of

REPOSITORY, OTHER = "owner/name", "other/name"
FIRST = datetime(2020, 1, 1, tzinfo=UTC)


def groups_of(
    marks: dict[int, int | tuple[str, int]], issues: range = range(1, 9)
) -> dict[int, tuple[int, int]]:
    """First report and size of the group by number, of marks of one issue on another."""
    rows: list[dict[str, Any]] = []
    for number, canonical in marks.items():
        where, canonical_number = (
            canonical if isinstance(canonical, tuple) else (REPOSITORY, canonical)
        )
        rows.append({"dataset": "live", "repository": REPOSITORY, "number": number})
        rows[-1] |= {"canonical_repository": where, "canonical_number": canonical_number}
    columns = ("dataset", "repository", "number", "canonical_repository", "canonical_number")
    schema = {name: pl.Int64 if "number" in name else pl.String for name in columns}
    opened = pl.DataFrame(
        {"number": list(issues), "opened_at": [FIRST + timedelta(number) for number in issues]}
    ).with_columns(dataset=pl.lit("live"), repository=pl.lit(REPOSITORY))
    found = duplicate_groups(pl.DataFrame(rows, schema=schema), opened)
    assert found.schema == schema_of("marts.duplicate_groups")
    return {
        number: (first, size)
        for number, first, size in found.select("number", "first_number", "group_size").iter_rows()
    }


@pytest.mark.parametrize(
    ("marks", "groups"),
    [
        ({}, {}),
        ({2: 1}, {1: (1, 2), 2: (1, 2)}),
        ({1: 3}, {1: (3, 2), 3: (3, 2)}),  # the newer one goes on
        ({3: 2, 2: 1, 4: 2}, dict.fromkeys((1, 2, 3, 4), (1, 4))),
        ({1: 2, 2: 1}, {1: (1, 2), 2: (1, 2)}),  # a circle
        ({3: 4, 4: 2, 2: 3, 5: 3}, dict.fromkeys((2, 3, 4, 5), (2, 4))),
        ({2: 99}, {}),  # gone
        ({2: (OTHER, 1)}, {}),
    ],
)
def test_marks_lead_to_the_first_report(
    marks: dict[int, Any], groups: dict[int, tuple[int, int]]
) -> None:
    assert groups_of(marks) == groups


@given(st.dictionaries(st.integers(1, 8), st.integers(1, 8)))
def test_every_issue_is_in_one_group_with_its_mark(marks: dict[int, int]) -> None:
    marks = {number: canonical for number, canonical in marks.items() if number != canonical}
    found = groups_of(marks)
    assert set(found) == {*marks, *marks.values()}
    assert all(found[number] == found[canonical] for number, canonical in marks.items())
    for first, size in found.values():
        assert found[first] == (first, size)
        assert sum(other == first for other, _ in found.values()) == size
