"""A corpus directory: one repository's issues as JSON lines, read and checked line by line.

Its files hold GitHub's REST shapes: ``issues``, ``comments``, optional ``events`` and ``pulls``,
each ``.jsonl`` or ``.jsonl.gz``; ``repository.json`` names the repository. A pull request may say
in ``closes`` which issues it is linked to as closing them, which REST does not tell, and in
``commits`` how many it has.
"""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from perf_assets.errors import PerfAssetsError
from perf_assets.months import month_of

Record = dict[str, Any]
T = TypeVar("T")

TYPE_NAMES = {str: "text", int: "an integer", dict: "an object", list: "a list"}

REPOSITORY_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/(?!\.{1,2}$)[A-Za-z0-9._-]+")
# GraphQL's Int is 32 bits wide, and issue numbers travel as Int.
LARGEST_NUMBER = 2**31 - 1
LARGEST_ID = 2**63 - 1


@dataclass(frozen=True)
class Corpus:
    """The issue tracker of one repository, in the shape of GitHub's REST answers.

    ``issues`` and ``pulls`` are by number, ascending; ``comments`` and ``events`` by issue number,
    oldest first, with an entry for issues that have some. Every timestamp is UTC text in the form
    ``YYYY-MM-DDTHH:MM:SSZ``, so texts compare as times do. ``departed`` tells of numbers that were
    issues here where those are now: owner/name#number, or None for a discussion.
    """

    repository: str
    issues: Mapping[int, Record]
    comments: Mapping[int, list[Record]]
    events: Mapping[int, list[Record]]
    pulls: Mapping[int, Record]
    departed: Mapping[int, str | None] = field(default_factory=dict)


def read_corpus(directory: Path, repository: str | None = None) -> Corpus:
    """Read the corpus in ``directory``; ``repository`` (owner/name) wins over what it says itself.

    A closed issue without events gets one closed event at its ``closed_at``.

    Raises
    ------
    PerfAssetsError
        Naming file and line where something is missing, malformed or contradictory.
    """
    name = _repository_name(directory, repository)
    issues = _issues(directory)
    pulls = _pulls(directory, issues)
    comments = _of_issues(directory, "comments", issues, _check_comment)
    events = _of_issues(directory, "events", issues, _check_event)
    for number, issue in issues.items():
        if issue["state"] == "closed" and number not in events:
            events[number] = [_closing_event(issue)]
    return Corpus(name, issues, comments, events, pulls)


def newest_month(directory: Path) -> str | None:
    """The month of the newest timestamp of the corpus's issues; None where it has no issue.

    Raises
    ------
    PerfAssetsError
        As ``read_corpus``, for the issues file only.
    """
    newest = ""
    for line in _lines(_required_file(directory, "issues")):
        for key in ("created_at", "updated_at", "closed_at"):
            newest = max(newest, line.moment(key) or "")
    return month_of(datetime.fromisoformat(newest)) if newest else None


@dataclass(frozen=True)
class _Line:
    """One record, and where it stands."""

    path: Path
    number: int
    record: Record

    def refuse(self, reason: str) -> PerfAssetsError:
        return _refuse(self.path, self.number, reason)

    def required(self, key: str, kind: type[T]) -> T:
        """The value of ``key``, which must be there and of type ``kind``."""
        if key not in self.record:
            raise self.refuse(f"the required key {key!r} is missing")
        value = self.record[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.refuse(f"{key!r} must be {TYPE_NAMES[kind]}, not {value!r:.80}")
        return value

    def optional(self, key: str, kind: type[T]) -> T | None:
        """The value of ``key``, of type ``kind``, or None where it is missing or null."""
        return None if self.record.get(key) is None else self.required(key, kind)

    def integer(self, key: str, largest: int = LARGEST_NUMBER) -> int:
        """A positive integer that GitHub's API can carry."""
        value = self.required(key, int)
        if not 0 < value <= largest:
            raise self.refuse(f"{key!r} must be between 1 and {largest}, not {value}")
        return value

    def moment(self, key: str, *, required: bool = False) -> str | None:
        """The timestamp of ``key`` in UTC."""
        text = self.required(key, str) if required else self.optional(key, str)
        if text is None:
            return None
        try:
            return _utc(text)
        except (ValueError, OverflowError):
            raise self.refuse(
                f"{key!r} is {text!r:.80}, which is not a time with its zone "
                "such as 2021-03-04T05:06:07Z"
            ) from None

    def inner(self, key: str, inner_key: str) -> str:
        """The text ``inner_key`` of the object ``key``."""
        return _Line(self.path, self.number, self.required(key, dict)).required(inner_key, str)


def _refuse(path: Path, number: int, reason: str) -> PerfAssetsError:
    return PerfAssetsError(f"{path}, line {number}: {reason}; mend that line of the corpus")


def _utc(text: str) -> str:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    if len(text) == len("2021-03-04T05:06:07Z") and text[10] == "T" and text[-1] == "Z":
        return text
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _repository_name(directory: Path, given: str | None) -> str:
    if not directory.is_dir():
        raise PerfAssetsError(f"{directory}: there is no such corpus directory")
    file = directory / "repository.json"
    if given is not None:
        name, origin = given, "--repository"
    elif file.is_file():
        name, origin = _full_name(file), str(file)
    elif "+" in directory.resolve().name:
        name, origin = directory.resolve().name.replace("+", "/", 1), str(directory)
    else:
        raise PerfAssetsError(
            f"{directory}: nothing here says which repository this is; pass --repository OWNER/NAME"
            ' or add repository.json with {"full_name": "owner/name"}'
        )
    if not REPOSITORY_PATTERN.fullmatch(name):
        raise PerfAssetsError(f"{origin}: {name!r} is not a repository name like owner/name")
    return name


def _full_name(file: Path) -> str:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PerfAssetsError(f"{file}: this is not readable JSON: {error}") from None
    name = content.get("full_name") if isinstance(content, dict) else None
    if not isinstance(name, str):
        raise PerfAssetsError(f'{file}: it must read {{"full_name": "owner/name"}}')
    return name


def _file(directory: Path, name: str) -> Path | None:
    if not directory.is_dir():
        raise PerfAssetsError(f"{directory}: there is no such corpus directory")
    plain, packed = directory / f"{name}.jsonl", directory / f"{name}.jsonl.gz"
    if plain.is_file() and packed.is_file():
        raise PerfAssetsError(f"{plain}: {packed.name} is there as well; remove one of the two")
    return next((path for path in (plain, packed) if path.is_file()), None)


def _required_file(directory: Path, name: str) -> Path:
    path = _file(directory, name)
    if path is None:
        raise PerfAssetsError(
            f"{directory}: a corpus needs {name}.jsonl or {name}.jsonl.gz; "
            "add it (an empty file says that there are none)"
        )
    return path


def _open(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _lines(path: Path) -> Iterator[_Line]:
    """The records of a file; PerfAssetsError at the first line that is none."""
    number = 0
    try:
        with _open(path) as file:
            for number, line in enumerate(file, start=1):
                yield _Line(path, number, _parse(path, number, line))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise PerfAssetsError(
            f"{path}: the compressed file is damaged or cut after line {number} ({error}); "
            "fetch or write it again"
        ) from None
    except OSError as error:
        raise PerfAssetsError(f"{path}: the file cannot be read: {error}") from None


def _parse(path: Path, number: int, line: bytes) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _refuse(path, number, f"this is not JSON ({error})") from None
    if not isinstance(record, dict):
        raise _refuse(path, number, f"this is not a JSON object but {line!r:.80}")
    return record


def _issues(directory: Path) -> dict[int, Record]:
    issues: dict[int, Record] = {}
    for line in _lines(_required_file(directory, "issues")):
        if "pull_request" in line.record:
            raise line.refuse("this is a pull request, which belongs in pulls.jsonl")
        number = _check_thread(line)
        line.record["updated_at"] = line.moment("updated_at", required=True)
        line.optional("state_reason", str)
        line.optional("html_url", str)
        if number in issues:
            raise line.refuse(f"issue {number} is here a second time")
        issues[number] = line.record
    return dict(sorted(issues.items()))


def _pulls(directory: Path, issues: Mapping[int, Record]) -> dict[int, Record]:
    path = _file(directory, "pulls")
    pulls: dict[int, Record] = {}
    for line in _lines(path) if path else ():
        number = _check_thread(line)
        merged_at = line.moment("merged_at")
        known = (line.record["created_at"], line.record["closed_at"], merged_at)
        updated_at = line.moment("updated_at") or max(filter(None, known))
        line.optional("merge_commit_sha", str)
        line.optional("commits", int)
        for issue in line.optional("closes", list) or ():
            if not isinstance(issue, int):
                raise line.refuse(f"'closes' must list numbers of issues, not {issue!r:.80}")
        line.record.update(merged_at=merged_at, updated_at=updated_at)
        if number in pulls or number in issues:
            other = "a pull request" if number in pulls else "an issue"
            raise line.refuse(f"the number {number} already belongs to {other}")
        pulls[number] = line.record
    return dict(sorted(pulls.items()))


def _check_thread(line: _Line) -> int:
    """Check what issues and pull requests share, normalise their times, return the number."""
    line.required("title", str)
    line.optional("body", str)
    _check_user(line, "user")
    for label in line.optional("labels", list) or ():
        if not isinstance(label, dict) or not isinstance(label.get("name"), str):
            raise line.refuse(f"a label must be an object with a name, not {label!r:.80}")
    created_at, closed_at = line.moment("created_at", required=True), line.moment("closed_at")
    state = line.required("state", str)
    if state not in ("open", "closed"):
        raise line.refuse(f"'state' must be open or closed, not {state!r:.80}")
    if (state == "closed") != (closed_at is not None):
        raise line.refuse(f"it is {state}, but 'closed_at' is {closed_at}")
    line.record.update(created_at=created_at, closed_at=closed_at)
    return line.integer("number")


def _check_user(line: _Line, key: str) -> None:
    if line.optional(key, dict) is not None:
        line.inner(key, "login")


def _of_issues(
    directory: Path, name: str, issues: Mapping[int, Record], check: Callable[[_Line], None]
) -> dict[int, list[Record]]:
    """The records of a file that belong to issues, by issue number, oldest first."""
    path = _required_file(directory, name) if name == "comments" else _file(directory, name)
    seen: set[int] = set()
    found: dict[int, list[Record]] = {}
    for line in _lines(path) if path else ():
        key, number = line.integer("id", LARGEST_ID), line.integer("issue_number")
        if key in seen:
            raise line.refuse(f"the id {key} is here a second time")
        if number not in issues:
            raise line.refuse(f"it belongs to issue {number}, which the corpus does not have")
        seen.add(key)
        line.record["created_at"] = line.moment("created_at", required=True)
        check(line)
        found.setdefault(number, []).append(line.record)
    for records in found.values():
        records.sort(key=lambda record: (record["created_at"], record["id"]))
    return found


def _check_comment(line: _Line) -> None:
    _check_user(line, "user")
    line.optional("body", str)
    line.record["updated_at"] = line.moment("updated_at") or line.record["created_at"]


def _check_event(line: _Line) -> None:
    _check_user(line, "actor")
    match line.required("event", str):
        case "labeled" | "unlabeled":
            line.inner("label", "name")
        case "renamed":
            line.inner("rename", "from")
            line.inner("rename", "to")
        case "transferred":
            line.optional("from_repository", str)
        case "closed" if line.optional("closer", dict):
            _check_closer(_Line(line.path, line.number, line.record["closer"]))


def _check_closer(closer: _Line) -> None:
    closer.optional("repository", str)
    match closer.required("type", str):
        case "commit":
            closer.required("oid", str)
        case "pull_request":
            closer.integer("number")
            closer.optional("merge_commit_sha", str)
        case other:
            raise closer.refuse(f"a closer is a commit or a pull_request, not {other!r:.80}")


def _closing_event(issue: Record) -> Record:
    # GitHub's ids are positive, so the negative number cannot meet one.
    return {
        "id": -issue["number"],
        "issue_number": issue["number"],
        "event": "closed",
        "actor": None,
        "created_at": issue["closed_at"],
    }
