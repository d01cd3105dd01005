"""Commands that are stopped, killed, or let down by their disk, and what must be true then.

They are deeds of tests/crash_testing.py, done as the program does them: with its handling of
signals, its sentences and its exit codes.
"""

import errno
import multiprocessing
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from perf_assets.cli.commands import commands
from perf_assets.cli.process import SIGNALS, finish
from perf_assets.cli.shell import friendly_errors
from perf_assets.dagster_app import execution
from tests import faults
from tests.crash_testing import Deed, Files, Tables, assert_readable, files_of
from tests.faults import Calls, Fault
from tests.support import Prepared, assert_same_tables

assert execution  # imported here, once: the commands are forked from a process that has it

KILLED = {f"SIG{name}": signal.Signals[f"SIG{name}"] for name in ("KILL", "TERM", "INT", "HUP")}
FAILED = {name: getattr(errno, name) for name in ("ENOSPC", "EIO")}
KINDS = (*KILLED, *FAILED)

SECONDS = 300.0  # the longest that any of it may take
LOOK_SECONDS = 0.5
GONE_SECONDS = 5.0  # in which all that a killed command had started has ended
MARK = "PERF_ASSETS_DISTURBED"  # in the environment of what a command starts: its data directory
PROC = Path("/proc")
# What differs by the moment in which a command ended, or keeps what was replaced.
PASSING = {"run.pid", "replaced", "ui.lock"}


@dataclass(frozen=True)
class Undisturbed:
    """What comes of a deed that nothing disturbs.

    calls : how often it writes, in all and beside Dagster's record; None where nobody counts.
    """

    seconds: float
    calls: Calls | None
    tables: Tables
    files: Files
    names: set[str]

    @classmethod
    def of(cls, deed: Deed, prepared: Prepared, directory: Path) -> "Undisturbed":
        """Do it, and again as it is done after a disturbance."""
        data_dir = directory / "undisturbed"
        deed.before(prepared, data_dir)
        if faults.is_preloaded():
            faults.arm(data_dir, Fault(spared=data_dir / "dagster"))
        began = time.monotonic()
        _finished(deed, prepared, data_dir)
        seconds = time.monotonic() - began
        calls = faults.disarm() if faults.is_preloaded() else None
        if deed.again is not None:
            _finished(Deed(deed.before, deed.again), prepared, data_dir)
        tables, files = deed.tables(data_dir), files_of(data_dir)
        found = cls(seconds, calls, tables, files, _names(data_dir))
        shutil.rmtree(data_dir)
        return found


def disturb(
    deed: Deed,
    kind: str,
    undisturbed: Undisturbed,
    prepared: Prepared,
    directory: Path,
    number: int,
    seed: int = 0,
) -> int:
    """Disturb ``deed`` until it was hit ``number`` times, and hold what must hold each time.

    Returns
    -------
    How many tries that took.
    """
    chance = random.Random(f"{kind} {seed}")
    hits, tries, seconds = 0, 0, undisturbed.seconds
    while hits < number:
        data_dir = directory / f"{kind}-{tries}"
        deed.before(prepared, data_dir)
        tries += 1
        assert tries <= 10 * number + 10, f"{kind}: hit {hits} times only"
        if kind in KILLED:
            is_hit = _stopped(deed, KILLED[kind], seconds, prepared, data_dir, chance)
            hits += is_hit
            # The first time takes longest: what is in the memory by now need not be read.
            seconds *= 1 if is_hit else 0.8
        else:
            hits += _let_down(deed, FAILED[kind], undisturbed, prepared, data_dir, chance)
        assert_readable(data_dir)
        again = Deed(deed.before, deed.again) if deed.again is not None else deed
        _finished(again, prepared, data_dir)
        assert_readable(data_dir)
        assert_same_tables(deed.tables(data_dir), undisturbed.tables)
        assert files_of(data_dir) == undisturbed.files
        assert _names(data_dir) == undisturbed.names
        shutil.rmtree(data_dir)
    return tries


def _stopped(
    deed: Deed,
    number: signal.Signals,
    seconds: float,
    prepared: Prepared,
    data_dir: Path,
    chance: random.Random,
) -> bool:
    """Send a signal at a random moment, to the command or as Ctrl-C to its children too."""
    process = _begun(deed, prepared, data_dir)
    moment = chance.uniform(0, seconds)
    send = os.kill if number == signal.SIGKILL or chance.random() < 0.5 else os.killpg
    process.join(moment)
    assert process.pid is not None
    if process.exitcode is None:
        with suppress(ProcessLookupError):
            send(process.pid, number)
    code, stderr = _ended(process, data_dir)
    what = f"{number.name} after {moment:.2f} s by {send.__name__}: exit code {code}, {stderr}"
    _assert_gone(process.pid, data_dir, GONE_SECONDS if number == signal.SIGKILL else 0, what)
    if number == signal.SIGKILL:
        assert code in (-number, deed.ends), what
        return code == -number
    is_hit = code == 128 + number and (code != deed.ends or "Stopped" in stderr)
    assert is_hit or code == deed.ends, what
    if is_hit and stderr:  # after its work a command has no more to say
        assert stderr.startswith("Stopped") and stderr.count("\n") == 1, what
    return is_hit


def _let_down(
    deed: Deed,
    error: int,
    undisturbed: Undisturbed,
    prepared: Prepared,
    data_dir: Path,
    chance: random.Random,
) -> bool:
    """Let writes fail from a random one on: those of Dagster, by far the most, half of the time."""
    assert undisturbed.calls is not None, faults.WHY_NOT
    is_sparing = chance.random() < 0.5
    calls = undisturbed.calls.beside if is_sparing else undisturbed.calls.every
    is_lasting = error == errno.ENOSPC or chance.random() < 0.5
    first = chance.randint(1, max(calls, 1))
    fault = Fault(first, error, is_lasting, data_dir / "dagster", is_sparing)
    faults.arm(data_dir, fault)
    try:
        process = _begun(deed, prepared, data_dir)
        while process.exitcode is None:
            process.join(LOOK_SECONDS)
            assert_readable(data_dir)
        assert process.pid is not None
        code, stderr = _ended(process, data_dir)
        _assert_gone(process.pid, data_dir, 0, str(fault))
    finally:
        failed = faults.disarm().failed
    what = f"{fault} ({failed} failed): exit code {code}, {stderr}"
    if code != deed.ends:
        assert code in (1, 2), what
        # Of the UI, what its services said stands above the sentence.
        assert _is_one_sentence(stderr if deed.ends == 0 else stderr.splitlines()[-1]), what
        if "doctor --repair" in stderr:
            _finished(Deed(deed.before, _repair), prepared, data_dir)
    elif code == 0:
        assert "Traceback" not in stderr, what
    return failed > 0


def _is_one_sentence(stderr: str) -> bool:
    """Whether it is one, whatever Delta Lake's threads print by themselves of a write that failed.

    That is before it, and none of ours.
    """
    lines = stderr.splitlines()
    if "panicked at" in stderr:
        lines = lines[-1:]
    return len(lines) == 1 and lines[0].startswith("Error: ")


def _repair(_: Path, data_dir: Path) -> None:
    commands(["doctor", "--repair", "--data-dir", str(data_dir)])


def _finished(deed: Deed, prepared: Prepared, data_dir: Path) -> None:
    """Do it undisturbed."""
    process = _begun(deed, prepared, data_dir)
    code, stderr = _ended(process, data_dir)
    assert code == deed.ends, f"exit code {code}: {stderr}"
    assert process.pid is not None
    _assert_gone(process.pid, data_dir, 0, stderr)


def _begun(deed: Deed, prepared: Prepared, data_dir: Path) -> BaseProcess:
    """The command, in a session of its own, about to begin."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(deed, there, prepared.study, data_dir))
    process.start()
    there.close()
    here.recv()
    return process


def _ended(process: BaseProcess, data_dir: Path) -> tuple[int, str]:
    """The exit code of a process, and what it said on standard error."""
    process.join(SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise AssertionError(f"it did not end within {SECONDS} s: {_said(data_dir).read_text()}")
    return process.exitcode, _said(data_dir).read_text(errors="replace")


def _said(data_dir: Path) -> Path:
    return data_dir.with_name(f"{data_dir.name}.said")


def _do(deed: Deed, begun: Connection, study: Path, data_dir: Path) -> None:
    os.setsid()
    os.environ[MARK] = str(data_dir)
    for name, output in ((_said(data_dir), 2), (os.devnull, 1)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), output)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)  # whoever started the tests may ignore them

    @friendly_errors
    def work(*, data_dir: Path) -> None:
        begun.send(None)
        deed.act(study, data_dir)

    sys.argv = ["perf-assets"]
    finish(lambda: work(data_dir=data_dir))


def _names(data_dir: Path) -> set[str]:
    return {path.name for path in data_dir.iterdir()} - PASSING


def _assert_gone(session: int, data_dir: Path, seconds: float, what: str) -> None:
    """No process is left that the command started; a killed one has some seconds for that."""
    if seconds and not PROC.is_dir():
        return
    until = time.monotonic() + seconds
    while left := list(_left(session, data_dir)):
        assert time.monotonic() < until, f"{left} are left; {what}"
        time.sleep(0.1)


def _left(session: int, data_dir: Path) -> Iterator[str]:
    mark = f"{MARK}={data_dir}".encode()
    for entry in PROC.iterdir() if PROC.is_dir() else ():
        with suppress(OSError):
            if not entry.name.isdecimal():
                continue
            name, _, rest = (entry / "stat").read_text().rpartition(")")
            state, _, _, of = rest.split()[:4]
            if state == "Z":
                continue
            if int(of) == session or mark in (entry / "environ").read_bytes().split(b"\0"):
                yield f"{name})"
