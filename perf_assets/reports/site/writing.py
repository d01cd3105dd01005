"""A site as a directory: the files that are made, in their order, the first page last."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import duckdb

from perf_assets.base.code_version import files_version
from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.paths import models_dir
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.directory import (
    Facts,
    Kind,
    OwnDirectory,
    OwnFile,
    copied_file,
    text_file,
)
from perf_assets.reports.document import Section
from perf_assets.reports.monthly.contents import read_heading, read_moment, read_short
from perf_assets.reports.pages.page import docs_html, read_facts
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
from perf_assets.reports.site.database import answered_from
from perf_assets.reports.site.feed import FEED, feed
from perf_assets.reports.site.for_programs import LLMS, QUESTIONS, llms_text, questions_text
from perf_assets.reports.site.pages import framed, page, page_script, style_sheet
from perf_assets.reports.site.tables import data_files, result_tables, table_page, tables_page
from perf_assets.schema.models.cookbook import Query, cookbook

SITE = Kind("site", "site.json", "perf-assets site")
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
    site = OwnDirectory(path, SITE)
    with published_database(published) as connection:
        changed = published.stat().st_mtime_ns
        code = files_version("reports", "schema/models", models_dir())
        made_from = f"{read_moment(published)}, {changed}, {code}"
        tables = result_tables(connection)
        files = list(_Files(data_dir, connection, site, options, made_from, tables).all())
        site.plan(file.path for file in files)
        with phase(f"writing the site to {path}", len(files), "files") as report:
            for number, file in enumerate(files, 1):
                site.keep(file)
                report(number)
        if published.stat().st_mtime_ns != changed:
            raise TransientError(
                f"{published} was published anew while the site was written: write it again"
            )
        site.finish()
    entries = site.entries
    return Site(
        path=site.path,
        files=len(entries),
        written=site.written,
        size=sum(entry.size for entry in entries.values()),
        loaded=_loaded(site) if options.has_console else 0,
        unpacked=entries[DATABASE].facts["unpacked"] if options.has_console else 0,
    )


@dataclass(frozen=True)
class _Files:
    """All files of a site, none of which is made before it is kept."""

    data_dir: DataDirectory
    connection: duckdb.DuckDBPyConnection
    site: OwnDirectory
    options: SiteOptions
    made_from: str
    tables: list[str]

    def all(self) -> Iterator[OwnFile]:
        """Yield the files in the order in which they are made, first what may not be had."""
        has_console, made_from = self.options.has_console, self.made_from
        site, tables = self.site, self.tables
        if has_console:
            yield from engine_files(self.options.packages)
        for table in tables:
            yield from data_files(self.connection, table, made_from)
        for table in tables:
            yield table_page(self.connection, table, site, made_from, has_console=has_console)
        if has_console:
            yield from own_scripts()
            yield database_file(self.data_dir.published, self.options.tables, made_from)
            yield text_file("console.html", lambda: console_page(site.entries))
        yield text_file(NO_JEKYLL, str)
        yield text_file("assets/site.css", style_sheet)
        yield text_file("assets/page.js", page_script)
        yield OwnFile("dictionary.html", self._write_dictionary, f"{made_from}, {has_console}")
        yield text_file("report.html", self._report)
        yield text_file("tables.html", lambda: tables_page(tables, site, has_console=has_console))
        for path in sorted(self.data_dir.pictures.glob("*")):
            yield copied_file(f"pictures/{path.name}", path)
        yield text_file(FEED, self._feed)
        yield text_file(QUESTIONS, self._questions)
        yield text_file(LLMS, self._llms)
        yield text_file("index.html", self._overview)

    def _write_dictionary(self, target: Path) -> Facts:
        content = docs_html(self.data_dir.published)
        framed_page = framed(content, "dictionary.html", has_console=self.options.has_console)
        target.write_bytes(framed_page.encode())
        return {}

    def _report(self) -> str:
        content = self.data_dir.report_page.read_text(encoding="utf-8")
        return framed(content, "report.html", has_console=self.options.has_console)

    def _feed(self) -> str:
        title, _ = read_heading(self.connection)
        return feed(self.connection, title)

    @cached_property
    def _queries(self) -> list[Query]:
        """The queries that the data of the site answer."""
        if self.options.has_console:
            names = self.site.entries[DATABASE].facts["queries"]
            return [cookbook()[name] for name in names]
        return answered_from(self.connection, self.tables, [*cookbook().values()])

    def _questions(self) -> str:
        return questions_text(read_moment(self.data_dir.published), self._queries)

    def _llms(self) -> str:
        database = DATABASE if self.options.has_console else None
        number = len(self._queries)
        return llms_text(self.connection, self._cards(), self.tables, number, database)

    def _overview(self) -> str:
        title, basis = read_heading(self.connection)
        return page(
            "overview.html",
            "index.html",
            has_console=self.options.has_console,
            title=title,
            words=[basis],
            cards=[
                {"address": path, "title": title, "words": words}
                for path, title, words in self._cards()
            ],
            sections=[
                Section("short", "In short", [], read_short(self.connection)),
                Section("database", "What it rests on", [], [read_facts(self.connection)]),
            ],
        )

    def _cards(self) -> Iterator[tuple[str, str, str]]:
        """Yield what the site has, as the first page says it."""
        yield (
            "report.html",
            "Report",
            "What changed in the last month, the trend with its verdict, comparisons with "
            "intervals, and how far all of it can be trusted.",
        )
        yield (
            "tables.html",
            "Tables",
            f"{len(self.tables)} tables of results to read, and each whole as Parquet and CSV.",
        )
        yield (
            "dictionary.html",
            "Dictionary",
            "What every table and column means, what it is made from, and the state of each month.",
        )
        yield (
            FEED,
            "Feed",
            "New performance bugs and changes of a series, for a reader of Atom feeds.",
        )
        if self.options.has_console:
            answered = len(self.site.entries[DATABASE].facts["queries"])
            yield (
                "console.html",
                "Console",
                f"Query the data with SQL in this browser, or choose one of {answered} questions: "
                f"{_loaded(self.site) / 1e6:,.1f} MB are loaded once.",
            )


def _loaded(site: OwnDirectory) -> int:
    return sum(site.entries[path].size for path in (ENGINE, WORKER, DATABASE))
