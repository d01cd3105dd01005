"""What a run says at its end: a few sentences that fit a terminal."""

import io
from functools import cache
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from rich.console import Console

from perf_assets.cli.commands import commands
from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.monthly.headlines import headlines
from perf_assets.reports.summary import print_headlines
from tests.model_database import ModelDatabase, insert
from tests.question_rows import FORUM, TAG_SET, performance_question, question
from tests.rows import Row, activity, comparison, flow_test, loads, trend_month
from tests.support import Prepared

pytestmark = pytest.mark.slow

WIDTH = 80
LINES_OF_A_REPOSITORY = 5
NAME = "owner/name"


def found(database: Path) -> list[tuple[str, list[str]]]:
    with duckdb.connect(str(database), read_only=True) as connection:
        return list(headlines(connection))


def test_a_repository_takes_five_lines_of_a_terminal(small: Prepared) -> None:
    printed = io.StringIO()
    console = Console(file=printed, width=WIDTH, force_terminal=True, no_color=True)
    print_headlines(small.data_dir / "perf_bugs.duckdb", console)
    lines = printed.getvalue().splitlines()
    assert 2 <= len(lines) <= LINES_OF_A_REPOSITORY
    assert max(map(len, lines)) <= WIDTH


def test_the_share_is_that_of_all_bug_reports(small: Prepared) -> None:
    database = small.data_dir / "perf_bugs.duckdb"
    with duckdb.connect(str(database), read_only=True) as connection:
        ((reports, performance),) = connection.sql(
            "select count(*), count(*) filter (where is_performance) from marts.bug_metrics "
            "where dataset = 'live'"
        ).fetchall()
    ((title, sentences),) = found(database)
    assert title.startswith("sample-lab/tensorkit, ")
    assert performance < CURVE
    assert sentences[0].startswith(f"{performance} of {reports:,} bugs ")
    assert sentences[0].endswith("; too few to test for a trend")


@cache
def without_rows() -> duckdb.DuckDBPyConnection:
    return ModelDatabase().connection


def of_models(*tables: tuple[str, list[Row]]) -> list[tuple[str, list[str]]]:
    connection = without_rows()
    connection.execute("BEGIN")
    try:
        for table, rows in tables:
            insert(connection, table, rows)
        return list(headlines(connection))
    finally:
        connection.execute("ROLLBACK")


def bugs(performance: int, other: int, repository: str = NAME) -> list[Row]:
    counts = {"closed": 0, "fixed": 0, "dataset": "live", "repository": repository}
    return [
        {"is_performance": True, "open": performance, **counts},
        {"is_performance": False, "open": other, **counts},
    ]


def adjusted(source: str, result_of: str, p: float) -> Row:
    numbers = {"p_value": p, "p_value_holm": p, "tests": 2}
    method = "binomial_regression" if source == "trend_tests" else "mann_whitney"
    place = {"dataset": "live", "repository": NAME, "source": source, "result_of": result_of}
    return place | {"method": method} | numbers


@pytest.mark.parametrize(
    ("odds", "p", "verdict"),
    [
        (1.5, 0.04, ["", "The share rises: odds x 1.50 a year [1.40, 1.60] (p = 0.040)"]),
        (0.5, 0.0004, ["", "The share falls: odds x 0.50 a year [0.40, 0.60] (p < 0.001)"]),
        (1.5, 0.06, ["; no trend shown (p = 0.060)"]),
    ],
)
@pytest.mark.parametrize("power", [None, 0.8])
def test_a_trend_is_reported_where_the_adjusted_test_shows_one(
    odds: float, p: float, verdict: list[str], power: float | None
) -> None:
    limits = {"odds_ratio_low": odds - 0.1, "odds_ratio_high": odds + 0.1, "power": power}
    trend = flow_test("opened", odds_ratio_per_year=odds, **limits)
    ((title, sentences),) = of_models(
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("analysis.trend_tests", [trend]),
        ("analysis.adjusted_tests", [adjusted("trend_tests", "opened", p)]),
    )
    assert title == NAME
    share = "25.0 % [18, 33] of 120 bugs are performance bugs"
    assert sentences == [share + verdict[0], *verdict[1:]]


def test_where_nothing_is_shown_and_little_could_have_been_the_power_stands_for_p() -> None:
    ((_, sentences),) = of_models(
        ("marts.dataset_breakdown", bugs(30, 90)),
        ("analysis.trend_tests", [flow_test("opened", power=0.21)]),
        (
            "analysis.group_comparisons",
            [comparison("fix_time_days", median_performance=9.0, median_other=4.0, power=0.5)],
        ),
        (
            "analysis.adjusted_tests",
            [
                adjusted("trend_tests", "opened", 0.3),
                adjusted("group_comparisons", "fix_time_days", 0.2),
            ],
        ),
    )
    assert sentences[0].endswith("; no trend shown (power 0.21)")
    assert sentences[1] == (
        "Time to fix: no difference shown: 9 days median, others 4 (power 0.50)"
    )


def test_of_too_few_bugs_there_are_counts_and_nothing_else() -> None:
    nothing = dict.fromkeys(("p_value", "p_value_clustered", "cliffs_delta", "magnitude"))
    few = {"n_performance": 1, "n_other": 2, "is_too_few": True, "too_few_reason": "too few"}
    odds = dict.fromkeys(
        ("p_value", "odds_ratio_per_year", "odds_ratio_low", "odds_ratio_high", "dispersion")
    )
    ((_, sentences),) = of_models(
        ("marts.dataset_breakdown", bugs(1, 11)),
        ("analysis.trend_tests", [flow_test("opened", is_too_few=True, **odds)]),
        ("analysis.group_comparisons", [comparison("fix_time_days", **few, **nothing)]),
    )
    assert sentences == [
        "1 of 12 bugs is a performance bug; too few to test for a trend",
        "Time to fix: too few to compare (1 fixed, others 2)",
    ]


@pytest.mark.parametrize(
    ("delta", "p", "sentence"),
    [
        (0.3, 0.01, "They take longer to fix: 9 days median, others 4 (p = 0.010)"),
        (-0.3, 0.01, "They are fixed sooner: 9 days median, others 4 (p = 0.010)"),
        (0.3, 0.2, "Time to fix: no difference shown: 9 days median, others 4 (p = 0.200)"),
    ],
)
def test_they_take_longer_where_the_adjusted_test_says_so(
    delta: float, p: float, sentence: str
) -> None:
    medians = {"median_performance": 9.0, "median_other": 4.0, "cliffs_delta": delta}
    ((_, sentences),) = of_models(
        ("marts.dataset_breakdown", bugs(3, 9)),
        ("analysis.group_comparisons", [comparison("fix_time_days", **medians)]),
        ("analysis.adjusted_tests", [adjusted("group_comparisons", "fix_time_days", p)]),
    )
    untested = "3 of 12 bugs are performance bugs; too few to test for a trend"
    assert sentences == [untested, sentence]


def test_the_newest_month_is_reported_beside_those_before() -> None:
    before = trend_month("2024-01", opened_performance=4, open_performance=7, open_total=20)
    newest = trend_month(
        "2024-02",
        opened_performance=5,
        opened_total=9,
        newly_fixed_performance=2,
        open_performance=10,
        open_total=20,
    )
    ((title, (_, month)),) = of_models(
        ("marts.dataset_breakdown", bugs(3, 9)),
        ("marts.trend_monthly", [before, newest]),
        ("meta.partition_loads", loads("2024-01", "2024-02")),
        ("marts.activity", [activity("2024-02", "2024-02")]),
    )
    assert title == f"{NAME}, 2024-01 to 2024-02"
    assert month == "2024-02: 5 new performance bugs (usually 4), 2 fixed, 10 open (+3)"


@pytest.mark.parametrize(
    ("archived_month", "word"), [(None, "at rest since"), ("2020-12", "archived in 2020-12")]
)
def test_of_a_repository_at_rest_the_last_active_month_is_reported(
    archived_month: str | None, word: str
) -> None:
    rest = {"is_at_rest": True, "last_series_month": "2020-02", "archived_month": archived_month}
    ((title, (_, month)),) = of_models(
        ("marts.dataset_breakdown", bugs(3, 9)),
        ("marts.trend_monthly", [trend_month("2020-02", open_performance=1, open_total=4)]),
        ("meta.partition_loads", loads("2020-02", "2021-02")),
        ("marts.activity", [activity("2021-02", "2020-02", **rest)]),
    )
    assert title == f"{NAME}, 2020-02 to 2020-02, {word}"
    assert month.startswith("2020-02, the last active month: 1 new performance bug, ")


def test_several_repositories_are_reported_together_too() -> None:
    headlines = of_models(("marts.dataset_breakdown", [*bugs(1, 1, "a/a"), *bugs(0, 2, "b/b")]))
    assert [title for title, _ in headlines] == ["a/a", "b/b", "All 2 repositories"]
    assert headlines[2][1][0].startswith("1 of 4 bugs is a performance bug; ")


def questions(performance: int, accepted: int, others: int, others_accepted: int) -> list[Row]:
    """Headlines of a forum with so many questions about performance, and others."""
    asked, labels = [], []
    groups = ((performance, accepted, True), (others, others_accepted, False))
    for number, of_them, is_performance in groups:
        for index in range(number):
            key = len(asked) + 1
            answer = key if index < of_them else None
            asked.append(question(key, "2020-01-10", accepted_answer_id=answer))
            labels.append(performance_question(key, is_performance=is_performance))
    return of_models(("raw.questions", asked), ("labels.performance_questions", labels))


def test_questions_have_an_interval_and_where_few_are_accepted_counts() -> None:
    ((title, (share, accepted)),) = questions(8, 1, 12, 9)
    assert title == f"{FORUM}:{TAG_SET}"
    assert share == "40.0 % [22, 61] of 20 questions are candidates for performance by stems"
    assert accepted == "Of these 1 of 8 have an accepted answer, of the others 9 of 12"
    ((_, (_, accepted)),) = questions(8, 5, 12, 9)
    assert accepted == "Of these 62 % have an accepted answer, of the others 75 %"
    ((_, (share, _)),) = questions(1, 0, 12, 9)
    assert share == "1 of 13 questions is a candidate for performance by stems"
    assert questions(0, 0, 12, 9)[0][1] == [
        "0 of 12 questions are candidates for performance by stems"
    ]


def test_nothing_is_reported_of_an_empty_table() -> None:
    assert of_models() == []


def test_report_prints_them_and_in_full_every_table(small: Prepared) -> None:
    data_dir = ["--data-dir", str(small.data_dir)]
    short = CliRunner().invoke(commands, ["report", *data_dir])
    full = CliRunner().invoke(commands, ["report", "--full", *data_dir])
    assert (short.exit_code, full.exit_code) == (0, 0)
    assert "bugs are performance bugs; " in short.output
    assert "is the share of performance bugs changing?" not in short.output
    assert "is the share of performance bugs changing?" in full.output


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


def test_every_sentence_about_the_sample_fits_a_terminal(sampled: Prepared) -> None:
    headlines = found(sampled.data_dir / "perf_bugs.duckdb")
    assert {":" in title for title, _ in headlines} == {True, False}  # forums and a repository
    lines = [title for title, _ in headlines] + [
        f"  {one}" for _, sentences in headlines for one in sentences
    ]
    assert max(map(len, lines)) <= WIDTH
