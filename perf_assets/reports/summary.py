"""What a person reads at the end of a run, and from ``perf-assets status``."""

import os
import sys
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl
from rich import box
from rich.console import Console
from rich.table import Table

from perf_assets.errors import PerfAssetsError
from perf_assets.storage.home import DEFAULT, Home
from perf_assets.study import SAMPLE, Study

# Pooling one repository says the same again.
NOT_POOLED_ALONE = """(repository <> 'pooled' OR (
    SELECT count(DISTINCT repository) > 2 FROM analysis.{} WHERE dataset = 'live'))"""
BREAKDOWN = """
SELECT repository, CASE WHEN is_performance THEN 'performance' ELSE 'other' END AS bugs,
       open, closed, fixed
FROM marts.dataset_breakdown WHERE dataset = 'live' ORDER BY repository, is_performance DESC
"""
TRENDS = """
SELECT repository, series, n AS months, n_pairs AS pairs, n_positive AS rising, p_value AS p
FROM analysis.trend_tests WHERE dataset = 'live' ORDER BY repository, series DESC
"""
GROUPS = f"""
SELECT repository, metric,
       n_performance || ' / ' || n_other AS bugs,
       coalesce(round(median_performance, 2)::VARCHAR, '-') || ' / '
           || coalesce(round(median_other, 2)::VARCHAR, '-') AS median,
       p_value AS p, cliffs_delta AS delta, magnitude
FROM analysis.group_comparisons
WHERE dataset = 'live' AND {NOT_POOLED_ALONE.format("group_comparisons")}
ORDER BY repository = 'pooled', repository, metric
"""
STATUS = """
SELECT repository, "table", count(*) FILTER (is_stored) AS months,
       min(month) FILTER (is_stored) AS first,
       max(month) FILTER (is_stored) AS last,
       sum(row_count) AS rows,
       strftime(max(loaded_at) AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M UTC') AS last_refresh,
       count(*) FILTER (status = 'failed') AS failed_audits
FROM meta.partition_loads GROUP BY ALL ORDER BY ALL
"""
COST = """
SELECT repository, sum(requests) AS requests, sum(points) AS points
FROM meta.source_requests WHERE started_at >= ? GROUP BY ALL ORDER BY ALL
"""
FAILED = """
SELECT repository, month, any_value(message) AS message
FROM meta.partition_loads WHERE status = 'failed' GROUP BY ALL ORDER BY ALL
"""
QUALITY = f"""
SELECT repository, measure, rule, rater, n AS judged, successes AS yes, n_unsure AS unsure,
       estimate AS percent, low, high
FROM analysis.labelling_quality
WHERE (rule = 'all' OR rater = 'consensus') AND {NOT_POOLED_ALONE.format("labelling_quality")}
ORDER BY repository = 'pooled', repository, rule <> 'all', measure, rater, n DESC, rule
"""
AGREEMENT = f"""
SELECT repository, question, raters, method, n AS judged, observed, kappa, low, high, reading
FROM analysis.rater_agreement
WHERE {NOT_POOLED_ALONE.format("rater_agreement")}
ORDER BY repository = 'pooled', repository, question, method, raters
"""
DISAGREEMENTS = """
SELECT repository, '#' || number AS bug_report, question,
       rater_1 || ': ' || answer_1 AS one, rater_2 || ': ' || answer_2 AS other
FROM analysis.rater_disagreements ORDER BY repository, number, question, rater_1, rater_2
"""
BRANCH_CHANGES = """
SELECT repository, strftime(noticed_at AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M UTC') AS noticed,
       CASE WHEN branch = old_branch THEN branch ELSE old_branch || ', now ' || branch END
           AS default_branch,
       is_rewritten AS rewritten, dropped_commits AS commits_dropped,
       list_min(months) AS "from", list_max(months) AS "to"
FROM meta.branch_changes ORDER BY ALL
"""


FIGURES = (
    ("bug reports", BREAKDOWN),
    ("is the share of performance bugs rising? (Cox-Stuart, one-sided)", TRENDS),
    ("performance / other bugs (Mann-Whitney U, Cliff's delta)", GROUPS),
)


def print_summary(published: Path, console: Console) -> None:
    """Print the dataset breakdown, the trend tests and the group comparisons."""
    with reading(published) as connection:
        for title, query in FIGURES:
            _print_by_repository(console, title, connection.sql(query).pl())


def print_cost(published: Path, since: datetime, console: Console) -> None:
    """Print what was asked of GitHub, or of a corpus in its place, from ``since`` on."""
    with reading(published) as connection:
        rows = connection.sql(COST, params=[since]).fetchall()
    for repository, requests, points in rows:
        console.print(
            f"{repository}: {requests:,} requests and {points:,} rate-limit points for issues",
            soft_wrap=True,
            highlight=False,
            markup=False,
        )


def summary_markdown(published: Path) -> str:
    """The same figures as Markdown."""
    parts = []
    with reading(published) as connection:
        for title, query in FIGURES:
            rows = connection.sql(query).pl()
            lines = [rows.columns, ["---"] * rows.width, *(map(_text, r) for r in rows.rows())]
            parts.append("\n".join([f"## {title}", "", *(f"| {' | '.join(x)} |" for x in lines)]))
    return "\n\n".join(parts) + "\n"


def write_report(path: Path, text: str) -> Path:
    """Put ``text`` in the place of the report in one step."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    return temporary.replace(path)


def print_next_steps(study: Study, home: Home, console: Console) -> None:
    """Print where the database is and what to try next, as commands that can be pasted."""
    python = _shown(Path(sys.executable))
    called = Path(sys.argv[0])
    program = f"{python} -m perf_assets" if called.name == "__main__.py" else _shown(called)
    database = _shown(home.published)
    options = "".join(
        f" --{name} {_shown(path)}"
        for name, path, default in (
            ("study", study.path, home.path / SAMPLE / "study.toml"),
            ("home", home.path, DEFAULT.resolve()),
        )
        if path != default
    )
    lines = (
        f"\nPublished database: {database}\n\nNext:",
        "  1. Your own repository: write a study.toml of five lines (README.md shows them), then",
        f"     GITHUB_TOKEN=... {program} run --study study.toml",
        "  2. The Dagster UI, with every asset, check and partition:",
        f"     {program} ui{options}",
        "  3. A query:",
        f"     {python} -c \"import duckdb; duckdb.connect('{database}', read_only=True)"
        ".sql('FROM marts.trend_monthly ORDER BY month DESC LIMIT 12').show()\"",
    )
    console.print("\n".join(lines), soft_wrap=True, highlight=False, markup=False)


def _shown(path: Path) -> str:
    """``path`` as one would type it here."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  (resolving would leave the venv)
    return str(absolute.relative_to(Path.cwd()) if absolute.is_relative_to(Path.cwd()) else path)


def print_agreement(published: Path, console: Console) -> None:
    """Print what the verdicts say of the labels, how far raters agree, and what to discuss.

    Raises
    ------
    PerfAssetsError
        Nobody has judged anything yet.
    """
    with reading(published) as connection:
        quality, agreement, disagreements = (
            connection.sql(query).pl() for query in (QUALITY, AGREEMENT, DISAGREEMENTS)
        )
    if quality.is_empty():
        raise PerfAssetsError(
            f"{published} has no verdicts yet: draw a sheet with perf-assets sample-for-review, "
            "fill it in and bring it back with perf-assets import-review"
        )
    _print_by_repository(console, "how good the labels are, with 95 % confidence", quality)
    if agreement.is_empty():
        console.print("Nothing was judged by two raters yet.\n")
    _print_by_repository(console, "do the raters agree? (kappa, with 95 % confidence)", agreement)
    _print_by_repository(console, "to discuss", disagreements)


def print_status(home: Home, console: Console) -> None:
    """Print repositories, months loaded, rows, last refresh and failed audits."""
    with reading(home.published if not home.warehouse.exists() else home.warehouse) as connection:
        _print_table(console, f"Stored in {home.path}", connection.sql(STATUS).pl())
        failed = connection.sql(FAILED).pl()
        has_changes = connection.sql("FROM duckdb_tables() WHERE table_name = 'branch_changes'")
        changes = connection.sql(BRANCH_CHANGES).pl() if has_changes.fetchall() else failed.clear()
    if failed.height:
        _print_table(console, "Failed audits", failed)
    if changes.height:
        _print_table(console, "Default branches that were rewritten or renamed", changes)


def reading(path: Path) -> duckdb.DuckDBPyConnection:
    """A database opened to be read only; PerfAssetsError where there is none."""
    if not path.exists():
        raise PerfAssetsError(f"{path} is not there yet: perf-assets run makes it")
    try:
        return duckdb.connect(str(path), read_only=True)
    except duckdb.IOException:
        # A run holds the warehouse; the published copy is as of the run before.
        return duckdb.connect(str(path.with_name("perf_bugs.duckdb")), read_only=True)


def _print_by_repository(console: Console, title: str, rows: pl.DataFrame) -> None:
    for (repository,), part in rows.group_by("repository", maintain_order=True):
        _print_table(console, f"{repository}: {title}", part.drop("repository"))


def _print_table(console: Console, title: str, rows: pl.DataFrame) -> None:
    table = Table(box=box.SIMPLE, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for name, kind in rows.schema.items():
        table.add_column(
            name, justify="right" if kind.is_numeric() else "left", no_wrap=name == "metric"
        )
    for row in rows.iter_rows():
        table.add_row(*map(_text, row))
    console.print(title, style="bold", highlight=False, markup=False, soft_wrap=True)
    console.print(table)


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2g}" if 0 < abs(value) < 0.01 else f"{value:,.2f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else str(value)
