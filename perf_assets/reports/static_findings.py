"""Findings of the static checks over quarters: in words, as a table, and as a picture."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.plain import for_markdown
from perf_assets.reports.writing import keep_picture
from perf_assets.storage.warehouse import reading

ROWS = "from analysis.static_findings order by repository, quarter, rule"
UNREAD = "select repository, quarter, unread_files from raw.scanned_trees order by all"
TITLE = "what static checks find, quarter by quarter"
MOST_QUARTERS = 12  # in the table


@dataclass(frozen=True)
class StaticFindings:
    """``analysis.static_findings`` in order, and the unread files of each quarter."""

    rows: pl.DataFrame
    unread: pl.DataFrame

    @property
    def repositories(self) -> list[str]:
        """Those of which a tree was scanned."""
        return sorted(self.rows.get_column("repository").unique())

    @property
    def fingerprint(self) -> str:
        """What tells these data from others."""
        rows = [*self.rows.iter_rows(), *self.unread.iter_rows()]
        return hashlib.sha256(repr(rows).encode()).hexdigest()[:8]


def read_static_findings(published: Path) -> StaticFindings:
    """The findings, from the published database."""
    with reading(published) as connection:
        return findings_of(connection)


def findings_of(connection: duckdb.DuckDBPyConnection) -> StaticFindings:
    """The findings, from an open database."""
    return StaticFindings(connection.sql(ROWS).pl(), connection.sql(UNREAD).pl())


def draw_findings(found: StaticFindings, path: Path, *, is_new: bool) -> str:
    """Keep the picture at ``path`` up to date; returns it as an address that holds it whole.

    See :func:`perf_assets.reports.writing.keep_picture`.
    """
    if not found.rows["findings"].sum():
        return keep_picture(path, None, is_new=is_new)

    def picture() -> str:
        # Drawing takes a second to import.
        from perf_assets.reports.static_findings_chart import findings_svg  # noqa: PLC0415

        return findings_svg(found)

    return keep_picture(path, picture, is_new=is_new)


def findings_sentences(found: StaticFindings) -> list[str]:
    """What was found at the end, and what came and went, a sentence for each repository."""
    return [_sentence(found, repository) for repository in found.repositories]


def findings_table(found: StaticFindings) -> str:
    """Findings by rule over the newest quarters as Markdown; empty where nothing was scanned."""
    if found.rows.is_empty():
        return ""
    quarters = found.rows.get_column("quarter").unique().sort().tail(MOST_QUARTERS)
    counts = {
        (repository, rule, quarter): findings
        for repository, rule, quarter, findings in found.rows.select(
            "repository", "rule", "quarter", "findings"
        ).iter_rows()
    }
    lines = [["repository", "rule", *quarters], ["---", "---", *("---:" for _ in quarters)]]
    for repository, rule in sorted({key[:2] for key in counts}):
        numbers = (counts.get((repository, rule, quarter)) for quarter in quarters)
        shown = ("-" if number is None else f"{number:,}" for number in numbers)
        lines.append([for_markdown(repository), for_markdown(rule), *shown])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _sentence(found: StaticFindings, repository: str) -> str:
    rows = found.rows.filter(repository=repository)
    first, last = rows["quarter"][0], rows["quarter"][-1]
    newest = rows.filter(quarter=last)
    total, files = int(newest["findings"].sum()), int(newest["files_scanned"][0])
    by_rule = newest.filter(pl.col("findings") > 0).select("rule", "findings").iter_rows()
    named = ", ".join(f"{rule} {number:,}" for rule, number in by_rule)
    new, gone = int(rows["new"].sum()), int(rows["gone"].sum())
    unread = found.unread.filter(repository=repository, quarter=last)["unread_files"].sum()
    left_out = f"; {unread:,} could not be read" if unread else ""
    came = f", and {new:,} came and {gone:,} went from one quarter to the next"
    return (
        f"{repository}, {first} to {last}: at the end {_counted(total, 'finding')} in "
        f"{_counted(files, 'file')} of Python{f' ({named})' if named else ''}"
        f"{came if first != last else ''}{left_out}"
    )


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
