"""The close look at single commits, in a pool of processes: PyDriller's details, and SZZ.

This module is both ends: ``inspect_commits`` starts it as a program, which reads hashes and prints
one line of JSON for each. A process of its own can be limited in time, dies alone, and ends with
us.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING, Any, TypeVar

import perf_assets
from perf_assets.errors import PerfAssetsError
from perf_assets.sources.git.changed_files import ChangedFile, changed_files
from perf_assets.sources.git.changes import EMPTY_TREES
from perf_assets.sources.git.command import (
    GitError,
    error_line,
    in_clone,
    local_environment,
    readable,
    run,
)
from perf_assets.sources.git.introducing import Trace, trace

if TYPE_CHECKING:
    from perf_assets.sources.git.details import ReadOnlyGit

WORKERS = 2
_ENOUGH_FOR_TWO = 12  # commits; starting a process costs as much as analysing some

TIME_LIMIT = 120.0
"""Seconds for each of the two inspections of one commit; hardly reached, as sizes are limited."""

# How a process ends that the machine's memory, or a fault in a library, stopped.
_CRASHES = {-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS}

Result = TypeVar("Result")


@dataclass(frozen=True)
class CommitInspection:
    """One commit: PyDriller's details, or why there are none (``problem``), and the SZZ trace."""

    sha: str
    details: dict[str, Any] | None = None
    problem: str | None = None
    trace: Trace = field(default_factory=Trace)


def inspect_commits(clone: Path, shas: Sequence[str]) -> Generator[CommitInspection, None, None]:
    """Look closely at the commits ``shas`` of the bare repository ``clone``, none of them a merge.

    Nothing is written to the clone. What cannot be analysed comes with a reason, in its turn; a
    commit that takes down its process does too.

    Yields
    ------
    CommitInspection : one for each commit, in the order of ``shas``.

    Raises
    ------
    PerfAssetsError : a commit is not in the clone, or the processes cannot be run.
    """
    _require(clone, shas)
    count = WORKERS if len(shas) >= _ENOUGH_FOR_TWO else 1
    with ExitStack() as stack:
        lanes = [stack.enter_context(closing(_lane(clone, shas[n::count]))) for n in range(count)]
        for place in range(len(shas)):
            yield next(lanes[place % count])


def _require(clone: Path, shas: Sequence[str]) -> None:
    """Tell what a damaged clone lacks before it is taken for a fault of the commits."""
    given = "".join(f"{sha}^{{commit}}\n" for sha in shas).encode()
    command = in_clone(clone, "cat-file", "--batch-check=%(objectname)")
    try:
        answers = run(command, local_environment(), given).decode().splitlines()
    except GitError as failure:
        raise _damaged(clone, error_line(failure.stderr)) from None
    for sha, answer in zip(shas, answers, strict=True):
        if answer != sha:
            raise _damaged(clone, f"commit {sha} is not there")


def _damaged(clone: Path, said: str) -> PerfAssetsError:
    return PerfAssetsError(
        f"the git clone at {clone} cannot be read ({said}): delete that directory and run again, "
        "and it is cloned anew"
    )


def _lane(clone: Path, shas: Sequence[str]) -> Generator[CommitInspection, None, None]:
    """The commits of one worker; a new one takes over where a commit took it down."""
    left = list(shas)
    while left:
        with tempfile.TemporaryFile() as said, _worker(clone, left, said) as worker:
            assert worker.stdout is not None
            for line in worker.stdout:
                if not line.endswith(b"\n"):
                    break
                yield _parsed(line)
                del left[0]
            status = worker.wait()
            if status in _CRASHES:
                reason = f"the process that analysed it was stopped by signal {-status}"
                yield CommitInspection(left.pop(0), problem=reason, trace=Trace(problem=reason))
            elif status:
                said.seek(0)
                raise PerfAssetsError(
                    f"commit {left[0]} cannot be analysed ({error_line(readable(said.read()))}): "
                    "install PyDriller as perf-assets needs it and run again"
                )


@contextmanager
def _worker(
    clone: Path, shas: Sequence[str], said: IO[bytes]
) -> Iterator["subprocess.Popen[bytes]"]:
    """This module as a program, at work on ``shas``; it is gone when the block ends."""
    with tempfile.TemporaryFile() as given:
        given.write("".join(f"{sha}\n" for sha in shas).encode())
        given.seek(0)
        with subprocess.Popen(
            [sys.executable, "-m", __spec__.name, str(clone)],
            cwd=os.sep,
            env=_environment(clone, len(shas[0])),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=said,
        ) as worker:
            try:
                yield worker
            finally:
                worker.kill()


def _environment(clone: Path, sha_length: int) -> dict[str, str]:
    """That of a reading git; PyDriller's own git gets its settings here and finds no others."""
    settings = {"core.attributesFile": os.devnull, "attr.tree": EMPTY_TREES[sha_length]}
    numbered = {
        name: text
        for number, (key, value) in enumerate(settings.items())
        for name, text in ((f"GIT_CONFIG_KEY_{number}", key), (f"GIT_CONFIG_VALUE_{number}", value))
    }
    package = str(Path(perf_assets.__file__).parents[1])
    inherited = os.environ.get("PYTHONPATH")
    return local_environment(
        {
            "GIT_CONFIG_COUNT": str(len(settings)),
            **numbered,
            "GIT_DIR": str(clone),
            "PYTHONPATH": os.pathsep.join([package, inherited] if inherited else [package]),
            "PYTHONUTF8": "1",
        }
    )


def _parsed(line: bytes) -> CommitInspection:
    read = json.loads(line)
    found = read.pop("trace")
    found["introducing"] = [tuple(row) for row in found["introducing"]]
    return CommitInspection(**read, trace=Trace(**found))


# ---- the other end


def main(clone: Path) -> None:
    """Analyse the commits whose hashes stand in the input, a line of JSON for each."""
    # Ctrl-C goes to the whole group: it is for the parent to stop, and not for a commit to fail.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        analysis = inspect_commit(clone, line.strip())
        sys.stdout.write(json.dumps(asdict(analysis)) + "\n")
        sys.stdout.flush()


def inspect_commit(clone: Path, sha: str) -> CommitInspection:
    """Both inspections of one commit; an error becomes the reason that is told."""
    files, problem = _limited(lambda: changed_files(clone, sha))
    if files is None:
        return CommitInspection(sha, problem=problem, trace=Trace(problem=problem))
    details, problem = _limited(lambda: _details(clone, sha, files))
    found, failure = _limited(lambda: trace(clone, sha, files))
    if isinstance(details, str):
        details, problem = None, details
    return CommitInspection(sha, details, problem, found or Trace(problem=failure))


def _details(clone: Path, sha: str, files: Sequence[ChangedFile]) -> dict[str, Any] | str:
    # It takes a while to import, and only the worker needs it.
    from perf_assets.sources.git.details import read_details, too_large  # noqa: PLC0415

    try:
        return too_large(files) or read_details(_opened(clone), sha)
    except BaseException:
        _opened.cache_clear()  # its git processes may be in the middle of an answer
        raise


@cache
def _opened(clone: Path) -> "ReadOnlyGit":
    from perf_assets.sources.git.details import ReadOnlyGit  # noqa: PLC0415

    return ReadOnlyGit(str(clone))


def _limited(work: Callable[[], Result]) -> tuple[Result | None, str | None]:
    """The result of ``work``, or why there is none."""
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
    try:
        return work(), None
    except _OutOfTimeError:
        return None, f"it takes longer than {TIME_LIMIT:.0f} seconds"
    except GitError as error:
        return None, f"git says {error_line(error.stderr)!r}"
    except Exception as error:
        return None, f"{type(error).__name__}: {error}".splitlines()[0][:200]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class _OutOfTimeError(BaseException):
    """Passes through libraries that catch every Exception."""


def _out_of_time(number: int, frame: FrameType | None) -> None:
    raise _OutOfTimeError


if __name__ == "__main__":
    main(Path(sys.argv[1]))
