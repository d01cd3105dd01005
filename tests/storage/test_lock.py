"""One process writes to a data directory at a time; readers are never kept out."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage import lock
from perf_assets.storage.lock import writing
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse, reading
from tests.model_database import insert
from tests.rows import repository
from tests.support import Prepared, environment, perf_assets

pytestmark = pytest.mark.slow

HOLD = """
import sys, time
from pathlib import Path
from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.lock import writing
with writing(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@contextmanager
def held(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that writes to ``data_dir``; killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(data_dir)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def is_free(data_dir: Path) -> bool:
    """Whether another process could write to ``data_dir``."""
    attempt = HOLD.replace("time.sleep(600)", "pass")
    done = subprocess.run(
        [sys.executable, "-c", attempt, str(data_dir)],
        capture_output=True,
        env=environment(),
        check=False,
    )
    return done.returncode == 0


def test_who_has_patience_writes_when_the_other_process_is_done(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger=lock.__name__)
    with held(tmp_path) as holder:
        end = threading.Timer(0.3, holder.kill)
        end.start()
        with writing(tmp_path, patience=600):
            assert holder.wait() != 0 and not is_free(tmp_path)
    assert f"waiting for {tmp_path}" in caplog.text
    assert is_free(tmp_path)


def test_every_way_to_write_is_refused_with_the_process_that_writes(tmp_path: Path) -> None:
    warehouse, published = tmp_path / "warehouse.duckdb", tmp_path / "perf_bugs.duckdb"
    with open_warehouse(warehouse):
        pass
    with held(tmp_path) as holder:
        message = f"{tmp_path} is in use by another perf-assets run.*process {holder.pid}"
        with pytest.raises(PerfAssetsError, match=message), open_warehouse(warehouse):
            pass
        with pytest.raises(PerfAssetsError, match=message):
            publish(DataDirectory(tmp_path))
    assert not published.exists()
    with open_warehouse(warehouse):
        pass


def test_every_command_that_writes_is_refused_and_none_that_reads(
    small: Prepared, data_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "sheet.csv").write_text("")
    with held(data_dir) as holder:
        for arguments in (
            ("run", "--study", small.study),
            ("replicate",),
            ("review", "import", tmp_path / "sheet.csv", "--rater", "Ann"),
        ):
            refused = perf_assets(*arguments, "--data-dir", data_dir)
            assert refused.returncode == 2
            assert refused.stderr.count("\n") == 1 and f"process {holder.pid})" in refused.stderr
        assert perf_assets("status", "--data-dir", data_dir).returncode == 0
        sample = ("review", "sample", "--n", "2", "--seed", "1", "--data-dir", data_dir)
        assert perf_assets(*sample).returncode == 0


@pytest.mark.exhaustive
def test_a_run_that_the_ui_would_start_is_refused_with_the_same_sentence(
    small: Prepared, data_dir: Path
) -> None:
    job = ["job", "execute", "-m", "perf_assets.definitions", "-j", "build_models"]
    changes = {"PERF_ASSETS_DATA_DIR": str(data_dir), "PERF_ASSETS_STUDY": str(small.study)}
    with held(data_dir) as holder:
        done = subprocess.run(
            [sys.executable, "-m", "dagster", *job],
            capture_output=True,
            text=True,
            env=environment(**changes),
            check=False,
        )
    assert done.returncode != 0
    assert f"in use by another perf-assets run (process {holder.pid})" in done.stdout + done.stderr


def test_a_killed_process_holds_nothing_and_is_never_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held(tmp_path) as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert (tmp_path / "run.pid").read_text() == str(killed.pid)  # stale
    with held(tmp_path) as holder:
        # Between the lock and the note of who has it, the note of the killed one is still there.
        (tmp_path / "run.pid").write_text(str(killed.pid))
        noting = threading.Timer(0.1, (tmp_path / "run.pid").write_text, [str(holder.pid)])
        noting.start()
        with (
            pytest.raises(PerfAssetsError, match=rf"process {holder.pid}\)"),
            writing(tmp_path),
        ):
            pass
        noting.join()


def test_it_may_be_nested_and_shared_by_threads_and_is_given_back_last(tmp_path: Path) -> None:
    entered = []

    def enter() -> None:
        with writing(tmp_path):
            entered.append(True)

    with writing(tmp_path):
        enter()
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        assert entered == [True, True]
        assert (tmp_path / "run.pid").read_text() == str(os.getpid())
        assert not is_free(tmp_path)
    assert not (tmp_path / "run.pid").exists()
    assert is_free(tmp_path)


def test_it_is_given_back_when_the_block_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writing(tmp_path):
        1 / 0  # noqa: B018
    assert is_free(tmp_path)


@pytest.mark.parametrize("content", [None, b"\xed\xa0", b"1" * 30, "٣".encode(), b"x" * 5000])
def test_a_holder_that_nobody_knows_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    monkeypatch.setattr(lock, "SECONDS_BETWEEN", 0.0)
    with held(tmp_path):
        if content is None:
            (tmp_path / "run.pid").unlink()
        else:
            (tmp_path / "run.pid").write_bytes(content)
        with pytest.raises(PerfAssetsError, match="process unknown"), writing(tmp_path):
            pass


def test_while_another_process_writes_the_published_copy_is_read(tmp_path: Path) -> None:
    warehouse, published = tmp_path / "warehouse.duckdb", tmp_path / "perf_bugs.duckdb"
    with open_warehouse(warehouse):
        pass
    elsewhere = tmp_path / "elsewhere" / "warehouse.duckdb"
    elsewhere.parent.mkdir()
    with open_warehouse(elsewhere) as database:
        insert(database.connection, "meta.repositories", [repository("a/published")])
    hold = f"import duckdb; c = duckdb.connect({str(warehouse)!r}); print('held'); input()"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        with pytest.raises(PerfAssetsError, match=rf"in use by .* \(process {writer.pid}\)"):
            reading(warehouse)
        shutil.copyfile(elsewhere, published)
        with reading(warehouse) as connection:
            assert connection.execute("SELECT repository FROM meta.repositories").fetchall() == [
                ("a/published",)
            ]
        writer.communicate("\n")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
def test_a_data_directory_that_another_user_writes_to_is_named_and_left_as_it_is() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        data_dir = Path(name)
        data_dir.chmod(0o755)
        with held(data_dir):
            before = {path: path.stat().st_mtime_ns for path in data_dir.iterdir()}
            done = subprocess.run(
                [sys.executable, "-c", AS_NOBODY.format(data_dir=name)],
                capture_output=True,
                text=True,
                env=environment(),
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert "belongs to another user" in done.stdout and name in done.stdout
            assert before == {path: path.stat().st_mtime_ns for path in data_dir.iterdir()}


# The user changes after the imports: the sources may be readable to root alone.
AS_NOBODY = """
import os
from pathlib import Path
from perf_assets.base.errors import PerfAssetsError
from perf_assets.storage.lock import writing
os.setuid(65534)
try:
    with writing(Path({data_dir!r})):
        print("written")
except PerfAssetsError as error:
    print(error)
"""
