"""The report of a study: what changed in the month, from planted cases; nothing of it is markup."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

from perf_assets import __version__
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.document import Document, Item, Part, Section, html, markdown
from perf_assets.reports.monthly import keep_report, read_report
from perf_assets.reports.monthly.contents import PAPER
from perf_assets.reports.monthly.news import MOST, Lists, read_news, read_questions
from perf_assets.stages.transform.derivation import derive
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import ModelDatabase, insert
from tests.paths import ROOT
from tests.question_rows import FORUM, TAG_SET, performance_question, question, tag_set
from tests.rows import (
    REPOSITORY,
    Row,
    bug,
    bugs,
    comment,
    commit,
    flow_test,
    link,
    load,
    loads,
    repository,
    trend_month,
)
from tests.support import Prepared

pytestmark = pytest.mark.slow

OTHER = "other/name"
HOSTILE = '<script>harm()</script> [harm](javascript:harm) "onclick="harm() \x1b[2J\u202e'


def elsewhere(pair: tuple[Row, Row]) -> tuple[Row, Row]:
    issue, label = pair
    return issue | {"repository": OTHER}, label | {"repository": OTHER}


MONTHS = ("2020-01", "2020-02", "2020-03")
FILLED = {
    "meta.repositories": [repository(), repository(OTHER)],
    "meta.partition_loads": [
        *(row for month in MONTHS for row in loads(month)),
        *(row for month in MONTHS[:2] for row in loads(month, repository=OTHER)),
        load("2020-03", "raw.questions", repository=f"{FORUM}:{TAG_SET}"),
    ],
    **bugs(
        bug(1, "2020-01-05", is_performance=True, title="Slow since January"),
        bug(2, "2020-02-07", "2020-03-09", is_performance=True, title="Slow until March"),
        bug(3, "2020-03-02", "2020-03-04", is_performance=True, title="Slow for two days"),
        bug(4, "2020-03-08", is_performance=True, title=HOSTILE),
        bug(5, "2020-03-09", title="Wrong"),
        bug(6, "2020-03-10", "2020-03-11", is_performance=True, title="Closed without a fix"),
        elsewhere(bug(7, "2020-02-10", is_performance=True)),
        elsewhere(bug(8, "2020-01-10", is_performance=True)),
    ),
    "raw.commits": [commit("two", "2020-03-08", 5, 2), commit("three", "2020-03-03", 5, 2)],
    "links.fix_links": [link(2, "two"), link(3, "three")],
    "raw.issue_comments": [
        comment(1, 1, "2020-03-05", author="a"),
        comment(1, 2, "2020-03-06", author="b"),
        comment(1, 3, "2020-03-07", author="bot", author_type="Bot"),
        comment(4, 4, "2020-03-09", author="a"),
        comment(2, 5, "2020-02-09", author="a"),
        comment(5, 6, "2020-03-09", author="a"),
    ],
}


def news_of(database: ModelDatabase) -> list[Part]:
    return read_news(database.connection, Lists(database.connection))


@pytest.fixture(scope="module")
def filled() -> ModelDatabase:
    database = ModelDatabase()
    database.fill(FILLED)
    return database


@pytest.fixture(scope="module")
def news(filled: ModelDatabase) -> dict[tuple[str, str], Part]:
    return {(part.title, part.of): part for part in news_of(filled)}


def marks(part: Part) -> list[str]:
    return [item.mark for item in part.items]


def test_each_repository_has_the_numbers_of_its_own_last_month(news: Any) -> None:
    tiles = {tile.label: tile for tile in news[f"{REPOSITORY}, 2020-03", ""].tiles}
    assert tiles["new performance bugs"].number == "3"
    assert tiles["new performance bugs"].note.startswith(
        "of 4 bug reports; median of the year before: 1"
    )
    assert tiles["performance bugs fixed"].number == "2"
    assert tiles["performance bugs open"].number == "2"
    assert tiles["performance bugs open"].note == ""
    assert tiles["of the open bug reports"].number == "66.7 %"
    assert (f"{OTHER}, 2020-02", "") in news


def test_beside_the_numbers_stands_whether_the_share_changes() -> None:
    database = ModelDatabase()
    database.fill(FILLED)
    test = flow_test("opened", odds_ratio_per_year=0.5, odds_ratio_low=0.4, odds_ratio_high=0.6)
    family = {name: test[name] for name in ("dataset", "repository", "method", "p_value")}
    family |= {"source": "trend_tests", "result_of": "opened", "p_value_holm": 0.04, "tests": 9}
    insert(database.connection, "analysis.trend_tests", [test])
    insert(database.connection, "analysis.adjusted_tests", [family])
    last = {part.title: part.tiles[-1] for part in news_of(database) if part.tiles}
    assert last[f"{REPOSITORY}, 2020-03"].sentence.startswith("a fall in the share among new")
    assert last[f"{OTHER}, 2020-02"].number == "100.0 %"


def test_new_fixed_discussed_and_waiting_bugs_are_those_of_the_month(news: Any) -> None:
    assert marks(news["New performance bugs", REPOSITORY]) == ["#4", "#3", "#6"]
    assert marks(news["New performance bugs", OTHER]) == ["#7"]
    fixed = news["Fixed, slowest first", REPOSITORY]
    assert marks(fixed) == ["#2", "#3"]
    assert fixed.items[0].words == "after 31 days, 7 changed lines"
    assert ("Fixed, slowest first", OTHER) not in news
    discussed = news["Most discussed in the month", REPOSITORY]
    assert marks(discussed) == ["#1", "#4"]
    assert discussed.items[0].words == "2 comments by 2 people; open now"
    waiting = news["Open longest", REPOSITORY]
    assert marks(waiting) == ["#1", "#4"]
    assert waiting.items[0].words == "open for 87 days at the end of the month"
    assert marks(news["Open longest", OTHER]) == ["#8", "#7"]


def test_every_list_has_the_query_that_gives_it_and_links_to_github(
    news: Any, filled: ModelDatabase
) -> None:
    for part in news.values():
        rows, *_ = [filled.rows(query) for query in part.queries.values()]
        if part.items:
            own = [f"#{row['number']}" for row in rows if row["repository"] == part.of]
            assert marks(part) == own
            addresses = [item.address for item in part.items]
            assert all(one.startswith("https://github.com/") for one in addresses)


def test_of_a_long_list_the_rest_is_counted() -> None:
    database = ModelDatabase()
    many = bugs(*(bug(number, "2020-03-05", is_performance=True) for number in range(1, 15)))
    database.fill(FILLED | many)
    part = next(one for one in news_of(database) if one.title.startswith("New"))
    assert len(part.items) == MOST and part.left_out == 14 - MOST
    assert "and 4 more" in html(document(part)) and "and 4 more" in markdown(document(part))


def test_performance_questions_of_the_month_stand_the_most_viewed_first() -> None:
    database = ModelDatabase()
    questions = [
        question(number, f"2020-0{3 - number // 3}-05", views=number) for number in (1, 2, 3)
    ]
    labels = [performance_question(number, is_performance=True) for number in (1, 2, 3)]
    database.fill(
        FILLED
        | {
            "meta.tag_sets": [tag_set()],
            "raw.questions": questions,
            "labels.performance_questions": labels,
        }
    )
    (part,) = read_questions(database.connection)
    assert [item.words for item in part.items] == [
        f"{views} views, score {questions[0]['score']}, no answer yet".replace("1 views", "1 view")
        for views in (2, 1)
    ]


def document(*parts: Part) -> Document:
    return Document("Title", [], [Section("one", "One", [], list(parts))])


def test_what_strangers_wrote_is_shown_and_means_nothing(news: Any) -> None:
    part = news["New performance bugs", REPOSITORY]
    page = html(document(part))
    assert "<script>harm" not in page and "\x1b" not in page and "\u202e" not in page
    assert "<script>harm()</script> [harm](javascript:harm)" in unescape(page)
    assert not re.findall(r"<[^>]* onclick=", page)
    text = markdown(document(part))
    assert (
        not re.search(r"(?<!\\)\]\(javascript", text)
        and "<script" not in text
        and "\x1b" not in text
    )


def test_an_address_that_is_not_of_the_web_is_not_a_link() -> None:
    page = html(document(Part("one", "One", items=[Item("#1", "Title", "javascript:harm()")])))
    assert "#1 Title" in page and "javascript:" not in page


@pytest.fixture
def data_dir(tmp_path: Path) -> DataDirectory:
    data_dir = DataDirectory.of(tmp_path)
    with open_warehouse(data_dir.warehouse) as database:
        list(derive(AuditedWriter(database, data_dir)))
        insert(database.connection, "marts.trend_monthly", [trend_month("2020-02")])
    publish(data_dir)
    return data_dir


def test_a_report_is_made_where_the_database_is_new_and_is_the_same_for_the_same(
    data_dir: DataDirectory,
) -> None:
    assert keep_report(data_dir)
    first = data_dir.report_page.read_bytes()
    assert not keep_report(data_dir)
    data_dir.report_page.write_bytes(first.replace(b"made-from", b"made"))
    assert keep_report(data_dir)
    assert data_dir.report_page.read_bytes() == first
    data_dir.report.unlink()
    assert keep_report(data_dir)


def test_the_report_of_the_sample_has_all_sections_and_one_anchor_of_each_name(
    sampled: Prepared,
) -> None:
    report = read_report(sampled.data_dir / "perf_bugs.duckdb")
    assert [section.name for section in report.sections] == ["new", "why", "compared", "trust"]
    assert [section.name for section in report.appendix] == [
        *("month", "alerts", "trend", "comparisons", "causes", "areas", "users"),
        *("work", "benchmarks", "checks", "quality", "data", "cite"),
    ]
    page = re.sub(r"<script.*?</script>", "", whole := html(report), flags=re.DOTALL)
    anchors = re.findall(r' id="([^"]*)"', page)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]*)"', page)) <= set(anchors)
    assert len(whole.encode()) < 3_000_000


def test_a_run_with_nothing_new_waits_for_nothing_that_computes_or_draws() -> None:
    slow = "{'scipy', 'vl_convert', 'sklearn'}"
    code = f"import sys, perf_assets.definitions; assert not {slow} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_how_to_cite_is_as_the_citation_file_says() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    (paper,) = cited["references"]
    names = [author["family-names"] for author in paper["authors"]]
    for text in (*names, paper["title"], str(paper["year"])):
        assert text in PAPER
