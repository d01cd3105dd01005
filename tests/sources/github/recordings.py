"""Answers of GitHub that public repositories recorded: found, parsed, and written as corpora.

Nothing of them is part of this project. ``PERF_ASSETS_RECORDINGS`` names a directory with a
checkout or a bare git directory of each repository in ``SOURCES``: ``OWNER+NAME``,
``OWNER+NAME/repo`` or ``OWNER+NAME/repo/.git``.
"""

import ast
import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

VARIABLE = "PERF_ASSETS_RECORDINGS"
KINDS = ("issues", "comments", "events", "pulls")
STAND_IN = "(this issue was not recorded)"

Record = dict[str, Any]

ADDRESS = re.compile(
    r"https?://[^/\s]+/(?:api/v3/)?repos/(?P<repository>[^/\s]+/[^/\s]+)/"
    r"(?P<kind>issues/comments|issues/events|issues|pulls)/(?P<key>\d+)"
)
OF_ISSUE = re.compile(r"/repos/(?P<repository>[^/?]+/[^/?]+)/issues/(?P<number>\d+)(?:/|\?|$)")
IN_ADDRESS = {
    "issues/comments": "comments",
    "issues/events": "events",
    "issues": "issues",
    "pulls": "pulls",
}
OF_WORKFLOWS = ("run_number", "workflow_id")  # their runs have an event, too


@dataclass(frozen=True)
class Recording:
    """An answer: its file, the path that was requested (or ""), status, headers and body."""

    origin: str
    path: str
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def is_graphql(self) -> bool:
        """Whether the GraphQL interface gave it."""
        return self.path.split("?")[0].endswith("/graphql")


def material(repository: str) -> Path | None:
    """Return the checkout or git directory of ``repository``; None where it was not fetched."""
    place = os.environ.get(VARIABLE)
    folder = Path(place or "/nowhere") / repository.replace("/", "+")
    for path in (folder / "repo" / ".git", folder / ".git", folder / "repo", folder):
        if place and path.is_dir():
            return path
    return None


def files(path: Path, pattern: str) -> Iterator[tuple[str, str]]:
    """Yield the name and text of the files that match ``pattern`` at HEAD or in a work tree."""
    if not (path / "objects").is_dir():
        for file in sorted(path.rglob("*")):
            name = file.relative_to(path).as_posix()
            if file.is_file() and fnmatch(name, pattern):
                yield name, file.read_text(encoding="utf-8", errors="replace")
        return
    git = ["git", f"--git-dir={path}"]
    listing = subprocess.run(
        [*git, "ls-tree", "-r", "-z", "--name-only", "HEAD"], capture_output=True, check=True
    )
    names = [name for name in listing.stdout.decode().split("\0") if fnmatch(name, pattern)]
    wanted = "".join(f"HEAD:{name}\n" for name in names).encode()
    found = subprocess.run(
        [*git, "cat-file", "--batch"], input=wanted, capture_output=True, check=True
    ).stdout
    start = 0
    for name in names:
        end = found.index(b"\n", start)
        size = found[start:end].rpartition(b" ")[2]
        start = end + 1
        if size.isdigit():  # a snapshot lacks large files
            yield name, found[start : start + int(size)].decode("utf-8", "replace")
            start += int(size) + 1


def replay_data(name: str, text: str) -> Iterator[Recording]:
    """Parse a file of PyGithub: ten lines for each request and its answer."""
    lines = text.split("\n")
    index = 0
    while index + 9 < len(lines):
        if lines[index] not in ("http", "https") or not lines[index + 7].isdigit():
            index += 1
            continue
        _, _, _, _, path, _, _, status, headers, body = lines[index : index + 10]
        yield Recording(name, path, int(status), _python_headers(headers), body)
        index += 10


def _python_headers(text: str) -> dict[str, str]:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return {}
    pairs = value.items() if isinstance(value, dict) else value
    return {str(name).lower(): str(content) for name, content in pairs}


def plain(name: str, text: str) -> Iterator[Recording]:
    """Parse a file that holds the body of a good answer."""
    yield Recording(name, "", 200, {}, text)


def backend_data(name: str, text: str) -> Iterator[Recording]:
    """Parse a file of Perceval: the body of an answer, most of them good ones to REST calls."""
    path = "/graphql" if "github_events_" in name else ""
    status = 403 if name.endswith("abuse_rate_limit") else 200
    yield Recording(name, path, status, {}, text)


def scenarios(name: str, text: str) -> Iterator[Recording]:
    """Parse a file of octokit/fixtures: a list of answers."""
    for entry in json.loads(text):
        yield Recording(
            name,
            entry["path"],
            entry["status"],
            {key.lower(): str(value) for key, value in entry.get("responseHeaders", {}).items()},
            _text(entry.get("response")),
        )


def wiremock(name: str, text: str) -> Iterator[Recording]:
    """Parse a file of hub4j/github-api: the body of an answer, or an answer without a file."""
    if "/__files/" in name:
        yield Recording(name, "", 200, {}, text)
        return
    try:
        entry = json.loads(text)
    except ValueError:
        return
    response = entry.get("response", {}) if isinstance(entry, dict) else {}
    if "bodyFileName" in response and int(response.get("status", 200)) < 300:
        return  # the file comes by itself
    request = entry.get("request", {}) if isinstance(entry, dict) else {}
    if str(response.get("status", "")).isdigit():
        yield Recording(
            name,
            str(request.get("url") or request.get("urlPath") or ""),
            int(response["status"]),
            {key.lower(): _text(value) for key, value in response.get("headers", {}).items()},
            _text(response.get("body", response.get("jsonBody", ""))),
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


SOURCES: dict[str, tuple[str, Callable[[str, str], Iterator[Recording]]]] = {
    "PyGithub/PyGithub": ("tests/ReplayData/*.txt", replay_data),
    "chaoss/grimoirelab-perceval": ("tests/data/github/*", backend_data),
    "octokit/fixtures": ("scenarios/*raw-fixture.json", scenarios),
    "hub4j/github-api": ("src/test/resources/*.json", wiremock),
    "bitcoin-data/github-metadata-backup-bitcoin-core-gui": ("*s/*.json", plain),
    "f2etw/issues-backup": ("*.json", plain),
}


def recordings(repository: str) -> Iterator[Recording]:
    """Yield all answers that ``repository`` recorded."""
    path = material(repository)
    pattern, parse = SOURCES[repository]
    for name, text in files(path, pattern) if path else ():
        yield from parse(name, text)


@dataclass
class Tracker:
    """The records of one repository's tracker, by kind, as GitHub sent them."""

    records: dict[str, list[Record]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    def stand_ins(self) -> list[Record]:
        """Make an issue for each comment or event whose issue was not recorded."""
        known = {record["number"] for kind in ("issues", "pulls") for record in self.records[kind]}
        missing: dict[int, str] = {}
        for record in [*self.records["comments"], *self.records["events"]]:
            number = record.get("issue_number")
            if number is not None and number not in known and record.get("created_at"):
                missing[number] = min(missing.get(number, "9"), record["created_at"])
        return [
            {
                "number": number,
                "title": STAND_IN,
                "state": "open",
                "created_at": moment,
                "updated_at": moment,
            }
            for number, moment in missing.items()
        ]

    def write(self, directory: Path) -> int:
        """Write the records as a corpus; return how many issues stand in for others."""
        directory.mkdir()
        stand_ins = self.stand_ins()
        for kind in KINDS:
            rows = self.records[kind] + (stand_ins if kind == "issues" else [])
            lines = "".join(f"{json.dumps(row)}\n" for row in rows)
            (directory / f"{kind}.jsonl").write_text(lines, encoding="utf-8")
        return len(stand_ins)


def trackers(answers: Iterator[Recording]) -> dict[str, Tracker]:
    """Return the trackers of the repositories that good answers are about."""
    found: dict[str, Tracker] = defaultdict(Tracker)
    for answer in answers:
        try:
            content = json.loads(answer.text) if answer.status < 300 else None
        except ValueError:
            continue
        match = OF_ISSUE.search(answer.path)
        issue = (match["repository"], int(match["number"])) if match else None
        for kind, repository, record in _records(content, issue):
            found[repository].records[kind].append(record)
    return dict(found)


Place = tuple[str, int]


def _records(value: object, issue: Place | None) -> Iterator[tuple[str, str, Record]]:
    """Yield kind, repository and content of the records within an answer about ``issue``."""
    if isinstance(value, list):
        for entry in value:
            yield from _records(entry, issue)
    elif isinstance(value, dict):
        match = ADDRESS.fullmatch(str(value.get("url", "")))
        if match and match["kind"] in ("issues", "pulls"):
            issue = (match["repository"], int(match["key"]))
        issue = _named(value) or issue
        kind = _kind(value, match)
        repository = match["repository"] if match else issue[0] if issue else None
        if kind and repository:
            yield kind, repository, _with_issue(kind, value, issue)
        for entry in value.values():
            yield from _records(entry, issue)


def _named(value: Record) -> Place | None:
    """Return the issue that an event, or a whole file about an issue, is about."""
    for key in ("issue", "pull"):
        inner = value.get(key)
        match = ADDRESS.fullmatch(str(inner.get("url", ""))) if isinstance(inner, dict) else None
        if match:
            return match["repository"], int(match["key"])
    return None


def _kind(value: Record, match: re.Match[str] | None) -> str | None:
    if isinstance(value.get("event"), str):
        if any(key in value for key in OF_WORKFLOWS):
            return None
        return "comments" if value["event"] == "commented" else "events"
    kind = IN_ADDRESS[match["kind"]] if match else None
    if kind in ("issues", "pulls") and not {"number", "title", "state"} <= value.keys():
        return None
    return None if kind == "comments" and "body" not in value else kind


def _with_issue(kind: str, value: Record, issue: Place | None) -> Record:
    if kind in ("issues", "pulls"):
        return value
    number = OF_ISSUE.search(str(value.get("issue_url", "")))
    record = {key: entry for key, entry in value.items() if key != "issue"}
    if kind == "comments":
        record.pop("event", None)
    if number or issue:
        record["issue_number"] = int(number["number"]) if number else issue[1]
    return record
