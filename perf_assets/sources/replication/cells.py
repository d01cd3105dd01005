"""Cells of the package's files: numbers, moments, lists, each with the way it says "missing"."""

import ast
import re
from datetime import UTC, datetime

from perf_assets.base.months import is_month
from perf_assets.base.sanitize import MOST_DIGITS, whole_characters
from perf_assets.sources.replication.csv_files import RejectedError

MISSING = {"Not found", "No comments", "No labels", ""}
"""Words for a value that is not there."""

DIGITS = f"{{1,{MOST_DIGITS}}}"

MOMENT = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{2})")
COMMIT = re.compile(
    r"\((?P<sha>[0-9a-f]{40}), (?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}), (?P<author>.*?), "
    rf"(?P<additions>\d{DIGITS}), (?P<deletions>\d{DIGITS}), (?P<changes>\d{DIGITS}), "
    r"(?P<approach>LINK|REGEX)\)"
)
COMMIT_START = re.compile(r"(?:^|, )(?=\([0-9a-f]{6,40}, )")
ISSUE = re.compile(rf"(?P<number>\d{DIGITS})\s*(?:\((?P<remark>[^()]*)\))?")
CATEGORY = re.compile(r"(?P<category>[^()](?:[^()]*[^()\s])?)\s*(?:\((?P<subcategory>.*)\))?")

APPROACHES = {"LINK": "url", "REGEX": "id"}
"""The package's words for how a commit was found, and ours."""

SPELLINGS = {"Ineffcient": "Inefficient", "Unnecessarily": "Unnecessary"}
"""Words of categories that the package spells wrongly."""


def whole_number(text: str, column: str) -> int:
    """Return a count."""
    if re.fullmatch(rf"\d{DIGITS}", text.strip()) is None:
        raise RejectedError(f"{column} {text!r} is not a whole number")
    return int(text)


def decimal(text: str, column: str) -> float | None:
    """Return a number that is not negative; None where it is missing."""
    if text.strip() in MISSING:
        return None
    if re.fullmatch(rf"\d{DIGITS}(\.\d+)?(e-\d+)?", text.strip(), re.IGNORECASE) is None:
        raise RejectedError(f"{column} {text!r} is not a number")
    return float(text)


def moment(text: str, column: str) -> datetime | None:
    """Return a date with hour and minute, taken as UTC; None where it is missing."""
    if text.strip() in MISSING:
        return None
    match = MOMENT.fullmatch(text.strip())
    try:
        if match is not None:
            year, month, day, hour, minute = map(int, match.groups())
            return datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        pass
    raise RejectedError(f"{column} {text!r} is not a time such as 2018-07-30 14:42")


def month(text: str) -> str:
    """Return a month as YYYY-MM."""
    if not is_month(text.strip()):
        raise RejectedError(f"{text!r} is not a month such as 2018-07")
    return text.strip()


def issue_number(text: str) -> tuple[int, str | None]:
    """Return the number of an issue, and the remark behind it, as in ``19385  (2 bugs)``."""
    found = ISSUE.fullmatch(text.strip())
    if found is None or int(found["number"]) == 0:
        raise RejectedError(f"{text!r} is not an issue number")
    return int(found["number"]), found["remark"]


def labels(text: str) -> list[str]:
    """Return the labels of an issue; their spaces are lost in the package."""
    if text.strip() in MISSING:
        return []
    return [label.strip() for label in text.split(",") if label.strip()]


def commentators(text: str) -> dict[str, int]:
    """Return numbers of comments by login, from ``{'ann': 2, 'bob': 1}``."""
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        found = None
    if not isinstance(found, dict) or not all(
        isinstance(name, str) and type(count) is int and 0 <= count < 2**63
        for name, count in found.items()
    ):
        raise RejectedError(f"commentators {text!r} are not a list of logins with numbers")
    return {whole_characters(name): count for name, count in found.items()}


def category(text: str) -> tuple[str, str | None]:
    """Return category and sub-category, from ``Memory inefficiency (Unreleased memory resources)``.

    Only known misspellings are corrected, see :data:`SPELLINGS`.
    """
    spelt = text.strip()
    for wrong, right in SPELLINGS.items():
        spelt = spelt.replace(wrong, right)
    found = CATEGORY.fullmatch(spelt)
    if found is None:
        raise RejectedError(f"{text!r} is not a category")
    return found["category"], found["subcategory"]


def commits(text: str) -> list[dict[str, object] | str]:
    """Return the commits of a fix, in order; an entry that cannot be read stays a text."""
    return [_commit(entry) for entry in COMMIT_START.split(text.strip()) if entry.strip(" ,")]


def _commit(entry: str) -> dict[str, object] | str:
    found = COMMIT.fullmatch(entry.strip(" ,"))
    if found is None:
        return entry
    try:
        at = datetime.strptime(found["at"], "%Y-%m-%d %H:%M:%S %z").astimezone(UTC)
    except (ValueError, OverflowError):
        return entry
    return {
        "sha": found["sha"],
        "committed_at": at,
        "author_name": found["author"] or None,
        **{name: int(found[name]) for name in ("additions", "deletions", "changes")},
        "approach": APPROACHES[found["approach"]],
    }
