"""Both reports in a browser: charts, schemes, a phone, print, no scripts, and nothing for axe."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perf_assets.reports.document import html
from perf_assets.reports.monthly import read_report
from perf_assets.reports.pages.page import docs_html
from perf_assets.reports.replication import read_replication
from tests.browser.accessibility import breaches
from tests.replication_package import write_package
from tests.support import Prepared, perf_assets

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

PHONE = {"width": 390, "height": 844}
SCREENS = ({"width": 1280, "height": 800}, PHONE)
MOST_PAGES = 5
DRAWN = ".chart > div svg"
OPENED = "[...document.querySelectorAll('details')].filter((one) => one.open).length"


@pytest.fixture(scope="module")
def report(sampled: Prepared, tmp_path_factory: pytest.TempPathFactory, browser: "Browser") -> Path:
    path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(html(read_report(sampled.data_dir / "perf_bugs.duckdb")), encoding="utf-8")
    return path


def scrolled(page: "Page") -> None:
    """Show the whole page with its appendix, so that every chart is drawn."""
    page.evaluate("document.querySelectorAll('.chapter').forEach((one) => { one.open = true; })")
    charts = page.locator(".chart")
    for index in range(charts.count()):
        charts.nth(index).scroll_into_view_if_needed()
    page.wait_for_function(
        f"document.querySelectorAll('{DRAWN}').length == document.querySelectorAll('.chart').length"
    )


def is_wider_than_shown(page: "Page") -> bool:
    wide: bool = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return wide


def test_a_chart_is_drawn_has_a_text_and_shows_a_value_under_the_pointer(
    page: "Page", report: Path
) -> None:
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(report.as_uri())
    scrolled(page)
    assert messages == []
    chart = page.locator("#analysis-trend_tests .chart")
    assert "new reports 2." in str(chart.get_attribute("aria-label"))
    chart.locator("svg .mark-symbol path").first.hover()
    page.locator("#vg-tooltip-element.visible").wait_for()
    assert "estimate" in page.locator("#vg-tooltip-element").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_needs_no_sideways_scrolling(
    page: "Page", report: Path, scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(report.as_uri())
    scrolled(page)
    assert breaches(page) == []
    page.set_viewport_size(PHONE)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert breaches(page) == [] and not is_wider_than_shown(page)


@pytest.mark.parametrize("size", SCREENS, ids=["desk", "phone"])
def test_the_first_screen_fits_and_what_it_links_to_is_opened(
    page: "Page", report: Path, size: Any
) -> None:
    page.set_viewport_size(size)
    page.goto(report.as_uri())
    bottom = page.evaluate("document.getElementById('first').getBoundingClientRect().bottom")
    assert bottom <= size["height"]
    page.locator("#first a[href='#alerts']").click()
    assert page.locator("#alerts .chart").first.is_visible()


def test_the_scheme_can_be_switched_and_charts_follow(page: "Page", report: Path) -> None:
    page.goto(report.as_uri())
    scrolled(page)
    colors = "[document.body, document.querySelector('.chart svg text')].map((one) => "
    colors += "[getComputedStyle(one).backgroundColor, getComputedStyle(one).fill].join())"
    light = page.evaluate(colors)
    page.get_by_role("button", name="Show in dark colours").click()
    dark = page.evaluate(colors)
    assert all(one != other for one, other in zip(light, dark, strict=True))
    page.reload()
    assert page.evaluate(colors)[0] == dark[0]


def test_a_number_opens_its_query_and_the_keyboard_comes_everywhere(
    page: "Page", report: Path
) -> None:
    page.goto(report.as_uri())
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.evaluate(OPENED) == 0
    page.locator("#month > summary").focus()
    page.keyboard.press("Enter")
    page.locator(".tiles a").first.focus()
    page.keyboard.press("Enter")
    page.locator("#month-0-query").wait_for(state="visible")
    assert "from marts.trend_monthly" in page.locator("#month-0-query").inner_text()


def test_without_scripts_and_on_paper_it_can_be_read(browser: "Browser", report: Path) -> None:
    with browser.new_context(java_script_enabled=False, viewport=PHONE) as context:
        page = context.new_page()
        page.goto(report.as_uri())
        assert page.locator(".chart > svg").count() == page.locator(".chart").count() > 10
        assert page.locator(".chart > svg").first.is_visible()
        assert not page.locator("#scheme").is_visible()
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator("#why table").is_visible()
        assert not page.locator(".chapter-body").first.is_visible()
        assert not page.locator(".queries").first.is_visible()
        assert not page.locator("nav").is_visible()
        pages = page.pdf(format="A4")
        assert 1 <= pages.count(b"/Type /Page\n") <= MOST_PAGES


def test_the_page_of_the_database_has_the_same_form(
    page: "Page", sampled: Prepared, tmp_path: Path
) -> None:
    path = tmp_path / "docs.html"
    path.write_text(docs_html(sampled.data_dir / "perf_bugs.duckdb"), encoding="utf-8")
    page.goto(path.as_uri() + "#marts.bug_metrics.fix_size")
    assert page.locator('[id="marts.bug_metrics.fix_size"]').is_visible()
    scrolled(page)
    assert breaches(page) == []
    page.locator("#partitions-0 .mark-rect path").first.hover()
    page.locator("#vg-tooltip-element.visible").wait_for()
    page.locator("#search").fill("closing rates")
    assert page.locator("article.found:visible").count() < 20
    page.set_viewport_size(PHONE)
    assert not is_wider_than_shown(page)


def test_the_replication_report_has_the_same_form(page: "Page", tmp_path: Path) -> None:

    data_dir, package = tmp_path / "home", write_package(tmp_path / "package")
    done = perf_assets("replicate", "--data", package, "--accept-changes", "--data-dir", data_dir)
    assert done.returncode == 0, done.stdout + done.stderr
    path = tmp_path / "report.html"
    path.write_text(html(read_replication(data_dir / "perf_bugs.duckdb")), encoding="utf-8")
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    page.goto(path.as_uri())
    scrolled(page)
    assert breaches(page) == [] and not is_wider_than_shown(page)
    assert page.locator("nav a").count() >= 5
