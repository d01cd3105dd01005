"""What a reader sees first, in the report, in a terminal and as Markdown: one verdict in words."""

import io
import re
import shutil
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from rich.console import Console

from perf_assets.cli.commands import commands
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.document import FirstScreen
from perf_assets.reports.monthly import keep_report, read_report
from perf_assets.reports.monthly.contents import read_first
from perf_assets.reports.monthly.first_screen import MOST_ITEMS
from perf_assets.reports.monthly.forums import read_forums
from perf_assets.reports.monthly.growth import Growth, headline, read_growths
from perf_assets.reports.monthly.news import Lists
from perf_assets.reports.monthly.sections import read_sections
from perf_assets.reports.summary import print_headlines
from tests.alert_rows import alert
from tests.model_database import ModelDatabase, insert
from tests.question_rows import FORUM, TAG_SET, performance_question, question
from tests.rows import REPOSITORY, Row, activity, comparison, flow_test, loads, trend_month
from tests.support import Prepared

pytestmark = pytest.mark.slow

WIDTH = 80
OTHER = "other/name"
FALL: Row = {"direction": "down", "level_before": 0.3, "level_after": 0.1}
NOTATION = re.compile(r"\bp [=<]|odds|delta|\[\d|Holm|\bn =")


@cache
def without_rows() -> duckdb.DuckDBPyConnection:
    return ModelDatabase().connection


@pytest.fixture
def connection() -> Any:
    connection = without_rows()
    connection.execute("BEGIN")
    yield connection
    connection.execute("ROLLBACK")


def fill(connection: duckdb.DuckDBPyConnection, *tables: tuple[str, list[Row]]) -> None:
    for table, rows in tables:
        insert(connection, table, rows)


def bugs(performance: int, other: int, repository: str = REPOSITORY) -> list[Row]:
    counts = {"closed": 0, "fixed": 0, "dataset": "live", "repository": repository}
    return [
        {"is_performance": True, "open": performance, **counts},
        {"is_performance": False, "open": other, **counts},
    ]


def halves(before: int, since: int, repository: str = REPOSITORY) -> list[Row]:
    """Ten months of ten new reports each, of which so many are about performance."""
    return [
        trend_month(
            f"2020-{month:02d}",
            repository=repository,
            opened_performance=before if month <= 5 else since,
            opened_total=10,
        )
        for month in range(1, 11)
    ]


def adjusted(source: str, result_of: str, p: float, repository: str = REPOSITORY) -> Row:
    numbers = {"p_value": p, "p_value_holm": p, "tests": 2}
    method = "binomial_regression" if source == "trend_tests" else "mann_whitney"
    place = {"dataset": "live", "repository": repository, "source": source}
    return place | {"result_of": result_of, "method": method} | numbers


def trend_of(odds: float, p: float, power: float | None = None, **changes: Any) -> Any:
    """The tables of a trend test with this result."""
    limits = {"odds_ratio_low": odds - 0.1, "odds_ratio_high": odds + 0.1, "p_value": p}
    name = changes.get("repository", REPOSITORY)
    return (
        (
            "analysis.trend_tests",
            [flow_test("opened", odds_ratio_per_year=odds, power=power, **limits, **changes)],
        ),
        ("analysis.adjusted_tests", [adjusted("trend_tests", "opened", p, name)]),
    )


def growth_of(connection: duckdb.DuckDBPyConnection) -> Growth:
    return {found.repository: found for found in read_growths(connection)}[REPOSITORY]


@pytest.mark.parametrize(
    ("odds", "p", "verdict"),
    [
        (1.5, 0.021, "Performance bugs are a growing share of new bug reports"),
        (0.5, 0.0004, "Performance bugs are a shrinking share of new bug reports"),
        (1.5, 0.06, "The share of performance bugs among new bug reports shows no clear change"),
    ],
)
def test_the_adjusted_trend_test_decides_the_verdict(
    connection: duckdb.DuckDBPyConnection, odds: float, p: float, verdict: str
) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("marts.trend_monthly", halves(2, 4)),
        *trend_of(odds, p),
    )
    found = growth_of(connection)
    assert found.sentence == f"{verdict}: 20 % before June 2020, 40 % since."


@pytest.mark.parametrize(
    ("p", "said"), [(0.021, "about 1 time in 50"), (0.0004, "less than 1 time in 1,000")]
)
def test_certainty_is_a_frequency(
    connection: duckdb.DuckDBPyConnection, p: float, said: str
) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("marts.trend_monthly", halves(2, 4)),
        *trend_of(1.5, p),
    )
    sentence = f"If nothing had changed, chance alone would show a rise this clear {said}."
    assert growth_of(connection).certainty == sentence


@pytest.mark.parametrize(
    ("power", "said"),
    [
        (0.21, "A real trend may be hidden: a share that doubles in three years would be noticed"),
        (0.9, "A share that doubles in three years would be noticed in 90 of 100 projects"),
    ],
)
def test_without_a_trend_the_certainty_says_what_would_have_been_seen(
    connection: duckdb.DuckDBPyConnection, power: float, said: str
) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("marts.trend_monthly", halves(2, 2)),
        *trend_of(1.1, 0.4, power),
    )
    assert growth_of(connection).certainty.startswith(said)


def test_a_change_of_level_gives_the_month_and_the_shares(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("marts.trend_monthly", halves(2, 4)),
        ("marts.alerts", [alert("opened_share", "2020-07", direction="up")]),
        *trend_of(1.5, 0.01),
    )
    found = growth_of(connection)
    assert found.sentence == (
        "Performance bugs have become a larger share of new bug reports: 10 % before July 2020, "
        "30 % since."
    )


def test_a_change_of_level_without_a_trend_is_a_change(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("marts.trend_monthly", halves(2, 4)),
        ("marts.alerts", [alert("opened_share", "2020-07", direction="up", p_value=0.01)]),
        *trend_of(1.5, 0.3),
    )
    found = growth_of(connection)
    assert "rose in July 2020, from 10 % to 30 %." in found.sentence
    assert "chance alone would show a rise this clear about 1 time in 100" in found.certainty
    assert "no trend is shown" in found.certainty


@pytest.mark.parametrize(
    ("odds", "p", "said"),
    [
        (1.4, 0.01, ""),
        (1.4, 0.3, " Within the periods of one way of labelling, no trend is shown."),
        (0.5, 0.01, " Within the periods of one way of labelling, the share falls."),
        (None, None, " Within the periods of one way of labelling, the trend could not be tested."),
    ],
)
def test_a_trend_within_the_periods_of_labelling_is_said_where_it_is_another(
    connection: duckdb.DuckDBPyConnection, odds: float | None, p: float | None, said: str
) -> None:
    variant = {"dataset": "live", "repository": REPOSITORY, "variant": "within_periods"}
    variant |= {"periods": 2, "reports": 120, "performance": 30, "result": "in words"}
    limits = dict.fromkeys(("odds_ratio_per_year", "odds_ratio_low", "odds_ratio_high"), odds)
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("marts.trend_monthly", halves(2, 4)),
        ("analysis.trend_variants", [variant | limits | {"p_value": p, "is_too_few": p is None}]),
        *trend_of(1.5, 0.01),
    )
    certainty = growth_of(connection).certainty
    assert certainty.endswith(f"this clear about 1 time in 100.{said}")


def test_a_change_of_level_against_the_trend_does_not_give_its_shares(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("marts.trend_monthly", halves(2, 4)),
        ("marts.alerts", [alert("opened_share", "2020-07", **FALL)]),
        *trend_of(1.5, 0.01),
    )
    found = growth_of(connection)
    assert found.sentence.endswith("20 % before June 2020, 40 % since.")
    assert "the search for a change of level shows a fall" in found.methods


def test_methods_that_differ_are_named(connection: duckdb.DuckDBPyConnection) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("marts.trend_monthly", halves(2, 4)),
        ("marts.alerts", [alert("opened_share", "2020-07", direction="up")]),
        *trend_of(1.5, 0.01),
    )
    assert growth_of(connection).methods == (
        "Both methods and sets of labels that were tried agree."
    )
    assert growth_of(connection).kind == "grows"


@pytest.mark.parametrize(
    ("performance", "other", "sentence"),
    [
        (0, 1, "The only bug report is not marked as a performance bug."),
        (0, 1200, "Of 1,200 bug reports none is marked as a performance bug."),
        (1, 11, "1 of 12 bug reports is marked as a performance bug: too few to say"),
        (3, 9, "3 of 12 bug reports are marked as performance bugs: too few to say"),
    ],
)
def test_few_performance_bugs_are_counted_and_nothing_is_tested(
    connection: duckdb.DuckDBPyConnection, performance: int, other: int, sentence: str
) -> None:
    fill(connection, ("marts.dataset_breakdown", bugs(performance, other)))
    found = growth_of(connection)
    assert found.sentence.startswith(sentence)
    assert (found.certainty, found.methods) == ("", "")


def growing(name: str, kind: str) -> Growth:
    return Growth(name, kind, f"What {name} shows.", kind)


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        (("grows", "steady"), "Performance bugs are a growing share of new bug reports in 1 of 2"),
        (("grows", "shrinks"), "in 1 of 2 repositories and a shrinking share"),
        (("changed", "grows"), "in 1 of 2 repositories. In 1 more their share changed"),
        (("changed", "steady"), "new bug reports changed in a single step in 1 of 2 repositories."),
        (("steady", "none"), "In none of 2 repositories does the share of performance bugs"),
    ],
)
def test_of_several_repositories_the_verdicts_are_counted(
    kinds: tuple[str, ...], sentence: str
) -> None:
    found = headline([growing(f"a/{number}", kind) for number, kind in enumerate(kinds)])
    assert sentence in found


def first_of(connection: duckdb.DuckDBPyConnection) -> FirstScreen:
    found = read_first(connection)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("open_now", "otherwise"), [(10, ""), (6, "4 closed otherwise; "), (11, "")]
)
def test_the_newest_month_is_reported_beside_the_month_before(
    connection: duckdb.DuckDBPyConnection, open_now: int, otherwise: str
) -> None:
    newest = {"opened_performance": 5, "newly_fixed_performance": 2, "open_performance": open_now}
    before = {"opened_performance": 4, "newly_fixed_performance": 1, "open_performance": 7}
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(3, 9)),
        (
            "marts.trend_monthly",
            [
                trend_month("2024-01", opened_total=9, **before, open_total=20),
                trend_month("2024-02", opened_total=9, **newest, open_total=20),
            ],
        ),
        ("meta.partition_loads", loads("2024-01", "2024-02")),
        ("marts.activity", [activity("2024-02", "2024-02")]),
    )
    first = first_of(connection)
    assert first.period == "January 2024 to February 2024"
    assert [tile.sentence for tile in first.numbers] == [
        "5 new in February 2024 (January 2024: 4)",
        f"2 fixed in February 2024 ({otherwise}January 2024: 1)",
        f"{open_now} open at the end of February 2024 (January 2024: 7)",
    ]


@pytest.mark.parametrize(
    ("archived_month", "words"),
    [(None, "without activity since"), ("2020-12", "archived in December 2020")],
)
def test_a_repository_at_rest_has_its_totals(
    connection: duckdb.DuckDBPyConnection, archived_month: str | None, words: str
) -> None:
    rest = {"is_at_rest": True, "last_series_month": "2020-02", "archived_month": archived_month}
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(3, 9)),
        (
            "marts.trend_monthly",
            [trend_month("2020-02", open_performance=1, open_total=4, fixed_performance=2)],
        ),
        ("meta.partition_loads", loads("2020-02", "2021-02")),
        ("marts.activity", [activity("2021-02", "2020-02", **rest)]),
    )
    first = first_of(connection)
    assert first.period == f"February 2020 to February 2020, {words}"
    assert [tile.number for tile in first.numbers] == ["3", "2", "1"]


def test_several_repositories_are_summed_and_named(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", [*bugs(1, 1), *bugs(0, 2, OTHER)]),
        ("marts.trend_monthly", [*halves(1, 1), *halves(0, 0, OTHER)]),
        ("meta.partition_loads", loads("2020-01", "2020-10")),
        (
            "marts.activity",
            [
                activity("2020-10", "2020-10"),
                activity("2020-10", "2020-10", repository=OTHER),
            ],
        ),
    )
    first = first_of(connection)
    assert first.verdict.startswith("In none of 2 repositories")
    assert {sentence.partition(":")[0] for sentence in first.certainty} == {REPOSITORY, OTHER}
    assert first.numbers[0].sentence == "1 new in October 2020 (September 2020: 1)"
    assert [panel["title"] for panel in first.panels] == [OTHER, REPOSITORY]


def test_nothing_is_said_of_an_empty_database(connection: duckdb.DuckDBPyConnection) -> None:
    assert read_first(connection) is None
    assert read_forums(connection) == []


def compared_words(connection: duckdb.DuckDBPyConnection) -> list[str]:
    found = {
        section.name: section
        for section in read_sections(connection, read_growths(connection), Lists(connection))
    }
    (part,) = found["compared"].parts
    return part.words


@pytest.mark.parametrize(
    ("delta", "p", "said"),
    [
        (0.3, 0.01, "Performance bugs take longer to fix."),
        (-0.3, 0.01, "Performance bugs are fixed sooner."),
        (0.3, 0.2, "No difference is shown."),
    ],
)
def test_the_adjusted_test_decides_a_comparison(
    connection: duckdb.DuckDBPyConnection, delta: float, p: float, said: str
) -> None:
    medians = {"median_performance": 9.0, "median_other": 4.0, "cliffs_delta": delta}
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(3, 9)),
        ("analysis.group_comparisons", [comparison("fix_time_days", **medians)]),
        ("analysis.adjusted_tests", [adjusted("group_comparisons", "fix_time_days", p)]),
    )
    assert compared_words(connection) == [said]


def test_a_comparison_of_the_study_that_says_otherwise_is_named(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(3, 9)),
        ("analysis.group_comparisons", [comparison("fix_time_days", rank_sum_p_value=0.03)]),
        ("analysis.adjusted_tests", [adjusted("group_comparisons", "fix_time_days", 0.3)]),
    )
    said = compared_words(connection)
    assert said[0] == "No difference is shown."
    assert said[1].startswith("Does this depend on the method? For days until fixed ")


def test_comparisons_of_too_few_are_not_tested(connection: duckdb.DuckDBPyConnection) -> None:
    nothing = dict.fromkeys(("p_value", "p_value_clustered", "cliffs_delta", "magnitude"))
    few = {"n_performance": 1, "n_other": 2, "is_too_few": True, "too_few_reason": "too few"}
    fill(
        connection,
        ("marts.dataset_breakdown", bugs(1, 11)),
        ("analysis.group_comparisons", [comparison("fix_time_days", **few, **nothing)]),
    )
    assert compared_words(connection) == [
        "Not tested, because there are too few: days until fixed."
    ]


def questions(
    connection: duckdb.DuckDBPyConnection, groups: tuple[tuple[int, int, bool], ...]
) -> list[str]:
    """Sentences on a forum; of each group the questions, those answered, and whether they count."""
    asked, labels = [], []
    for number, of_them, is_performance in groups:
        for index in range(number):
            key = len(asked) + 1
            answer = key if index < of_them else None
            asked.append(question(key, "2020-01-10", accepted_answer_id=answer))
            labels.append(performance_question(key, is_performance=is_performance))
    fill(connection, ("raw.questions", asked), ("labels.performance_questions", labels))
    ((name, sentences),) = read_forums(connection)
    assert name == f"{FORUM}:{TAG_SET}"
    return sentences


@pytest.mark.parametrize(
    ("groups", "sentences"),
    [
        (
            ((8, 1, True), (12, 9, False)),
            [
                "40 % of 20 questions are about performance by their words (between 22 % and "
                "61 %).",
                "Of these 1 of 8 have an accepted answer, of the others 9 of 12.",
            ],
        ),
        (
            ((1, 0, True), (12, 9, False)),
            [
                "1 of 13 questions is about performance by their words.",
                "Of these 0 of 1 have an accepted answer, of the others 9 of 12.",
            ],
        ),
        (((12, 9, False),), ["0 of 12 questions are about performance by their words."]),
    ],
)
def test_few_questions_are_counted_and_many_have_a_range(
    connection: duckdb.DuckDBPyConnection,
    groups: tuple[tuple[int, int, bool], ...],
    sentences: list[str],
) -> None:
    assert questions(connection, groups) == sentences


@pytest.mark.parametrize("study", ["small", "sampled"])
def test_the_first_screen_has_no_notation_and_at_most_three_things_to_look_at(
    study: str, request: pytest.FixtureRequest
) -> None:
    prepared: Prepared = request.getfixturevalue(study)
    report = read_report(prepared.data_dir / "perf_bugs.duckdb")
    first = report.first
    assert first is not None and first.panels and len(first.numbers) == 3
    assert 1 <= len(first.items) <= MOST_ITEMS
    said = "\n".join([first.period, *first.sentences, *(item.title for item in first.items)])
    assert not NOTATION.search(said), said
    anchors = {section.name for section in (*report.sections, *report.appendix)}
    assert {item.anchor for item in first.items if item.anchor} <= anchors


def test_every_figure_is_in_a_section(sampled: Prepared) -> None:
    report = read_report(sampled.data_dir / "perf_bugs.duckdb")
    names = [part.name for part in chain(*(section.parts for section in report.appendix))]
    assert len(names) == len(set(names)) > 40


def test_a_terminal_shows_the_same_sentences(small: Prepared) -> None:
    printed = io.StringIO()
    console = Console(file=printed, width=WIDTH, force_terminal=True, no_color=True)
    print_headlines(small.data_dir / "perf_bugs.duckdb", console)
    first = read_report(small.data_dir / "perf_bugs.duckdb").first
    assert first is not None
    lines = printed.getvalue().splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(first.sentences) in " ".join(" ".join(lines).split())


@pytest.fixture(scope="module")
def reported(small: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a database and its report."""
    folder = tmp_path_factory.mktemp("reported")
    shutil.copy(small.data_dir / "perf_bugs.duckdb", folder)
    assert keep_report(DataDirectory.of(folder))
    return folder


def test_report_prints_sentences_markdown_or_every_table(reported: Path) -> None:
    data_dir = ["--data-dir", str(reported)]
    short, full, markdown, both = (
        CliRunner().invoke(commands, ["report", *options, *data_dir])
        for options in ([], ["--full"], ["--markdown"], ["--markdown", "--full"])
    )
    assert [result.exit_code for result in (short, full, markdown, both)] == [0, 0, 0, 2]
    title = "is the share of performance bugs changing?"
    assert title not in short.output and title in full.output
    assert markdown.output.startswith("# Performance bugs: ")
    assert markdown.output == (reported / "report" / "summary.md").read_text()
    assert "choose one of the two" in both.output


def test_each_picture_is_beside_the_report(reported: Path) -> None:
    folder = reported / "report" / "pictures"
    names = {path.name for path in folder.iterdir()}
    assert {"share.svg", "share.png", "marts-trend_monthly.svg"} <= names
    assert {Path(name).stem for name in names if name.endswith(".svg")} == {
        Path(name).stem for name in names if name.endswith(".png")
    }
    assert (folder / "share.png").read_bytes().startswith(b"\x89PNG")


def test_without_a_published_database_report_says_how_to_get_one(tmp_path: Path) -> None:
    result = CliRunner().invoke(commands, ["report", "--data-dir", str(tmp_path)])
    assert result.exit_code == 2
    assert "perf-assets run makes one" in result.output


def test_of_a_database_of_another_version_report_says_so(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "perf_bugs.duckdb")) as connection:
        connection.execute("create schema marts; create table marts.bugs (number bigint)")
    result = CliRunner().invoke(commands, ["report", "--data-dir", str(tmp_path)])
    assert result.exit_code == 2
    assert "published by another version" in result.output
