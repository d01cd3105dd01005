"""Each place in the source that waits has an end: a limit that is passed, or a reason."""

import ast
from collections.abc import Iterator
from functools import cache

from tests.paths import ROOT

PACKAGE = ROOT / "perf_assets"
# What waits until something else happens, as the last part of what is called.
ALWAYS = {"urlopen", "FileLock", "create_connection", "communicate", "recv", "recv_into", "accept"}
ALWAYS |= {"acquire", "as_completed", "flock", "Popen", "readline", "result"}
WITHOUT_ARGUMENTS = {"wait", "join", "get", "select", "read"}
OF_A_MODULE = {"subprocess.run", "subprocess.call", "subprocess.check_output", "os.read"}
OF_A_MODULE |= {"child.start", "child.run"}
LIMITS = {"timeout", "seconds"}

# The others: file, call, and what ends the wait.
REASONS = {
    (
        "dagster_app/add_repository_job.py",
        "answer.read",
    ): "of our own web server; urlopen was given a limit",
    (
        "archive/tables.py",
        "child.run",
    ): "DuckDB in it writes rows of one file to another",
    ("archive/work_folder.py", "FileLock"): "does not wait: timeout 0",
    ("reports/site/packages.py", "file.read"): "unpacked in memory",
    ("cli/process.py", "os.read"): "for the end of the command itself, or a signal",
    ("cli/query.py", "sys.stdin.read"): "a person's own pipe; Ctrl-C ends it",
    ("cli/ui.py", "fcntl.flock"): "does not wait: LOCK_NB",
    ("engines/connection.py", "socket.create_connection"): "REACH_SECONDS, by position",
    ("stand_ins/github/server.py", "threading.Event().wait"): "mock-api, until Ctrl-C",
    (
        "stand_ins/discourse/server.py",
        "threading.Event().wait",
    ): "mock-api, until Ctrl-C",
    (
        "stand_ins/stackexchange/server.py",
        "threading.Event().wait",
    ): "mock-api, until Ctrl-C",
    (
        "base/processes/python_process.py",
        "sent.recv_into",
    ): "select said that there is something, or "
    "ended_when_idle ends the other process; which, as it waits, ends when this one does",
    ("base/processes/child.py", "subprocess.Popen"): "child.start: whoever calls it waits",
    ("base/processes/child.py", "process.wait"): "it was killed",
    ("base/processes/python_process.py", "child.start"): "whoever starts it waits with a limit",
    ("base/processes/children.py", "child.start"): "not waited for",
    ("base/processes/children.py", "os.read"): "for the end of the command, which is its purpose",
    ("reports/drawing_process.py", "begun.result"): "its thread asks the process: ended_when_idle",
    ("stand_ins/generator/history.py", "child.start"): "reads what this process writes",
    ("stand_ins/generator/history.py", "git.stderr.read"): "ends with git, whose input is closed",
    ("stand_ins/generator/history.py", "git.wait"): "git has closed its output",
    ("stand_ins/generator/history.py", "self.answers.readline"): "git answers from its own files",
    ("stand_ins/generator/history.py", "child.run"): "git init and config in an empty folder",
    ("sources/git/command.py", "child.start"): "ended_when_idle, by those who start it",
    ("sources/git/command.py", "git.wait"): "ended_when_idle, or it was killed before",
    ("sources/git/command.py", "stderr.read"): "a file",
    ("sources/git/commits.py", "output.readline"): "streamed: ended_when_idle",
    ("sources/git/inspection.py", "history.result"): "its thread reads from git: ended_when_idle",
    ("sources/git/inspection.py", "worker.wait"): "it has closed its output, and ended_when_idle",
    ("sources/git/inspection.py", "stderr.read"): "a file",
    ("sources/git/mining.py", "under_way.popleft().result"): "threads at git: ended_when_idle",
    ("sources/git/pydriller_mining.py", "git.repo.odb.stream(commit._c_object.binsha).read"): (
        "an object of the clone, from memory or a git that reads its own files"
    ),
    ("sources/github/prefetch.py", "future.result"): "its thread asks within a time",
    (
        "lint/files/scanning.py",
        "worker.python.process.wait",
    ): "killed, or its line closed",
    ("lint/files/worker.py", "thread.join"): "its work ends with the file's budget",
    ("sources/replication/problems.py", "file.readline"): "a file",
    ("stages/mining/commits.py", "of_others.result"): "its thread reads from git: ended_when_idle",
    ("storage/audited_writer.py", "audit.result"): "its thread asks the process: ended_when_idle",
    ("storage/lock.py", "FileLock"): "acquired with timeout=0",
    ("storage/verdicts.py", "file.read"): "a file",
    (
        "base/processes/shutdown.py",
        "threading.Event().wait",
    ): "the process is ended by another thread meanwhile",
    (
        "web/review/application.py",
        "self.collecting.acquire",
    ): "not blocking: it is refused at once",
    ("web/services.py", "child.start"): "watched; answers are waited for with limits",
    (
        "dagster_app/workers.py",
        "child.start",
    ): "each wait inside a worker has its own limit",
    (
        "dagster_app/workers.py",
        "future.result",
    ): "its worker answers or ends: each wait inside it has a limit",
    ("dagster_app/workers.py", "self._process.communicate"): "it was killed",
}


@cache
def waits() -> set[tuple[str, str]]:
    return {*_waits()}


def _waits() -> Iterator[tuple[str, str]]:
    """Each call that may wait without a limit of its own: its file, and what it calls."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or LIMITS & {one.arg for one in node.keywords}:
                continue
            called = ast.unparse(node.func)
            last = called.rpartition(".")[2]
            if (
                called in OF_A_MODULE
                or last in ALWAYS
                or (last in WITHOUT_ARGUMENTS and "." in called and not node.args + node.keywords)
            ):
                yield path.relative_to(PACKAGE).as_posix(), called


def test_each_place_that_waits_has_a_limit_or_a_reason() -> None:
    without = sorted(waits() - REASONS.keys())
    assert not without, f"pass a limit, or give the reason why the wait ends: {without}"


def test_each_reason_is_of_a_place_that_waits() -> None:
    assert sorted(REASONS.keys() - waits()) == []
