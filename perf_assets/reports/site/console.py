"""The console of the site: DuckDB-Wasm, the database that it opens, and the page around both.

Of DuckDB-Wasm's builds the site has ``eh``, which every browser since 2022 runs, as the style of
the pages needs one of 2024 anyway; ``mvp`` would be for older ones, and ``coi`` needs headers that
static hosts do not send. What a browser loads whole is packed by gzip, a quarter of its size or
less, and unpacked in the page: most hosts pack neither WebAssembly nor databases.
"""

import gzip
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from perf_assets.base.code_version import files_version
from perf_assets.reports.directory import Entry, Facts, OwnFile, text_file
from perf_assets.reports.site.database import write_console_database
from perf_assets.reports.site.packages import package_files, packages
from perf_assets.reports.site.pages import CONSOLE, page, text_of
from perf_assets.schema.models.cookbook import Query, by_group, cookbook

OWN = "reports/site"
DATABASE = "data/perf_bugs.duckdb.gz"
OPENED = "monthly_share_of_new_bugs"
"""The query that is there when the console is opened."""
ENGINE, WORKER = "assets/duckdb/duckdb-eh.wasm.gz", "assets/duckdb/duckdb-worker.js.gz"
LEVEL = 6  # of gzip: 9 takes half as long again for a hundredth of the size
SOURCE_MAP = re.compile(rb"\n//# sourceMappingURL=\S*\s*$")
OWN_SCRIPTS = {"console.js": "", "database.js": "", "values.js": "", "arrow.js": "duckdb/"}
LICENCES = """The files of this directory, unchanged but for what is said here.

duckdb.js, duckdb-worker.js.gz, duckdb-eh.wasm.gz
    {duckdb} of npm, by the DuckDB authors, MIT licence; https://github.com/duckdb/duckdb-wasm.
    duckdb.js imports arrow.js by its path; the other two are packed by gzip.
apache-arrow.js
    {arrow} of npm, by the Apache Software Foundation, Apache License 2.0:
    LICENSE.txt and NOTICE.txt.
"""


def engine_files(given: Sequence[Path]) -> list[OwnFile]:
    """DuckDB-Wasm and Arrow, from the packages of npm; ``given`` are such packages as files.

    Packages are looked for when a file is to be written, and only then.
    """
    made_from = ", ".join([*(package.integrity for package in packages()), files_version(OWN)])

    @cache
    def content() -> Mapping[str, bytes]:
        return package_files(given)

    def file(path: str, name: str) -> OwnFile:
        def write(target: Path) -> Facts:
            plain = content()[name]
            if name.endswith(("js", "mjs")):  # the site does not have their source maps
                plain = SOURCE_MAP.sub(b"\n", plain)
            if path.endswith("/duckdb.js"):  # a browser finds a module by its path alone
                plain = plain.replace(b'from"apache-arrow"', b'from"./arrow.js"')
            is_packed = path.endswith(".gz")
            target.write_bytes(gzip.compress(plain, LEVEL, mtime=0) if is_packed else plain)
            return {"unpacked": len(plain)}

        return OwnFile(path, write, made_from)

    folder = "assets/duckdb"
    titles = dict(zip(("duckdb", "arrow"), (package.title for package in packages()), strict=True))
    return [
        file(ENGINE, "duckdb-eh.wasm"),
        file(WORKER, "duckdb-browser-eh.worker.js"),
        file(f"{folder}/duckdb.js", "duckdb-browser.mjs"),
        file(f"{folder}/apache-arrow.js", "Arrow.es2015.min.js"),
        file(f"{folder}/LICENSE.txt", "LICENSE.txt"),
        file(f"{folder}/NOTICE.txt", "NOTICE.txt"),
        text_file(f"{folder}/README.txt", lambda: LICENCES.format(**titles)),
    ]


def own_scripts() -> list[OwnFile]:
    """Return the scripts of the console."""
    return [
        text_file(f"assets/{folder}{name}", partial(text_of, name))
        for name, folder in OWN_SCRIPTS.items()
    ]


def database_file(published: Path, tables: Collection[str], made_from: str) -> OwnFile:
    """Return the console's database, packed; its facts name the queries it answers."""

    def write(target: Path) -> Facts:
        plain = target.with_name(target.name.replace(".gz.", "."))
        try:
            answered = write_console_database(published, plain, tables, [*cookbook().values()])
            with (
                plain.open("rb") as source,
                target.open("wb") as packed,
                gzip.GzipFile("", "wb", LEVEL, packed, mtime=0) as file,
            ):
                shutil.copyfileobj(source, file, 1 << 20)
            names = [query.name for query in answered]
            return {"unpacked": plain.stat().st_size, "queries": names}
        finally:
            plain.unlink(missing_ok=True)

    return OwnFile(DATABASE, write, f"{made_from}, {', '.join(sorted(tables))}")


def console_page(entries: Mapping[str, Entry]) -> str:
    """Return the page, once the files that it loads are there."""
    queries = [cookbook()[name] for name in entries[DATABASE].facts["queries"]]
    files = {"engine": ENGINE, "worker": WORKER, "database": DATABASE}
    facts = {
        name: {
            "path": path,
            "bytes": entries[path].size,
            "unpacked": entries[path].facts["unpacked"],
        }
        for name, path in files.items()
    }
    names = [query.name for query in queries]
    return page(
        "console.html",
        CONSOLE,
        has_console=True,
        title="Console",
        words=[
            "Query the published data with SQL, in this browser: the database is loaded once, and "
            "nothing that you ask leaves this page. Moments are UTC, of the type TIMESTAMP."
        ],
        groups=by_group(queries),
        opened=OPENED if OPENED in names else next(iter(names), ""),
        settings={"files": facts, "queries": [_settings(query) for query in queries]},
    )


def _settings(query: Query) -> dict[str, object]:
    return {
        "name": query.name,
        "group": query.group.capitalize(),
        "question": query.question,
        "reading": query.reading,
        "searched": query.searched,
        "sql": query.statement,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "assumed": parameter.assignment.partition("=")[2],
                "meaning": parameter.meaning,
                "form": parameter.form,
                "choices": parameter.choices,
                "check": parameter.check,
            }
            for parameter in query.parameters.values()
        ],
    }
