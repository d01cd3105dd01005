"""The Dagster UI as a newcomer sees it: on a finished data directory, in chromium."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perf_assets.stand_ins.generator import generate
from tests.browser.walking import (
    BACKFILLS,
    ENDED,
    LAUNCH,
    RUNS,
    SPOILED_RULE,
    Ui,
    materialize,
    opened,
    spoil,
)
from tests.support import perf_assets_process

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

REPOSITORY = "sample-lab/tensorkit"
LAST = "2021-06"
GROUPS = ("sources", "raw", "labels", "staging", "marts", "analysis", "published")


@pytest.fixture(scope="session")
def finished(once: Callable[..., Path]) -> Path:
    """A corpus of eighteen months and its data directory after a run; not to be changed."""

    def fill(directory: Path) -> None:
        generate(directory / "corpus", seed=3, issues=200, months=18, commits=100)
        study = directory / "corpus" / "study.toml"
        ran = perf_assets_process("run", "--study", study, "--data-dir", directory / "home")
        assert ran.returncode == 0, ran.stderr

    return once("finished", fill)


@pytest.fixture(scope="module")
def ui(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ui]:
    """The UI of a copy in which an issue of the last month breaks a rule."""
    directory = shutil.copytree(finished, tmp_path_factory.mktemp("ui") / "finished")
    spoil(directory / "corpus" / "issues.jsonl.gz", LAST)
    options = ("--data-dir", directory / "home", "--study", directory / "corpus" / "study.toml")
    with opened("ui", *options) as address:
        yield Ui(address)


def test_the_graph_reads_from_left_to_right(page: "Page", ui: Ui) -> None:
    page.goto(f"{ui.address}/asset-groups")
    places = []
    for group in GROUPS:
        node = page.locator("svg foreignObject").get_by_text(group, exact=True).first
        node.wait_for()
        box = node.bounding_box()
        assert box is not None
        places.append(box["x"])
    assert places == sorted(places)


def test_an_analysis_shows_its_verdict_and_its_picture(page: "Page", ui: Ui) -> None:
    page.goto(f"{ui.address}/assets/analysis/fix_incidence")
    page.locator("tr", has=page.get_by_text("verdict", exact=True)).wait_for()
    row = page.locator("tr", has=page.get_by_text("figure", exact=True))
    row.get_by_text("[Show Markdown]").click()
    picture = page.get_by_role("dialog").locator("img")
    picture.wait_for()
    assert picture.evaluate("image => image.complete && image.naturalWidth") > 100


def test_the_check_of_a_broken_rule_names_the_row(page: "Page", ui: Ui) -> None:
    before = ui.asked(RUNS)[0]["runId"]
    page.goto(f"{ui.address}/assets/raw/issues?view=partitions")
    dialog = materialize(page, f"{LAST}-01")
    dialog.get_by_role("button", name=LAUNCH).click()
    ended = ui.waited_for(RUNS, lambda run: run["runId"] != before and run["status"] in ENDED)
    assert ended["status"] == "SUCCESS"  # the row is set aside, and the others are stored
    page.goto(f"{ui.address}/assets/raw/issues?view=checks&checkDetail={SPOILED_RULE}")
    page.get_by_text("1 row in 1 partition").wait_for()
    page.get_by_text("[Show Markdown]").click()
    page.get_by_role("dialog").get_by_text(f"{REPOSITORY}/pull/").first.wait_for()


def test_a_range_of_months_is_loaded_in_one_run(page: "Page", ui: Ui) -> None:
    page.goto(f"{ui.address}/assets/raw/issues?view=partitions")
    dialog = materialize(page, "[2020-03-01...2020-05-01], 2020-09-01")
    dialog.get_by_text("4 partitions").wait_for()
    dialog.get_by_role("button", name=LAUNCH).click()
    ended = ui.waited_for(BACKFILLS, lambda one: one["status"] in ENDED)
    assert (ended["status"], ended["numPartitions"]) == ("COMPLETED_SUCCESS", 4)
    page.goto(f"{ui.address}/runs/b/{ended['id']}")
    page.get_by_text("Completed").first.wait_for()


def test_a_run_is_stopped(page: "Page", ui: Ui) -> None:
    ui.launch("build_models")  # all models and statistics by hand: some seconds on any machine
    started = ui.waited_for(RUNS, lambda one: one["status"] == "STARTED")
    page.goto(f"{ui.address}/runs/{started['runId']}")
    page.get_by_role("button", name="Terminate").click()
    page.get_by_role("dialog").get_by_role("button", name="Terminate").click()
    ended = ui.waited_for(RUNS, lambda one: one["status"] in ENDED)
    assert ended["status"] == "CANCELED"
    page.get_by_text("Canceled").first.wait_for()
