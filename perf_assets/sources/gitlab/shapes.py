"""The shapes of GitLab's answers, as far as a row needs them.

Reference: https://docs.gitlab.com/api/issues/, .../notes/, .../resource_state_events/ and
.../resource_label_events/. What old servers lack is not required.
"""

from typing import Any, NotRequired

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from perf_assets.sources.scalars import (
    BigInt,
    Count,
    Flag,
    Moment,
    Number,
    Sha,
    Text,
    Url,
    Word,
)


class User(TypedDict):
    """An account; ``bot`` only where the server says what kind of account it is."""

    username: Text
    bot: NotRequired[Flag | None]


class Titled(TypedDict):
    """A milestone."""

    title: Text


class Issue(TypedDict):
    """An entry of the list of issues."""

    iid: Number
    project_id: NotRequired[BigInt | None]
    title: Text
    description: NotRequired[Text | None]
    author: User | None
    state: Word
    issue_type: NotRequired[Text | None]
    labels: list[Text]
    created_at: Moment
    updated_at: Moment
    closed_at: NotRequired[Moment | None]
    milestone: NotRequired[Titled | None]
    upvotes: NotRequired[Count | None]
    downvotes: NotRequired[Count | None]
    user_notes_count: Count
    merge_requests_count: NotRequired[Count | None]
    web_url: Url


class Note(TypedDict):
    """A comment, or what GitLab wrote about a change (``system``)."""

    id: BigInt
    body: Text
    author: User | None
    created_at: Moment
    system: Flag
    confidential: NotRequired[Flag | None]
    internal: NotRequired[Flag | None]


class StateEvent(TypedDict):
    """An issue was closed, or opened again."""

    id: BigInt
    user: User | None
    created_at: Moment
    state: Word
    source_commit: NotRequired[Sha | None]
    source_merge_request_id: NotRequired[BigInt | None]


class Label(TypedDict):
    """A label."""

    name: Text


class LabelEvent(TypedDict):
    """A label was put on or taken off; a label that was deleted since is null."""

    id: BigInt
    user: User | None
    created_at: Moment
    label: Label | None
    action: Word


class References(TypedDict):
    """How a merge request is called from everywhere: ``group/project!12``."""

    full: Text


class MergeRequest(TypedDict):
    """A merge request, as the lists of an issue have it."""

    id: BigInt
    iid: Number
    project_id: BigInt
    state: Word
    merge_commit_sha: NotRequired[Sha | None]
    squash_commit_sha: NotRequired[Sha | None]
    sha: NotRequired[Sha | None]
    references: NotRequired[References | None]


ISSUE = TypeAdapter(Issue)
NOTE = TypeAdapter(Note)
STATE_EVENT = TypeAdapter(StateEvent)
LABEL_EVENT = TypeAdapter(LabelEvent)
MERGE_REQUEST = TypeAdapter(MergeRequest)
_MOMENT = TypeAdapter[str](Moment)
_NUMBER = TypeAdapter[int](Number)


def what_is_off(error: ValidationError) -> str:
    """Return the first field of an entry that is not as documented, and why."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"])) or "it"
    return f"{field}: {first['msg'].lower()}"


def moment_or_none(entry: object, field: str) -> str | None:
    """Return a moment of an entry; None where there is none that a row could have."""
    try:
        return _MOMENT.validate_python(_field(entry, field))
    except ValidationError:
        return None


def number_or_none(entry: object) -> int | None:
    """Return the number of an issue, of whatever shape its entry is otherwise."""
    try:
        return _NUMBER.validate_python(_field(entry, "iid"))
    except ValidationError:
        return None


def is_confidential(entry: object) -> bool:
    """Return whether an issue or a note is not for everybody; of doubtful words, that it is."""
    flags = (_field(entry, "confidential"), _field(entry, "internal"))
    return any(flag not in (None, False) for flag in flags)


def duplicate_address(entry: object) -> bool:
    """Return whether an issue says which other one it repeats."""
    links = _field(entry, "_links")
    return any(
        isinstance(value, str | int) and bool(value)
        for value in (_field(links, "closed_as_duplicate_of"), _field(entry, "duplicated_to_id"))
    )


def _field(entry: object, name: str) -> Any:  # noqa: ANN401
    return entry.get(name) if isinstance(entry, dict) else None
