"""What the report of a study holds, section by section, from the published database.

The page begins with a first screen, answers four questions, and folds all results into an
appendix.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import duckdb

from perf_assets import __version__
from perf_assets.reports.document import (
    Document,
    FirstScreen,
    Part,
    Section,
    of_figure,
)
from perf_assets.reports.figures import figures
from perf_assets.reports.monthly.first_screen import read_first_screen
from perf_assets.reports.monthly.forums import read_forums
from perf_assets.reports.monthly.growth import read_growths
from perf_assets.reports.monthly.news import Lists, read_news, read_questions
from perf_assets.reports.monthly.sections import read_sections
from perf_assets.reports.quality import remarks, warnings
from perf_assets.reports.sql_files import rows_of, sql_of
from perf_assets.reports.top_repositories import passed_over, remark, without
from perf_assets.storage.warehouse import reading

LEFT = (
    "The rows of issues and commits are in the lake, not in this database. The report therefore "
    "has no lists of issues, areas or keywords. perf-assets lake pull copies those of a repository."
)
UNMINED = (
    "No repository was mined: these are the data that the paper's authors published. "
    "replication_report.html says how far they reproduce its figures."
)
PAPER = (
    "T. Makkouk, D. J. Kim and T.-H. Chen: An Empirical Study on Performance Bugs in Deep Learning "
    "Frameworks. IEEE International Conference on Software Maintenance and Evolution (ICSME), 2022."
)


SECTIONS = (
    Section(
        "alerts",
        "Which series changed, and when?",
        [
            "Changes that are large and unlikely to be chance, the newest first, one for each "
            "cause. perf-assets alerts set records what you decide about one; alerts that are "
            "resolved or wont_fix are not shown."
        ],
    ),
    Section(
        "trend",
        "How does the share move, by each method?",
        [
            "The share of performance bugs among all bug reports. Each verdict is adjusted for all "
            "headline tests (Holm, 5 %)."
        ],
    ),
    Section(
        "comparisons",
        "How do performance bugs differ, by each test?",
        [
            "Medians and the rank-sum test of all values follow the study. The test beside it "
            "compares within repositories.",
            "Cliff's delta is the chance that a performance bug has more than another bug, minus "
            "the chance that it has less. Bars are 95 % intervals. Intervals and p-values allow "
            "for bugs that share a fix commit; the rank-sum test of the study does not.",
        ],
    ),
    Section(
        "causes",
        "What causes them?",
        ["Root causes and impacts as people judged them, in the categories of Table III."],
    ),
    Section("areas", "Where are they, and which words name them?", []),
    Section(
        "users",
        "What do users ask?",
        ["Questions of StackOverflow and other forums."],
    ),
    Section(
        "work",
        "What was done about them?",
        [
            "Changes of the default branch that are performance work, beside the performance bugs "
            "that were reported. A commit is one change, and so is a merged pull request."
        ],
    ),
    Section(
        "benchmarks",
        "What did benchmarks measure?",
        [
            "Slowdowns that benchmarks measured, the issues that tell of them, and when they were "
            "over. perf-assets regressions set records which of them are intended."
        ],
    ),
    Section("checks", "What do static checks find?", []),
    Section(
        "quality",
        "How good are the labels, and what depends on them?",
        ["Agreement and precision of the labels, and the results under other labels and links."],
    ),
    Section("data", "Which data is this?", []),
)
"""The sections of figures. A figure names its section, and its place in that, where its table is
declared (dbt_like_models)."""

OF_WARNINGS = {"the odd months": "odd_months", "the rows that stand alone": "rows_alone"}
OF_REMARKS = {
    "where repositories differ": "differing",
    "what bots change": "of_bots",
    "commits that git cannot read": "unreadable",
    "fixes that are not traced": "not_traced",
    "fixes that were not analysed": "left_out",
    "trees without a framework": "no_checks",
}
OF_DATA = (
    ("breakdown", "Bug reports: Table I", "table_1"),
    ("coverage", "What is loaded", "coverage"),
    ("facts", "Study, rules, sources and software", "facts"),
)


def read_moment(published: Path) -> str | None:
    """Return the moment at which the database was published, as it says itself."""
    with reading(published) as connection:
        return _facts(connection).get(("database", "published_at"))


def read_report(published: Path) -> Document:
    """Return the report over the published database; without mined data over the published ones."""
    with reading(published) as connection:
        title, basis = read_heading(connection)
        is_far = _facts(connection).get(("study", "engine")) == "spark"
        words = [
            basis,
            "Every number is the result of a query over perf_bugs.duckdb. The query is below the "
            "number and runs in perf-assets query or any client of DuckDB.",
            *remark(passed_over(connection)),
            *([LEFT] if is_far else []),
        ]
        growths, lists = read_growths(connection), Lists(connection)
        first = read_first_screen(connection, growths, lists)
        sections = read_sections(connection, growths, lists) if first else []
        appendix = [
            Section(
                "month",
                "What happened in the newest month?",
                [
                    "The month is the newest of each repository, or its last month with activity. "
                    "Counts are as of the end of the month. Titles and comments are current."
                ],
                read_news(connection, lists),
            ),
            *(
                replace(section, parts=list(_parts(connection, section.name)))
                for section in SECTIONS
            ),
            Section("cite", "How do I cite this?", [], [_citation()]),
        ]
    appendix = [section for section in appendix if section.parts]
    if first is None:
        return Document(title, words, appendix)
    return Document(title, words, sections, first, appendix)


def read_heading(connection: duckdb.DuckDBPyConnection) -> tuple[str, str]:
    """Return the title of the report, and a sentence on what it is over."""
    span = rows_of(connection, "span").item()
    facts = _facts(connection)
    study = facts.get(("study", "name"))
    title = f"Performance bugs: {study}" if study and span else "Performance bugs"
    moment = facts.get(("database", "published_at")) or "an unknown moment"
    return title, (
        f"Mined months {span}; the database was published at {moment}." if span else UNMINED
    )


def read_first(connection: duckdb.DuckDBPyConnection) -> FirstScreen | None:
    """Return the first screen alone; None where no issues are mined."""
    return read_first_screen(connection, read_growths(connection), Lists(connection))


def read_short(connection: duckdb.DuckDBPyConnection) -> list[Part]:
    """Return what was found in a few sentences: of the repositories, and of each forum."""
    first = read_first(connection)
    parts = [] if first is None else [(first.period, first.sentences)]
    return [
        Part(f"short-{index}", title, words=sentences)
        for index, (title, sentences) in enumerate([*parts, *read_forums(connection)])
    ]


def _parts(connection: duckdb.DuckDBPyConnection, section: str) -> Iterator[Part]:
    """Yield what a section shows: its figures, in their order, and what is not a figure."""
    if section == "users":
        yield from read_questions(connection)
    if section == "quality":
        title = "Months and rows to check"
        yield from _sentences("odd", title, warnings(connection), OF_WARNINGS)
        yield from _sentences("remarks", "What else to know", remarks(connection), OF_REMARKS)
    chosen = [item for item in figures().items() if item[1].declared.section == section]
    for name, figure in sorted(chosen, key=lambda item: item[1].declared.place):
        if shown := figure.shown(connection):
            yield of_figure(name.replace(".", "-"), shown)
    if section == "data":
        for name, title, query in OF_DATA:
            rows = without(rows_of(connection, query), passed_over(connection))
            if not rows.is_empty():
                queries = {"the table": sql_of(query)}
                yield Part(name, title, table=rows, queries=queries, is_open=name == "breakdown")


def _sentences(
    name: str, title: str, sentences: list[str], queries: Mapping[str, str]
) -> Iterator[Part]:
    if sentences:
        shown = {words: sql_of(query) for words, query in queries.items()}
        yield Part(name, title, words=sentences, queries=shown)


def _citation() -> Part:
    return Part(
        "citation",
        "The software and the study whose method it automates",
        words=citation_words(),
    )


def citation_words() -> list[str]:
    """Return what is to be cited, a sentence each."""
    return [
        f"The perf-assets authors: perf-assets, version {__version__}. Software, MIT license.",
        PAPER,
        "With numbers, also cite when the database was published: the same database gives the "
        "same report, byte by byte.",
    ]


def _facts(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], str]:
    """Return the values of ``meta.about`` by topic and fact."""
    rows = rows_of(connection, "facts").iter_rows()
    return {(topic, fact): value for topic, fact, value in rows}
