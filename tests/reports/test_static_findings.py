"""Findings of the static checks in the report: a sentence that is true, a table, a picture."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from perf_assets.reports.static_findings import (
    StaticFindings,
    draw_findings,
    findings_sentences,
    findings_table,
)
from perf_assets.reports.summary import summary_markdown
from perf_assets.reports.writing import LARGEST_INLINE
from perf_assets.stages.deriving.derivation import derive
from perf_assets.storage.gate import Gate
from perf_assets.storage.home import Home
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse
from perf_assets.tables import schema_of
from tests.model_database import insert

QUARTERS = ("2020-Q1", "2020-Q2", "2020-Q3")
COUNTS = {"loop-invariant-op": ((1, None, None), (1, 0, 0), (2, 1, 0))}
COUNTS["sequential-map"] = ((3, None, None), (1, 1, 3), (0, 0, 1))


def row(repository: str, quarter: str, rule: str, flow: tuple[Any, ...]) -> dict[str, Any]:
    found, new, gone = flow
    return {
        "repository": repository,
        "quarter": quarter,
        "month": f"{quarter[:4]}-{3 * int(quarter[-1]):02d}",
        "sha": "a" * 40,
        "rule": rule,
        "findings": found,
        "new": new,
        "gone": gone,
        "rewritten": None if new is None else 0,
        "warnings": 0,
        "in_library_code": 0,
        "files_with_findings": min(found, 1),
        "files_scanned": 1_200,
        "per_1000_files": found / 1.2,
    }


def findings(*repositories: str, unread: int = 0) -> StaticFindings:
    rows = [
        row(repository, quarter, rule, flow)
        for repository in repositories
        for rule, flows in COUNTS.items()
        for quarter, flow in zip(QUARTERS, flows, strict=True)
    ]
    trees = [(repository, quarter, unread) for repository in repositories for quarter in QUARTERS]
    return StaticFindings(
        pl.DataFrame(rows, schema=schema_of("analysis.static_findings")).sort(
            "repository", "quarter", "rule"
        ),
        pl.DataFrame(trees, schema=["repository", "quarter", "unread_files"], orient="row"),
    )


def test_a_sentence_tells_what_is_there_at_the_end_and_what_came_and_went() -> None:
    (told,) = findings_sentences(findings("owner/name"))
    assert told == (
        "owner/name, 2020-Q1 to 2020-Q3: at the end 2 findings in 1,200 files of Python "
        "(loop-invariant-op 2), and 2 came and 4 went from one quarter to the next"
    )
    (told,) = findings_sentences(findings("owner/name", unread=3))
    assert told.endswith("; 3 could not be read")


def test_of_a_single_quarter_nothing_came_or_went() -> None:
    whole = findings("owner/name")
    (told,) = findings_sentences(StaticFindings(whole.rows.filter(quarter="2020-Q1"), whole.unread))
    assert told == (
        "owner/name, 2020-Q1 to 2020-Q1: at the end 4 findings in 1,200 files of Python "
        "(loop-invariant-op 1, sequential-map 3)"
    )


def test_the_table_has_a_column_for_each_quarter_and_tells_zero_from_nothing() -> None:
    found = findings("b/b", "a/a")
    less = found.rows.filter((pl.col("repository") == "a/a") | (pl.col("quarter") > "2020-Q1"))
    lines = findings_table(StaticFindings(less, found.unread)).splitlines()
    assert lines[0] == "| repository | rule | 2020-Q1 | 2020-Q2 | 2020-Q3 |"
    assert [line.replace("\\", "") for line in lines[2:]] == [
        "| a/a | loop-invariant-op | 1 | 1 | 2 |",
        "| a/a | sequential-map | 3 | 1 | 0 |",
        "| b/b | loop-invariant-op | - | 1 | 2 |",
        "| b/b | sequential-map | - | 1 | 0 |",
    ]
    assert findings_table(findings()) == ""


def test_the_picture_is_drawn_where_there_is_something_to_draw(tmp_path: Path) -> None:
    path = tmp_path / "static_findings.svg"
    inline = draw_findings(findings(*(f"owner/{n}" for n in range(9))), path, is_new=True)
    assert path.read_bytes().startswith(b"<svg ")
    assert 5_000 < len(inline) < LARGEST_INLINE
    assert "owner/2" in path.read_text() and "owner/3" not in path.read_text()
    nothing = findings("owner/name").rows.with_columns(findings=pl.lit(0, pl.Int64))
    assert draw_findings(StaticFindings(nothing, findings().unread), path, is_new=False) == ""
    assert not path.exists()


def test_other_data_are_known_by_their_fingerprint() -> None:
    assert findings("a/a").fingerprint == findings("a/a").fingerprint
    assert findings("a/a").fingerprint != findings("a/a", unread=1).fingerprint


@pytest.mark.slow
def test_the_report_has_sentence_table_and_picture_where_trees_were_scanned(tmp_path: Path) -> None:
    home = Home.of(tmp_path)
    with open_warehouse(home.warehouse) as database:
        list(derive(Gate(database, home)))
    publish(home)
    assert "static" not in summary_markdown(home.published)
    with open_warehouse(home.warehouse) as database:
        rows = findings("owner/name").rows.iter_rows(named=True)
        insert(database.connection, "analysis.static_findings", rows)
    publish(home)
    text = summary_markdown(home.published)
    assert "## what static checks find, quarter by quarter\n\n![owner/name, 2020-Q1" in text
    assert '(static_findings.svg "data ' in text
    assert "| 2020-Q1 | 2020-Q2 | 2020-Q3 |" in text
    assert "| owner/name | sequential-map | 3 | 1 | 4 | 0 | " in text.replace("\\", "")
    assert "(data:x" in summary_markdown(home.published, {"static_findings": "data:x"})
