"""The UI as a person starts and stops it: one line, an answer, one sentence, nobody left behind."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.dagster_answers import dagster_answer
from tests.effort import IS_THOROUGH, some
from tests.paths import ROOT
from tests.ports import free_port
from tests.support import Prepared, command, environment, perf_assets

pytestmark = pytest.mark.slow

SECONDS = 60.0  # on a machine that is busy with other tests
ENDING_SECONDS = 5.0 if IS_THOROUGH else SECONDS
ASSETS = "{ assetsOrError { ... on AssetConnection { nodes { id } } } }"


@contextmanager
def opened(
    data_dir: Path, study: Path, port: int, hangup: signal.Handlers = signal.SIG_DFL
) -> Iterator[subprocess.Popen[str]]:
    """The UI, in a session of its own, as a terminal starts it: Ctrl-C is not ignored."""

    def as_a_terminal_does() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, hangup)

    with subprocess.Popen(
        command("ui", "--data-dir", data_dir, "--study", study, "--port", str(port)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONUNBUFFERED="1"),
        start_new_session=True,
        preexec_fn=as_a_terminal_does,  # noqa: PLW1509
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def answer_of(port: int, query: str) -> dict[str, Any]:
    return dagster_answer(f"http://127.0.0.1:{port}", query, SECONDS)


def is_left_alone(data_dir: Path) -> bool:
    """Whether no process of the UI lives: each holds its lock."""
    handle = os.open(data_dir / "ui.lock", os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


@pytest.mark.parametrize("ending", some(signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
def test_the_ui_opens_with_one_line_and_ends_with_one(
    ending: signal.Signals, small: Prepared, data_dir: Path
) -> None:
    port = free_port()
    with opened(data_dir, small.study, port) as process:
        assert process.stdout is not None and process.stderr is not None
        address = f"http://127.0.0.1:{port}"
        assert process.stdout.readline() == f"Dagster UI: {address} (Ctrl-C stops it)\n"
        assert answer_of(port, ASSETS)["assetsOrError"]["nodes"]  # type: ignore[index]
        again = perf_assets("ui", "--data-dir", data_dir, "--study", small.study, "--port", "9")
        assert f"is open already, at {address} (process {process.pid})" in again.stderr
        assert f"'kill {process.pid}'" in again.stderr
        assert not is_left_alone(data_dir)
        since = time.monotonic()
        process.send_signal(ending)
        assert process.wait(SECONDS) == 128 + ending
        assert time.monotonic() - since < ENDING_SECONDS
        assert process.stdout.read() == ""
        assert process.stderr.read().startswith(f"Stopped: the UI of {data_dir} is closed")
    assert is_left_alone(data_dir)


@pytest.mark.exhaustive
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="what a killed UI started ends on Linux")
def test_what_a_killed_ui_had_started_ends_within_five_seconds(
    small: Prepared, data_dir: Path
) -> None:
    with opened(data_dir, small.study, free_port()) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Dagster UI: ")
        process.kill()
        process.wait()
        since = time.monotonic()
        while not is_left_alone(data_dir):
            assert time.monotonic() - since < 5
            time.sleep(0.05)


@pytest.mark.exhaustive
def test_under_nohup_the_ui_outlives_its_terminal(small: Prepared, data_dir: Path) -> None:
    port = free_port()
    with opened(data_dir, small.study, port, hangup=signal.SIG_IGN) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Dagster UI: ")
        os.killpg(process.pid, signal.SIGHUP)
        time.sleep(1)
        assert answer_of(port, ASSETS)["assetsOrError"]["nodes"]  # type: ignore[index]


def test_a_study_with_a_mistake_opens_nothing(data_dir: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text('name = "x"\n')
    with opened(data_dir, study, free_port()) as process:
        output, complaint = process.communicate(timeout=SECONDS)
    assert (process.returncode, output) == (2, "")
    assert complaint.startswith("Error: ") and complaint.count("\n") == 1
    assert is_left_alone(data_dir)


SERVICE = """
import signal, sys, time

def stop(*_):
    print("Aborted!", file=sys.stderr, flush=True)
    sys.exit(1)

signal.signal(signal.SIGTERM, stop)
print("ready", file=sys.stderr, flush=True)
time.sleep(600)
"""
CLOSING = """
import os, sys, time
from pathlib import Path
from typing import Any
from perf_assets.base.processes.children import end_children
from perf_assets.web.services import Services

services = Services(Path(sys.argv[1]), 1, os.environ, os.open(os.devnull, os.O_RDONLY))
services._start("web server", ["service"])
os.read(0, 1)
end_children()
services._forwarders["web server"].join(60)
"""


def test_what_a_service_prints_when_it_is_ended_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text(SERVICE)
    path = os.pathsep.join(map(str, (tmp_path, ROOT)))
    with subprocess.Popen(
        [sys.executable, "-c", CLOSING, tmp_path],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONPATH=path),
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "ready\n"
        assert process.communicate("x", timeout=SECONDS)[1] == ""
        assert process.returncode == 0
