"""The static site: what it has, whom its pages may ask, and that it stays whole."""

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import duckdb
import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.config.data_directory import PUBLISHED, DataDirectory
from perf_assets.reports import query_runner
from perf_assets.reports.directory import (
    Entry,
    OwnDirectory,
    OwnFile,
    text_file,
)
from perf_assets.reports.query_runner import run_query
from perf_assets.reports.site import SiteOptions, packages, write_site, writing
from perf_assets.reports.site.database import write_console_database
from perf_assets.reports.site.for_programs import LLMS, QUESTIONS
from perf_assets.reports.site.pages import CONSOLE_POLICY, EMBEDDED_POLICY, POLICY
from perf_assets.reports.site.tables import result_tables
from perf_assets.reports.site.writing import SITE
from perf_assets.schema.models.cookbook import cookbook
from perf_assets.storage.database_copy import is_for_every_client
from tests.effort import IS_THOROUGH
from tests.npm_packages import pin, registry
from tests.support import Prepared, perf_assets

pytestmark = pytest.mark.slow

MANIFEST = SITE.manifest
PAGE = '<html><head><meta charset="utf-8"></head><body><header><h1>It</h1></header></body></html>'
PLAIN = SiteOptions(has_console=False)
QUERIES = ("how_fresh_is_it", "bug_reports_as_of_a_month", "slowest_fixes", "one_bug_traced")


@pytest.fixture(scope="module", autouse=True)
def _dictionary_is_short() -> Iterator[None]:
    """The page of the dictionary, whose charts take seconds, has its own tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "docs_html", lambda _: PAGE)
        yield


@pytest.fixture(scope="module")
def data_dir(small: Prepared, tmp_path_factory: pytest.TempPathFactory) -> DataDirectory:
    """What a run publishes: the database, and a report that says nothing."""
    data_dir = DataDirectory.of(tmp_path_factory.mktemp("published"))
    shutil.copy2(small.data_dir / PUBLISHED, data_dir.published)
    data_dir.report_page.parent.mkdir()
    data_dir.report_page.write_text(PAGE, encoding="utf-8")
    return data_dir


@pytest.fixture(scope="module")
def site(data_dir: DataDirectory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("site")
    write_site(data_dir, path, PLAIN)
    return path


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Small packages, which are pinned in place of the real ones."""
    yield pin(tmp_path, monkeypatch)
    packages.packages.cache_clear()


@pytest.fixture
def few(data_dir: DataDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site of few tables, where their number is not the point; from here on all are."""

    def some(connection: duckdb.DuckDBPyConnection) -> list[str]:
        return [table for table in result_tables(connection) if "activity" in table or "<" in table]

    monkeypatch.setattr(writing, "result_tables", some)
    write_site(data_dir, tmp_path / "few", PLAIN)
    return tmp_path / "few"


def content(path: Path) -> dict[str, bytes]:
    return {
        one.relative_to(path).as_posix(): one.read_bytes()
        for one in path.rglob("*")
        if one.is_file() and one.name != MANIFEST
    }


class Page(HTMLParser):
    """What a page leads to, its policy, and whether it has scripts or styles in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.addresses = path, set[str]()
        self.policies, self.inline, self.others = list[str](), 0, 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses |= {given[name] or "" for name in ("href", "src") if name in given}
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policies.append(given["content"] or "")
        is_data = given.get("type") == "application/json"
        self.inline += tag == "style" or (tag == "script" and "src" not in given and not is_data)
        self.inline += "style" in given or any(name.startswith("on") for name in given)

    def leads_to(self, address: str) -> Path:
        return (self.path.parent / unquote(urlsplit(address).path)).resolve()


def test_every_page_leads_to_pages_that_are_there_and_asks_no_other_host(site: Path) -> None:
    pages = [Page(path) for path in site.rglob("*.html")]
    assert len(pages) > 50
    for page in pages:
        own = {address for address in page.addresses if not address.startswith(("http", "#"))}
        assert all(page.leads_to(address).is_file() for address in own), page.path
        is_embedded = page.path.name in ("report.html", "dictionary.html")
        assert page.policies == [EMBEDDED_POLICY if is_embedded else POLICY]
        assert is_embedded or page.inline == 0
    assert "http" not in POLICY + EMBEDDED_POLICY + CONSOLE_POLICY
    overview = Page(site / "index.html").addresses
    assert {"report.html", "tables.html", "dictionary.html"} <= overview
    assert "console.html" not in overview


def test_each_table_of_results_is_there_whole_and_its_first_rows_to_read(
    site: Path, data_dir: DataDirectory
) -> None:
    with duckdb.connect(str(data_dir.published), read_only=True) as connection:
        tables = connection.execute(
            "SELECT schema_name || '.' || table_name FROM duckdb_tables() "
            "WHERE schema_name IN ('marts', 'analysis') ORDER BY 1"
        ).fetchall()
        for (table,) in tables:
            rows = pl.read_parquet(site / "data" / f"{table}.parquet")
            assert rows.height == connection.sql(f"FROM {table}").shape[0]
            lines = (site / "data" / f"{table}.csv").read_text(encoding="utf-8")
            assert lines.startswith(",".join(rows.columns))
            page = (site / "tables" / f"{table}.html").read_text(encoding="utf-8")
            assert page.count("<tr>") == (1 + min(rows.height, 100) if rows.height else 0)
    assert len(tables) > 40


def test_programs_read_where_everything_is_and_how_far_to_trust_it(
    site: Path, data_dir: DataDirectory
) -> None:
    text = (site / LLMS).read_text(encoding="utf-8")
    assert re.match(r"# .+\n\n> .+\n\n## Pages\n\n- \[", text)
    addresses = re.findall(r"^- \[[^]]+\]\(([^)]+)\): ", text, re.MULTILINE)
    assert {QUESTIONS, "tables.html", "dictionary.html"} <= {*addresses}
    assert {f"data/{path.name}" for path in site.glob("data/*.parquet")} <= {*addresses}
    assert all((site / address).is_file() for address in addresses)
    assert "## Limits\n\n- " in text and "## How to cite\n\n- " in text
    with duckdb.connect(str(data_dir.published), read_only=True) as connection:
        ((moment,),) = connection.execute(
            "SELECT value FROM meta.about WHERE fact = 'published_at'"
        ).fetchall()
    assert json.loads((site / QUESTIONS).read_text())["published"] == moment and moment in text


def test_the_files_of_the_site_answer_the_questions_that_it_lists(
    site: Path, data_dir: DataDirectory
) -> None:
    listed = json.loads((site / QUESTIONS).read_text(encoding="utf-8"))["questions"]
    names = [question["name"] for question in listed]
    assert "monthly_share_of_new_bugs" in names and "what_was_loaded_when" not in names
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; CREATE SCHEMA marts; CREATE SCHEMA analysis")
        for path in site.glob("data/*.parquet"):
            connection.execute(f"CREATE VIEW {path.stem} AS FROM '{path}'")
        for question in listed:
            query = cookbook()[question["name"]]
            rows = connection.execute(question["sql"]).fetchall()
            assert [*map(repr, rows)] == [
                *map(repr, run_query(data_dir.published, query, {}).rows)
            ], query.name
            assert (question["question"], question["how_to_read"]) == (
                *(query.question, query.reading),
            )
            assert [one["name"] for one in question["parameters"]] == [*query.parameters]


@pytest.mark.usefixtures("few")
def test_a_text_of_a_stranger_means_nothing_in_a_page(
    data_dir: DataDirectory, tmp_path: Path
) -> None:
    other = DataDirectory.of(tmp_path / "home")
    shutil.copytree(data_dir.path, other.path, dirs_exist_ok=True)
    with duckdb.connect(str(other.published)) as connection:
        connection.execute(
            "UPDATE marts.activity SET repository = '=1+1<script>alert(1)</script>\u202e'"
        )
    write_site(other, tmp_path / "site", PLAIN)
    (page,) = (tmp_path / "site" / "tables").glob("marts.activity*")
    text = page.read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)&lt;/<wbr>script&gt;</td>" in text and "\u202e" not in text
    assert Page(page).inline == 0
    (whole,) = (tmp_path / "site" / "data").glob("marts.activity*csv")
    assert ",'=1+1<" in whole.read_text(encoding="utf-8")


def test_what_is_as_it_was_is_left_and_what_is_no_longer_part_of_it_leaves(
    data_dir: DataDirectory, site: Path, few: Path, tmp_path: Path
) -> None:
    path = tmp_path / "site"
    shutil.copytree(site, path)
    (path / "CNAME").write_text("of the host")
    (path / "report.html").write_text("spoiled")
    (path / "data" / "marts.activity.csv").unlink()
    written = write_site(data_dir, path, PLAIN)
    # These two, and what says how many tables there are, or which questions they answer.
    assert written.written == 6
    assert content(path) == content(few) | {"CNAME": b"of the host"}


def test_a_list_of_files_that_somebody_changed_is_believed_in_nothing(
    data_dir: DataDirectory, few: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").touch()
    before = content(few)
    manifest = json.loads((few / MANIFEST).read_text())
    manifest["files"] |= {"../outside": {}, "index.html": 7}
    (few / MANIFEST).write_text(json.dumps(manifest))
    assert write_site(data_dir, few, PLAIN).written == 0
    assert content(few) == before and (tmp_path / "outside").exists()


def test_a_site_that_was_killed_halfway_has_no_first_page_and_is_finished_by_the_next(
    data_dir: DataDirectory, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, keep = tmp_path / "site", OwnDirectory.keep
    left = [len(content(few)) - 1]

    def killed(self: OwnDirectory, file: OwnFile) -> Entry:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return keep(self, file)

    with monkeypatch.context() as patch:
        patch.setattr(OwnDirectory, "keep", killed)
        with pytest.raises(KeyboardInterrupt):
            write_site(data_dir, path, PLAIN)
    (path / "data" / ".marts.activity.csv.123.new").touch()
    assert not (path / "index.html").exists()
    assert write_site(data_dir, path, PLAIN).written == 1
    assert content(path) == content(few)


def test_a_database_that_is_published_meanwhile_makes_no_site_of_two(
    data_dir: DataDirectory, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = DataDirectory.of(shutil.copytree(data_dir.path, tmp_path / "home"))

    def published_anew(self: OwnDirectory, file: OwnFile) -> Entry:
        os.utime(other.published)
        return keep(self, file)

    keep = OwnDirectory.keep
    monkeypatch.setattr(OwnDirectory, "keep", published_anew)
    with pytest.raises(TransientError, match="was published anew while the site was written"):
        write_site(other, few, PLAIN)


@pytest.mark.parametrize("manifest", [None, "{", "[]", '{"made_by": "another"}'])
def test_a_directory_with_other_files_is_refused_and_left_alone(
    data_dir: DataDirectory, tmp_path: Path, manifest: str | None
) -> None:
    path = tmp_path / "site"
    path.mkdir()
    (path / "thesis.txt").write_text("mine")
    if manifest is not None:
        (path / MANIFEST).write_text(manifest)
    before = content(path)
    ran = perf_assets("site", path, "--no-console", "--data-dir", data_dir.path)
    assert ran.returncode == 2
    assert ran.stderr == (
        f"Error: {path}: this directory has files and no site of perf-assets: name another one, "
        "or empty it\n"
    )
    assert content(path) == before


def test_a_checkout_without_files_may_become_a_site_and_a_file_may_not(tmp_path: Path) -> None:
    (tmp_path / "pages" / ".git").mkdir(parents=True)
    site = OwnDirectory(tmp_path / "pages", SITE)
    site.plan(["a/b.txt"])
    assert site.keep(text_file("a/b.txt", lambda: "text")).size == 4
    (tmp_path / "file").touch()
    for path in ("file", "x" * 300, "a\0b", "\udcff"):
        with pytest.raises(PerfAssetsError, match="a site cannot be written there"):
            OwnDirectory(tmp_path / path, SITE)


def test_without_a_report_there_is_no_site(data_dir: DataDirectory, tmp_path: Path) -> None:
    shutil.copy2(data_dir.published, tmp_path / PUBLISHED)
    ran = perf_assets("site", tmp_path / "site", "--data-dir", tmp_path)
    assert ran.returncode == 2 and "there is no report yet; perf-assets run writes" in ran.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.usefixtures("few")
def test_packages_that_are_handed_in_make_the_console_without_a_network(
    data_dir: DataDirectory, given: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / "site"
    options = [part for one in given for part in ("--duckdb-wasm", one)]
    tables = ("--tables", "marts,analysis")
    ran = perf_assets("site", path, *options, *tables, "--data-dir", data_dir.path)
    assert ran.returncode == 0, ran.stderr
    assert f"Look at it: python3 -m http.server --directory {path}" in ran.stdout
    page = Page(path / "console.html")
    assert page.policies == [CONSOLE_POLICY] and page.inline == 0
    assert all(page.leads_to(one).is_file() for one in page.addresses - {"#main"})
    text = (path / "console.html").read_text(encoding="utf-8")
    settings = json.loads(text.partition('id="settings">')[2].partition("</script>")[0])
    for file in settings["files"].values():
        packed = (path / file["path"]).read_bytes()
        assert len(packed) == file["bytes"] and len(gzip.decompress(packed)) == file["unpacked"]
    names = {query["name"] for query in settings["queries"]}
    listed = json.loads((path / QUESTIONS).read_text(encoding="utf-8"))["questions"]
    assert [query["name"] for query in listed] == [query["name"] for query in settings["queries"]]
    assert "](data/perf_bugs.duckdb.gz)" in (path / LLMS).read_text(encoding="utf-8")
    assert "monthly_share_of_new_bugs" in names and "what_was_loaded_when" not in names
    script = (path / "assets" / "duckdb" / "duckdb.js").read_text()
    assert 'from"./arrow.js"' in script and "sourceMappingURL" not in script
    # They are in the cache now, and nothing else is anywhere.
    again = perf_assets("site", path, *tables, "--data-dir", data_dir.path)
    assert again.returncode == 0 and "; 0 of them are new or changed" in again.stdout
    assert not list(tmp_path.rglob("evil")) and not Path("/tmp/evil-of-a-package").exists()


def test_without_packages_and_network_one_sentence_says_how_to_mend_it(
    data_dir: DataDirectory, given: list[Path], tmp_path: Path
) -> None:
    ran = perf_assets("site", tmp_path / "site", "--data-dir", data_dir.path)
    assert ran.returncode == 2 and len(ran.stderr.splitlines()) == 1
    for words in (
        "@duckdb/duckdb-wasm@1.0.0, which the console needs, cannot be had from "
        "http://127.0.0.1:9/npm/@duckdb/duckdb-wasm/-/duckdb-wasm-1.0.0.tgz (",
        "'npm pack @duckdb/duckdb-wasm@1.0.0 apache-arrow@1.0.0' with --duckdb-wasm",
        "--no-console",
    ):
        assert words in ran.stderr
    assert "secret" not in ran.stderr


def test_a_package_is_fetched_once_and_checked_whenever_it_is_used(
    given: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with registry(given) as server:
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", f"{server.address}/")
        files = packages.package_files()
        assert files["LICENSE.txt"] == b"licence\n" and len(files) == 6
        assert len(server.asked) == 2
        assert packages.package_files() == files and len(server.asked) == 2
        (kept, _) = sorted(packages.cache_directory().iterdir())
        kept.write_bytes(kept.read_bytes()[:-1])
        assert packages.package_files() == files and len(server.asked) == 3


def test_another_package_under_that_name_is_refused_and_not_kept(
    given: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given[0].write_bytes(given[0].read_bytes() + bytes(1000))
    with registry(given) as server:
        monkeypatch.setenv("npm_config_registry", server.address)
        monkeypatch.delenv("NPM_CONFIG_REGISTRY")
        with pytest.raises(PerfAssetsError, match="as it is pinned"):
            packages.package_files()
    assert not packages.cache_directory().exists()
    with pytest.raises(PerfAssetsError, match=r"this is neither .* nor .* as npm has them"):
        packages.package_files([given[0]])
    with pytest.raises(PerfAssetsError, match="cannot be read: No such file"):
        packages.package_files([tmp_path / "gone.tgz"])


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "file:///etc", "nonsense"])
def test_a_registry_that_cannot_be_asked_is_named(
    given: list[Path], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", address)
    with pytest.raises(TransientError, match=f"cannot be had from {address}/@duckdb/"):
        packages.package_files()


@pytest.fixture(scope="module")
def console_database(data_dir: DataDirectory, once: Callable[..., Path]) -> Path:
    def fill(path: Path) -> None:
        queries = list(cookbook().values())
        assert write_console_database(data_dir.published, path, (), queries) == queries

    return once("console.duckdb", fill)


@pytest.mark.parametrize("name", cookbook() if IS_THOROUGH else QUERIES)
def test_the_console_s_database_gives_the_answers_of_the_published_one(
    data_dir: DataDirectory, console_database: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"today": "2020-05-01"} if name == "how_fresh_is_it" else {}
    published = run_query(data_dir.published, cookbook()[name], values)
    # DuckDB in a browser opens it as it is, with its macros.
    monkeypatch.setattr(query_runner, "readable", nullcontext)
    own = run_query(console_database, cookbook()[name], values)
    assert own.columns == published.columns
    assert [list(map(str, row)) for row in own.rows] == [
        [str(value).removesuffix("+00:00") for value in row] for row in published.rows
    ]


def test_the_console_s_database_has_everything_for_every_client_and_no_time_zone(
    data_dir: DataDirectory, console_database: Path
) -> None:
    described = (
        "SELECT schema_name, table_name, column_name, comment, replace(data_type, ' WITH TIME "
        "ZONE', '') FROM duckdb_columns() WHERE NOT internal AND database_name <> 'system' "
        "ORDER BY ALL"
    )
    with (
        duckdb.connect(str(console_database), read_only=True) as own,
        duckdb.connect(str(data_dir.published), read_only=True) as published,
    ):
        assert is_for_every_client(own)
        assert own.sql(described).fetchall() == published.sql(described).fetchall()
        zoned = "SELECT * FROM duckdb_columns() WHERE NOT internal AND data_type LIKE '%ZONE%'"
        assert own.sql(zoned).fetchall() == []
        counts = "SELECT count(*), count(comment) FROM duckdb_views() WHERE NOT internal"
        assert own.sql(counts).fetchall() == published.sql(counts).fetchall()
        with pytest.raises(duckdb.InvalidInputException, match="no time zone but UTC"):
            own.sql("SELECT TIMESTAMP '2020-01-01' AT TIME ZONE 'CET'").fetchall()


def test_a_console_of_some_tables_has_these_and_a_view_without_its_tables_is_one_too(
    data_dir: DataDirectory, tmp_path: Path
) -> None:
    path = tmp_path / "some.duckdb"
    chosen = ("marts", "staging.issues")
    answered = write_console_database(data_dir.published, path, chosen, [*cookbook().values()])
    names = {query.name for query in answered}
    assert {"monthly_share_of_new_bugs", "bug_reports_as_of_a_month"} <= names
    assert "what_was_loaded_when" not in names
    with duckdb.connect(str(path), read_only=True) as own:
        kinds = dict(
            own.sql(
                "SELECT table_schema || '.' || table_name, table_type "
                "FROM information_schema.tables WHERE table_schema <> 'marts'"
            ).fetchall()
        )
    assert kinds == {"staging.issues": "BASE TABLE"}
    with pytest.raises(PerfAssetsError, match=r"--tables mart: .* did you mean|--tables mart"):
        write_console_database(data_dir.published, path, ("mart",))
