"""The site as a reader sees it: from a server that knows no range requests, and offline."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, for_spreadsheet
from perf_assets.config.data_directory import PUBLISHED, DataDirectory
from perf_assets.reports.formats import as_csv
from perf_assets.reports.monthly import keep_report
from perf_assets.reports.query_runner import run_query
from perf_assets.reports.site import SiteOptions, write_site
from perf_assets.reports.site.packages import package_files
from perf_assets.schema.models.cookbook import by_group, cookbook, parse_query_file, search
from tests.browser.accessibility import breaches
from tests.browser.static_server import served
from tests.support import Prepared

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

PHONE = {"width": 390, "height": 844}
PAGES = ("index.html", "tables.html", "tables/marts.bug_metrics.html", "console.html")
# What the policy says of an address.
FETCHING = """(url) => new Promise((tell) => {
  addEventListener("securitypolicyviolation",
    (one) => tell(`${one.blockedURI} ${one.effectiveDirective}`));
  fetch(url).then(() => tell("had"), () => setTimeout(() => tell("failed"), 2000));
})"""
WIDER = "document.documentElement.scrollWidth > innerWidth"
CASES = (
    "=1+1",
    "a;=b",
    "a,=b",
    "'=x",
    "-5",
    "a\tb",
    "\u202eabc",
    "日本語",
    "@x",
    " +1",
    "_x",
    "a\n=b",
    ";",
)
HOSTILE = """
SELECT '<img src=x onerror=alert(1)>' AS "<b>title</b>", '=1+1' AS formula,
    'https://example.org/' AS address, 0.1::DOUBLE + 0.2 AS float, 1.50::DECIMAL(9, 2) AS price,
    TIMESTAMP '2020-01-02 03:04:05.5' AS moment, DATE '2020-01-02' AS day, [1, NULL] AS list,
    {'a': 'x', 'b': true} AS struct, NULL AS nothing, 9007199254740993 AS large
"""


@pytest.fixture(scope="module")
def data_dir(sampled: Prepared, tmp_path_factory: pytest.TempPathFactory) -> DataDirectory:
    """What a run over the sample publishes: its database and the report."""
    data_dir = DataDirectory.of(tmp_path_factory.mktemp("published"))
    shutil.copy2(sampled.data_dir / PUBLISHED, data_dir.published)
    keep_report(data_dir)
    return data_dir


@pytest.fixture(scope="module")
def address(data_dir: DataDirectory, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        package_files()
    except PerfAssetsError as error:
        pytest.skip(f"DuckDB-Wasm cannot be had: {error}")
    path = tmp_path_factory.mktemp("site")
    begun = time.monotonic()
    site = write_site(data_dir, path, SiteOptions())
    print(f"site: {site.files} files, {site.size:,} bytes, {time.monotonic() - begun:.1f} s")
    with served(path) as address:
        yield address


@pytest.fixture
def messages(page: "Page", address: str) -> list[str]:
    """What the browser had to complain of, and what it asked of others."""
    found: list[str] = []
    # That a chart has nothing to draw is not a mistake of the site.
    page.on(
        "console",
        lambda one: None if one.text.startswith("WARN Infinite") else found.append(one.text),
    )
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("requestfailed", lambda one: found.append(f"{one.url}: {one.failure}"))
    page.on(
        "request",
        lambda one: None if one.url.startswith((address, "blob:")) else found.append(one.url),
    )
    return found


def answer(page: "Page", sql: str | None = None) -> list[list[str]]:
    """The cells that are shown once what is in the editor, or ``sql``, was run."""
    if sql is not None:
        page.locator("#sql").fill(sql)
    page.locator("#run").click()
    page.wait_for_function(
        "() => !document.getElementById('run').disabled && (/ in [0-9.]+ s/.test("
        "document.getElementById('status').textContent) || "
        "!document.getElementById('mistake').hidden)"
    )
    if page.locator("#mistake").is_visible():
        raise AssertionError(page.locator("#mistake").inner_text())
    rows: list[list[str]] = page.evaluate(
        "() => [...document.querySelectorAll('#result tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return rows


def mistake(page: "Page", sql: str) -> str:
    with pytest.raises(AssertionError) as caught:
        answer(page, sql)
    return str(caught.value)


def test_queries_of_the_cookbook_are_answered_offline(
    page: "Page", address: str, data_dir: DataDirectory, messages: list[str]
) -> None:
    begun = time.monotonic()
    page.goto(f"{address}/console.html")
    first = answer(page)
    print(f"first answer: {time.monotonic() - begun:.2f} s after opening the console")
    known = run_query(data_dir.published, cookbook()["monthly_share_of_new_bugs"], {})
    assert first[0] == [*known.columns] and len(first) == len(known.rows) + 1
    assert first[1][:2] == ["sample-lab/tensorkit", known.rows[0][1]]
    for name in ("what_the_tests_say", "slowest_fixes", "who_reports"):
        page.locator("#chooser").select_option(name)
        rows = answer(page)
        known = run_query(data_dir.published, cookbook()[name], {})
        assert rows[0] == [*known.columns] and len(rows) == len(known.rows) + 1 > 1
    assert messages == []


def test_every_query_of_the_cookbook_has_the_answer_that_the_published_database_gives(
    page: "Page", address: str, data_dir: DataDirectory
) -> None:
    page.goto(f"{address}/console.html")
    for name, query in cookbook().items():
        page.locator("#chooser").select_option(name)
        rows = answer(page)
        known = run_query(data_dir.published, query, {})
        assert rows[0] == [*known.columns], name
        assert len(rows) - 1 == min(len(known.rows), 500), name


def test_a_parameter_is_chosen_and_a_wrong_one_is_reported(page: "Page", address: str) -> None:
    page.goto(f"{address}/console.html#bug_reports_as_of_a_month")
    before = answer(page)
    page.get_by_label("month").fill("2021-06")
    assert answer(page) != before
    page.get_by_label("month").fill("")
    assert answer(page) == before
    page.locator("#chooser").select_option("areas_by_labels")
    page.get_by_label("least").fill("no number")
    told = mistake(page, page.locator("#sql").input_value())
    assert told == "least: 'no number' is not a whole number: write digits alone"


@pytest.mark.parametrize(
    ("query", "parameter", "value", "sentence"),
    [
        ("bug_reports_as_of_a_month", "month", "2020-3", "'2020-3' is not a month: write it as"),
        ("bug_reports_as_of_a_month", "month", "2030-01", "which have 2020-01 to 2022-06"),
        ("biggest_fixes", "repository", "nope", "which have sample-lab/tensorkit"),
        ("one_bug_traced", "number", "99999", "'99999' is not in the data"),
        ("symptoms_and_their_causes", "counted", "foo", "known are first_symptom, any_symptom"),
    ],
)
def test_a_value_that_a_parameter_cannot_have_is_refused(
    page: "Page", address: str, query: str, parameter: str, value: str, sentence: str
) -> None:
    page.goto(f"{address}/console.html#{query}")
    page.locator(f"input[name={parameter}]").fill(value)
    assert sentence in mistake(page, page.locator("#sql").input_value())


def test_questions_are_by_group_and_a_search_leaves_those_that_match(
    page: "Page", address: str
) -> None:
    listed = "() => [...document.querySelectorAll('#chooser optgroup')].map((one) => one.label)"
    page.goto(f"{address}/console.html")
    groups = [group.capitalize() for group in by_group(cookbook().values())]
    assert page.evaluate(listed) == groups
    page.get_by_label("Search the questions").fill("slow fixes")
    known = [query.name for query in search(cookbook().values(), "slow fixes")]
    options = "() => [...document.querySelectorAll('#chooser option')].map((one) => one.value)"
    assert page.evaluate(options) == ["", *known]
    assert page.locator("#found").inner_text() == f"{len(known)} questions found."
    page.locator("#chooser").select_option("slowest_fixes")
    assert page.locator("#question").inner_text() == cookbook()["slowest_fixes"].question
    page.get_by_label("Search the questions").fill("zebra")
    assert page.locator("#found").inner_text() == "No question has these words."
    page.get_by_label("Search the questions").fill("")
    assert page.evaluate(listed) == groups
    assert page.locator("#chooser").input_value() == "slowest_fixes"


def test_own_sql_and_a_mistake_leave_nothing_of_the_query_before(
    page: "Page", address: str
) -> None:
    page.goto(f"{address}/console.html")
    assert len(answer(page)) > 1
    assert not page.locator("#progress").is_visible()
    assert page.locator("#question").inner_text() != ""
    page.locator("#sql").fill("SELECT 1 AS one")
    assert page.locator("#chooser").input_value() == ""
    assert page.locator("#question").inner_text() == page.locator("#reading").inner_text() == ""
    assert answer(page) == [["one"], ["1"]]
    mistake(page, "SELECT nothing FROM nowhere")
    assert not page.locator("#result").is_visible()
    assert not page.locator("#progress").is_visible()
    assert page.get_by_role("button", name="Download CSV").is_disabled()


def test_values_are_exact_texts_are_only_texts_and_csv_runs_nothing(
    page: "Page", address: str
) -> None:
    obeyed: list[str] = []
    page.on("dialog", lambda dialog: obeyed.append(dialog.message))
    page.goto(f"{address}/console.html")
    head, row = answer(page, HOSTILE)
    assert head[0] == "<b>title</b>" and row[0] == "<img src=x onerror=alert(1)>"
    assert row[3:] == [
        *("0.3", "1.50", "2020-01-02 03:04:05.5", "2020-01-02", "1, ", "{a: x, b: true}", "-"),
        "9007199254740993",
    ]
    assert page.locator("#result a").get_attribute("href") == "https://example.org/"
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    lines = download.value.path().read_bytes().decode().split("\r\n")
    assert lines[1].startswith("<img src=x onerror=alert(1)>,'=1+1,https://example.org/,0.300000")
    assert obeyed == []


def test_texts_are_made_harmless_as_on_every_other_way_to_a_reader(
    page: "Page", address: str, data_dir: DataDirectory
) -> None:
    page.goto(f"{address}/console.html")
    listed = ", ".join("('" + case.replace("'", "''") + "')" for case in CASES)
    sql = f"SELECT * FROM (VALUES {listed}) AS cases(text)"
    assert [row[0] for row in answer(page, sql)[1:]] == list(map(escape_text, CASES))
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    own = as_csv(run_query(data_dir.published, parse_query_file("own", sql), {}))
    assert download.value.path().read_bytes() == own
    assert for_spreadsheet(CASES[0]) in own.decode()


def test_a_mistake_is_one_sentence_and_nothing_else_can_be_reached(
    page: "Page", address: str
) -> None:
    page.goto(f"{address}/console.html")
    assert mistake(page, "SELECT nothing\nFROM nowhere").endswith("(line 2)")
    assert "syntax error" in mistake(page, "SELECT 1 FROM FROM")
    assert "no statement" in mistake(page, "-- nothing")
    for sql in ("SELECT '{}'::JSON", "LOAD parquet"):
        assert "extension" in mistake(page, sql)
    for sql in ("FROM 'https://example.org/x.csv'", "ATTACH 'x.duckdb'", "COPY (SELECT 1) TO 'x'"):
        assert "nothing else" in mistake(page, sql)
    assert "read-only" in mistake(page, "DELETE FROM raw.issues")
    assert "locked" in mistake(page, "SET enable_external_access = true")
    assert answer(page, "SELECT 1 AS one") == [["one"], ["1"]]


def test_the_policy_holds_for_the_page_and_its_worker(page: "Page", address: str) -> None:
    page.goto(f"{address}/console.html")
    answer(page)
    assert page.evaluate(FETCHING, "https://example.org/") == "https://example.org/ connect-src"
    (worker,) = page.workers
    assert worker.evaluate(FETCHING, "https://example.org/") == "https://example.org/ connect-src"


def test_a_long_query_can_be_stopped_and_a_long_answer_is_cut(page: "Page", address: str) -> None:
    page.goto(f"{address}/console.html")
    assert len(answer(page, "FROM range(1000)")) == 501
    page.locator("#sql").fill(
        "SELECT count(*) FROM range(200000) a, range(200000) b "
        "WHERE hash(a.range) % 7 = hash(b.range) % 11"
    )
    page.locator("#run").click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("The query was stopped.").wait_for()
    answer(page, "FROM range(200000)")
    assert "The first 100,000 rows" in page.locator("#status").inner_text()
    assert answer(page, "SELECT 1 AS one") == [["one"], ["1"]]


def test_a_table_leads_to_its_columns_and_to_a_query_that_can_be_sent_on(
    page: "Page", address: str
) -> None:
    page.goto(f"{address}/index.html")
    page.get_by_role("link", name="Tables").first.click()
    page.get_by_role("link", name="bug_metrics", exact=True).click()
    page.get_by_role("link", name="query it").click()
    assert len(answer(page)) == 101
    page.locator("#sql").fill("SELECT 'é' AS \"a b\"")
    page.get_by_role("button", name="Link to this query").click()
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    assert answer(page) == [["a b"], ["é"]]
    page.goto(f"{address}/tables/marts.bug_metrics.html")
    page.get_by_role("link", name="what its columns mean").click()
    assert page.locator('[id="marts.bug_metrics"]').is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_needs_no_sideways_scrolling(
    page: "Page", address: str, messages: list[str], scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme)
    for path in PAGES:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(f"{address}/{path}")
        if path == "console.html":
            page.locator("#chooser").select_option("bug_reports_as_of_a_month")
            answer(page)
        assert not page.evaluate(WIDER)
        assert breaches(page) == [], path
        page.set_viewport_size(PHONE)
        assert breaches(page) == [] and not page.evaluate(WIDER), path
    for path in ("report.html", "dictionary.html"):
        page.goto(f"{address}/{path}")
        page.locator(".chart").first.scroll_into_view_if_needed()
        page.locator(".chart > div svg").first.wait_for()
        assert not page.evaluate(WIDER)
    assert messages == []


def test_without_the_console_nothing_is_said_of_it(
    page: "Page", data_dir: DataDirectory, tmp_path: Path
) -> None:
    write_site(data_dir, tmp_path / "site", SiteOptions(has_console=False))
    page.goto((tmp_path / "site" / "index.html").as_uri())
    assert page.get_by_text("Console").count() == 0
    page.get_by_role("link", name="Tables").first.click()
    assert page.locator("table.files").first.is_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") != "32px"
