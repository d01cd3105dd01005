"""Rows of the raw tables, from the bugs of Bugzilla's answers."""

from collections.abc import Sequence
from typing import Any

from perf_assets.config.hosts import KINDS
from perf_assets.sources.bugzilla.events import DUPLICATE, Row, events_of, login_of
from perf_assets.sources.bugzilla.shapes import (
    CHANGE_SET,
    COMMENT,
    Bug,
    ChangeSet,
    Comment,
    FlawError,
    checked,
)
from perf_assets.sources.bugzilla.spot import Spot
from perf_assets.sources.issues.gaps import ENTRY
from perf_assets.sources.issues.records import IssueRecord

KIND = KINDS["bugzilla"]
NO_MILESTONE = ("---", "", None)
NOT_PLANNED = "not_planned"
STATE_REASONS = {
    "FIXED": "completed",
    DUPLICATE: "duplicate",
    # Bugzilla, and Mozilla's fork of it.
    **dict.fromkeys(("WONTFIX", "INVALID", "WORKSFORME", "INCOMPLETE"), NOT_PLANNED),
    **dict.fromkeys(("INACTIVE", "MOVED", "EXPIRED", "SUPPORT", "LATER", "REMIND"), NOT_PLANNED),
    # KDE, GNOME, GCC, Eclipse and Apache.
    **dict.fromkeys(("INTENTIONAL", "NOT A BUG", "UPSTREAM", "DOWNSTREAM"), NOT_PLANNED),
    **dict.fromkeys(("UNMAINTAINED", "WAITINGFORINFO", "BACKTRACE", "OBSOLETE"), NOT_PLANNED),
    **dict.fromkeys(("NOTABUG", "NOTGNOME", "NOT_ECLIPSE", "CLOSED"), NOT_PLANNED),
    **dict.fromkeys(("INFORMATIONPROVIDED", "ANSWERED"), NOT_PLANNED),
    # Red Hat and the kernel.
    **dict.fromkeys(("CURRENTRELEASE", "ERRATA", "NEXTRELEASE", "RAWHIDE"), "completed"),
    **dict.fromkeys(("CODE_FIX", "PATCH_ALREADY_AVAILABLE"), "completed"),
    **dict.fromkeys(("CANTFIX", "DEFERRED", "EOL", "INSUFFICIENT_DATA"), NOT_PLANNED),
    **dict.fromkeys(("UNREPRODUCIBLE", "WILL_NOT_FIX", "DOCUMENTED", "REJECTED"), NOT_PLANNED),
}
"""GitHub's words for why an issue is closed, by the resolution."""
REACTIONS = {
    "+1": "thumbs_up",
    "-1": "thumbs_down",
    "smile": "laugh",
    "tada": "hooray",
    "sad": "confused",
    "heart": "heart",
}
"""Columns of the reactions that Mozilla's fork has."""


def record_of(bug: Bug, comments: Sequence[Any], history: Sequence[Any], spot: Spot) -> IssueRecord:
    """Return a bug with everything that belongs to it; an odd entry is set aside.

    comments, history : lists as they were answered.
    """
    record = IssueRecord(bug["id"], {"created_at": bug["creation_time"]})
    shown = _comments(record, comments)
    description = next((entry for entry in shown if _is_description(entry, comments)), None)
    rows = [_comment_row(entry) for entry in shown if entry is not description]
    record.comments = list({row["comment_id"]: row for row in rows}.values())
    record.events = events_of(bug, _history(record, history), record.comments, spot)
    record.issue = _issue_row(record, bug, description, spot)
    return record


def _comments(record: IssueRecord, comments: Sequence[Any]) -> list[Comment]:
    """Return the comments that are public and can be stored, oldest first."""
    kept = []
    for entry in comments:
        if isinstance(entry, dict) and entry.get("is_private") is True:
            continue
        try:
            kept.append(checked(COMMENT, entry))
        except FlawError as flaw:
            record.note("comments", ENTRY, "unusable", str(flaw))
    return sorted(kept, key=lambda comment: comment["id"])


def _is_description(comment: Comment, comments: Sequence[Any]) -> bool:
    """Return whether a comment is the opening text; older versions do not count comments."""
    count = comment.get("count")
    if count is not None:
        return count == 0
    return isinstance(comments[0], dict) and comments[0].get("id") == comment["id"]


def _comment_row(comment: Comment) -> Row:
    return {
        "comment_id": comment["id"],
        "author": login_of(comment["creator"]),
        "created_at": comment["creation_time"],
        "body": comment["text"] or None,
        **_reactions(comment),
    }


def _reactions(comment: Comment | None) -> dict[str, int | None]:
    """Return the number of reactions by kind; None where the host has no reactions."""
    found = comment.get("reactions") if comment is not None else None
    if found is None:
        return dict.fromkeys(REACTIONS.values())
    return {column: found.get(name, 0) for name, column in REACTIONS.items()}


def _history(record: IssueRecord, history: Sequence[Any]) -> dict[int, ChangeSet]:
    """Return the changes that can be stored, by their place in the history."""
    kept = {}
    for place, entry in enumerate(history):
        try:
            kept[place] = checked(CHANGE_SET, entry)
        except FlawError as flaw:
            record.note("events", ENTRY, "unusable", str(flaw))
    return kept


def _issue_row(record: IssueRecord, bug: Bug, description: Comment | None, spot: Spot) -> Row:
    milestone = bug.get("target_milestone")
    set_aside = {
        entity: sum(gap.entries or 0 for gap in record.gaps if gap.entity == entity)
        for entity in ("comments", "events")
    }
    reactions = _reactions(description)
    return {
        "title": bug["summary"],
        "body": (description["text"] or None) if description else None,
        "author": login_of(bug["creator"]),
        "state": "open" if bug["is_open"] else "closed",
        "state_reason": _state_reason(record, bug),
        "issue_type": bug.get("type") or None,
        "labels": sorted(set(bug["keywords"])),
        "created_at": bug["creation_time"],
        "updated_at": bug["last_change_time"],
        "closed_at": _closed_at(record, bug),
        "milestone": None if milestone in NO_MILESTONE else milestone,
        # A vote is a wish for the fix, as a thumb up on GitHub is.
        **(reactions | {"thumbs_up": bug.get("votes", reactions["thumbs_up"])}),
        "comments": len(record.comments) + set_aside["comments"],
        "events": len(record.events) + set_aside["events"],
        "fields_version": KIND.fields_version,
        "html_url": f"{spot.pages}/show_bug.cgi?id={bug['id']}",
    }


def _state_reason(record: IssueRecord, bug: Bug) -> str | None:
    """Return GitHub's word for the resolution; None for one that is not known, which is noted."""
    resolution = bug["resolution"] or ""
    if bug["is_open"]:
        turns = [row["event"] for row in record.events if row["event"] in ("closed", "reopened")]
        return "reopened" if turns[-1:] == ["reopened"] else None
    if not resolution:
        return None
    reason = STATE_REASONS.get(resolution.upper())
    if reason is None:
        why = f"{resolution} is not a known resolution"
        record.note("issues", "state_reason", "unknown", why)
    return reason


def _closed_at(record: IssueRecord, bug: Bug) -> str | None:
    """Return when a bug was closed last; one whose history says nothing of it was opened so."""
    if bug["is_open"]:
        return None
    closes = [row["created_at"] for row in record.events if row["event"] == "closed"]
    return bug.get("cf_last_resolved") or max(closes, default=bug["creation_time"])
