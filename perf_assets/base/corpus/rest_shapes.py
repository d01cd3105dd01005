"""Records of GitHub's REST answers of all years, in the one shape that a corpus has.

A value that GitHub may leave out, or had in another form, becomes what it is today. Other wrong
values stay as they are: the models in ``records.py`` refuse them.
"""

import re
from collections.abc import Mapping
from typing import Any

Record = dict[str, Any]

SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
NUMBER_IN_URL = re.compile(r"(?=\S+\Z)https?://\S+/(?:issues|pull|pulls)/(\d{1,10})(?:[#?/]\S*)?")
ADDRESSES_OF_ISSUES = ("issue_url", "html_url")


def thread_shape(record: Record) -> Record:
    """Return an issue or a pull request as GitHub writes it today.

    Labels were plain texts once. An issue that is open has no ``closed_at``, even where it was
    closed before; ``pull_request`` of an issue was null, or an object of nulls.
    """
    changed: Record = {}
    if _is_nameless(record.get("user")):
        changed["user"] = None
    labels = record.get("labels")
    if isinstance(labels, list) and not all(map(_is_label, labels)):
        changed["labels"] = [
            {"name": label} if isinstance(label, str) else label
            for label in labels
            if isinstance(label, str)
            or (isinstance(label, Mapping) and label.get("name") is not None)
        ]
    if record.get("state") == "open" and isinstance(record.get("closed_at"), str):
        changed["closed_at"] = None
    if "pull_request" in record and not _is_pull_request(record["pull_request"]):
        record = {key: value for key, value in record.items() if key != "pull_request"}
    return record | changed if changed else record


def issue_part_shape(record: Record) -> Record:
    """Return a comment or an event as a corpus has it: with the number of its issue.

    REST writes the issue of a comment as an address, and that of an event as an object.
    """
    changed: Record = {}
    for key in ("user", "actor"):
        if _is_nameless(record.get(key)):
            changed[key] = None
    if "issue_number" not in record:
        number = _issue_number(record)
        if number is not None:
            changed["issue_number"] = number
    sha = record.get("commit_id")
    if sha is not None and not (isinstance(sha, str) and SHA.fullmatch(sha)):
        changed["commit_id"] = None
    return record | changed if changed else record


def _issue_number(record: Record) -> int | None:
    issue = record.get("issue")
    if isinstance(issue, Mapping) and isinstance(issue.get("number"), int):
        return int(issue["number"])
    for key in ADDRESSES_OF_ISSUES:
        match = NUMBER_IN_URL.fullmatch(str(record.get(key) or ""))
        if match:
            return int(match[1])
    return None


def _is_nameless(user: object) -> bool:
    return isinstance(user, Mapping) and user.get("login") is None


def _is_pull_request(value: object) -> bool:
    if isinstance(value, Mapping):
        return not value or any(part is not None for part in value.values())
    return value is not None


def _is_label(label: object) -> bool:
    return isinstance(label, Mapping) and isinstance(label.get("name"), str)
