"""The actions of GitHub: their steps, run as the runner runs them, and what they declare."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from perf_assets.config.data_directory import PUBLISHED
from tests.github_runner import EXPRESSION, Runner, load_action
from tests.paths import ROOT
from tests.support import Prepared

ACTIONS = ROOT / "action"
STUDY, LINT = ACTIONS / "study", ACTIONS / "lint"
EXAMPLES = sorted((ACTIONS / "examples").glob("*.yml"))
GUIDE = ROOT / "docs" / "guides" / "github_action.md"
TOKEN = "ghp_" + "canary" * 6
HOSTILE = ["; touch pwned", "$(touch pwned)", "`touch pwned`", "x\ntouch pwned", "--help", ""]
SLOW_LOOP = "import torch\nx = None\nfor y in z:\n    x = torch.cat([x, y])\n"
FINDING = """import tensorflow as tf


def f(x):
    return tf.io.decode_raw(x, tf.uint8)


tf.data.TFRecordDataset("a").map(f)
"""


def uses(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each action that a file uses, and the comment behind it."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := re.search(r"\buses: (\S+)(?: # (.*))?$", line):
            yield found[1], found[2] or ""


@pytest.mark.parametrize("folder", [STUDY, LINT], ids=lambda path: path.name)
def test_no_input_is_part_of_a_script(folder: Path) -> None:
    action = load_action(folder)
    text = (folder / "action.yml").read_text(encoding="utf-8")
    assert action["runs"]["using"] == "composite"
    assert {name for name in action["inputs"] if f"inputs.{name}" not in text} == set()
    read = {
        name
        for found in EXPRESSION.findall(text)
        for name in re.findall(r"inputs\.([\w-]+)", found)
    }
    assert read == set(action["inputs"])
    for step in action["runs"]["steps"]:
        if "run" in step:
            assert step["shell"] == "bash" and step["name"]
            assert step["run"].startswith("set -euo pipefail\n")
            assert not EXPRESSION.search(step["run"])


@pytest.mark.parametrize("path", [*ACTIONS.rglob("*.yml")], ids=lambda path: path.parent.name)
def test_each_action_of_others_is_pinned_to_a_commit(path: Path) -> None:
    versions = {}
    for name, comment in uses(path):
        if name.startswith("OWNER/"):
            assert name.endswith("@COMMIT")
            continue
        assert re.fullmatch(r"actions/[\w/-]+@[0-9a-f]{40}", name)
        assert re.fullmatch(r"v\d+\.\d+\.\d+", comment)
        versions[name] = comment
    assert versions


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_in_the_guide_and_give_inputs_that_there_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert f"```yaml\n{text}```" in GUIDE.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    ours = [
        step
        for job in workflow["jobs"].values()
        for step in job["steps"]
        if step["uses"].startswith("OWNER/perf-assets/")
    ]
    (step,) = ours
    folder = ROOT / step["uses"].removeprefix("OWNER/perf-assets/").removesuffix("@COMMIT")
    assert set(step["with"]) <= set(load_action(folder)["inputs"])


def test_the_guide_names_every_input() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for folder in (STUDY, LINT):
        assert {name for name in load_action(folder)["inputs"] if f"`{name}`" not in text} == set()


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, str]:
    """A PATH on which perf-assets is that of this tree, so that nothing is installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "perf-assets"
    program.write_text(
        f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} PYTHONSAFEPATH=1"
        f' exec {shlex.quote(sys.executable)} -m perf_assets "$@"\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def runner(folder: Path, tmp_path: Path, variables: dict[str, str]) -> Runner:
    given = {
        "python": {"python-path": sys.executable},
        "restore": {"cache-primary-key": "perf-assets/perf-assets/17-1"},
    }
    return Runner(folder, tmp_path / "job", given, variables)


class Comments(ThreadingHTTPServer):
    """Answers as GitHub does for the comments on the issues of one repository."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.stored: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str, str]] = []
        self.redirection = ""


class Handler(BaseHTTPRequestHandler):
    server: Comments

    def log_message(self, *_: object) -> None:
        return

    def _answer(self) -> None:
        path, _, query = self.path.partition("?")
        self.server.requests.append((self.command, path, self.headers["Authorization"]))
        length = int(self.headers.get("Content-Length", 0))
        content = json.loads(self.rfile.read(length)) if length else {}
        stored = self.server.stored
        answer: object
        if self.server.redirection:
            self.send_response(307)
            self.send_header("Location", self.server.redirection)
            self.end_headers()
            return
        if self.command == "GET":
            start = 100 * (int(re.findall(r"\bpage=(\d+)", query)[0]) - 1)
            answer = stored[start : start + 100]
        elif self.command == "POST":
            answer = {"id": len(stored), "user": {"login": "github-actions[bot]"}, **content}
            stored.append(answer)
        else:
            answer = stored[int(path.rpartition("/")[2])]
            answer.update(content)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815


@pytest.fixture
def comments() -> Iterator[Comments]:
    with Comments() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_a_study_continues_and_shows_its_summary(
    small: Prepared, tmp_path: Path, programs: dict[str, str], comments: Comments
) -> None:
    address = f"http://127.0.0.1:{comments.server_port}"
    job = runner(STUDY, tmp_path, {**programs, "GITHUB_API_URL": address})
    shutil.copytree(small.corpus, job.workspace / "corpus")
    shutil.copytree(small.data_dir, job.workspace / "perf-assets-data")  # as the cache restores it
    assert job.run({"study": "corpus/study.toml", "token": TOKEN, "issue": "7"}) == 0, job.log
    assert job.summary.startswith("# Performance bugs: sample\n")
    (comment,) = comments.stored
    assert comment["body"] == f"<!-- perf-assets: perf-assets -->\n{job.summary}"
    assert {sent for _, _, sent in comments.requests} == {"Bearer job-token"}
    names = [name.partition("@")[0] for name, _ in job.used]
    assert names == [
        *("actions/cache/restore", "actions/setup-python"),
        *("actions/cache/save", "actions/upload-artifact"),
    ]
    kept, uploaded = job.used[2][1], job.used[3][1]
    assert kept == {"path": "perf-assets-data", "key": "perf-assets/perf-assets/17-1"}
    assert kept["key"].startswith(job.used[0][1]["restore-keys"])
    paths = [job.workspace / line for line in uploaded["path"].splitlines()]
    assert [path.exists() for path in paths] == [True, True]
    assert (paths[0] / "index.html").exists() and paths[1].name == PUBLISHED
    assert TOKEN not in job.log
    assert TOKEN.encode() not in all_bytes(job.home)


@pytest.mark.slow
def test_a_run_that_fails_keeps_what_is_stored_and_says_so(
    tmp_path: Path, programs: dict[str, str]
) -> None:
    for number, study in enumerate(HOSTILE):
        job = runner(STUDY, tmp_path / str(number), programs)
        assert job.run({"study": study, "token": TOKEN, "issue": study}) == 2
        assert "The run failed" in job.summary and "Nothing is published yet." in job.summary
        assert job.used[-1][0].startswith("actions/cache/save@")
        assert list(tmp_path.rglob("pwned")) == []
        assert TOKEN not in job.log


@pytest.mark.slow
def test_a_cancelled_job_ends_the_run(
    small: Prepared, tmp_path: Path, programs: dict[str, str]
) -> None:
    job = runner(STUDY, tmp_path, programs)
    shutil.copytree(small.corpus, job.workspace / "corpus")
    (step,) = (one for one in load_action(STUDY)["runs"]["steps"] if one.get("id") == "run")
    variables = {"STUDY": "corpus/study.toml", "DATA_DIR": "data", "MINUTES": "5"}
    process = job.start(step["run"], variables)
    while not (job.workspace / "data" / "warehouse.duckdb").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)  # to the shell alone, as the runner does
    # It returns once no process has the pipe any more.
    printed, _ = process.communicate(timeout=20)
    assert process.returncode == 143, printed


@pytest.mark.slow
def test_what_is_printed_is_not_a_command_and_a_long_run_is_stopped(
    tmp_path: Path, programs: dict[str, str]
) -> None:
    program = Path(programs["PATH"].partition(":")[0]) / "perf-assets"
    program.write_text("#!/bin/sh\necho '::error::of a stranger'\nexec sleep 60\n")
    job = runner(STUDY, tmp_path, programs)
    (step,) = (one for one in load_action(STUDY)["runs"]["steps"] if one.get("id") == "run")
    process = job.start(step["run"], {"STUDY": "a", "DATA_DIR": "b", "MINUTES": "0.01"})
    printed, _ = process.communicate(timeout=30)
    lines = printed.splitlines()
    word = lines[0].removeprefix("::stop-commands::")
    assert re.fullmatch(r"[0-9a-f]{32}", word)
    assert lines[1:4] == ["::error::of a stranger", "", f"::{word}::"]
    assert lines[4].startswith("::error title=perf-assets::The run was stopped")
    assert process.returncode == 124


def comment(comments: Comments, tmp_path: Path, issue: str, name: str) -> tuple[int, str]:
    (tmp_path / "summary.md").write_text("new")
    ran = subprocess.run(
        [sys.executable, STUDY / "comment.py", issue, name, tmp_path / "summary.md"],
        env={
            "GITHUB_API_URL": f"http://127.0.0.1:{comments.server_port}",
            "GITHUB_REPOSITORY": "owner/name",
            "GITHUB_TOKEN": TOKEN,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert TOKEN not in ran.stdout + ran.stderr
    return ran.returncode, ran.stderr


@pytest.mark.slow
def test_a_comment_replaces_that_of_the_last_run_and_no_other(
    comments: Comments, tmp_path: Path
) -> None:
    bot = {"login": "github-actions[bot]"}
    mark = "<!-- perf-assets: a -->"
    others: list[dict[str, Any]] = [
        {"id": 0, "user": {"login": "stranger"}, "body": f"{mark} of a stranger"},
        {"id": 1, "user": None, "body": None},
        *({"id": 2 + n, "user": bot, "body": f"of another job {n}"} for n in range(110)),
        {"id": 112, "user": bot, "body": "<!-- perf-assets: ab --> of another study"},
    ]
    comments.stored = [dict(one) for one in others]
    assert comment(comments, tmp_path, "7", "a") == (0, "")
    assert comments.stored[:-1] == others
    comments.stored[-1]["body"] = f"{mark}\nold"
    assert comment(comments, tmp_path, "7", "a") == (0, "")
    assert comments.stored[:-1] == others
    assert comments.stored[-1] == {"id": 113, "user": bot, "body": f"{mark}\nnew"}
    assert [request[:2] for request in comments.requests if request[0] != "GET"] == [
        ("POST", "/repos/owner/name/issues/7/comments"),
        ("PATCH", "/repos/owner/name/issues/comments/113"),
    ]


@pytest.mark.slow
def test_a_comment_that_cannot_be_written_is_one_sentence(
    comments: Comments, tmp_path: Path
) -> None:
    for issue, name in (("7; touch pwned", "a"), ("../1", "a"), ("", "a"), ("7", "-->\n")):
        code, said = comment(comments, tmp_path, issue, name)
        assert code == 1 and said.startswith("The comment was not written: ")
        assert len(said.splitlines()) == 1
    assert comments.requests == []
    with Comments() as elsewhere:
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        comments.redirection = f"http://127.0.0.1:{elsewhere.server_port}/"
        code, said = comment(comments, tmp_path, "7", "a")
        assert code == 1 and "GitHub answered 307" in said
        assert elsewhere.requests == []  # it would get the token
        elsewhere.shutdown()


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.slow
def test_lint_annotates_findings_and_has_the_exit_code_of_lint(
    tmp_path: Path, programs: dict[str, str]
) -> None:
    job = runner(LINT, tmp_path, programs)
    (job.workspace / "a b.py").write_text(FINDING)
    (job.workspace / "note.py").write_text(SLOW_LOOP)
    assert job.run({}) == 1
    assert "::warning file=a b.py,line=8," in job.log and "file=note.py" in job.log
    job.log = ""
    assert job.run({"paths": "note.py\n"}) == 0
    assert job.run({"paths": "note.py", "error-on": "note"}) == 1
    assert job.run({"paths": "\na b.py\nnote.py\n"}) == 1
    assert job.log.count("file=a b.py") == 1
    for path in filter(None, HOSTILE):
        assert job.run({"paths": path}) == 2
        assert job.run({"paths": ".", "error-on": path}) == 2
    assert list(tmp_path.rglob("pwned")) == []


@pytest.mark.slow
def test_lint_reads_only_what_a_pull_request_changes(
    tmp_path: Path, programs: dict[str, str]
) -> None:
    job = runner(LINT, tmp_path, programs)
    changed = {"changed-only": "true"}
    git(job.workspace, "init", "--quiet")
    for name in ("old.py", "gone.py"):
        (job.workspace / name).write_text(FINDING)
    git(job.workspace, "add", ".")
    git(job.workspace, "commit", "--quiet", "--message", "before")
    assert job.run(changed) == 2 and "fetch-depth: 2" in job.log
    (job.workspace / "gone.py").unlink()
    (job.workspace / "page.md").write_text("changed\n")
    git(job.workspace, "add", ".")
    git(job.workspace, "commit", "--quiet", "--message", "a page")
    assert job.run(changed) == 0 and "No Python file or notebook is changed." in job.log
    (job.workspace / "src").mkdir()
    hostile = [
        "$(touch pwned).py",
        "--fix.py",
        "::error::a.py",
        "a\n::error::b.py",
        ":(exclude)c.py",
    ]
    for name in (*hostile, "src/new.py"):
        (job.workspace / name).write_text(FINDING)
    git(job.workspace, "add", ".")
    git(job.workspace, "commit", "--quiet", "--message", "new")
    job.log = ""
    assert job.run({**changed, "paths": "src"}) == 1
    assert job.log.count("::warning") == job.log.count("file=src/new.py,") == 1
    job.log = ""
    assert job.run(changed) == 1
    assert job.log.count("::warning") == len(hostile) + 1
    assert not any(line.startswith("::error") for line in job.log.splitlines())
    assert list(tmp_path.rglob("pwned")) == []
