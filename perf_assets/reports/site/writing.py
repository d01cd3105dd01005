"""A site as a directory: the files that are made, in their order, the first page last."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from perf_assets.base.code_version import files_version
from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.paths import models_dir
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.document import Section
from perf_assets.reports.monthly.contents import read_heading, read_moment, read_short
from perf_assets.reports.pages.page import docs_html
from perf_assets.reports.pages.state import read_facts
from perf_assets.reports.query_runner import published_database
from perf_assets.reports.site.console import (
    DATABASE,
    ENGINE,
    WORKER,
    console_page,
    database_file,
    engine_files,
    own_scripts,
)
from perf_assets.reports.site.directory import Entry, Facts, SiteDirectory, SiteFile, text_file
from perf_assets.reports.site.pages import framed, page, page_script, style_sheet
from perf_assets.reports.site.tables import (
    KINDS,
    data_files,
    data_path,
    page_path,
    result_tables,
    table_page,
    tables_page,
)

OVERVIEW = "index.html"
NO_JEKYLL = ".nojekyll"  # without it GitHub Pages takes the files for the source of a blog
LARGE = 200_000_000
"""Bytes of the console's database from which on a reader with little memory waits, or cannot."""


@dataclass(frozen=True)
class SiteOptions:
    """What a site has.

    has_console : whether its data can be queried in it.
    tables : tables or schemas that the console has; none: all that are published.
    packages : packages of npm as files, where there is no network.
    """

    has_console: bool = True
    tables: tuple[str, ...] = ()
    packages: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Site:
    """A site that was written.

    written : how many of its files are others than before.
    loaded, unpacked : bytes that the console loads, and that its database takes in memory.
    """

    path: Path
    files: int
    written: int
    size: int
    loaded: int = 0
    unpacked: int = 0

    @property
    def is_large(self) -> bool:
        """Return whether the database is large for a browser."""
        return self.unpacked > LARGE


def write_site(data_dir: DataDirectory, path: Path, options: SiteOptions) -> Site:
    """Write the site of what is published in ``data_dir`` to ``path``, and replace one of ours.

    What is as it was is not made again, so a site that was written halfway is finished.

    Raises
    ------
    PerfAssetsError
        Nothing is published, the directory is somebody else's, it cannot be written, there is no
        such table, or the packages that the console needs cannot be had.
    """
    published = data_dir.published
    if not (published.is_file() and data_dir.report_page.is_file()):
        raise PerfAssetsError(
            f"{data_dir.report_page}: there is no report yet; perf-assets run writes one"
        )
    site = SiteDirectory(path)
    with published_database(published) as connection:
        changed = published.stat().st_mtime_ns
        code = files_version("reports", "schema/models", models_dir())
        made_from = f"{read_moment(published)}, {changed}, {code}"
        tables = result_tables(connection)
        parts = _Parts(data_dir, connection, site, options, made_from, tables)
        site.plan(parts.paths())
        with phase(f"writing the site to {path}", len(parts.paths()), "files") as report:
            for number, file in enumerate(parts.files(), 1):
                site.keep(file)
                report(number)
        if published.stat().st_mtime_ns != changed:
            raise TransientError(
                f"{published} was published anew while the site was written: write it again"
            )
        site.finish()
    return _told(site, has_console=options.has_console)


@dataclass(frozen=True)
class _Parts:
    """All files of a site, in the order in which they are written."""

    data_dir: DataDirectory
    connection: duckdb.DuckDBPyConnection
    site: SiteDirectory
    options: SiteOptions
    made_from: str
    tables: list[str]

    def paths(self) -> list[str]:
        """Return where they all are."""
        of_tables = [path for table in self.tables for path in _paths_of_table(table)]
        own = [file.path for file in (*self._engine(), *self._common())]
        return [*own, *of_tables]

    def files(self) -> list[SiteFile]:
        """Return all of them."""
        of_data = [
            file
            for table in self.tables
            for file in data_files(self.connection, table, self.made_from)
        ]
        pages = [self._table_page(table) for table in self.tables]
        *common, overview = self._common()
        # First what may not be had.
        return [*self._engine(), *of_data, *pages, *common, overview]

    def _common(self) -> list[SiteFile]:
        return [
            *self._console(),
            text_file(NO_JEKYLL, str),
            text_file("assets/site.css", style_sheet),
            text_file("assets/page.js", page_script),
            SiteFile("dictionary.html", self._write_dictionary, self._framed_from()),
            text_file("report.html", self._report),
            text_file("tables.html", self._tables),
            text_file(OVERVIEW, self._overview),
        ]

    def _engine(self) -> list[SiteFile]:
        return engine_files(self.options.packages) if self.options.has_console else []

    def _console(self) -> list[SiteFile]:
        if not self.options.has_console:
            return []
        published = self.data_dir.published
        return [
            *own_scripts(),
            database_file(published, self.options.tables, self.made_from),
            text_file("console.html", lambda: console_page(self.site.entries)),
        ]

    def _framed_from(self) -> str:
        return f"{self.made_from}, {self.options.has_console}"

    def _write_dictionary(self, target: Path) -> Facts:
        content = docs_html(self.data_dir.published)
        target.write_bytes(self._framed(content, "dictionary.html").encode())
        return {}

    def _report(self) -> str:
        content = self.data_dir.report_page.read_text(encoding="utf-8")
        return self._framed(content, "report.html")

    def _framed(self, content: str, path: str) -> str:
        return framed(content, path, has_console=self.options.has_console)

    def _tables(self) -> str:
        return tables_page(self.tables, self.site, has_console=self.options.has_console)

    def _table_page(self, table: str) -> SiteFile:
        return table_page(
            self.connection,
            table,
            self.site,
            self.made_from,
            has_console=self.options.has_console,
        )

    def _overview(self) -> str:
        title, basis = read_heading(self.connection)
        return page(
            "overview.html",
            OVERVIEW,
            has_console=self.options.has_console,
            title=title,
            words=[basis],
            cards=_cards(self.site.entries, len(self.tables), has_console=self.options.has_console),
            sections=[
                Section("short", "In short", [], read_short(self.connection)),
                Section("database", "What it rests on", [], [read_facts(self.connection)]),
            ],
        )


def _paths_of_table(table: str) -> list[str]:
    return [*(data_path(table, kind) for kind in KINDS), page_path(table)]


def _cards(entries: Mapping[str, Entry], tables: int, *, has_console: bool) -> list[dict[str, str]]:
    """Return what the site has, as the first page says it."""
    cards = [
        (
            "report.html",
            "Report",
            "What changed in the last month, the trend with its verdict, comparisons with "
            "intervals, and how far all of it can be trusted.",
        ),
        (
            "tables.html",
            "Tables",
            f"{tables} tables of results to read, and each whole as Parquet and CSV.",
        ),
        (
            "dictionary.html",
            "Dictionary",
            "What every table and column means, what it is made from, and the state of each month.",
        ),
    ]
    if has_console:
        size = _loaded(entries) / 1e6
        answered = len(entries[DATABASE].facts["queries"])
        cards.append(
            (
                "console.html",
                "Console",
                f"Query the data with SQL in this browser, or choose one of {answered} questions: "
                f"{size:,.1f} MB are loaded once.",
            )
        )
    return [{"address": path, "title": title, "words": words} for path, title, words in cards]


def _loaded(entries: Mapping[str, Entry]) -> int:
    return sum(entries[path].size for path in (ENGINE, WORKER, DATABASE))


def _told(site: SiteDirectory, *, has_console: bool) -> Site:
    entries = site.entries
    return Site(
        path=site.path,
        files=len(entries),
        written=site.written,
        size=sum(entry.size for entry in entries.values()),
        loaded=_loaded(entries) if has_console else 0,
        unpacked=entries[DATABASE].facts["unpacked"] if has_console else 0,
    )
