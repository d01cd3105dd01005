"""The replication report: papers beside their reproduction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.base.sanitize import in_words
from perf_assets.core.paper.performance_bugs import (
    DATASET,
    LOWEST_TRUSTED_NUMBER,
    agreeing_months,
    table_2_bugs,
    without,
)
from perf_assets.core.paper.printed import AGAINST_ITSELF, BUGS, CHALLENGES, PROBLEMS
from perf_assets.reports.document import Document, Part, Section, Tile, of_figure
from perf_assets.reports.figures import figures
from perf_assets.reports.replication import charts
from perf_assets.reports.replication.words import (
    VERDICTS,
    counted_in_file,
    differing,
    reproduced_text,
)
from perf_assets.reports.sql_files import rows_of, sql_of
from perf_assets.schema.frames import frame_of
from perf_assets.sources.replication.package import pinned
from perf_assets.sources.replication.papers import papers
from perf_assets.storage.warehouse import reading

FURTHER = {
    PROBLEMS: (
        "Performance problems that users have",
        "The figures of Cao et al., Understanding Performance Problems in Deep Learning Systems "
        "(ESEC/FSE 2022), beside the same counted from the problems that its authors publish. A "
        "problem counts by its first symptom, or for any of the two that it may have.",
    ),
    CHALLENGES: (
        "Challenges of developing applications",
        "The figures that the text of Zhang et al., An Empirical Study of Common Challenges in "
        "Developing Deep Learning Applications (ISSRE 2019), states, beside the same computed from "
        "the questions that are loaded: its own are a download that is not read here.",
    ),
}
"""The other studies: a heading each, and what is compared."""

OF_PROBLEMS = (
    *("marts.problem_distribution", "marts.symptoms_by_cause", "marts.causes_by_stage"),
    "replication.benchmark",
)
"""The figures of performance problems."""

FIGURES_BESIDE = (
    *("marts.dataset_breakdown", "analysis.trend_tests", "analysis.open_share_changes"),
    *("analysis.effect_sizes", "analysis.fix_incidence"),
)
"""The figures of what the paper's data say by tests that hold."""

BUG_REPORTS = "from marts.bug_metrics\nwhere dataset = 'replication'"
TREND = "from marts.paper_trend\norder by repository, series, month"
CAUSES = """
select category, subcategory, count(*) as bugs
from replication.taxonomy
group by all
order by all
"""
COMPARED = """
select location, repository, quantity, published_text, reproduced, difference, verdict, reason
from analysis.paper_comparison
where study = '{}' and location {} '{}'
"""


def read_comparison(published: Path) -> pl.DataFrame:
    """``analysis.paper_comparison`` of the published database."""
    with reading(published) as connection:
        rows = frame_of(connection.sql("from analysis.paper_comparison"))
    return rows


def read_replication(published: Path) -> Document:
    """Return the report over the published database."""
    comparison = read_comparison(published)
    with reading(published) as connection:
        bugs, trend, taxonomy = (
            frame_of(connection.sql(query))
            for query in (BUG_REPORTS, TREND, "from replication.taxonomy")
        )
        beyond = _beyond(connection)
        drawn = [
            of_figure(f"drawn-{name.replace('.', '-')}", figure)
            for name in OF_PROBLEMS
            if (figure := figures()[name].shown(connection, [DATASET]))
        ]
    package = pinned()
    of_study = comparison.filter(study=BUGS)
    own = of_study.filter(pl.col("location") != AGAINST_ITSELF)
    itself = of_study.filter(location=AGAINST_ITSELF)
    repositories = " and ".join(bugs["repository"].unique().sort())
    sections = [
        Section(
            "verdicts",
            "What is reproduced",
            ["How many figures of the paper its published data give, and why others differ."],
            list(_verdicts("bugs", own, _query(BUGS, "<>"))),
        ),
        *_pictures(bugs, trend, taxonomy),
        beyond,
        Section("figures", "Every figure", [], list(_figures("figures", own, _query(BUGS, "<>")))),
        Section(
            "itself",
            AGAINST_ITSELF,
            [
                "Values that the paper gives in two places, or that follow from others of its: the "
                "one as published, the other in the column of reproduced ones. Where they differ, "
                "the paper contradicts itself, and no reproduction can have both."
            ],
            list(_figures("itself", itself, _query(BUGS, "="))),
        ),
        *_further(comparison, {PROBLEMS: drawn}),
    ]
    return Document(
        "Performance bugs in deep-learning frameworks: the study and its reproduction",
        [
            "The figures of Makkouk, Kim and Chen, An Empirical Study on Performance Bugs in Deep "
            "Learning Frameworks (ICSME 2022), set against the same computed from the published "
            f"data of {repositories} ({package.repository}, commit {package.commit[:7]}) by the "
            "models and statistics that run over live data."
        ],
        [section for section in sections if section.parts],
    )


def _pictures(bugs: pl.DataFrame, trend: pl.DataFrame, taxonomy: pl.DataFrame) -> Iterator[Section]:
    agreements = " and ".join(
        f"{agreeing_months(months).height} of {months.height} months of the {series} series"
        for (series,), months in trend.group_by("series", maintain_order=True)
    )
    panels, queries = charts.figure_1(trend), {"the picture": TREND}
    yield Section(
        "figure-1",
        "Figure 1: is the share of performance bugs rising?",
        [
            "Performance bugs among all open, and among all fixed, bug reports. Lines are as "
            "published, circles are counted again from the bug reports at the moment at which the "
            f"authors counted. Both counts agree in {agreements}. Of open ones the published data "
            "do not hold reopenings: a report that was closed once counts as closed from its last "
            "close on."
        ],
        [Part("trend", "Open and fixed percentages", panels=panels, queries=queries)],
    )
    fixes_shown = (
        "of the fixes that give the paper's medians: performance bugs verified by hand whose issue "
        f"number is not below {LOWEST_TRUSTED_NUMBER}, and all other fixed bugs."
    )
    if without(taxonomy) is not None:
        fixes_shown = "of all fixed bugs."
    panels = charts.distributions(table_2_bugs(bugs, taxonomy))
    queries = {"the bug reports": BUG_REPORTS}
    yield Section(
        "table-2",
        "Behind Table II: how performance bugs differ",
        [
            "Share of bug reports up to each value; dashed lines are medians. Fix time and size "
            f"are {fixes_shown} The scale is logarithmic from the first mark after 0 "
            "on; the largest percent is cut off."
        ],
        [Part("distributions", "Distributions", panels=panels, queries=queries)],
    )
    panels = charts.taxonomy(papers()[BUGS].tables["table_3"].frame, taxonomy)
    queries = {"the marks": CAUSES.strip()}
    yield Section(
        "table-3",
        "Table III: root causes",
        [
            "Bars are the bugs that the paper counts, by their impact. The dark mark shows how "
            "many rows of the published taxonomy are loaded; it has no impacts."
        ],
        [Part("causes", "Root causes", panels=panels, queries=queries)],
    )


def _beyond(connection: duckdb.DuckDBPyConnection) -> Section:
    """Return all results over the paper's data by tests that hold, and figures of the main ones."""
    results = rows_of(connection, "replication_results").iter_rows()
    verdicts = [(repository, f"{what}: {result}") for repository, what, result in results]
    queries = {"the words": sql_of("replication_results")}
    parts = [Part("results", "Results by repository", verdicts=verdicts, queries=queries)]
    for table in FIGURES_BESIDE:
        if figure := figures()[table].shown(connection, [DATASET]):
            # Its words are among the results.
            parts.append(replace(of_figure(table.replace(".", "-"), figure), verdicts=[]))
    return Section(
        "beyond",
        "The same data, read by tests that hold",
        [
            "Cumulative series hold most of a month's value in the next, so that the paper's test "
            "finds a rise in permuted labels too; how often stands beside it. The month's own flow "
            "has an estimate with an interval. Bugs closed without a fix are not fixed later, "
            "fixes that share a commit are one cluster, and several repositories are compared "
            "within each."
        ],
        parts if verdicts else [],
    )


def _further(comparison: pl.DataFrame, drawn: Mapping[str, Sequence[Part]]) -> Iterator[Section]:
    for study, (heading, what) in FURTHER.items():
        of_study = comparison.filter(pl.col("study") == study)
        rows = of_study.filter(pl.col("location") != AGAINST_ITSELF)
        name, query = study.replace("_", "-"), _query(study, "<>")
        verdicts, figures = (make(name, rows, query) for make in (_verdicts, _figures))
        itself = of_study.filter(location=AGAINST_ITSELF)
        against = _figures(f"{name}-itself", itself, _query(study, "="))
        parts = [*verdicts, *drawn.get(study, ()), *figures, *against]
        yield Section(name, heading, [what], parts)


def _verdicts(name: str, rows: pl.DataFrame, query: str) -> Iterator[Part]:
    """Yield counts by verdict, and what differs, with each reason once."""
    if rows.is_empty():
        return
    counts = dict(rows.group_by("verdict").len().iter_rows())
    tiles = [Tile(f"{counts[text]:,}", in_words(text)) for text in VERDICTS if counts.get(text)]
    queries = {"the numbers": query}
    yield Part(
        f"{name}-verdicts",
        f"{rows.height:,} figures",
        tiles=tiles,
        words=counted_in_file(rows),
        queries=queries,
    )
    if sentences := differing(rows):
        title, table = "Those that differ, and why", _table(rows.filter(verdict="differs"))
        yield Part(f"{name}-differing", title, words=sentences, table=table, queries=queries)


def _figures(name: str, comparison: pl.DataFrame, query: str) -> Iterator[Part]:
    """Yield a table for each location of the paper, and what the data do not give."""
    is_missing = pl.col("verdict") == "not_derivable"
    groups = comparison.filter(~is_missing).group_by("location", maintain_order=True)
    queries = {"the table": query}
    for number, ((location,), rows) in enumerate(groups):
        of = in_words(rows["study"][0]) if location == AGAINST_ITSELF else ""
        yield Part(f"{name}-{number}", str(location), of, table=_table(rows), queries=queries)
    if not (missing := comparison.filter(is_missing)).is_empty():
        title, study = "Figures that the data do not give", in_words(missing["study"][0])
        yield Part(f"{name}-missing", title, study, table=_table(missing), queries=queries)


def _table(rows: pl.DataFrame) -> pl.DataFrame:
    reproduced = [reproduced_text(row) for row in rows.iter_rows(named=True)]
    return rows.select(
        "location",
        "repository",
        "quantity",
        pl.col("published_text").alias("published"),
        pl.Series("reproduced", reproduced, dtype=pl.String),
        "verdict",
        pl.col("reason").fill_null("").alias("why"),
    )


def _query(study: str, comparison: str) -> str:
    return COMPARED.format(study, comparison, AGAINST_ITSELF).strip()
