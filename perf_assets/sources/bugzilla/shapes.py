"""The shapes of Bugzilla's answers, as far as they are read: names and types of its REST API.

Reference: https://bugzilla.readthedocs.io/en/latest/api/core/v1/bug.html, and Mozilla's fork at
https://bmo.readthedocs.io/en/latest/api/core/v1/bug.html. What only the fork has may be absent.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, NotRequired, TypeVar

from pydantic import BeforeValidator, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from perf_assets.base.months import month_of
from perf_assets.sources.issues.gaps import ENTRY, Gap, Kind
from perf_assets.sources.scalars import (
    AsideMoment,
    BigInt,
    Count,
    Flag,
    Moment,
    Number,
    Text,
)

Shape = TypeVar("Shape")


def _first(value: object) -> object:
    """Return the only entry of a list: the component in Red Hat's fork."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


class Listed(TypedDict):
    """A bug in a list, as far as the list is in an order."""

    id: Number
    creation_time: Moment
    last_change_time: Moment


class Place(TypedDict):
    """Where a bug is, and who may see it: everybody, if it is in no group."""

    id: Number
    product: Text
    component: Annotated[Text, BeforeValidator(_first)]
    groups: list[Text]


class Bug(Listed, Place):
    """A bug without its comments and its history.

    regressed_by : the bugs whose changes introduced it.
    """

    summary: Text
    creator: Text | None
    is_open: Flag
    resolution: Text | None
    keywords: list[Text]
    dupe_of: NotRequired[Number | None]
    target_milestone: NotRequired[Text | None]
    type: NotRequired[Text | None]
    votes: NotRequired[Count | None]
    cf_last_resolved: NotRequired[AsideMoment]
    regressed_by: NotRequired[list[Number]]


class Comment(TypedDict):
    """A comment; the one of count 0 is the description."""

    id: BigInt
    creator: Text | None
    creation_time: Moment
    text: Text
    is_private: Flag
    count: NotRequired[Count | None]
    reactions: NotRequired[dict[str, Count] | None]


class Change(TypedDict):
    """A field of a bug was changed; several values are joined by commas."""

    field_name: Text
    removed: Text | None
    added: Text | None


class ChangeSet(TypedDict):
    """Everything that somebody changed at once."""

    when: Moment
    who: Text | None
    changes: list[Change]


LISTED, PLACE, BUG = TypeAdapter(Listed), TypeAdapter(Place), TypeAdapter(Bug)
COMMENT, CHANGE_SET = TypeAdapter(Comment), TypeAdapter(ChangeSet)
NUMBER, MOMENT, COUNT = TypeAdapter(Number), TypeAdapter(Moment), TypeAdapter(Count)

LISTED_FIELDS, PLACE_FIELDS = tuple(Listed.__annotations__), tuple(Place.__annotations__)
COMMENT_FIELDS, BUG_FIELDS = tuple(Comment.__annotations__), tuple(Bug.__annotations__)


class FlawError(Exception):
    """An entry of an answer does not have its shape: what is wrong."""


def checked(adapter: TypeAdapter[Shape], value: object) -> Shape:
    """Return ``value`` in its shape; FlawError where it does not have that."""
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise FlawError(f"{where}: {first['msg']}".removeprefix(": ")) from None


def fitting(adapter: TypeAdapter[Shape], value: object) -> Shape | None:
    """Return ``value`` in its shape; None where it does not have that."""
    try:
        return adapter.validate_python(value)
    except ValidationError:
        return None


def entries(content: Any, key: str) -> list[Any]:  # noqa: ANN401
    """Return the list in an answer; ValueError where there is none."""
    found = content.get(key) if isinstance(content, dict) else None
    if not isinstance(found, list):
        raise ValueError(f"the answer has no list of {key}")
    return found


def listed_in(content: object) -> list[Listed]:
    """Return the bugs of a list that have a place in its order; ValueError without a list."""
    found = (fitting(LISTED, bug) for bug in entries(content, "bugs"))
    return [bug for bug in found if bug is not None]


def count_in(content: object) -> int | None:
    """Return the number of bugs; None from a server that lists them instead."""
    if isinstance(content, dict) and isinstance(content.get("bugs"), list):
        return None
    count = fitting(COUNT, content.get("bug_count") if isinstance(content, dict) else None)
    if count is None:
        raise ValueError("the answer has no number of bugs")
    return count


def is_restricted(bug: object) -> bool:
    """Return whether a bug is for members of groups, and not public."""
    return isinstance(bug, Mapping) and bool(bug.get("groups"))


def gap_of(bug: object, kind: Kind, reason: str) -> Gap:
    """Return the gap of a whole bug, with its number and its month where these can be used."""
    answered = bug if isinstance(bug, Mapping) else {}
    moment = fitting(MOMENT, answered.get("creation_time"))
    month = None if moment is None else month_of(datetime.fromisoformat(moment))
    return Gap(fitting(NUMBER, answered.get("id")), month, "issues", ENTRY, kind, reason)
