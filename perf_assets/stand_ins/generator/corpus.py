"""Writes a plan as a corpus directory: JSON lines in the shape of GitHub's REST answers."""

import gzip
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perf_assets.stand_ins.generator.model import Closer, Comment, Event, Issue, Pull
from perf_assets.stand_ins.generator.people import account_type, association
from perf_assets.stand_ins.generator.planner import Plan

Record = dict[str, Any]


def timestamp(moment: int | None) -> str | None:
    """Return ``moment`` as GitHub writes it; None stays None."""
    if moment is None:
        return None
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def write_corpus(plan: Plan, directory: Path) -> dict[str, int]:
    """Write the corpus files into ``directory``; the number of records of each."""
    name = {"full_name": plan.repository}
    (directory / "repository.json").write_text(json.dumps(name) + "\n", encoding="utf-8")
    issues = sorted(plan.issues, key=lambda issue: issue.number)
    pulls = sorted(plan.pulls, key=lambda pull: pull.number)
    return {
        "issues": _write(directory / "issues.jsonl.gz", (_issue(plan, issue) for issue in issues)),
        "comments": _write(directory / "comments.jsonl.gz", _comments(plan, issues)),
        "events": _write(directory / "events.jsonl.gz", _events(issues)),
        "pulls": _write(directory / "pulls.jsonl.gz", (_pull(pull) for pull in pulls)),
    }


def _write(path: Path, records: Iterable[Record]) -> int:
    count = 0
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        for count, record in enumerate(records, 1):  # noqa: B007
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return count


def _user(login: str | None) -> Record | None:
    if login is None:
        return None
    return {"login": login, "type": account_type(login)}


def _of_author(plan: Plan, record: Issue | Comment) -> Record:
    """Return GitHub's data about the author of an issue or a comment, and the reactions to it."""
    counts = record.reactions
    return {
        "user": _user(record.author),
        "author_association": association(plan, record.author),
        "reactions": {"total_count": sum(counts.values()), **counts},
    }


def _issue(plan: Plan, issue: Issue) -> Record:
    return {
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        **_of_author(plan, issue),
        "milestone": issue.milestone and {"title": issue.milestone},
        "state": "closed" if issue.is_closed else "open",
        "state_reason": issue.state_reason,
        "created_at": timestamp(issue.created),
        "updated_at": timestamp(issue.updated),
        "closed_at": timestamp(issue.closed),
        "labels": [{"name": label} for label in issue.labels],
        "comments": len(issue.comments),
        "html_url": plan.url(issue),
    }


def _comments(plan: Plan, issues: Iterable[Issue]) -> Iterator[Record]:
    rows = [(comment.at, issue, comment) for issue in issues for comment in issue.comments]
    rows.sort(key=lambda row: row[0])
    for number, (at, issue, comment) in enumerate(rows, 1):
        yield {
            "id": 1000 + number,
            "issue_number": issue.number,
            **_of_author(plan, comment),
            "created_at": timestamp(at),
            "body": comment.body(),
        }


def _events(issues: Iterable[Issue]) -> Iterator[Record]:
    rows = [(event.at, issue, event) for issue in issues for event in issue.events]
    rows.sort(key=lambda row: row[0])
    for number, (at, issue, event) in enumerate(rows, 1):
        yield {
            "id": 5000 + number,
            "issue_number": issue.number,
            "event": event.kind,
            "actor": _user(event.actor),
            "created_at": timestamp(at),
            "commit_id": None,
        } | _details(event)


def _details(event: Event) -> Record:
    """Return the fields that only single kinds of events have."""
    if event.label is not None:
        return {"label": {"name": event.label}}
    if event.kind == "renamed":
        return {"rename": {"from": event.previous, "to": event.current}}
    if event.kind == "transferred":
        return {"from_repository": event.from_repository}
    if event.canonical is not None:
        return {"canonical": {"number": event.canonical.number}}
    return _closer(event.closer) if event.closer is not None else {}


def _closer(closer: Closer) -> Record:
    where = {} if closer.repository is None else {"repository": closer.repository}
    if closer.pull is None:
        oid = closer.oid if closer.commit is None else closer.commit.sha
        author = None if closer.commit is None else closer.commit.author
        commit = {"type": "commit", "oid": oid, "commit_author": author}
        return {"commit_id": oid, "closer": {**commit, **where}}
    pull = {
        "type": "pull_request",
        "number": closer.pull.number,
        "merge_commit_sha": _merge_sha(closer.pull),
        "commit_author": _merge_author(closer.pull),
    }
    return {"closer": {**pull, **where}}


def _pull(pull: Pull) -> Record:
    merge_sha = _merge_sha(pull)
    return {
        "number": pull.number,
        "title": pull.title,
        "body": pull.body,
        "user": _user(pull.author),
        "state": "open" if pull.closed is None else "closed",
        "created_at": timestamp(pull.created),
        "closed_at": timestamp(pull.closed),
        "merged_at": None if merge_sha is None else timestamp(pull.closed),
        "merge_commit_sha": merge_sha,
        "merge_commit_author": _merge_author(pull),
        "commits": pull.size or max(1, len(pull.own)),
        "closes": sorted(issue.number for issue in pull.closes),
        **dict(zip(("additions", "deletions", "changed_files"), pull.lines, strict=True)),
        "reviews": [
            {
                "user": _user(review.author),
                "submitted_at": timestamp(review.at),
                "state": review.state,
            }
            for review in pull.reviews
        ],
    }


def _merge_author(pull: Pull) -> str | None:
    """Return the account that GitHub takes the author of that commit for."""
    return None if pull.merge_commit is None else pull.merge_commit.author


def _merge_sha(pull: Pull) -> str | None:
    """Return the commit that GitHub names as the merge of a pull request."""
    return pull.lost_oid if pull.merge_commit is None else pull.merge_commit.sha
