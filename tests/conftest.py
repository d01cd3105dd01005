"""Shared fixtures: surroundings, how much is tried, and data directories after a run."""

import os
import re
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import settings

from perf_assets.base.processes.gc_control import collect_seldom, gc_paused
from perf_assets.engines.connection import disable_pyspark_worker_mode
from tests.effort import EXAMPLES, IS_QUICK, IS_THOROUGH

if TYPE_CHECKING:
    from perf_assets.config.data_directory import DataDirectory
    from tests.support import Prepared

TEST_VARIABLES = (
    "PERF_ASSETS_TESTS",
    "PERF_ASSETS_KILLS",
    "PERF_ASSETS_SEEDS",
    "PERF_ASSETS_HISTORIES",
    "PERF_ASSETS_LINT_PYTHONS",
    "PERF_ASSETS_SPARK_PYTHON",
    "PERF_ASSETS_VALIDATORS",
    "PERF_ASSETS_DBT",
    "PERF_ASSETS_RECORDINGS",
)
ALL_SLOW = re.compile(r"^pytestmark = .*\bpytest\.mark\.(slow|exhaustive)\b", re.MULTILINE)
LONGEST = ("test_disturbances.py", "test_kills.py")
# Whatever the shell says, before anything of the project reads it.
OURS = ("PERF_ASSETS_", "GITHUB_", "GITLAB_", "BUGZILLA_")
for name in [name for name in os.environ if name.startswith(OURS)]:
    if name not in TEST_VARIABLES:
        del os.environ[name]
os.environ.pop("DAGSTER_HOME", None)
# Nor do programs inherit what whoever started the tests ignores: a shell, for what it starts in the
# background.
for number, usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGTERM, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)
os.environ["COLUMNS"] = "200"
# Data directories of one run of tests hash addresses alike, so that their tables can be compared.
os.environ["PERF_ASSETS_ADDRESS_KEY"] = "5a" * 32
disable_pyspark_worker_mode()  # modules of tests import Spark's client themselves

# Databases wait for the disk at every commit: most of a run over a small corpus, and nothing that a
# killed process could lose.
MEMORY = Path("/dev/shm")
if (
    MEMORY.is_dir()
    and os.access(MEMORY, os.W_OK)
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    and shutil.disk_usage(MEMORY).free > 4 << 30
):
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

settings.register_profile("perf-assets", max_examples=EXAMPLES, deadline=None)
settings.load_profile("perf-assets")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests, and what they import, stay: to search them again and again for garbage
    is a tenth of the time of quick tests.
    """
    with gc_paused():
        collected = yield
    collect_seldom()
    return collected


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Modules whose tests are all slow are not imported where these are left out."""
    if not IS_QUICK or not collection_path.name.startswith("test_"):
        return None
    return bool(ALL_SLOW.search(collection_path.read_text(encoding="utf-8"))) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes a test comes first: a worker that ends with it leaves the other idle."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Makes a directory of that name once for all workers of a test run."""

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        temporary = tmp_path_factory.getbasetemp()
        # Each worker has a directory of its own below the one of the test run.
        shared = temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary
        done, directory = shared / f"{name}.done", shared / name
        with FileLock(shared / f"{name}.lock"):
            if not done.exists():
                fill(directory)
                done.touch()
        return directory

    return make


def corpus_and_data_dir(**sizes: int) -> Callable[[Path], None]:
    """Makes a corpus and the data directory of one run over it, whose audits are trusted.

    That what a run stores keeps every rule is shown by ``sampled``, which is audited.
    """
    from tests.support import prepare  # noqa: PLC0415 - it takes a second; most do without

    def fill(directory: Path) -> None:
        with trusted_audits():
            prepare(directory, **sizes)

    return fill


@contextmanager
def trusted_audits() -> Iterator[None]:
    """Lets every row keep every rule, but in `make test-all`."""
    if IS_THOROUGH:
        yield
        return
    from perf_assets.storage.audit import batch_validation  # noqa: PLC0415
    from perf_assets.storage.audit.great_expectations import Finding  # noqa: PLC0415

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            batch_validation,
            "validate",
            lambda _, rules, __: {one.name: Finding(True) for one in rules},
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def _empty_warehouses_are_copies(once: Callable[..., Path]) -> Iterator[None]:
    """Copies the warehouse of a new data directory: a hundred tables and views, their comments, and
    all that follows from no rows are two of the five seconds of a run over a small corpus.

    What begins in another process is made, as is ``sampled``, and in `make test-all` everything is.
    """
    if IS_THOROUGH:
        yield
        return

    from perf_assets.storage import making  # noqa: PLC0415

    def copied(path: Path) -> None:
        shutil.copyfile(once("empty", derived_of_nothing) / "warehouse.duckdb", path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "create_database", copied)
        yield


@contextmanager
def made_warehouses() -> Iterator[None]:
    """Makes the warehouses of new data directories, as everybody's are."""
    from perf_assets.storage import database_copy, making  # noqa: PLC0415

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "create_database", database_copy.create_database)
        yield


@pytest.fixture
def warehouses_are_made() -> Iterator[None]:
    """Makes the warehouse of a test that shows that the copy makes no difference."""
    with made_warehouses():
        yield


def derived_of_nothing(directory: Path) -> None:
    """Makes a data directory without rows, in which all is up to date."""
    from perf_assets.config.data_directory import DataDirectory  # noqa: PLC0415
    from perf_assets.stages.transform.derivation import derive  # noqa: PLC0415
    from perf_assets.stages.transform.models import describe_tables  # noqa: PLC0415
    from perf_assets.storage.audited_writer import AuditedWriter  # noqa: PLC0415
    from perf_assets.storage.warehouse import open_warehouse  # noqa: PLC0415

    data_dir = DataDirectory.of(directory)
    with made_warehouses(), trusted_audits(), open_warehouse(data_dir.warehouse) as database:
        writer = AuditedWriter(database, data_dir)
        assert [one for one in derive(writer) if one.outcome and one.outcome.failure] == []
        describe_tables(writer)


@pytest.fixture(scope="session")
def laid(once: Callable[..., Path]) -> Path:
    """A data directory without rows, whose tables and views are there; not to be changed."""
    from perf_assets.config.data_directory import DataDirectory  # noqa: PLC0415
    from perf_assets.stages.transform.models import lay_views  # noqa: PLC0415
    from perf_assets.storage.audited_writer import AuditedWriter  # noqa: PLC0415
    from perf_assets.storage.warehouse import open_warehouse  # noqa: PLC0415

    def fill(directory: Path) -> None:
        data_dir = DataDirectory.of(directory)
        with open_warehouse(data_dir.warehouse) as database:
            lay_views(AuditedWriter(database, data_dir))

    return once("laid", fill)


@pytest.fixture(scope="session")
def small(once: Callable[..., Path]) -> "Prepared":
    """Three months and 24 issues, and the data directory after a run; not to be changed."""
    from tests.support import SMALL, Prepared  # noqa: PLC0415

    return Prepared(once("small", corpus_and_data_dir(**SMALL)))


@pytest.fixture(scope="session")
def middling(once: Callable[..., Path]) -> "Prepared":
    """Four months and 60 issues, and the data directory after a run; not to be changed."""
    from tests.support import Prepared  # noqa: PLC0415

    return Prepared(once("middling", corpus_and_data_dir(seed=5, issues=60, months=4, commits=80)))


@pytest.fixture(scope="session")
def sampled(once: Callable[..., Path]) -> "Prepared":
    """The data directory that `make run` leaves; not to be changed."""
    from perf_assets.config.data_directory import DataDirectory  # noqa: PLC0415
    from perf_assets.stages.study_loader import open_study  # noqa: PLC0415
    from tests.plain_pipeline import run_pipeline  # noqa: PLC0415
    from tests.support import Sampled  # noqa: PLC0415

    def fill(directory: Path) -> None:
        data_dir = DataDirectory.of(directory / "home")
        with made_warehouses():
            assert run_pipeline(open_study("sample", data_dir), data_dir) == []

    return Sampled(once("sampled", fill))


@pytest.fixture
def trusting_auditor(request: pytest.FixtureRequest) -> Iterator[None]:
    """Lets every row keep every rule: where audits are not the point, they are half of a run.

    Great Expectations is not asked, nor imported; rows are counted, and rules that lack what they
    are told fail, as ever. A test that is marked as audited has the real auditor, and in
    `make test-all` all have.
    """
    if request.node.get_closest_marker("audited"):
        yield
        return
    with trusted_audits():
        yield


@pytest.fixture
def undrawn_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves a line for the report of a run: where it is not the point, to draw it takes a second.

    In `make test-all` it is drawn.
    """
    if IS_THOROUGH:
        return

    from perf_assets.dagster_app import publishing  # noqa: PLC0415 - Dagster takes a second

    def written(data_dir: "DataDirectory") -> bool:
        data_dir.report_page.parent.mkdir(exist_ok=True)
        for path in (data_dir.report, data_dir.report_page):
            path.write_text("not drawn\n", encoding="utf-8")
        return True

    monkeypatch.setattr(publishing, "keep_report", written)


@pytest.fixture
def empty_data_dir(laid: Path, tmp_path: Path) -> "DataDirectory":
    """A data directory without rows, to be filled: creating views takes most of a second."""
    from perf_assets.config.data_directory import DataDirectory  # noqa: PLC0415

    return DataDirectory.of(shutil.copytree(laid, tmp_path / "home"))


@pytest.fixture
def copy(small: "Prepared", tmp_path: Path) -> Path:
    """A corpus that a test may spoil."""
    return shutil.copytree(small.corpus, tmp_path / "corpus")


@pytest.fixture
def data_dir(small: "Prepared", tmp_path: Path) -> Path:
    """A data directory after a run over the small corpus that a test may spoil."""
    return shutil.copytree(small.data_dir, tmp_path / "home")
