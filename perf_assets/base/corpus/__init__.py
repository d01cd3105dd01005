"""A corpus directory: one repository's issues as JSON lines, read and checked line by line.

Its files hold GitHub's REST shapes: ``issues``, ``comments``, optional ``events`` and ``pulls``,
each ``.jsonl`` or ``.jsonl.gz``; ``repository.json`` names the repository. A pull request may say
in ``closes`` which issues it is linked to as closing them, which REST does not say, and in
``commits`` how many it has.

A record that cannot be used is set aside and counted. A file that cannot be read, or a line that
is not a JSON object, means that the file is damaged or cut: the corpus is refused.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import from_json

from perf_assets.base.corpus.records import Comment, Event, Issue, PullRequest
from perf_assets.base.corpus.rest_shapes import issue_part_shape, thread_shape
from perf_assets.base.corpus.set_aside import SetAside, SetAsideRecords
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import month_of
from perf_assets.base.processes.gc_control import gc_paused
from perf_assets.base.repository_names import is_repository_name
from perf_assets.base.sanitize import shortened, whole_characters

Record = dict[str, Any]
Shape = TypeVar("Shape", bound=Issue | PullRequest | Comment | Event)


@dataclass(frozen=True)
class Corpus:
    """The issue tracker of one repository, in the shape of GitHub's REST answers.

    ``issues`` and ``pulls`` are by number, ascending; ``comments`` and ``events`` by issue number,
    oldest first, with an entry for issues that have some. Every timestamp is UTC text in the form
    ``YYYY-MM-DDTHH:MM:SSZ``, so texts compare as times do. ``departed`` lists numbers that were
    issues here where those are now: owner/name#number, or None for a discussion. ``archived_at`` is
    since when the repository is archived. ``set_aside`` counts the records that cannot be used.
    ``former_names`` are those that the repository had before it was renamed or transferred.
    """

    repository: str
    issues: Mapping[int, Record]
    comments: Mapping[int, list[Record]]
    events: Mapping[int, list[Record]]
    pulls: Mapping[int, Record]
    departed: Mapping[int, str | None] = field(default_factory=dict)
    archived_at: str | None = None
    set_aside: tuple[SetAside, ...] = ()
    former_names: tuple[str, ...] = ()


def read_corpus(directory: Path, repository: str | None = None) -> Corpus:
    """Read the corpus in ``directory``; ``repository`` (owner/name) wins over what it says itself.

    A closed issue without events gets one closed event at its ``closed_at``. Records that cannot be
    used are set aside: they are counted in ``set_aside`` and reported to the log by reason.

    Raises
    ------
    PerfAssetsError
        Naming file and line where a file is missing, damaged or cut.
    """
    name = _repository_name(directory, repository)
    with gc_paused():
        issues = _Part(directory, "issues")
        pulls = _Part(directory, "pulls")
        comments = _Part(directory, "comments")
        events = _Part(directory, "events")
        by_number = _issues(issues)
        pulls_by_number = _pulls(pulls, by_number)
        comments_by_issue = _of_issues(comments, by_number, Comment)
        events_by_issue = _of_issues(events, by_number, Event)
    _close(by_number, events_by_issue)
    parts = (issues, pulls, comments, events)
    for part in parts:
        part.report()
    return Corpus(
        name,
        by_number,
        comments_by_issue,
        events_by_issue,
        pulls_by_number,
        archived_at=_archived_at(directory),
        set_aside=tuple(entry for part in parts for entry in part.set_aside),
    )


def newest_month(directory: Path) -> str | None:
    """Return the month of the newest timestamp of the corpus's issues; None where it has no issue.

    Raises
    ------
    PerfAssetsError
        As ``read_corpus``, for the issues file only.
    """
    newest = ""
    for found in _Part(directory, "issues").read(Issue, thread_shape):
        issue = found.read
        newest = max(newest, issue.created_at, issue.updated_at, issue.closed_at or "")
    return month_of(datetime.fromisoformat(newest)) if newest else None


class _Found(NamedTuple):
    """A usable record, where it is, and as it was read."""

    line: int
    record: Record
    read: Any


class _Part:
    """A file of a corpus, and the records in it that cannot be used."""

    def __init__(self, directory: Path, kind: str) -> None:
        """Find the file; PerfAssetsError when the corpus must have it and does not."""
        is_required = kind in ("issues", "comments")
        self.path = (_required_file if is_required else _file)(directory, kind)
        self.set_aside = SetAsideRecords(kind)

    def read(self, shape: type[Shape], normal: Callable[[Record], Record]) -> Iterator[_Found]:
        """Yield the records that have the ``shape`` once they are in their ``normal`` form."""
        for number, line in _lines(self.path) if self.path else ():
            record = normal(line)
            try:
                found = _Found(number, record, shape.model_validate(record))
            except ValidationError as error:
                self.set_aside.add_error(number, error)
                continue
            yield found

    def report(self) -> None:
        """Log what was set aside."""
        if self.path:
            self.set_aside.report(self.path)


def _repository_name(directory: Path, repository: str | None) -> str:
    if not directory.is_dir():
        raise PerfAssetsError(f"{directory}: this corpus directory does not exist")
    file = directory / "repository.json"
    if repository is not None:
        name, origin = repository, "--repository"
    elif file.is_file():
        name, origin = _full_name(file), str(file)
    elif "+" in directory.resolve().name:
        name, origin = directory.resolve().name.replace("+", "/", 1), str(directory)
    else:
        raise PerfAssetsError(
            f"{directory}: no file here names the repository; pass --repository OWNER/NAME"
            ' or add repository.json with {"full_name": "owner/name"}'
        )
    if not is_repository_name(name):
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
        raise PerfAssetsError(f"{directory}: this corpus directory does not exist")
    plain, packed = directory / f"{name}.jsonl", directory / f"{name}.jsonl.gz"
    if plain.is_file() and packed.is_file():
        raise PerfAssetsError(f"{plain}: {packed.name} exists too; remove one of them")
    return next((path for path in (plain, packed) if path.is_file()), None)


def _required_file(directory: Path, name: str) -> Path:
    path = _file(directory, name)
    if path is None:
        raise PerfAssetsError(
            f"{directory}: a corpus needs {name}.jsonl or {name}.jsonl.gz; "
            "add it (an empty file means that there are none)"
        )
    return path


def _open(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _lines(path: Path) -> Iterator[tuple[int, Record]]:
    """Yield the records of a file by line; PerfAssetsError at the first unreadable line."""
    number = 0
    try:
        with _open(path) as file:
            for number, line in enumerate(file, start=1):
                yield number, _parsed(path, number, line)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise PerfAssetsError(
            f"{path}: the compressed file is damaged or cut after line {number} ({error}); "
            "fetch or write it again"
        ) from None
    except OSError as error:
        raise PerfAssetsError(f"{path}: the file cannot be read: {error}") from None


def _parsed(path: Path, number: int, line: bytes) -> Record:
    try:
        record = _decoded(line)
    except (ValueError, RecursionError) as error:
        raise _refused(path, number, f"this is not JSON ({error})") from None
    if not isinstance(record, dict):
        raise _refused(path, number, f"this is not a JSON object but {line!r:.80}")
    return record


def _refused(path: Path, number: int, reason: str) -> PerfAssetsError:
    return PerfAssetsError(f"{path}, line {number}: {reason}; correct that line of the corpus")


def _decoded(line: bytes) -> Any:  # noqa: ANN401
    try:  # All records share one copy of their keys: that is half of their memory.
        return from_json(line, cache_strings="keys")
    except ValueError:  # halves of characters, another encoding, or not JSON
        return whole_characters(json.loads(line))


def _issues(part: _Part) -> dict[int, Record]:
    """Return the issues by number; of two with one number, the one that was updated last."""
    issues: dict[int, Record] = {}
    for line, record, issue in part.read(Issue, thread_shape):
        known = issues.get(issue.number)
        if known is not None:
            part.set_aside.add(line, "another record has the same number, and the newest counts")
            if known["updated_at"] >= issue.updated_at:
                continue
        issues[issue.number] = record | {
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
            "closed_at": issue.closed_at,
        }
    return dict(sorted(issues.items()))


def _pulls(part: _Part, issues: Mapping[int, Record]) -> dict[int, Record]:
    """Return the pull requests by number; of two with one number, the first."""
    pulls: dict[int, Record] = {}
    for line, record, pull in part.read(PullRequest, thread_shape):
        if pull.number in pulls or pull.number in issues:
            other = "a pull request" if pull.number in pulls else "an issue"
            part.set_aside.add(line, f"the number already belongs to {other}")
            continue
        pulls[pull.number] = record | {
            "created_at": pull.created_at,
            "closed_at": pull.closed_at,
            "merged_at": pull.merged_at,
            "updated_at": pull.updated_at or max(pull.times()),
        }
    return dict(sorted(pulls.items()))


def _of_issues(
    part: _Part, issues: Mapping[int, Record], shape: type[Comment | Event]
) -> dict[int, list[Record]]:
    """Return the records of a file that belong to issues, by issue number, oldest first."""
    seen: set[int] = set()
    found: dict[int, list[Record]] = {}
    for line, record, read in part.read(shape, issue_part_shape):
        if read.id in seen:
            part.set_aside.add(line, "another record has the same id, and the first counts")
        elif read.issue_number not in issues:
            part.set_aside.add(line, "the corpus does not have its issue")
        else:
            seen.add(read.id)
            times = {"created_at": read.created_at}
            if isinstance(read, Comment):
                times["updated_at"] = read.updated_at or read.created_at
            found.setdefault(read.issue_number, []).append(record | times)
    for records in found.values():
        records.sort(key=lambda record: (record["created_at"], record["id"]))
    return found


def _close(issues: Mapping[int, Record], events: dict[int, list[Record]]) -> None:
    """Give each closed issue the event or the time that the other of the two shows."""
    for number, issue in issues.items():
        if issue["state"] != "closed":
            continue
        if issue["closed_at"] is None:
            closings = [e["created_at"] for e in events.get(number, ()) if e["event"] == "closed"]
            issue["closed_at"] = closings[-1] if closings else None
        elif number not in events:
            events[number] = [_closing_event(issue)]


def _closing_event(issue: Record) -> Record:
    # GitHub's ids are positive, so the negative number cannot meet one.
    return {
        "id": -issue["number"],
        "issue_number": issue["number"],
        "event": "closed",
        "actor": None,
        "created_at": issue["closed_at"],
    }
