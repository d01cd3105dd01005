"""What rows of a dump say, as records: questions, answers, links, comments, closings."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeVar

Record: TypeAlias = dict[str, Any]
T = TypeVar("T")

QUESTION, ANSWER = "1", "2"
DUPLICATE = "3"
CLOSED = "10"
LARGEST_NUMBER = 2**53
FIRST_YEAR = 1970  # earlier years mean a missing time: 0000, or 0001 in some programs
# Tags as <a><b> in dumps until 2023, as |a|b| since.
TAGS = re.compile(r"[^<>|\s]+")
# Codes of the reasons for closing, in the words of the API.
CLOSED_REASONS = {
    "1": "Duplicate",
    "101": "Duplicate",
    "2": "Not suitable for this site",
    "102": "Not suitable for this site",
    "3": "Opinion-based",
    "105": "Opinion-based",
    "4": "Needs details or clarity",
    "103": "Needs details or clarity",
    "104": "Needs more focus",
    "7": "Too localized",
    "10": "General reference",
    "20": "Noise or pointless",
}


def question(values: Mapping[str, str]) -> Record:
    """Return a question, from the attributes of its row.

    Raises
    ------
    ValueError
        Something that a question has is missing or has not its form; says what.
    """
    return {
        "question_id": _number(values, "Id"),
        "tags": tags_of(values.get("Tags", "")),
        "title": _text(values, "Title"),
        "body_html": _text(values, "Body"),
        "score": _if_any(values, "Score", _number),
        "views": _if_any(values, "ViewCount", _number),
        "answers": _if_any(values, "AnswerCount", _number),
        "owner": owner_of(values, "OwnerUserId", "OwnerDisplayName"),
        "created_at": _moment(values, "CreationDate"),
        "last_activity_at": _if_any(values, "LastActivityDate", _moment),
        "accepted_answer_id": _if_any(values, "AcceptedAnswerId", _number),
        "closed_at": _if_any(values, "ClosedDate", _moment),
    }


def answer(values: Mapping[str, str]) -> Record:
    """Return an answer, from the attributes of its row; raises as :func:`question`."""
    return {
        "answer_id": _number(values, "Id"),
        "question_id": _number(values, "ParentId"),
        "score": _if_any(values, "Score", _number),
        "owner": owner_of(values, "OwnerUserId", "OwnerDisplayName"),
        "created_at": _moment(values, "CreationDate"),
        "body_html": _text(values, "Body"),
    }


def comment(values: Mapping[str, str]) -> Record:
    """Return a comment, from the attributes of its row; raises as :func:`question`."""
    return {
        "comment_id": _number(values, "Id"),
        "post_id": _number(values, "PostId"),
        "score": _if_any(values, "Score", _number),
        "owner": owner_of(values, "UserId", "UserDisplayName"),
        "created_at": _moment(values, "CreationDate"),
        "body": _text(values, "Text"),
    }


def duplicate(values: Mapping[str, str]) -> Record | None:
    """Return a question and one that it is a duplicate of; ``None`` of another kind of link."""
    if values.get("LinkTypeId") != DUPLICATE:
        return None
    return {
        "question_id": _number(values, "PostId"),
        "duplicate_of": _number(values, "RelatedPostId"),
    }


def closing(values: Mapping[str, str]) -> Record | None:
    """Return reason and time of the closing of a question; None for other events of its history."""
    if values.get("PostHistoryTypeId") != CLOSED:
        return None
    code = values.get("Comment", "")
    return {
        "question_id": _number(values, "PostId"),
        "moment": _moment(values, "CreationDate"),
        "reason": CLOSED_REASONS.get(code, code or None),
    }


def tags_of(text: str) -> list[str]:
    """Return the tags in an attribute Tags, in their order."""
    return TAGS.findall(text)


def owner_of(values: Mapping[str, str], number: str, name: str) -> str | None:
    """Return the number of an account or else the name shown; ``None`` where neither is given."""
    return values.get(number) or values.get(name) or None


def number_of(text: str, name: str) -> int:
    """Return the number in the attribute ``name``; ValueError where it is none."""
    if re.fullmatch(r"-?[0-9]{1,16}", text) is None or abs(int(text)) > LARGEST_NUMBER:
        raise ValueError(f"its {name} is not a number: {text[:40]!r}")
    return int(text)


def _text(values: Mapping[str, str], name: str) -> str:
    if not values.get(name, "").strip():
        raise ValueError(f"it has no {name}")
    return values[name]


def _number(values: Mapping[str, str], name: str) -> int:
    return number_of(_text(values, name), name)


def _moment(values: Mapping[str, str], name: str) -> datetime:
    text = _text(values, name)
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if moment.year < FIRST_YEAR:
            raise ValueError
    except (ValueError, OverflowError):
        raise ValueError(f"its {name} is not a time: {text[:40]!r}") from None
    return moment


def _if_any(
    values: Mapping[str, str], name: str, read: Callable[[Mapping[str, str], str], T]
) -> T | None:
    return read(values, name) if values.get(name, "").strip() else None
