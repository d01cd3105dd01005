"""The order of the packages, and what may be imported where: read from the source, nothing runs."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from perf_assets.base.paths import checks_dir, expectations_dir, models_dir, queries_dir
from tests.benchmarks.main_job import PHASES
from tests.paths import ROOT

PACKAGE = ROOT / "perf_assets"
# From high to low. Each imports what stands below it; those on one line may import each other.
ORDER = (
    ("__main__",),
    ("cli",),
    ("web",),
    ("definitions",),
    ("dagster_app",),
    ("archive",),
    ("reports",),
    ("stages",),
    ("lake",),
    ("engines",),
    ("sources",),
    ("storage",),
    ("config",),
    ("core",),
    ("schema",),
    ("stand_ins",),
    ("lint",),
    ("base",),
)
KNOW_DAGSTER = ("dagster_app", "definitions", "web")
# What reads files, asks the network, or belongs to a library that does.
OUTSIDE_WORLD = {
    *("duckdb", "dagster", "github", "requests", "urllib", "http", "socket", "subprocess"),
    *("os", "io", "shutil", "tempfile", "pathlib", "glob", "importlib", "perf_assets.base.paths"),
}
PURE = {"pathlib.PurePosixPath", "pathlib.PurePath"}  # names of files, not files
# pyarrow is as large as Polars, and comes with the extras for a lake alone. These methods need it.
HAVE_PYARROW = ("perf_assets.lake.", "perf_assets.engines.", "perf_assets.stages.lake_inputs")
BY_PYARROW = {
    *("pl", "df", "arrow", "to_arrow", "to_arrow_table", "to_arrow_reader", "to_pandas"),
    *("fetch_arrow_table", "fetch_arrow_reader", "fetch_df", "fetchdf"),
}
MOST_LINES = 400
# What writes files, beside base/files.py: nothing reads these before they are set in place.
IN_A_FOLDER = "in a folder that is moved to its place as a whole"
FOR_NEW_FILE = "to a temporary path that perf_assets/base/files.py sets in place"
FOR_ONE_COMMAND = "in a folder that is removed at the end of the command"
WRITERS = {
    "archive.changing": FOR_ONE_COMMAND,
    "archive.defined": FOR_ONE_COMMAND,
    "archive.preparing": FOR_ONE_COMMAND,
    "archive.writing": FOR_ONE_COMMAND,
    "base.zips": IN_A_FOLDER,
    "reports.site.console": FOR_NEW_FILE,
    "reports.directory": FOR_NEW_FILE,
    "reports.site.tables": FOR_NEW_FILE,
    "reports.site.writing": FOR_NEW_FILE,
    "stand_ins.generator": IN_A_FOLDER,
    "stand_ins.generator.corpus": IN_A_FOLDER,
    "stand_ins.generator.forum.dump": IN_A_FOLDER,
    "stand_ins.generator.forum.truth": IN_A_FOLDER,
    "stand_ins.generator.benchmarks": IN_A_FOLDER,
    "stand_ins.generator.truth": IN_A_FOLDER,
    "sources.git.line_changes": FOR_ONE_COMMAND,
    "sources.git.pydriller_mining": FOR_ONE_COMMAND,
    "sources.replication.download": IN_A_FOLDER,
    "schema.models.transpiling": "replaces expressions of SQL",
    "storage.backups": FOR_NEW_FILE,
    "storage.database_copy": FOR_NEW_FILE,
    "storage.making": FOR_NEW_FILE,
    "storage.publishing": FOR_NEW_FILE,
    "storage.restoring": "moves what is replaced aside",
    "storage.verdicts": "adds lines to a log, each with its checksum",
}
MODE = re.compile(r"[wax][bt+]{0,2}")
WRITING = {"write_text", "write_bytes"}
WRITING_OF = {"os": {"replace", "rename", "link"}, "shutil": {"copyfile", "copy", "copy2", "move"}}

# What still breaks a rule. These lists only become shorter: a test fails when an entry is mended.
STILL_TO_MOVE: set[tuple[str, str]] = set()
STILL_KNOW_DAGSTER: set[str] = set()
STILL_TOO_LONG: set[str] = set()


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(SOURCES[name].read_text(encoding="utf-8"))


@cache
def imports_of(name: str) -> frozenset[str]:
    return frozenset(imported(tree_of(name)))


def imported(tree: ast.AST) -> Iterator[str]:
    """What a file imports, wherever in it, as module or as module.name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports say the whole path"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def place(name: str) -> int | None:
    """How far down in the order a module of the package stands; None for the package itself."""
    part = name.split(".")[1]
    return next((height for height, parts in enumerate(ORDER) if part in parts), None)


def own_imports(name: str) -> set[str]:
    """The modules of the package that a module imports."""
    found = set()
    for target in imports_of(name):
        if target.startswith("perf_assets."):
            found.add(target if target in SOURCES else target.rpartition(".")[0])
    return found - {"perf_assets"}


def breaks_the_order(name: str, target: str) -> bool:
    if name.split(".")[1] == target.split(".")[1]:
        return False
    above, below = place(name), place(target)
    assert above is not None and below is not None
    return below < above or (below == above and len(ORDER[above]) == 1)


def test_every_module_has_its_place_in_the_order() -> None:
    assert [name for name in SOURCES if name != "perf_assets" and place(name) is None] == []


def test_a_module_imports_only_what_is_below_it() -> None:
    upwards = {
        (name, target)
        for name in SOURCES
        if name != "perf_assets"
        for target in own_imports(name)
        if breaks_the_order(name, target)
    }
    assert upwards == STILL_TO_MOVE


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Also none that is only for the type checker: what two modules need is in a third."""
    left = {name: own_imports(name) - {name} for name in SOURCES}
    while leaves := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in leaves}
    assert left == {}


def test_only_what_works_with_a_lake_needs_pyarrow() -> None:
    needing = {
        name
        for name in SOURCES
        if any(target.split(".")[0] == "pyarrow" for target in imported(tree_of(name)))
        or any(
            isinstance(node, ast.Attribute) and node.attr in BY_PYARROW and not is_polars(node)
            for node in ast.walk(tree_of(name))
        )
    }
    assert {name for name in needing if not name.startswith(HAVE_PYARROW)} == set()


def test_what_runs_without_a_lake_imports_none() -> None:
    """The libraries of a lake are an extra: a base installation lacks them."""
    importing = {
        name
        for name, path in SOURCES.items()
        if not name.startswith("perf_assets.lake")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("perf_assets.lake")
    }
    assert importing == {"perf_assets.stages.working"}


def is_polars(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "pl"


def test_only_the_wiring_knows_dagster() -> None:
    knowing = {
        name
        for name in SOURCES
        if any(target.split(".")[0] == "dagster" for target in imports_of(name))
    }
    below = {name for name in knowing if name.split(".")[1] not in KNOW_DAGSTER}
    assert below == STILL_KNOW_DAGSTER


def is_pure(name: str) -> bool:
    """Whether a module is of the core, or of the part of the linter that reads no files."""
    outside = ("perf_assets.lint.files", "perf_assets.lint.formats", "perf_assets.lint.tensorflow")
    return name.startswith(("perf_assets.core", "perf_assets.lint")) and not name.startswith(
        outside
    )


def test_the_linter_knows_no_database() -> None:
    linter = [name for name in SOURCES if name.startswith("perf_assets.lint")]
    assert [name for name in linter if "duckdb" in imports_of(name)] == []


@pytest.mark.parametrize("name", filter(is_pure, SOURCES))
def test_the_core_reads_no_file_and_sends_no_request(name: str) -> None:
    for target in imports_of(name) - PURE:
        names = {".".join(target.split(".")[:length]) for length in (1, 2)}
        assert not names & OUTSIDE_WORLD, target
    called = {node.func.id for node in ast.walk(tree_of(name)) if _is_plain_call(node)}
    assert "open" not in called


def _is_plain_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def writes(node: ast.AST) -> bool:
    """Whether a call writes a file, or replaces one by another."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id == "open" and _is_for_writing(node)
    if not isinstance(node.func, ast.Attribute):
        return False
    name, of = node.func.attr, node.func.value
    if isinstance(of, ast.Name) and of.id in WRITING_OF:
        return name in WRITING_OF[of.id]
    # In a text two arguments replace; moments take keywords, and columns of rows a mapping.
    is_replacing = name == "replace" and len(node.args) == 1 and not node.keywords
    names = {one.id for one in ast.walk(of) if isinstance(one, ast.Name)}
    is_of_rows = not names.isdisjoint({"pl", "self"})
    return name in WRITING or (is_replacing and not is_of_rows) or _is_for_writing(node)


def _is_for_writing(node: ast.Call) -> bool:
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    given = [*node.args[:2], *(one.value for one in node.keywords if one.arg == "mode")]
    modes = [str(one.value) for one in given if isinstance(one, ast.Constant)]
    return name in ("open", "fdopen") and any(MODE.fullmatch(mode) for mode in modes)


def test_one_module_writes_files() -> None:
    """A kill or a full disk would leave a part of what others write."""
    writing = {
        name.removeprefix("perf_assets.")
        for name in SOURCES
        if any(map(writes, ast.walk(tree_of(name))))
    }
    assert writing - {"base.files"} == WRITERS.keys()


def test_no_file_is_longer_than_can_be_overlooked() -> None:
    lengths = {name: len(path.read_text().splitlines()) for name, path in SOURCES.items()}
    assert {name for name, lines in lengths.items() if lines > MOST_LINES} == STILL_TOO_LONG


def test_what_the_package_reads_beside_itself_is_in_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for directory in (models_dir(), expectations_dir(), queries_dir()):
        assert included[directory.name] == f"perf_assets/_project/{directory.name}"
    pages = checks_dir().relative_to(ROOT).as_posix()
    assert included[pages] == f"perf_assets/_project/{pages}"


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT / "tests")))
def test_no_test_imports_from_a_test(path: Path) -> None:
    """What several tests need is a helper, which no runner takes for a test."""
    parts = [target.split(".") for target in imported(ast.parse(path.read_text(encoding="utf-8")))]
    assert not [way for way in parts if any(part.startswith("test_") for part in way)]


def test_the_benchmark_of_the_main_job_times_functions_that_are_there() -> None:
    for module, name in PHASES.values():
        assert callable(resolve_name(f"perf_assets.{module}:{name}"))


@pytest.mark.parametrize("host", ["github", "gitlab", "bugzilla", "discourse"])
def test_nothing_outside_of_the_folder_of_a_host_imports_from_it(host: str) -> None:
    """So the next source is a folder; see docs/guides/writing_a_source.md."""
    folder = f"sources.{host}"
    importers = {
        name
        for name in SOURCES
        if f".{folder}" not in f".{name}"
        and any(f".{folder}" in f".{imported}" for imported in imports_of(name))
    }
    assert importers == set()
