"""Static checks of trees: whatever happens between two loads, the tables are a fresh load's."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.code_version import imported_by
from perf_assets.base.months import months_between
from perf_assets.base.processes.progress import current
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.lint.finding_id import identity
from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.trees import File
from perf_assets.stages.mining import checked_files, static_findings
from perf_assets.stages.mining.static_findings import (
    TABLES,
    load_findings,
    mine_findings,
)
from perf_assets.stages.transform.derivation import derive
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import open_warehouse
from tests.effort import examples
from tests.git_repositories import FILE, LINK, OTHER_COMMIT, SUBMODULE, Made, git, make
from tests.paths import ROOT
from tests.support import assert_same_tables, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

REPOSITORY = "owner/name"
PACKAGES = {"lint.files", "lint", "lint.tensorflow_api"}
MONTHS = months_between("2020-01", "2020-12")
SLOW = b"import tensorflow as tf\n\nds = tf.data.TFRecordDataset(paths)\nds = ds.map(parse)\n"
QUICK = SLOW.replace(b"(parse)", b"(parse, num_parallel_calls=tf.data.AUTOTUNE)")
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"
COMPARED = (*TABLES, "meta.partition_loads")
CODE = "ds = ds.map(parse)"


def on(day: str) -> str:
    return f"{int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())} +0000"


def files(**contents: bytes) -> dict[bytes, tuple[str, bytes]]:
    """Python files by name."""
    return {f"{name}.py".encode(): (FILE, content) for name, content in contents.items()}


def history(*states: tuple[str, dict[bytes, tuple[str, bytes]]]) -> list[Made]:
    """A commit for each day, with all its files."""
    return [
        Made(held, [index - 1] if index else [], when=on(day))
        for index, (day, held) in enumerate(states)
    ]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "source.git"


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "home"


@contextmanager
def opened(data_dir: Path) -> Iterator[AuditedWriter]:
    index = DataDirectory.of(data_dir)
    with open_warehouse(index.warehouse) as database:
        yield AuditedWriter(database, index)


def load(
    source: Path,
    data_dir: Path,
    months: Sequence[str] = MONTHS,
    studied: Sequence[str] = MONTHS,
) -> list[WriteOutcome]:
    """Bring the clone in ``data_dir`` and its tables up to date; the outcomes."""
    with opened(data_dir) as writer:
        clone = update_clone(str(source), writer.data_dir.clone(REPOSITORY))
        outcomes = list(load_findings(writer, clone.path, REPOSITORY, studied, months))
    assert [outcome.failure for outcome in outcomes if outcome.failure] == []
    return outcomes


def rows(data_dir: Path, query: str) -> list[tuple[Any, ...]]:
    with opened(data_dir) as writer:
        return writer.database.frame(query).rows()


def assert_as_fresh(
    source: Path, folder: Path, data_dir: Path, studied: Sequence[str] = MONTHS
) -> None:
    """The tables of ``data_dir`` are those of a fresh load, but for months beside those."""
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        load(source, Path(fresh), studied, studied)
        one, other = (
            stored_tables(DataDirectory.of(each).warehouse) for each in (data_dir, Path(fresh))
        )
        assert_same_tables(*({name: held[name] for name in COMPARED} for held in (one, other)))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that are read."""
    paths: list[str] = []
    reading = checked_files.read_files

    def noting(clone: Path, wanted: Sequence[File]) -> Any:
        paths.extend(file.path for file in wanted)
        return reading(clone, wanted)

    monkeypatch.setattr(checked_files, "read_files", noting)
    return paths


def test_findings_of_each_quarter_are_stored_with_what_they_are_known_by(
    source: Path, data_dir: Path
) -> None:
    first, second = make(
        source,
        history(
            ("2020-02-01", files(a=SLOW, b=b"x = 1\n")),
            ("2020-05-01", files(a=b"# moved\n" + SLOW, b=SLOW)),
        ),
    )
    outcomes = load(source, data_dir, MONTHS[:6], MONTHS[:6])
    assert [outcome.month for outcome in outcomes] == MONTHS[:6]
    query = (
        "select month, quarter, sha, path, line, start_column, rule, code from raw.static_findings"
    )
    found = ("sequential-map", CODE)
    assert rows(data_dir, f"{query} order by all") == [
        ("2020-03", "2020-Q1", first, "a.py", 4, 6, *found),
        ("2020-06", "2020-Q2", second, "a.py", 5, 6, *found),
        ("2020-06", "2020-Q2", second, "b.py", 4, 6, *found),
    ]
    known = rows(data_dir, "select distinct finding_id, previous_id from raw.static_findings")
    names = [identity(path, "sequential-map", CODE, 0) for path in ("a.py", "b.py")]
    assert sorted(known) == sorted((name, name) for name in names)
    query = "select quarter, sha, previous_sha, files, unparsed_files from raw.scanned_trees"
    assert rows(data_dir, f"{query} order by quarter") == [
        ("2020-Q1", first, None, 2, 0),
        ("2020-Q2", second, first, 2, 0),
    ]


def test_only_what_changed_since_the_quarter_before_is_read(
    source: Path, data_dir: Path, tmp_path: Path, read: list[str]
) -> None:
    states = (
        ("2020-02-01", files(a=SLOW, b=QUICK, c=b"x = 1\n")),
        ("2020-05-01", files(a=SLOW, b=SLOW, c=b"x = 1\n")),
        ("2020-08-01", files(a=SLOW, b=SLOW, d=b"x = 1\n")),
        ("2020-11-01", files(a=QUICK, b=SLOW, d=b"x = 1\n")),
    )
    shas = make(source, history(*states))
    git(source, "update-ref", "refs/heads/main", shas[1])
    load(source, data_dir, MONTHS[:6], MONTHS[:6])
    assert read == ["a.py", "b.py", "c.py", "b.py"]
    read.clear()
    git(source, "update-ref", "refs/heads/main", shas[3])
    assert {outcome.month for outcome in load(source, data_dir)} == set(MONTHS[6:])
    assert read == ["d.py", "a.py"]
    assert_as_fresh(source, tmp_path, data_dir)
    read.clear()
    assert load(source, data_dir) == []
    assert read == []


def test_a_quarter_that_goes_on_is_scanned_again_and_what_stood_for_it_leaves(
    source: Path, data_dir: Path, tmp_path: Path, read: list[str]
) -> None:
    days = ("2020-02-01", "2020-05-01", "2020-06-01")
    states = [files(a=SLOW, b=QUICK), files(a=SLOW, b=SLOW), files(a=QUICK, b=SLOW)]
    make(source, history(*zip(days, states, strict=True)))
    for last in (5, 6):
        read.clear()
        load(source, data_dir, MONTHS[last - 1 : last], MONTHS[:last])
        query = "select month from raw.scanned_trees where quarter = '2020-Q2'"
        assert rows(data_dir, query) == [(MONTHS[last - 1],)]
    assert read == ["a.py"]
    assert rows(data_dir, "select month, path from raw.static_findings") == [("2020-06", "b.py")]
    load(source, data_dir, MONTHS[:6], MONTHS[:6])
    assert_as_fresh(source, tmp_path, data_dir, MONTHS[:6])


def test_a_renamed_file_keeps_its_findings(source: Path, data_dir: Path) -> None:
    text = b"".join(b"value_%d = %d\n" % (n, n) for n in range(30)) + SLOW
    make(
        source,
        history(
            ("2020-02-01", files(a=text)),
            ("2020-05-01", {b"lib/a.py": (FILE, text)}),
            ("2020-08-01", {b"lib/a.py": (FILE, text)}),
            ("2020-11-01", {b"lib/b.py": (FILE, text.replace(b"ds.map(parse)", b"ds.map(other)"))}),
        ),
    )
    load(source, data_dir)
    with opened(data_dir) as writer:
        list(derive(writer, ["analysis.static_findings"]))
    query = """
        select findings, "new", gone, rewritten from analysis.static_findings
        where rule = 'sequential-map' order by quarter
    """
    assert rows(data_dir, query) == [
        (1, None, None, None),
        (1, 0, 0, 0),
        (1, 0, 0, 0),
        (1, 0, 0, 1),
    ]


def test_what_cannot_be_read_is_counted_and_named(source: Path, data_dir: Path) -> None:
    odd: dict[bytes, tuple[str, bytes]] = {
        b"bad.py": (FILE, b"import keras\ndef (\n"),
        b"latin.py": (FILE, b"import tensorflow\nx = '\xe9'\n"),
        b"no_framework.py": (FILE, b"def (\n"),
        b"kept_elsewhere.py": (FILE, LFS),
        b"link.py": (LINK, b"a.py"),
        b"module": (SUBMODULE, OTHER_COMMIT),
        b"large.py": (FILE, b"#" * 10_000_000),
        b"\xff.py": (FILE, SLOW),
    }
    make(source, history(("2020-02-01", odd)))
    load(source, data_dir, MONTHS[:3], MONTHS[:3])
    assert rows(data_dir, "select path, reason from raw.unparsed_files order by path") == [
        ("bad.py", "syntax"),
        ("kept_elsewhere.py", "lfs_pointer"),
        ("large.py", "large"),
        ("latin.py", "encoding"),
        ("link.py", "symlink"),
        ("module", "submodule"),
    ]
    assert rows(data_dir, "select files, unparsed_files from raw.scanned_trees") == [(2, 6)]
    assert rows(data_dir, "select path from raw.static_findings") == [("\\xff.py",)]


def test_a_tree_without_python_and_months_before_the_first_commit_cost_nothing(
    source: Path, data_dir: Path, read: list[str]
) -> None:
    make(source, history(("2020-05-01", {b"README.md": (FILE, b"Hello\n")})))
    load(source, data_dir, MONTHS[:9], MONTHS[:9])
    assert read == []
    assert rows(data_dir, "select quarter, files from raw.scanned_trees order by quarter") == [
        ("2020-Q2", 0),
        ("2020-Q3", 0),
    ]
    with opened(data_dir) as writer:
        list(derive(writer, ["analysis.static_findings"]))
    query = "select distinct quarter, findings from analysis.static_findings order by quarter"
    assert rows(data_dir, query) == []


def test_other_rules_scan_everything_again(
    source: Path, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[str]
) -> None:
    make(source, history(("2020-02-01", files(a=SLOW)), ("2020-05-01", files(a=SLOW, b=SLOW))))
    load(source, data_dir)
    assert read == ["a.py", "b.py"]
    monkeypatch.setattr(static_findings, "rule_version", lambda: "others")
    load(source, data_dir)
    assert read == ["a.py", "b.py", "a.py", "b.py"]
    assert rows(data_dir, "select distinct rule_version from raw.scanned_trees") == [("others",)]
    assert_as_fresh(source, tmp_path, data_dir)


def test_all_code_that_decides_on_a_file_makes_the_version_of_the_rules() -> None:
    program = (
        "import sys, perf_assets.lint.linter, perf_assets.lint.files.worker; "
        "print(*(name for name in sys.modules if name.startswith('perf_assets.')))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, cwd=ROOT)
    loaded = {name.removeprefix("perf_assets.") for name in ran.stdout.decode().split()}
    names, _ = imported_by(static_findings.__name__, static_findings.WORKER)
    assert {name for name in loaded if name.startswith("lint.")} - {*names} <= PACKAGES


def test_a_rewritten_history_is_scanned_again_even_where_the_old_one_is_gone(
    source: Path, data_dir: Path, tmp_path: Path
) -> None:
    make(source, history(("2020-02-01", files(a=SLOW)), ("2020-05-01", files(a=SLOW, b=SLOW))))
    load(source, data_dir)
    make(source, history(("2020-02-02", files(c=SLOW)), ("2020-05-02", files(c=QUICK, b=SLOW))))
    with opened(data_dir) as writer:
        clone = update_clone(str(source), writer.data_dir.clone(REPOSITORY))
        git(clone.path, "reflog", "expire", "--expire=now", "--all")
        git(clone.path, "gc", "--quiet", "--prune=now")
    load(source, data_dir)
    assert_as_fresh(source, tmp_path, data_dir)
    query = "select distinct quarter, path from raw.static_findings order by all"
    assert rows(data_dir, query)[0] == ("2020-Q1", "c.py")


def test_a_month_that_is_studied_no_more_leaves_and_one_that_joins_is_compared(
    source: Path, data_dir: Path, tmp_path: Path
) -> None:
    make(source, history(("2020-02-01", files(a=SLOW)), ("2020-05-01", files(a=SLOW, b=SLOW))))
    load(source, data_dir, MONTHS[3:], MONTHS[3:])
    assert rows(data_dir, "select count(previous_sha) from raw.scanned_trees") == [(2,)]
    load(source, data_dir)
    assert rows(data_dir, "select count(previous_sha) from raw.scanned_trees") == [(3,)]
    assert_as_fresh(source, tmp_path, data_dir)


def test_a_run_that_was_killed_goes_on_where_it_was(
    source: Path, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[str]
) -> None:
    monkeypatch.setattr(static_findings, "FILES_AT_ONCE", 1)
    days = ("2020-02-01", "2020-05-01", "2020-08-01", "2020-11-01")
    held = [files(**{f"f{number}": SLOW for number in range(index + 1)}) for index in range(4)]
    make(source, history(*zip(days, held, strict=True)))
    with opened(data_dir) as writer:
        clone = update_clone(str(source), writer.data_dir.clone(REPOSITORY))
        loading = load_findings(writer, clone.path, REPOSITORY, MONTHS, MONTHS)
        for outcome in loading:
            if outcome.month == "2020-06":
                break
        loading.close()  # type: ignore[attr-defined]
    stored = rows(data_dir, "select month from raw.scanned_trees order by month")
    assert stored == [("2020-03",), ("2020-06",)]
    read.clear()
    load(source, data_dir)
    assert read == ["f2.py", "f3.py"]
    assert_as_fresh(source, tmp_path, data_dir)


def test_progress_is_reported_by_files(
    source: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_findings, "FILES_AT_ONCE", 1)
    make(source, history(("2020-02-01", files(a=SLOW)), ("2020-05-01", files(a=SLOW, b=SLOW))))
    reported = []
    with opened(data_dir) as writer:
        clone = update_clone(str(source), writer.data_dir.clone(REPOSITORY))
        for outcome in load_findings(writer, clone.path, REPOSITORY, MONTHS[:6], MONTHS[:6]):
            at = current()
            assert at is not None
            reported.append((outcome.month, at.title, at.done, at.total, at.unit))
    title = f"scanning trees of {REPOSITORY}"
    assert reported[2] == ("2020-03", title, 1, 2, "files")
    assert reported[5] == ("2020-06", title, 2, 2, "files")
    assert current() is None


def test_a_study_may_leave_the_checks_of_a_repository_out(source: Path, data_dir: Path) -> None:
    make(source, history(("2020-02-01", files(a=SLOW))))
    repository = Repository(
        name=REPOSITORY, start="2020-01", end="2020-03", git=str(source), checks=False
    )
    with opened(data_dir) as writer:
        assert list(mine_findings(writer, repository, MONTHS[:3])) == []
        assert not writer.data_dir.clone(REPOSITORY).exists()
        wanted = repository.model_copy(update={"checks": True})
        assert len(list(mine_findings(writer, wanted, MONTHS[:3]))) == 3
    assert rows(data_dir, "select path from raw.static_findings") == [("a.py",)]


contents = st.sampled_from([SLOW, QUICK, b"x = 1\n", b"def (\n", SLOW + b"ds = ds.map(parse)\n"])
states = st.lists(
    st.dictionaries(st.sampled_from("abc"), contents, max_size=3), min_size=1, max_size=5
)


@pytest.mark.exhaustive
@settings(max_examples=examples(5), deadline=None)
@given(states=states, cuts=st.lists(st.integers(1, 12), min_size=1, max_size=3))
def test_any_number_of_loads_leaves_the_tables_of_one(
    states: list[dict[str, bytes]], cuts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, data_dir = folder / "source.git", folder / "home"
        days = [f"2020-{1 + 2 * index:02d}-15" for index in range(len(states))]
        held = [files(**state) for state in states]
        make(source, history(*zip(days, held, strict=True)))
        for last in sorted(cuts):
            load(source, data_dir, MONTHS[max(0, last - 2) : last], MONTHS[:last])
        load(source, data_dir)
        assert_as_fresh(source, folder, data_dir)
