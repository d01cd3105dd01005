"""The pictures of README and docs, taken anew: ``python -m tests.browser.pictures HOME``.

HOME is what ``make run`` leaves, the sample; it stays as it is. They go to docs/pictures.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.site import SiteOptions, write_site
from tests.browser.conftest import OPTIONS, chromium
from tests.browser.static_server import served
from tests.browser.walking import (
    ENDED,
    LAUNCH,
    RUNS,
    SPOILED_RULE,
    Ui,
    materialize,
    opened,
    spoil,
)
from tests.paths import ROOT

PLACE = ROOT / "docs" / "pictures"
WINDOW = {"width": 1200, "height": 700}
TALL_WINDOW = {"width": 1200, "height": 1000}  # a query above its answer
MOST_BYTES = 150_000
SPOILED = "2022-06"  # a month of the sample


def take(page: Page, name: str) -> None:
    page.wait_for_timeout(2500)
    path = PLACE / f"{name}.png"
    page.screenshot(path=path)
    size = path.stat().st_size
    print(f"{path}: {size:,} bytes")
    assert size <= MOST_BYTES, "that is too large for a README"


def walk(page: Page, address: str) -> None:
    page.goto(f"{address}/asset-groups")
    page.get_by_text("Hide navigation").click()
    page.reload()
    page.locator("svg foreignObject").get_by_text("published").first.wait_for()
    take(page, "graph")
    page.goto(f"{address}/assets/analysis/fix_incidence")
    row = page.locator("tr", has=page.get_by_text("figure", exact=True))
    row.get_by_text("[Show Markdown]").click()
    take(page, "analysis")
    ui = Ui(address)
    before = ui.asked(RUNS)[0]["runId"]
    page.goto(f"{address}/assets/raw/issues?view=partitions")
    materialize(page, f"{SPOILED}-01").get_by_role("button", name=LAUNCH).click()
    ui.waited_for(RUNS, lambda one: one["runId"] != before and one["status"] in ENDED)
    page.goto(f"{address}/assets/raw/issues?view=checks&checkDetail={SPOILED_RULE}")
    page.get_by_text("1 row in 1 partition").wait_for()
    take(page, "check")


def main(source: Path) -> None:
    PLACE.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as directory:
        data_dir = shutil.copytree(source, Path(directory) / "home")
        spoil(data_dir / "sample" / "issues.jsonl.gz", SPOILED)
        browser = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
        page = browser.new_page(viewport=WINDOW)
        with opened("ui", "--data-dir", data_dir) as address:
            walk(page, address)
        with opened("explore", "--data-dir", data_dir) as address:
            page.goto(address)
            page.locator("canvas, svg.marks").first.wait_for()
            take(page, "explore")
        page.goto((data_dir / "report" / "index.html").as_uri())
        take(page, "report")
        write_site(DataDirectory.of(data_dir), data_dir / "site", SiteOptions())
        with served(data_dir / "site") as address:
            page.set_viewport_size(TALL_WINDOW)
            page.goto(f"{address}/console.html")
            page.get_by_role("button", name="Load and run").click()
            page.locator("#result table").wait_for()
            take(page, "console")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
