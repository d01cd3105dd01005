"""What happens to a machine is said in one sentence, with what to do."""

import errno
import os
import resource
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from perf_assets.base.errors import OUT_OF_MEMORY
from perf_assets.base.errors.messages import explain_error
from tests.support import Prepared, command, environment, perf_assets

AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


def of(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (of(errno.ENOSPC, "x"), "the disk is full; make room"),
        (of(errno.EDQUOT, "x"), "the disk is full; make room"),
        (RuntimeError("step failed: OSError: [Errno 28] No space left on device"), "disk is full"),
        (of(errno.EROFS, "/home/x"), "/home/x: read-only file system; what was stored is kept"),
        (of(errno.EACCES, "/home/x"), "/home/x: permission denied; make it writable"),
        (of(errno.EIO, "/home/x"), "/home/x: input/output error; what was stored is kept"),
        (of(errno.EPERM, "/home/x"), "/home/x: operation not permitted; what was stored is kept"),
        (OSError(errno.EIO, os.strerror(errno.EIO)), ": input/output error; what was stored"),
        (duckdb.FatalException("FATAL Error: fsync failed!"), ": fsync failed; what was stored"),
        (RuntimeError("(sqlite3.OperationalError) disk I/O error"), "make room on its disk"),
        (MemoryError(), OUT_OF_MEMORY),
        (duckdb.OutOfMemoryException("failed to allocate data of size 1 MB"), OUT_OF_MEMORY),
        (RuntimeError("ArrowMemoryError: malloc of size 64 failed"), OUT_OF_MEMORY),
        (
            RuntimeError("(sqlite3.DatabaseError) file is not a database"),
            "(file is not a database): perf-assets doctor --repair --data-dir",
        ),
        (
            RuntimeError("(sqlite3.OperationalError) attempt to write a readonly database"),
            "Dagster's record in",
        ),
    ],
)
def test_each_has_its_sentence(error: Exception, message: str, tmp_path: Path) -> None:
    sentence = explain_error(error, tmp_path)
    assert sentence is not None
    assert message in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("y"), RuntimeError("z")])
def test_our_own_mistakes_are_not_excused(error: Exception, tmp_path: Path) -> None:
    assert explain_error(error, tmp_path) is None


def test_what_led_to_an_error_reports_the_mishap(tmp_path: Path) -> None:
    try:
        try:
            raise of(errno.ENOSPC, "x")
        except OSError as cause:
            raise ValueError("no") from cause
    except ValueError as error:
        assert "the disk is full" in str(explain_error(error, tmp_path))


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_data_directory_that_is_removed_during_a_run_is_said_so(
    middling: Prepared, tmp_path: Path
) -> None:
    data_dir = tmp_path / "home"
    arguments = command(
        "run", "--study", middling.study, "--data-dir", data_dir, "--until", "labels"
    )
    surroundings = environment(PYTHONUNBUFFERED="1")
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=surroundings
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "2020-01 to" in line:
                break
        shutil.rmtree(data_dir, ignore_errors=True)
        _, message = process.communicate(timeout=120)
    assert process.returncode == 2, message
    assert message.startswith("Error: ") and message.count("\n") == 1, message
    assert str(data_dir) in message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "message"),
    [(2 << 30, "a run needs an address space of 4,096 MB, and the limit is 2,048 MB")],
)
def test_too_little_memory_is_said_before_anything_begins(
    middling: Prepared, tmp_path: Path, limit: int, message: str
) -> None:
    done = subprocess.run(
        command("run", "--study", middling.study, "--data-dir", tmp_path / "home"),
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("files", "is_refused"),
    [
        ({"memory.max": "max", "memory.current": "1", "memory.stat": "inactive_file 0"}, False),
        (
            {
                "memory.max": str(300 << 20),
                "memory.current": str(100 << 20),
                "memory.stat": f"inactive_file {50 << 20}",
            },
            True,
        ),
        (
            {
                "memory.max": str(900 << 20),
                "memory.current": str(800 << 20),
                "memory.stat": f"inactive_file {600 << 20}",
            },
            False,
        ),
    ],
)
def test_the_limit_of_a_container_counts(
    files: dict[str, str], is_refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_assets.base.errors import PerfAssetsError  # noqa: PLC0415
    from perf_assets.cli import memory  # noqa: PLC0415

    for name, text in files.items():
        (tmp_path / name).write_text(text)
    groups = ((tmp_path / "memory.max", tmp_path / "memory.current"),)
    monkeypatch.setattr(memory, "GROUPS", groups)
    if is_refused:
        with pytest.raises(PerfAssetsError, match="at least 500 MB of memory, and 250 MB are"):
            memory.check_memory()
    else:
        memory.check_memory()


@pytest.mark.slow
@AS_ROOT
@pytest.mark.parametrize("change", [lambda data_dir: data_dir.chmod(stat.S_IRUSR | stat.S_IXUSR)])
def test_a_data_directory_that_cannot_be_written_to_is_said_so(
    data_dir: Path, small: Prepared, change: Callable[[Path], None]
) -> None:
    change(data_dir)
    done = perf_assets("run", "--study", small.study, "--data-dir", data_dir)
    assert done.returncode == 2
    assert "permission denied" in done.stderr
