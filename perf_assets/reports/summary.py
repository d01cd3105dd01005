"""What a person reads at the end of a run, and from ``perf-assets agreement``."""

import os
import sys
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from perf_assets.errors import PerfAssetsError
from perf_assets.plain import for_markdown, plain
from perf_assets.reports.both_sides import TITLE, read_both_sides, sentences
from perf_assets.reports.quality import warnings
from perf_assets.reports.static_findings import TITLE as FINDINGS_TITLE
from perf_assets.reports.static_findings import (
    findings_sentences,
    findings_table,
    read_static_findings,
)
from perf_assets.storage.home import DEFAULT, Home
from perf_assets.storage.warehouse import reading
from perf_assets.study import SAMPLE, Study

# Pooling one repository says the same again.
NOT_POOLED_ALONE = """(
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.{} where dataset = 'live')
)"""
BREAKDOWN = """
select
    repository, case when is_performance then 'performance' else 'other' end as bugs,
    open, closed, fixed
from marts.dataset_breakdown
where dataset = 'live'
order by repository, is_performance desc
"""
TRENDS = """
select
    repository, series, n as months, n_pairs as pairs, n_positive as rising, p_value as p
from analysis.trend_tests
where dataset = 'live'
order by repository, series desc
"""
GROUPS = f"""
select
    repository, metric,
    n_performance || ' / ' || n_other as bugs,
    coalesce(cast(round(median_performance, 2) as varchar), '-') || ' / '
        || coalesce(cast(round(median_other, 2) as varchar), '-') as median,
    p_value as p, cliffs_delta as delta, magnitude
from analysis.group_comparisons
where dataset = 'live' and {NOT_POOLED_ALONE.format("group_comparisons")}
order by repository = 'pooled', repository, metric
"""
LEFT_OUT = """
select repository, count(*) filter (where fix_not_analysed = 'not looked at') as left_out, count(*)
from marts.bug_metrics
where dataset = 'live' and fix_commits > 0
group by repository
having left_out > 0
order by repository
"""
COST = """
select repository, sum(requests) as requests, sum(points) as points
from meta.source_requests
where started_at >= ?
group by repository
order by repository
"""
QUALITY = f"""
select
    repository, measure, rule, rater, n as judged, successes as yes, n_unsure as unsure,
    estimate as percent, low, high
from analysis.labelling_quality
where
    (rule = 'all' or rater = 'consensus') and {NOT_POOLED_ALONE.format("labelling_quality")}
order by repository = 'pooled', repository, rule <> 'all', measure, rater, n desc, rule
"""
AGREEMENT = f"""
select
    repository, question, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.rater_agreement
where {NOT_POOLED_ALONE.format("rater_agreement")}
order by repository = 'pooled', repository, question, method, raters
"""
DISAGREEMENTS = """
select
    repository, '#' || number as bug_report, question,
    rater_1 || ': ' || answer_1 as one, rater_2 || ': ' || answer_2 as other
from analysis.rater_disagreements
order by repository, number, question, rater_1, rater_2
"""
QUESTIONS = """
select
    forum, rater, is_labelled as labelled, count(distinct question_id) as judged,
    count(distinct question_id) filter (where verdict = 'yes') as yes,
    count(distinct question_id) filter (where verdict = 'unsure') as unsure
from staging.question_verdicts
group by forum, rater, is_labelled
order by forum, rater, is_labelled desc
"""
QUESTION_AGREEMENT = """
select forum, asked, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.question_agreement
order by forum, asked, method, raters
"""
ASKED = """
with asked as (
    select
        questions.forum || ':' || sets.tag_set as repository, labels.is_performance,
        questions.accepted_answer_id is not null as is_accepted
    from raw.questions as questions
    cross join unnest(questions.tag_sets) as sets(tag_set)
    inner join labels.performance_questions as labels using (forum, question_id)
)
select
    repository, case when is_performance then 'performance' else 'other' end as questions,
    count(*) as asked, count(*) filter (where is_accepted) as accepted,
    round(100 * count(*) filter (where is_accepted) / count(*), 1) as percent
from asked
group by repository, is_performance
order by repository, is_performance desc
"""
FINDINGS = """
select
    repository, rule, arg_min(findings, quarter) as first, sum("new") as came, sum(gone) as went,
    arg_max(findings, quarter) as newest, arg_max(per_1000_files, quarter) as per_1000_files
from analysis.static_findings
group by repository, rule
order by repository, rule
"""
FINDING_PRECISION = """
select
    repository, rule, rater, judged, right_ones as "right", wrong_ones as wrong,
    unsure_ones as unsure, estimate as percent, low, high
from analysis.finding_precision
where
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.finding_precision)
order by repository = 'pooled', repository, rule <> 'all', rule, rater
"""
FINDING_AGREEMENT = """
select repository, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.finding_agreement
where
    repository <> 'pooled'
    or (select count(distinct repository) > 2 from analysis.finding_agreement)
order by repository = 'pooled', repository, method, raters
"""
OF_OTHERS = {
    "questions": QUESTIONS,
    "question_agreement": QUESTION_AGREEMENT,
    "finding_precision": FINDING_PRECISION,
    "finding_agreement": FINDING_AGREEMENT,
}
PICTURE, FINDINGS_PICTURE = "both_sides.svg", "static_findings.svg"  # beside the report
ODD_TITLE = "Look at these before you trust the series (perf-assets docs draws them)"
FIGURES = (
    ("bug reports", BREAKDOWN),
    ("is the share of performance bugs rising? (Cox-Stuart, one-sided)", TRENDS),
    ("performance / other bugs (Mann-Whitney U, Cliff's delta)", GROUPS),
    ("what users ask, and whether an answer is accepted", ASKED),
    ("findings of static checks, from the first quarter to the newest", FINDINGS),
)


def print_summary(published: Path, console: Console) -> None:
    """Print the dataset breakdown, the trend tests and the group comparisons."""
    with reading(published) as connection:
        for title, query in FIGURES:
            _print_by_repository(console, title, connection.sql(query).pl())
        for sentence in _left_out(connection):
            console.print(f"{plain(sentence)}\n", soft_wrap=True, highlight=False, markup=False)
        found = warnings(connection)
    if found:
        console.print(f"{ODD_TITLE}:", soft_wrap=True, highlight=False, markup=False)
        for sentence in found:
            console.print(f"  {plain(sentence)}", soft_wrap=True, highlight=False, markup=False)
        console.print()


def print_cost(warehouse: Path, since: datetime, console: Console) -> None:
    """Print what was asked of GitHub, a corpus or a forum, from ``since`` on."""
    with reading(warehouse) as connection:
        rows = connection.sql(COST, params=[since]).fetchall()
    for repository, requests, points in rows:
        cost = f"{requests:,} requests and {points:,} rate-limit points for issues"
        console.print(
            f"{repository}: {f'{requests:,} requests' if ':' in repository else cost}",
            soft_wrap=True,
            highlight=False,
            markup=False,
        )


def summary_markdown(
    published: Path, picture: str = PICTURE, findings_picture: str = FINDINGS_PICTURE
) -> str:
    """The same figures as Markdown, static findings by quarter, and both sides of frameworks.

    ``picture`` is the address of the picture of these sides, as the viewer of the report finds it,
    and ``findings_picture`` that of the findings.
    """
    parts = []
    with reading(published) as connection:
        for title, query in FIGURES:
            rows = connection.sql(query).pl()
            if rows.is_empty():
                continue
            cells = ([for_markdown(_text(value)) for value in row] for row in rows.rows())
            lines = [rows.columns, ["---"] * rows.width, *cells]
            parts.append("\n".join([f"## {title}", "", *(f"| {' | '.join(x)} |" for x in lines)]))
        parts += map(for_markdown, _left_out(connection))
        if found := warnings(connection):
            listed = "\n".join(f"- {for_markdown(sentence)}" for sentence in found)
            parts.append(f"## {ODD_TITLE}\n\n{listed}")
    parts += _findings_parts(published, findings_picture)
    sides = read_both_sides(published)
    if told := [for_markdown(sentence) for sentence in sentences(sides)]:
        # The data are named, so that a report over others is another report.
        image = f'![{" ".join(told)}]({picture} "data {sides.fingerprint}")'
        parts.append("\n\n".join([f"## {TITLE}", image, *told]))
    return "\n\n".join(parts) + "\n"


def _findings_parts(published: Path, picture: str) -> list[str]:
    """Picture, sentences and table of the findings; none where nothing was scanned."""
    found = read_static_findings(published)
    told = [for_markdown(sentence) for sentence in findings_sentences(found)]
    if not told:
        return []
    shown = []
    if found.rows["findings"].sum():
        shown = [f'![{" ".join(told)}]({picture} "data {found.fingerprint}")']
    return ["\n\n".join([f"## {FINDINGS_TITLE}", *shown, *told, findings_table(found)])]


def _left_out(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Which fixes nobody looked at closely, a sentence for each repository that has such."""
    return [
        f"{repository}: the fixes of {left_out:,} of {fixes:,} bugs were not looked at closely "
        "(close_look = false, or --until links): which methods and languages they touch, and who "
        "introduced the bug, is not known"
        for repository, left_out, fixes in connection.sql(LEFT_OUT).fetchall()
    ]


def print_next_steps(study: Study, home: Home, console: Console) -> None:
    """Print where the database is and what to try next, as commands that can be pasted."""
    python = _shown(Path(sys.executable))
    at_home = "" if home.path == DEFAULT.resolve() else f" --home {_shown(home.path)}"
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
        "  3. A query of the cookbook, and all that can be asked:",
        f"     {program} query monthly_share_of_new_bugs{at_home}",
        f"     {program} query",
    )
    console.print("\n".join(lines), soft_wrap=True, highlight=False, markup=False)


def _shown(path: Path) -> str:
    """``path`` as one would type it here."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  (resolving would leave the venv)
    return str(absolute.relative_to(Path.cwd()) if absolute.is_relative_to(Path.cwd()) else path)


def read_agreement(published: Path) -> dict[str, pl.DataFrame]:
    """What the verdicts say of the labels (quality), how far raters agree, and what to discuss.

    Raises
    ------
    PerfAssetsError
        Nobody has judged anything yet.
    """
    queries = {
        "quality": QUALITY,
        "agreement": AGREEMENT,
        "disagreements": DISAGREEMENTS,
    }
    with reading(published) as connection:
        found = {name: connection.sql(query).pl() for name, query in queries.items()}
        # What an older version published has none of these.
        found |= {name: _rows_if_any(connection, query) for name, query in OF_OTHERS.items()}
    if all(found[name].is_empty() for name in ("quality", "questions", "finding_precision")):
        raise PerfAssetsError(
            f"{published} has no verdicts yet: draw a sheet with perf-assets sample-for-review, "
            "fill it in and bring it back with perf-assets import-review"
        )
    return found


def _rows_if_any(connection: duckdb.DuckDBPyConnection, query: str) -> pl.DataFrame:
    """The rows of ``query``; none where its tables are not there."""
    try:
        rows: pl.DataFrame = connection.sql(query).pl()
    except duckdb.CatalogException:
        rows = pl.DataFrame()
    return rows


def print_agreement(published: Path, console: Console) -> None:
    """Print what the verdicts say of the labels, how far raters agree, and what to discuss.

    Raises
    ------
    PerfAssetsError
        Nobody has judged anything yet.
    """
    found = read_agreement(published)
    quality, agreement = found["quality"], found["agreement"]
    _print_by_repository(console, "how good the labels are, with 95 % confidence", quality)
    if all(
        found[name].is_empty() for name in ("agreement", "question_agreement", "finding_agreement")
    ):
        console.print("Nothing was judged by two raters yet.\n")
    _print_by_repository(console, "do the raters agree? (kappa, with 95 % confidence)", agreement)
    _print_by_repository(console, "to discuss", found["disagreements"])
    judged = "what was judged of its questions, those that the stems find and others"
    _print_by_repository(console, judged, found["questions"], "forum")
    title = "do the raters agree on its questions? (kappa, with 95 % confidence)"
    _print_by_repository(console, title, found["question_agreement"], "forum")
    title = "how often findings of static checks are right, with 95 % confidence"
    _print_by_repository(console, title, found["finding_precision"])
    title = "do the raters agree on findings? (kappa, with 95 % confidence)"
    _print_by_repository(console, title, found["finding_agreement"])


def _print_by_repository(
    console: Console, title: str, rows: pl.DataFrame, place: str = "repository"
) -> None:
    groups = rows.group_by(place, maintain_order=True) if rows.height else ()
    for (name,), part in groups:
        _print_table(console, f"{name}: {title}", part.drop(place))


def _print_table(console: Console, title: str, rows: pl.DataFrame) -> None:
    table = Table(box=box.SIMPLE, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for name, kind in rows.schema.items():
        table.add_column(
            name, justify="right" if kind.is_numeric() else "left", no_wrap=name == "metric"
        )
    for row in rows.iter_rows():
        table.add_row(*(Text(plain(_text(value))) for value in row))
    console.print(plain(title), style="bold", highlight=False, markup=False, soft_wrap=True)
    console.print(table)


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2g}" if 0 < abs(value) < 0.01 else f"{value:,.2f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else str(value)
