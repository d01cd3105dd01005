"""Ctrl-C and SIGTERM: a command ends soon, in one sentence, and leaves nobody behind."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.effort import IS_THOROUGH, KILLS, some
from tests.replication_package import write_package
from tests.support import (
    Prepared,
    assert_same_tables,
    command,
    environment,
    materialize,
    stored_tables,
)

pytestmark = pytest.mark.slow

SECONDS = 2.0 if IS_THOROUGH else 30.0  # a machine that is busy with other tests needs more
NAME = "sample-lab/tensorkit"


@contextmanager
def started(*arguments: str | Path, **changes: str) -> Iterator[subprocess.Popen[str]]:
    """A command in a session of its own, as a terminal starts it: Ctrl-C is not ignored."""
    with subprocess.Popen(
        [*map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONUNBUFFERED="1", **changes),
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def of_session(session: int) -> list[str]:
    """The processes of a session that still run."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "sess=,state=,pid=,args="], capture_output=True, text=True, check=True
    )
    found = [line.split(None, 2) for line in listed.stdout.splitlines()]
    return [
        line for owner, state, line in found if owner == str(session) and not state.startswith("Z")
    ]


def read_until(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None and process.stderr is not None
    for line in process.stdout:
        if word in line:
            return
    raise AssertionError(f"it never said {word!r}: {process.stderr.read()}")


def assert_stops(
    process: subprocess.Popen[str],
    *words: str,
    number: signal.Signals = signal.SIGINT,
    is_group: bool = True,
) -> None:
    """Stop it as Ctrl-C does, which reaches its children too, or alone."""
    assert process.poll() is None, process.communicate()
    before = time.monotonic()
    (os.killpg if is_group else os.kill)(process.pid, number)
    _, stderr = process.communicate(timeout=60)
    took = time.monotonic() - before
    assert process.returncode == 128 + number, stderr
    assert re.match("Stopped( while .*)?: ", stderr) and stderr.count("\n") == 1, stderr
    for word in words:
        assert word in stderr
    assert took < SECONDS
    # What a shell began while it was being killed ends by itself, in a tenth of a second.
    while of_session(process.pid) and time.monotonic() < before + SECONDS:
        time.sleep(0.05)
    assert of_session(process.pid) == []


# A moment of a run: the line it writes then, how it is stopped, and whether alone.
MOMENTS = (
    ("2020-01 to 2020-04", signal.SIGINT, True),
    ("mining", signal.SIGTERM, True),
    ("fix commits", signal.SIGHUP, True),
    ("models, statistics", signal.SIGINT, False),
    ("months of issues", signal.SIGINT, True),
    ("fix commits", signal.SIGTERM, False),
)


def run_states(data_dir: Path) -> set[str]:
    """How Dagster says the runs ended, or that they did not."""
    from dagster import DagsterInstance  # noqa: PLC0415  (it takes seconds)

    from perf_assets.dagster_app.dagster_internals import InstanceRef  # noqa: PLC0415

    with DagsterInstance.from_ref(InstanceRef.from_dir(str(data_dir / "dagster"))) as instance:
        return {run.status.value for run in instance.get_runs()}


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", some(*range(KILLS)))
def test_a_run_that_is_stopped_at_any_moment_is_finished_by_the_next_one(
    middling: Prepared, tmp_path: Path, seed: int
) -> None:
    data_dir = tmp_path / "home"
    chance = random.Random(seed)
    for word, number, is_group in MOMENTS if IS_THOROUGH else MOMENTS[:4]:
        with started(*command("run", "--study", middling.study, "--data-dir", data_dir)) as process:
            for line in process.stdout or ():
                if word in line or "models, statistics" in line:
                    break
            time.sleep(chance.uniform(0, 0.3))
            assert_stops(process, str(data_dir), "run", number=number, is_group=is_group)
    assert run_states(data_dir) == {"SUCCESS", "CANCELED"}
    materialize(middling.study, data_dir)
    names = ("warehouse.duckdb", "perf_bugs.duckdb")
    for name in names:
        assert_same_tables(stored_tables(middling.data_dir / name), stored_tables(data_dir / name))
    assert {path.name for path in data_dir.iterdir()} - {"dagster", "run.pid"} == {
        *names,
        "clones",
        "run.lock",
    }


@pytest.mark.parametrize("seconds", [0.15, *some(0.4, 1.0, 2.0, few=0)])
def test_a_command_that_has_hardly_begun_stops_too(tmp_path: Path, seconds: float) -> None:
    with started(*command("run", "--data-dir", tmp_path / "home")) as process:
        time.sleep(seconds)
        assert_stops(process)


def test_a_corpus_that_is_being_generated_leaves_nothing(tmp_path: Path) -> None:
    with started(*command("generate-sample", tmp_path / "corpus", "--issues", "4000")) as process:
        while not list(tmp_path.glob(".corpus*/repository.git/objects")):
            assert process.poll() is None
            time.sleep(0.01)
        assert_stops(process, "nothing was written")
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_that_is_served_is_served_until_then(small: Prepared) -> None:
    with started(*command("mock-api", small.corpus)) as process:
        read_until(process, "http://127.0.0.1:")
        assert_stops(process, str(small.corpus), "no longer served")


@contextmanager
def silent_server() -> Iterator[tuple[str, socket.socket]]:
    """An address that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}", server


@pytest.mark.parametrize("name", ["doctor", "run"])
def test_a_caller_that_waits_for_an_answer_stops_waiting(
    small: Prepared, tmp_path: Path, name: str
) -> None:
    with silent_server() as (url, server):
        own = tmp_path / "own.toml"
        own.write_text(
            f'name = "own"\n[[repositories]]\nname = "{NAME}"\nstart = "2020-01"\n'
            f'end = "2020-03"\ngit = "{small.corpus / "repository.git"}"\ngithub_url = "{url}"\n'
        )
        arguments = (name, "--study", own, "--data-dir", tmp_path / "home")
        with started(*command(*arguments), GITHUB_TOKEN="ghp_0") as process:
            connection, _ = server.accept()
            with connection:
                assert_stops(process)


@pytest.mark.exhaustive
def test_a_replication_that_is_stopped_is_whole_the_next_time(
    tmp_path: Path, data_dir: Path
) -> None:
    package = write_package(tmp_path / "package")
    before = stored_tables(data_dir / "perf_bugs.duckdb")
    arguments = ("replicate", "--data", package, "--accept-changes", "--data-dir", data_dir)
    with started(*command(*arguments)) as process:
        read_until(process, "rows loaded")
        assert_stops(process, str(data_dir), "as a whole or not at all")
    assert_same_tables(before, stored_tables(data_dir / "perf_bugs.duckdb"))
    assert stored_tables(data_dir / "warehouse.duckdb")["replication.bugs"].height


@pytest.mark.exhaustive
def test_an_import_that_is_stopped_can_be_repeated(data_dir: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    drawn = (
        "review",
        "sample",
        "--n",
        "3",
        "--seed",
        "5",
        "--output",
        sheet,
        "--data-dir",
        data_dir,
    )
    subprocess.run(command(*drawn), check=True, capture_output=True, env=environment())
    text = sheet.read_text(encoding="utf-8-sig")
    header, *rows = text.splitlines(keepends=True)
    assert "is_performance" in header and rows
    arguments = ("review", "import", sheet, "--rater", "Ann", "--data-dir", data_dir)
    with started(*command(*arguments)) as process:
        while not (data_dir / "run.pid").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        assert_stops(process, str(sheet), "import it again")
    subprocess.run(command(*arguments), check=True, capture_output=True, env=environment())


# ---- the process itself

PROGRAM = """
import os, signal, subprocess, sys, threading, time
from perf_assets.base.processes import shutdown
from perf_assets.cli.process import finish

def work():
    {}

finish(work)
"""


def program(*lines: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM.format("\n    ".join(lines))]


def finished(*lines: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program(*lines), capture_output=True, text=True, env=environment(), check=False
    )


def test_work_that_ends_is_let_end() -> None:
    done = finished("print('done')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
    assert finished("sys.exit(2)").returncode == 2
    failed = finished("raise ValueError('a fault')")
    assert failed.returncode == 1 and failed.stderr.endswith("ValueError: a fault\n")


HOLD_THE_LIBRARY = (
    "import polars as pl",
    "print('busy', flush=True)",
    "frame = pl.select(pl.int_range(300_000_000)).lazy()",
    "while True: frame.select(pl.all().shuffle().sort()).collect()",
)
CATCH_EVERYTHING = (
    "print('busy', flush=True)",
    "while True:",
    "    try: time.sleep(0.01)",
    "    except BaseException: print('no')",
)
STUBBORN_CHILD = (
    "shell = 'trap \"\" TERM INT; echo busy; while :; do sleep 0.1; done'",
    "subprocess.run(['sh', '-c', f'sh -c {shell!r} & {shell}'])",
)
ENDED_CHILD_IS_TOLD = (
    "print('busy', flush=True)",
    "subprocess.run(['sleep', '60'])",
    "shutdown.block_if_stopping(after_failure=True)",  # as every command does on a failure
    "print('the child ended badly', file=sys.stderr, flush=True)",
    "raise ValueError('the child ended badly')",
)


@pytest.mark.parametrize("is_group", [True, False])
@pytest.mark.parametrize(
    "lines",
    [HOLD_THE_LIBRARY, CATCH_EVERYTHING, STUBBORN_CHILD, ENDED_CHILD_IS_TOLD],
    ids=["library", "catching", "stubborn child", "ended child"],
)
def test_whatever_the_work_is_at_it_stops(lines: tuple[str, ...], *, is_group: bool) -> None:
    with started(*program(*lines)) as process:
        read_until(process, "busy")
        time.sleep(0.2)
        assert_stops(process, "nothing was changed", is_group=is_group)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is a reaper on Linux")
@pytest.mark.exhaustive
def test_what_a_killed_process_had_started_ends_soon_and_the_reaper_with_it() -> None:
    with started(*program(*STUBBORN_CHILD)) as process:
        read_until(process, "busy")
        process.kill()
        process.wait()
        time.sleep(5)
        assert of_session(process.pid) == []
    listed = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True, check=True)
    assert f"reap('{process.pid}-" not in listed.stdout


def test_what_finished_work_leaves_running_is_let_run() -> None:
    with started(*program("subprocess.Popen(['sleep', '60'])")) as process:
        assert process.wait(60) == 0
        time.sleep(1)
        (left,) = of_session(process.pid)
        os.kill(int(left.split()[0]), signal.SIGKILL)


def test_nothing_is_stored_once_it_stops_and_what_is_to_be_undone_is(tmp_path: Path) -> None:
    mark, undone = tmp_path / "stored", tmp_path / "undone"
    lines = (
        f"with shutdown.cleanup_on_stop(lambda: open({str(undone)!r}, 'w').close()):",
        "    print('busy', flush=True)",
        "    subprocess.run(['sleep', '60'])",
        "    shutdown.block_if_stopping(after_failure=True)",
        f"    open({str(mark)!r}, 'w').close()",
    )
    with started(*program(*lines)) as process:
        read_until(process, "busy")
        assert_stops(process)
    assert undone.exists() and not mark.exists()


def test_a_program_in_the_background_ignores_ctrl_c_as_the_shell_wants_it() -> None:
    with subprocess.Popen(
        program("print('busy', flush=True)", "time.sleep(1)", "print('done')"),
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # noqa: PLW1509
    ) as ignoring:
        assert ignoring.stdout is not None and ignoring.stdout.readline() == "busy\n"
        ignoring.send_signal(signal.SIGINT)
        assert ignoring.stdout.read() == "done\n"
    assert ignoring.returncode == 0


def test_threads_that_outlive_the_work_can_be_stopped() -> None:
    lines = (
        "from concurrent.futures import ThreadPoolExecutor",
        "ThreadPoolExecutor(1).submit(time.sleep, 60)",
        "print('busy', flush=True)",
    )
    with started(*program(*lines)) as process:
        read_until(process, "busy")
        time.sleep(0.3)
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert time.monotonic() - before < SECONDS


def test_a_check_that_is_stopped_leaves_no_process(tmp_path: Path) -> None:
    text = "import tensorflow as tf\n" + "x = [tf.constant(1) for y in z]\n" * 20_000
    (tmp_path / "0.py").write_text(text)
    for number in range(1, 200):
        (tmp_path / f"{number}.py").hardlink_to(tmp_path / "0.py")
    for number, is_group in ((signal.SIGINT, True), (signal.SIGTERM, False)):
        with started(*command("lint", tmp_path, "--processes", "3")) as process:
            while len(of_session(process.pid)) < 4:
                assert process.poll() is None, process.communicate()
                time.sleep(0.01)
            assert_stops(process, "nothing was changed", number=number, is_group=is_group)
