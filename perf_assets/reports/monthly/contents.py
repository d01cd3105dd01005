"""What the report of a study holds, section by section, from the published database."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb

from perf_assets import __version__
from perf_assets.reports.document import Document, Part, Section, of_figure
from perf_assets.reports.figures import FIGURES, shown
from perf_assets.reports.figures.areas import KEYWORDS_FIGURE
from perf_assets.reports.figures.figure import Figure
from perf_assets.reports.figures.study_steps import GAINED_FIGURE
from perf_assets.reports.monthly.headlines import headlines
from perf_assets.reports.monthly.news import read_news, read_questions
from perf_assets.reports.quality import ALONE, ODD, remarks, warnings
from perf_assets.reports.queries import (
    DIFFERING,
    LEFT_OUT,
    NO_CHECKS,
    NOT_TRACED,
    OF_BOTS,
    TABLE_1,
    UNREADABLE,
)
from perf_assets.reports.top_repositories import passed_over, remark, without
from perf_assets.schema.frames import frame_of
from perf_assets.storage.warehouse import reading

ALERTS = ("marts.alerts",)
TREND = ("marts.trend_monthly", "analysis.trend_tests")
WHY = ("analysis.open_share_changes", "analysis.closing_rates")
COMPARISONS = (
    "analysis.group_comparisons",
    "analysis.effect_sizes",
    "analysis.fix_incidence",
    "analysis.lifetime_comparisons",
    "analysis.fixing_concentration",
    "analysis.project_comparisons",
    "analysis.pooled_effects",
)
QUESTIONS = (
    "marts.questions_vs_bugs_monthly",
    "analysis.question_bug_correlation",
    "marts.question_difficulty",
    "analysis.question_difficulty",
    "intermediate.question_answer_times",
    "analysis.keyword_stem_hits",
    "marts.problem_distribution",
    "marts.symptoms_by_cause",
    "marts.causes_by_stage",
)
TRUST = (
    "analysis.labelling_quality",
    "marts.performance_probability_monthly",
    "analysis.rater_agreement",
    "analysis.label_sensitivity",
    "analysis.link_sensitivity",
    "analysis.bot_sensitivity",
    "analysis.question_kind_quality",
    "analysis.endorsement_precision",
    "analysis.finding_precision",
    "analysis.adjusted_tests",
)
FACTS = """
select topic, fact, value
from meta.about
where topic <> 'rows'
order by list_position(['database', 'study', 'rules', 'sources', 'software'], topic), fact
"""
# What only a new look at the sources changes is in the database's own facts.
COVERAGE = """
select
    repository, "table", count(*) filter (where is_stored) as months,
    min(month) filter (where is_stored) as first_month,
    max(month) filter (where is_stored) as last_month,
    sum(row_count) filter (where is_stored) as "rows",
    count(*) filter (where status = 'failed') as refused
from meta.partition_loads
group by repository, "table"
order by repository, "table"
"""
STUDY = "select value from meta.about where topic = 'study' and fact = 'name'"
PUBLISHED = "select value from meta.about where topic = 'database' and fact = 'published_at'"
FAR = "select value from meta.about where topic = 'study' and fact = 'engine' and value = 'spark'"
LEFT = (
    "The rows of issues and commits are in the lake, not in this database: lists of single issues, "
    "and areas and keywords, are left out. perf-assets lake pull brings those of a repository."
)
SPAN = """
select min(month) || ' to ' || max(month)
from meta.partition_loads
where is_stored and "table" in ('raw.issues', 'raw.questions')
"""
UNMINED = (
    "Nothing is mined here: these are the data that the paper's authors publish. How far they give "
    "its figures says replication_report.html."
)
PAPER = (
    "T. Makkouk, D. J. Kim and T.-H. Chen: An Empirical Study on Performance Bugs in Deep Learning "
    "Frameworks. IEEE International Conference on Software Maintenance and Evolution (ICSME), 2022."
)


def read_moment(published: Path) -> str | None:
    """The moment at which the database was published, as it says itself."""
    with reading(published) as connection:
        return _value(connection, PUBLISHED)


def read_report(published: Path) -> Document:
    """The report over the published database; without mined data over the published ones."""
    with reading(published) as connection:
        title, basis = read_heading(connection)
        words = [
            basis,
            "Every number is a query over perf_bugs.duckdb: open it below the number, and run it "
            "as it stands with perf-assets query or any client of DuckDB.",
            *remark(passed_over(connection)),
            *([LEFT] if _value(connection, FAR) else []),
        ]
        sections = [
            Section("short", "In short", [], read_short(connection)),
            Section(
                "month",
                "What changed this month",
                [
                    "The month is the newest of each repository, or the last with activity of one "
                    "at rest. What counts, and what is open or fixed, is given as it was at its "
                    "end; titles and comments as of now."
                ],
                read_news(connection),
            ),
            Section(
                "alerts",
                "What changed, and stayed so",
                [
                    "Changes that are large and that chance alone seldom makes, the newest first; "
                    "one for each cause. Say what you make of one by perf-assets alerts set: those "
                    "that are resolved or wont_fix are not shown."
                ],
                _shown(connection, ALERTS),
            ),
            *_figures(connection),
            Section(
                "quality",
                "Can this be trusted?",
                ["How good the labels are, and whether the results hang on labels, links or bots."],
                [*_odd(connection), *_shown(connection, TRUST)],
            ),
            Section("data", "What it rests on", [], list(_data(connection))),
            Section("cite", "How to cite", [], [_citation()]),
        ]
    return Document(title, words, [one for one in sections if one.parts])


def read_heading(connection: duckdb.DuckDBPyConnection) -> tuple[str, str]:
    """The title of the report, and a sentence on what it is over."""
    span, study = _value(connection, SPAN), _value(connection, STUDY)
    title = f"Performance bugs: {study}" if study and span else "Performance bugs"
    moment = _value(connection, PUBLISHED) or "an unknown moment"
    return title, (
        f"Mined months {span}; the database was published at {moment}." if span else UNMINED
    )


def read_short(connection: duckdb.DuckDBPyConnection) -> list[Part]:
    """What was found in a few sentences, a part for each repository and tag set."""
    return [
        Part(f"short-{index}", title, words=sentences)
        for index, (title, sentences) in enumerate(headlines(connection))
    ]


def _figures(connection: duckdb.DuckDBPyConnection) -> Iterator[Section]:
    yield Section(
        "trend",
        "Is it getting better or worse?",
        [
            "Performance bugs among all bug reports. A verdict holds after the adjustment for all "
            "headline tests (Holm, 5 %)."
        ],
        [
            *_shown(connection, TREND),
            *_parts(connection, {"gained": GAINED_FIGURE}),
            *_shown(connection, WHY),
        ],
    )
    yield Section(
        "comparisons",
        "How performance bugs differ",
        [
            "Medians and the rank-sum test of all values together are as in the study; beside them "
            "stands the test that compares within repositories.",
            "Cliff's delta is the chance that a performance bug has more than another, less the "
            "chance that it has less; bars are 95 % intervals. These and their p-values allow for "
            "bugs that share a commit of their fix, which the rank-sum test of the study does not.",
        ],
        _shown(connection, COMPARISONS),
    )
    yield Section(
        "causes",
        "What causes them",
        ["Root causes and impacts as people judged them, by the categories of Table III."],
        _shown(connection, ("marts.root_causes",)),
    )
    yield Section(
        "areas",
        "Where they are, and by which words they are known",
        [],
        [
            *_shown(connection, ("marts.bug_areas", "marts.hot_spots")),
            *_parts(connection, {"keywords": KEYWORDS_FIGURE}),
            *_shown(connection, ("marts.bug_environments",)),
        ],
    )
    yield Section(
        "users",
        "What users ask",
        ["Questions of StackOverflow and other forums of Stack Exchange."],
        [*read_questions(connection), *_shown(connection, QUESTIONS)],
    )
    yield Section(
        "checks",
        "What static checks find",
        [],
        _shown(connection, ("analysis.static_findings", "marts.finding_states")),
    )


def _parts(connection: duckdb.DuckDBPyConnection, figures: Mapping[str, Figure]) -> list[Part]:
    found = ((name, figure.shown(connection)) for name, figure in figures.items())
    return [of_figure(f"figure-{name}", one) for name, one in found if one]


def _shown(connection: duckdb.DuckDBPyConnection, tables: Sequence[str]) -> list[Part]:
    found = ((table, shown(connection, table)) for table in tables if table in FIGURES)
    return [of_figure(table.replace(".", "-"), one) for table, one in found if one]


def _odd(connection: duckdb.DuckDBPyConnection) -> Iterator[Part]:
    if found := warnings(connection):
        queries = {"the odd months": ODD.strip(), "the rows that stand alone": ALONE.strip()}
        title = "Look at these before you trust the series"
        yield Part("odd", title, words=found, queries=queries)
    if found := remarks(connection):
        queries = {
            "where repositories differ": DIFFERING.strip(),
            "what bots change": OF_BOTS.strip(),
            "commits that git cannot read": UNREADABLE.strip(),
            "fixes that are not traced": NOT_TRACED.strip(),
            "fixes that were not analysed": LEFT_OUT.strip(),
            "trees without a framework": NO_CHECKS.strip(),
        }
        yield Part("remarks", "What else to know", words=found, queries=queries)


def _data(connection: duckdb.DuckDBPyConnection) -> Iterator[Part]:
    yield from _shown(connection, ("marts.dataset_breakdown", "meta.partition_loads"))
    for name, title, query in (
        ("breakdown", "Bug reports: Table I", TABLE_1),
        ("coverage", "What is loaded", COVERAGE),
        ("facts", "Study, rules, sources and software", FACTS),
    ):
        rows = without(frame_of(connection.sql(query)), passed_over(connection))
        if not rows.is_empty():
            queries = {"the table": query.strip()}
            yield Part(name, title, table=rows, queries=queries, is_open=name == "breakdown")


def _citation() -> Part:
    return Part(
        "citation",
        "The software and the study whose method it automates",
        words=[
            f"The perf-assets authors: perf-assets, version {__version__}. Software, MIT license.",
            PAPER,
            "For numbers, cite the moment at which the database was published, too: the same "
            "database gives the same report, byte by byte.",
        ],
    )


def _value(connection: duckdb.DuckDBPyConnection, query: str) -> str | None:
    rows = connection.execute(query).fetchall()
    return rows[0][0] if rows else None
