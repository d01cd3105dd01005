"""A corpus directory: one repository's issues as JSON lines, read and checked line by line.

Its files hold GitHub's REST shapes: ``issues``, ``comments``, optional ``events`` and ``pulls``,
each ``.jsonl`` or ``.jsonl.gz``; ``repository.json`` names the repository. A pull request may say
in ``closes`` which issues it is linked to as closing them, which REST does not say, and in
``commits`` how many it has.

A record that cannot be used is set aside and counted. A file that cannot be read, or a line that
is not a JSON object, means that the file is damaged or cut: the corpus is refused.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from perf_assets.base.corpus.files import CorpusFile, SetAside
from perf_assets.base.corpus.records import Comment, Event, Issue, PullRequest
from perf_assets.base.corpus.rest_shapes import Record, issue_part_shape, thread_shape
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import month_of
from perf_assets.base.processes.gc_control import gc_paused
from perf_assets.base.repository_names import is_repository_name
from perf_assets.base.sanitize import shortened

__all__ = ["Corpus", "Record", "newest_month", "read_corpus"]


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
        files = [CorpusFile(directory, kind) for kind in ("issues", "pulls", "comments", "events")]
        issues, pulls, comments, events = files
        by_number = _issues(issues)
        pulls_by_number = _pulls(pulls, by_number)
        comments_by_issue = _of_issues(comments, by_number, Comment)
        events_by_issue = _of_issues(events, by_number, Event)
    _close(by_number, events_by_issue)
    for file in files:
        file.report()
    return Corpus(
        name,
        by_number,
        comments_by_issue,
        events_by_issue,
        pulls_by_number,
        archived_at=_archived_at(directory),
        set_aside=tuple(entry for file in files for entry in file.set_aside),
    )


def newest_month(directory: Path) -> str | None:
    """Return the month of the newest timestamp of the corpus's issues; None where it has no issue.

    Raises
    ------
    PerfAssetsError
        As ``read_corpus``, for the issues file only.
    """
    newest = ""
    for _, _, issue in CorpusFile(directory, "issues").read(Issue, thread_shape):
        newest = max(newest, issue.created_at, issue.updated_at, issue.closed_at or "")
    return month_of(datetime.fromisoformat(newest)) if newest else None


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


def _issues(file: CorpusFile) -> dict[int, Record]:
    """Return the issues by number; of two with one number, the one that was updated last."""
    issues: dict[int, Record] = {}
    for line, record, issue in file.read(Issue, thread_shape):
        known = issues.get(issue.number)
        if known is not None:
            file.leave_out(line, "another record has the same number, and the newest counts")
            if known["updated_at"] >= issue.updated_at:
                continue
        issues[issue.number] = record | {
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
            "closed_at": issue.closed_at,
        }
    return dict(sorted(issues.items()))


def _pulls(file: CorpusFile, issues: Mapping[int, Record]) -> dict[int, Record]:
    """Return the pull requests by number; of two with one number, the first."""
    pulls: dict[int, Record] = {}
    for line, record, pull in file.read(PullRequest, thread_shape):
        if pull.number in pulls or pull.number in issues:
            other = "a pull request" if pull.number in pulls else "an issue"
            file.leave_out(line, f"the number already belongs to {other}")
            continue
        pulls[pull.number] = record | {
            "created_at": pull.created_at,
            "closed_at": pull.closed_at,
            "merged_at": pull.merged_at,
            "updated_at": pull.updated_at or max(pull.times()),
        }
    return dict(sorted(pulls.items()))


def _of_issues(
    file: CorpusFile, issues: Mapping[int, Record], shape: type[Comment | Event]
) -> dict[int, list[Record]]:
    """Return the records of a file that belong to issues, by issue number, oldest first."""
    seen: set[int] = set()
    found: dict[int, list[Record]] = {}
    for line, record, read in file.read(shape, issue_part_shape):
        if read.id in seen:
            file.leave_out(line, "another record has the same id, and the first counts")
        elif read.issue_number not in issues:
            file.leave_out(line, "the corpus does not have its issue")
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
