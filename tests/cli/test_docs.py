"""The page of perf-assets docs: whole, offline, and harmless whatever strangers wrote."""

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pytest

from perf_assets.schema.models.cookbook import cookbook
from perf_assets.schema.models.files import described_tables
from tests.support import Prepared, perf_assets

pytestmark = pytest.mark.slow

HOSTILE = "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m"


class Page(HTMLParser):
    """The ids, links, tags, charts and texts of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.charts: list[str] = []
        self.within = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.within = "chart" if ("type", "application/json") in attrs else tag
        for name, value in attrs:
            assert not name.startswith("on") and name != "src"
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.within = ""

    def handle_data(self, data: str) -> None:
        if self.within == "chart":
            self.charts.append(data)
        elif self.within != "script":
            self.text += data


@pytest.fixture(scope="module")
def page(small: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Page:
    path = tmp_path_factory.mktemp("docs") / "docs.html"
    ran = perf_assets("docs", "--data-dir", small.data_dir, "--output", path)
    assert ran.returncode == 0, ran.stderr
    return Page(path)


def test_every_table_column_and_query_is_on_it(page: Page) -> None:
    ids = set(page.ids)
    assert len(ids) == len(page.ids)
    for name, table in described_tables().items():
        assert {name, *(f"{name}.{column}" for column in table.column)} <= ids
        assert " ".join(table.description.split()) in " ".join(page.text.split())
    assert {f"query-{name}" for name in cookbook()} <= ids
    assert {"tables", "lineage", "queries", "state"} <= ids


def test_it_needs_no_network_and_every_link_leads_somewhere(page: Page) -> None:
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert "link" not in page.tags


def test_partitions_and_quality_are_drawn(page: Page) -> None:
    charts = [json.loads(chart) for chart in page.charts]
    cells = [cell for chart in charts for cell in chart["data"]["values"]]
    (issues,) = (
        cell for cell in cells if (cell.get("table"), cell["month"]) == ("raw.issues", "2020-02")
    )
    assert issues["audit"] == "passed" and issues["rules"].startswith("passed; ")
    assert {chart["title"] for chart in charts} >= {"audits of each month", "comments per issue"}
    assert len(charts) >= 8


def test_it_is_written_without_a_database_too(tmp_path: Path) -> None:
    ran = perf_assets("docs", "--data-dir", tmp_path / "none", "--output", tmp_path / "docs.html")
    assert ran.returncode == 0
    assert not (tmp_path / "none").exists()
    assert "state" not in Page(tmp_path / "docs.html").ids
    ran = perf_assets("docs", "--data-dir", tmp_path / "none")
    assert (ran.returncode, "--output" in ran.stderr) == (2, True)
    (tmp_path / "perf_bugs.duckdb").write_bytes(b"no database")
    ran = perf_assets("docs", "--data-dir", tmp_path)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)


def test_texts_of_strangers_stay_texts(small: Prepared, tmp_path: Path) -> None:
    shutil.copyfile(small.data_dir / "perf_bugs.duckdb", tmp_path / "perf_bugs.duckdb")
    with duckdb.connect(str(tmp_path / "perf_bugs.duckdb")) as connection:
        for statement in (
            "UPDATE meta.partition_loads SET message = ?, status = 'failed'",
            "UPDATE meta.about SET value = ? WHERE topic = 'study'",
        ):
            connection.execute(statement, [HOSTILE])
    assert perf_assets("docs", "--data-dir", tmp_path).returncode == 0
    hostile = Page(tmp_path / "docs.html")
    assert hostile.tags.count("script") == 2 + len(hostile.charts)
    assert any("alert(1)" in chart for chart in hostile.charts)
    assert "img" not in hostile.tags
    assert "<script>alert(1)</script>" in hostile.text
    assert "\x1b" not in hostile.text
