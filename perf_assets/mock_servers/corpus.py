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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from pydantic_core import from_json

from perf_assets.config_files import validate
from perf_assets.errors import PerfAssetsError
from perf_assets.mock_servers.records import Comment, Event, Issue, OfIssue, PullRequest
from perf_assets.months import month_of
from perf_assets.processes.gc_control import gc_paused
from perf_assets.sanitize import shortened, whole_characters

Record = dict[str, Any]
Shape = TypeVar("Shape")
Belonging = TypeVar("Belonging", bound=OfIssue)

# Longer ones, of which GitHub has none, are no names of files.
REPOSITORY_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True)
class Corpus:
    """The issue tracker of one repository, in the shape of GitHub's REST answers.

    ``issues`` and ``pulls`` are by number, ascending; ``comments`` and ``events`` by issue number,
    oldest first, with an entry for issues that have some. Every timestamp is UTC text in the form
    ``YYYY-MM-DDTHH:MM:SSZ``, so texts compare as times do. ``departed`` lists numbers that were
    issues here where those are now: owner/name#number, or None for a discussion. ``archived_at`` is
    since when the repository is archived.
    """

    repository: str
    issues: Mapping[int, Record]
    comments: Mapping[int, list[Record]]
    events: Mapping[int, list[Record]]
    pulls: Mapping[int, Record]
    departed: Mapping[int, str | None] = field(default_factory=dict)
    archived_at: str | None = None


def read_corpus(directory: Path, repository: str | None = None) -> Corpus:
    """Read the corpus in ``directory``; ``repository`` (owner/name) wins over what it says itself.

    A closed issue without events gets one closed event at its ``closed_at``.

    Raises
    ------
    PerfAssetsError
        Naming file and line where something is missing, malformed or contradictory.
    """
    name = _repository_name(directory, repository)
    with gc_paused():
        issues = _issues(directory)
        pulls = _pulls(directory, issues)
        comments = _of_issues(directory, "comments", issues, Comment)
        events = _of_issues(directory, "events", issues, Event)
    for number, issue in issues.items():
        if issue["state"] == "closed" and number not in events:
            events[number] = [_closing_event(issue)]
    return Corpus(name, issues, comments, events, pulls, archived_at=_archived_at(directory))


def newest_month(directory: Path) -> str | None:
    """The month of the newest timestamp of the corpus's issues; None where it has no issue.

    Raises
    ------
    PerfAssetsError
        As ``read_corpus``, for the issues file only.
    """
    newest = ""
    for line in _lines(_required_file(directory, "issues")):
        issue = line.read(Issue)
        newest = max(newest, issue.created_at, issue.updated_at, issue.closed_at or "")
    return month_of(datetime.fromisoformat(newest)) if newest else None


@dataclass(frozen=True)
class _Line:
    """One JSON object of a file, and where it stands."""

    path: Path
    number: int
    record: Record

    def refuse(self, reason: str) -> PerfAssetsError:
        """That something is wrong with it."""
        return PerfAssetsError(
            f"{self.path}, line {self.number}: {reason}; mend that line of the corpus"
        )

    def read(self, shape: type[Shape]) -> Shape:
        """The record, checked."""
        try:
            return validate(shape, self.record, f"{self.path}, line {self.number}")
        except PerfAssetsError as error:
            raise PerfAssetsError(f"{error}; mend that line of the corpus") from None


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
        raise PerfAssetsError(
            f"{origin}: {shortened(name, 60)!r} is not a repository name like owner/name"
        )
    return name


def _archived_at(directory: Path) -> str | None:
    file = directory / "repository.json"
    if not file.is_file():
        return None
    moment = _repository_record(file).get("archived_at")
    try:
        if moment is not None:
            datetime.fromisoformat(moment)
    except (TypeError, ValueError):
        raise PerfAssetsError(
            f"{file}: archived_at must be a time like 2020-01-31T12:00:00Z, or null"
        ) from None
    return moment


def _full_name(file: Path) -> str:
    name = _repository_record(file).get("full_name")
    if not isinstance(name, str):
        raise PerfAssetsError(f'{file}: it must read {{"full_name": "owner/name"}}')
    return name


def _repository_record(file: Path) -> Record:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PerfAssetsError(f"{file}: this is not readable JSON: {error}") from None
    return content if isinstance(content, dict) else {}


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
                yield _parsed(path, number, line)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise PerfAssetsError(
            f"{path}: the compressed file is damaged or cut after line {number} ({error}); "
            "fetch or write it again"
        ) from None
    except OSError as error:
        raise PerfAssetsError(f"{path}: the file cannot be read: {error}") from None


def _parsed(path: Path, number: int, line: bytes) -> _Line:
    try:
        record = _decoded(line)
    except (ValueError, RecursionError) as error:
        raise _Line(path, number, {}).refuse(f"this is not JSON ({error})") from None
    if not isinstance(record, dict):
        raise _Line(path, number, {}).refuse(f"this is not a JSON object but {line!r:.80}")
    return _Line(path, number, record)


def _decoded(line: bytes) -> Any:  # noqa: ANN401
    try:  # All records share one copy of their keys: that is half of their memory.
        return from_json(line, cache_strings="keys")
    except ValueError:  # halves of characters, another encoding, or no JSON
        return whole_characters(json.loads(line))


def _issues(directory: Path) -> dict[int, Record]:
    issues: dict[int, Record] = {}
    for line in _lines(_required_file(directory, "issues")):
        issue = line.read(Issue)
        if issue.number in issues:
            raise line.refuse(f"issue {issue.number} is here a second time")
        issues[issue.number] = line.record | {
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
            "closed_at": issue.closed_at,
        }
    return dict(sorted(issues.items()))


def _pulls(directory: Path, issues: Mapping[int, Record]) -> dict[int, Record]:
    path = _file(directory, "pulls")
    pulls: dict[int, Record] = {}
    for line in _lines(path) if path else ():
        pull = line.read(PullRequest)
        if pull.number in pulls or pull.number in issues:
            other = "a pull request" if pull.number in pulls else "an issue"
            raise line.refuse(f"the number {pull.number} already belongs to {other}")
        pulls[pull.number] = line.record | {
            "created_at": pull.created_at,
            "closed_at": pull.closed_at,
            "merged_at": pull.merged_at,
            "updated_at": pull.updated_at or max(pull.times()),
        }
    return dict(sorted(pulls.items()))


def _of_issues(
    directory: Path, name: str, issues: Mapping[int, Record], shape: type[Belonging]
) -> dict[int, list[Record]]:
    """The records of a file that belong to issues, by issue number, oldest first."""
    path = _required_file(directory, name) if name == "comments" else _file(directory, name)
    seen: set[int] = set()
    found: dict[int, list[Record]] = {}
    for line in _lines(path) if path else ():
        read = line.read(shape)
        if read.id in seen:
            raise line.refuse(f"the id {read.id} is here a second time")
        if read.issue_number not in issues:
            raise line.refuse(
                f"it belongs to issue {read.issue_number}, which the corpus does not have"
            )
        seen.add(read.id)
        times = {"created_at": read.created_at}
        if isinstance(read, Comment):
            times["updated_at"] = read.updated_at or read.created_at
        found.setdefault(read.issue_number, []).append(line.record | times)
    for records in found.values():
        records.sort(key=lambda record: (record["created_at"], record["id"]))
    return found


def _closing_event(issue: Record) -> Record:
    # GitHub's ids are positive, so the negative number cannot meet one.
    return {
        "id": -issue["number"],
        "issue_number": issue["number"],
        "event": "closed",
        "actor": None,
        "created_at": issue["closed_at"],
    }
