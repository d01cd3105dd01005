"""Runs git: the environment that makes its answers the same everywhere, and its failures."""

import os
import re
import resource
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import child, shutdown
from perf_assets.base.processes.child import Child, Watch, ended_when_idle, unread

LACKS = "git cannot read object "
"""How the reason begins why a commit cannot be read whose object the clone lacks."""

_OBJECT = re.compile(r"\b([0-9a-f]{64}|[0-9a-f]{40})\b")

# Variables that point git at another repository or change what it reads there. The rest of
# GIT_* (certificates, SSH command, proxies) says how to reach a host, and stays.
_TRANSPORT = ("GIT_SSL_", "GIT_SSH", "GIT_PROXY_", "GIT_HTTP_", "GIT_ALLOW_PROTOCOL", "GIT_EXEC_")

_ALWAYS = {
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": f"{os.devnull}/none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}

# Settings of the person or the machine would change what git counts.
_NO_SETTINGS = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}

# The last three bound the memory of each git process, at no cost that can be measured.
_SETTINGS = (
    f"core.attributesFile={os.devnull}",
    "core.commitGraph=false",  # its dates have 34 bits
    "core.deltaBaseCacheLimit=48m",
    "core.packedGitLimit=64m",
    "core.packedGitWindowSize=8m",
)

# Where git runs: never inside a repository that has settings of its own.
_NOWHERE = os.sep


LONGEST_LINE = 300  # of what git says
# For reading a clone: with damaged trees git walks in circles and fills the machine's memory.
MOST_MEMORY = 2 << 30

# How git ends when a signal ended what it had started.
STOPPED = (128 + signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGHUP)


class GitError(Exception):
    """A git command ended badly; ``stderr`` is its message."""

    def __init__(self, stderr: str) -> None:
        """Keep git's message."""
        super().__init__(stderr)
        self.stderr = stderr


class IdleError(GitError):
    """A git command was ended, as neither network nor disk gave it anything to do."""


def network_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment to reach a remote, with the person's proxies and certificates."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_TRANSPORT)
    }
    return kept | _ALWAYS | dict(extra or {})


def local_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment to read a clone: no setting from outside it has a say."""
    return network_environment(_NO_SETTINGS | dict(extra or {}))


def in_clone(git_dir: Path, *arguments: str) -> list[str]:
    """Return the command line of git on ``git_dir``, which reads nothing of the person's own."""
    settings = (word for setting in _SETTINGS for word in ("-c", setting))
    return ["git", f"--git-dir={git_dir}", *settings, *arguments]


def in_lines(names: Iterable[str]) -> bytes:
    """Return ``names`` as git reads them from its input, one on a line."""
    return "".join(f"{name}\n" for name in names).encode()


def read_clone(
    git_dir: Path, *arguments: str, names: Iterable[str] = (), seconds: float | None = None
) -> bytes:
    """Return what git prints about a clone, and about the objects ``names`` in it; see ``run``."""
    return run(in_clone(git_dir, *arguments), local_environment(), in_lines(names), seconds)


def run(
    command: Sequence[str],
    env: Mapping[str, str],
    stdin: bytes = b"",
    seconds: float | None = None,
    growing: Path | None = None,
) -> bytes:
    """Return what the command prints; GitError when it fails, PerfAssetsError when git is missing.

    It fails too when it takes longer than ``seconds``, or makes no progress (`ended_when_idle`);
    what arrives in the folder ``growing`` is progress.
    """
    with _started(command, env, stdin) as (git, stderr):
        with ended_when_idle(git, partial(_received, stderr, growing)) as watch:
            try:
                output, _ = git.communicate(timeout=seconds)
            except child.TimeoutExpired:
                child.end(git, child.CLEANUP_SECONDS)
                raise GitError(f"fatal: operation timed out after {seconds:g} s") from None
        _check(git.returncode, stderr, watch)
        return output


@contextmanager
def streamed(command: Sequence[str], env: Mapping[str, str], stdin: bytes) -> Iterator[IO[bytes]]:
    """Provide the output of the command as it comes; GitError at the end of the block when it
    fails.

    A block that is left early ends the command.
    """
    with _started(command, env, stdin) as (git, stderr):
        assert git.stdout is not None
        with ended_when_idle(git, unread(git.stdout)) as watch:
            with git.stdout as output:
                yield output
            status = git.wait()
        _check(status, stderr, watch)


@contextmanager
def _started(
    command: Sequence[str], env: Mapping[str, str], stdin: bytes
) -> Iterator[tuple[Child, IO[bytes]]]:
    """Start git as `at_work` does, if no stop was requested; limit its memory to read a clone."""
    shutdown.block_if_stopping()
    with ExitStack() as stack:
        try:
            git, stderr = stack.enter_context(at_work(command, env, stdin))
        except FileNotFoundError:
            raise PerfAssetsError(
                "git is not installed, or not on PATH: install git 2.32 or newer and run again"
            ) from None
        if _NO_SETTINGS.items() <= env.items():
            _limit_memory(git.pid)
        yield git, stderr


@contextmanager
def at_work(
    command: Sequence[str], env: Mapping[str, str], data: bytes
) -> Iterator[tuple[Child, IO[bytes]]]:
    """Start a command on the input ``data``; yield it, and the file to which it writes its errors.

    Its output is a pipe. It is killed if it has not ended when the block does.
    """
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(data)
        stdin.seek(0)
        with child.start(
            command, cwd=_NOWHERE, env=env, stdin=stdin, stdout=child.PIPE, stderr=stderr
        ) as process:
            try:
                yield process, stderr
            finally:
                process.kill()


def _limit_memory(pid: int) -> None:
    """Have a process fail that takes more than ``MOST_MEMORY``; on Linux alone."""
    if hasattr(resource, "prlimit"):
        with suppress(OSError):  # it has ended already
            resource.prlimit(pid, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def _received(stderr: IO[bytes], growing: Path | None) -> int:
    """Return how many bytes came from a remote: what it reported, and what was stored."""
    output = os.pread(stderr.fileno(), os.fstat(stderr.fileno()).st_size, 0)
    lines = output.replace(b"\r", b"\n").split(b"\n")
    stored = 0
    for file in () if growing is None else growing.rglob("*"):
        with suppress(OSError):  # it has got another name meanwhile
            stored += file.stat().st_size
    return stored + sum(len(line) for line in lines if line.startswith(b"remote:"))


def _check(status: int, stderr: IO[bytes], watch: Watch) -> None:
    """Raise GitError where git did not end well."""
    if watch.has_ended_it:
        raise IdleError(f"fatal: operation timed out: no progress in {child.IDLE_SECONDS:g} s")
    if status:
        if status < 0 or status in STOPPED:  # by a signal that is about to end this process too
            shutdown.block_if_stopping(after_failure=True)
        stderr.seek(0)
        raise GitError(readable(stderr.read()))


def readable(text: bytes) -> str:
    """Text from git, UTF-8 or not, without surrogates."""
    return text.decode("utf-8", "backslashreplace").strip()


def lines_of(output: bytes | str) -> list[str]:
    """Return the lines that git printed; names of branches may hold other ends of lines."""
    text = output if isinstance(output, str) else output.decode("utf-8", "backslashreplace")
    return text.removesuffix("\n").split("\n") if text else []


def split_at_nul(output: IO[bytes]) -> Iterator[bytes]:
    """Yield the parts of a stream that end with NUL."""
    rest = b""
    while chunk := output.read(1 << 20):
        *parts, rest = (rest + chunk).split(b"\0")
        yield from parts


def is_disk_full(stderr: str) -> bool:
    """Return whether git's words mean that there was no room to write."""
    return any(sign in stderr.lower() for sign in ("no space left on device", "quota exceeded"))


def error_line(stderr: str) -> str:
    """Return the line with the error itself: the first that git calls one, else the last; its
    beginning.

    Git repeats what it cannot read, which may be a megabyte of a damaged file.
    """
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("fatal:", "error:"))]
    line = (errors or lines[-1:] or ["nothing"])[0]
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def reason_of(failure: GitError) -> str:
    """Return why git failed, for a table: the object that it cannot read where it names one."""
    line = error_line(failure.stderr)
    named = _OBJECT.search(line)
    return f"{LACKS}{named[1]}" if named else f"git says {line!r}"
