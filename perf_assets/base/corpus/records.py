"""The records of a corpus: what GitHub's REST answers must have to be served, and no more."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from perf_assets.base.corpus.rest_shapes import SHA

# GraphQL's Int is 32 bits wide, and issue numbers travel as Int.
LARGEST_NUMBER = 2**31 - 1
LARGEST_ID = 2**63 - 1


def _utc(text: str) -> str:
    """Return ``text`` as a UTC time in the form whose texts sort as times."""
    reason = "this is not a time with a zone such as 2021-03-04T05:06:07Z"
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError(reason)
        if len(text) == len("2021-03-04T05:06:07Z") and text[10] == "T" and text[-1] == "Z":
            return text
        return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError):
        raise ValueError(reason) from None


def _sha(text: str) -> str:
    if SHA.fullmatch(text) is None:
        raise ValueError("this is not a commit SHA")
    return text


Moment = Annotated[str, AfterValidator(_utc)]
Sha = Annotated[str, AfterValidator(_sha)]
Number = Annotated[int, Field(gt=0, le=LARGEST_NUMBER)]
Id = Annotated[int, Field(gt=0, le=LARGEST_ID)]
Count = Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]


class Record(BaseModel):
    """One JSON object: the keys that are read are checked, whatever else it has is kept."""

    model_config = ConfigDict(extra="allow", strict=True)


class User(Record):
    """Who did it; ``type`` is User, Bot, Organization or Mannequin, where the source says so."""

    login: str
    type: str | None = None


class Reactions(Record):
    """How many reacted, by kind."""

    thumbs_up: Count = Field(0, alias="+1")
    thumbs_down: Count = Field(0, alias="-1")
    laugh: Count = 0
    hooray: Count = 0
    confused: Count = 0
    heart: Count = 0
    rocket: Count = 0
    eyes: Count = 0


class Milestone(Record):
    """What an issue is planned for."""

    title: str


class Label(Record):
    """A label, by its name."""

    name: str


class Thread(Record):
    """What issues and pull requests share."""

    number: Number
    title: str
    body: str | None = None
    user: User | None = None
    labels: list[Label] | None = None
    state: Literal["open", "closed"]
    created_at: Moment
    updated_at: Moment | None = None
    closed_at: Moment | None = None


class Issue(Thread):
    """An issue."""

    updated_at: Moment
    state_reason: str | None = None
    html_url: str | None = None
    author_association: str | None = None
    milestone: Milestone | None = None
    reactions: Reactions | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_no_pull_request(cls, record: Any) -> Any:  # noqa: ANN401
        if isinstance(record, dict) and "pull_request" in record:
            raise ValueError("this is a pull request, which belongs in pulls.jsonl")
        return record


class Review(Record):
    """A review of a pull request; one that is not submitted yet has no time."""

    user: User | None = None
    submitted_at: Moment | None = None
    state: Literal["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"]


class PullRequest(Thread):
    """A pull request; ``closes`` lists the issues that it is linked to as closing them.

    ``reviews`` are in the order of their submission. What a corpus does not say of size and reviews
    is not known.
    """

    merged_at: Moment | None = None
    merge_commit_sha: Sha | None = None
    merge_commit_author: str | None = None
    commits: int | None = None
    closes: list[int] | None = None
    additions: Count | None = None
    deletions: Count | None = None
    changed_files: Count | None = None
    reviews: list[Review] | None = None

    def times(self) -> Iterator[str]:
        """Return the times of its changes."""
        yield from filter(None, (self.created_at, self.closed_at, self.merged_at))


class OfIssue(Record):
    """What belongs to an issue."""

    id: Id
    issue_number: Number
    created_at: Moment


class Comment(OfIssue):
    """A comment."""

    user: User | None = None
    body: str | None = None
    updated_at: Moment | None = None
    author_association: str | None = None
    reactions: Reactions | None = None


class Rename(Record):
    """The titles before and after a renaming."""

    before: str = Field(alias="from")
    after: str = Field(alias="to")


class Closer(Record):
    """The commit (``oid``), pull request (``number``) or project board that closed an issue."""

    type: Literal["commit", "pull_request", "project"]
    repository: str | None = None
    oid: Sha | None = None
    number: Number | None = None
    merge_commit_sha: Sha | None = None
    commit_author: str | None = None

    @model_validator(mode="after")
    def _is_named(self) -> "Closer":
        key = {"commit": "oid", "pull_request": "number"}.get(self.type)
        if key is not None and getattr(self, key) is None:
            raise ValueError(f"a closer of type {self.type} needs the key {key}")
        return self


class Canonical(Record):
    """The report that an issue repeats; ``repository`` if it is of another one."""

    number: Number
    repository: str | None = None


class Event(OfIssue):
    """Something that happened to an issue."""

    event: str
    actor: User | None = None
    label: Label | None = None
    rename: Rename | None = None
    from_repository: str | None = None
    closer: Closer | None = None
    canonical: Canonical | None = None

    @model_validator(mode="after")
    def _says_what_changed(self) -> "Event":
        needed = {"labeled": "label", "unlabeled": "label", "renamed": "rename"}.get(self.event)
        if needed is not None and getattr(self, needed) is None:
            raise ValueError(f"an event {self.event} needs the key {needed}")
        return self
