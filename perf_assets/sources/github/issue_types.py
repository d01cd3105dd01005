"""The shapes of issues in GitHub's answers: names, types and nullability of its GraphQL schema.

Reference: https://docs.github.com/graphql/reference
"""

from typing import Annotated, Literal, NotRequired

from pydantic import Discriminator, Field, Tag
from typing_extensions import TypedDict

from perf_assets.sources.github.scalars import (
    BigInt,
    Count,
    EnumValue,
    Flag,
    Moment,
    Number,
    Sha,
    Text,
    Url,
    Word,
)

EVENT_TAGS = {
    "ClosedEvent": "closed",
    "ReopenedEvent": "reopened",
    "LabeledEvent": "labelled",
    "UnlabeledEvent": "labelled",
    "RenamedTitleEvent": "renamed",
    "TransferredEvent": "transferred",
}
"""The types of events by GitHub's names, and here."""


def _closer_tag(closer: object) -> str:
    kind = closer.get("__typename") if isinstance(closer, dict) else None
    return kind if kind in ("Commit", "PullRequest") else "other"


def _event_tag(event: object) -> str:
    kind = event.get("__typename") if isinstance(event, dict) else None
    return EVENT_TAGS.get(str(kind), "other")


class Named(TypedDict):
    """A repository."""

    nameWithOwner: Annotated[Word, Field(pattern=r"^[^/\s]+/[^/\s]+$")]


class Label(TypedDict):
    """A label."""

    name: Text


class Actor(TypedDict):
    """An account, and what kind of one: a user's, a bot's."""

    kind: Annotated[EnumValue, Field(alias="__typename")]
    login: Text


class Total(TypedDict):
    """How many there are."""

    totalCount: Count


class PageInfo(TypedDict):
    """Whether a page has a next one."""

    hasNextPage: Flag
    endCursor: Text | None


class Account(TypedDict):
    """An account, by its name."""

    login: Text


class CommitAuthor(TypedDict):
    """Who wrote a commit, where GitHub knows an account with the address."""

    user: Account | None


class Merge(TypedDict):
    """The commit of a merge."""

    oid: Sha
    author: CommitAuthor | None


class ReactionGroup(TypedDict):
    """How many reacted in one way."""

    content: EnumValue
    reactors: Total


class Milestone(TypedDict):
    """What an issue is planned for."""

    title: Text


class IssueType(TypedDict):
    """The type that an organization gives an issue: Bug, Feature, or a word of its own."""

    name: Text


class Comment(TypedDict):
    """A comment."""

    fullDatabaseId: BigInt | None
    author: Actor | None
    authorAssociation: EnumValue | None
    createdAt: Moment
    body: Text
    reactionGroups: list[ReactionGroup] | None


class ClosingCommit(TypedDict):
    """The commit that closed an issue."""

    kind: Annotated[Literal["Commit"], Field(alias="__typename")]
    oid: Sha
    author: CommitAuthor | None
    repository: Named


class ClosingPullRequest(TypedDict):
    """The pull request that closed an issue."""

    kind: Annotated[Literal["PullRequest"], Field(alias="__typename")]
    number: Number
    merged: Flag
    mergeCommit: Merge | None
    repository: Named


class OtherCloser(TypedDict):
    """What else closed an issue: a project board, or a kind that GitHub has added since."""

    kind: Annotated[EnumValue, Field(alias="__typename")]


Closer = Annotated[
    Annotated[ClosingCommit, Tag("Commit")]
    | Annotated[ClosingPullRequest, Tag("PullRequest")]
    | Annotated[OtherCloser, Tag("other")],
    Discriminator(_closer_tag),
]


class OtherEvent(TypedDict):
    """An event of a kind that is not requested: one that GitHub has added since."""

    kind: Annotated[EnumValue, Field(alias="__typename")]


class _Event(TypedDict):
    id: Word
    createdAt: Moment
    actor: Actor | None


class Closed(_Event):
    """An issue was closed: by whom, and by which commit or pull request."""

    kind: Annotated[Literal["ClosedEvent"], Field(alias="__typename")]
    closer: Closer | None


class Reopened(_Event):
    """An issue was opened again."""

    kind: Annotated[Literal["ReopenedEvent"], Field(alias="__typename")]


class Labelled(_Event):
    """A label was put on, or taken off."""

    kind: Annotated[Literal["LabeledEvent", "UnlabeledEvent"], Field(alias="__typename")]
    label: Label


class Renamed(_Event):
    """An issue got another title."""

    kind: Annotated[Literal["RenamedTitleEvent"], Field(alias="__typename")]
    previousTitle: Text
    currentTitle: Text


class Transferred(_Event):
    """An issue came from another repository, which may be gone."""

    kind: Annotated[Literal["TransferredEvent"], Field(alias="__typename")]
    fromRepository: Named | None


Event = Annotated[
    Annotated[Closed, Tag("closed")]
    | Annotated[Reopened, Tag("reopened")]
    | Annotated[Labelled, Tag("labelled")]
    | Annotated[Renamed, Tag("renamed")]
    | Annotated[Transferred, Tag("transferred")]
    | Annotated[OtherEvent, Tag("other")],
    Discriminator(_event_tag),
]


class PullRequest(TypedDict):
    """A pull request that GitHub relates to an issue."""

    id: Word
    number: Number
    merged: Flag
    mergeCommit: Merge | None
    commits: Total
    repository: Named


class Labels(TypedDict):
    """A page of labels."""

    pageInfo: PageInfo
    nodes: list[Label | None] | None


class Comments(TypedDict):
    """A page of comments."""

    totalCount: Count
    pageInfo: PageInfo
    nodes: list[Comment | None] | None


class Events(TypedDict):
    """A page of events."""

    totalCount: Count
    pageInfo: PageInfo
    nodes: list[Event | None] | None


class PullRequests(TypedDict):
    """A page of related pull requests."""

    pageInfo: PageInfo
    nodes: list[PullRequest | None] | None


class Issue(TypedDict):
    """An issue with the first page of all that belongs to it."""

    id: Word
    number: Number
    title: Text
    body: Text
    author: Actor | None
    authorAssociation: EnumValue | None
    state: EnumValue
    stateReason: EnumValue | None
    activeLockReason: NotRequired[EnumValue | None]
    issueType: NotRequired[IssueType | None]
    createdAt: Moment
    updatedAt: Moment
    closedAt: Moment | None
    url: Url
    milestone: Milestone | None
    reactionGroups: list[ReactionGroup] | None
    labels: Labels | None
    comments: Comments
    timelineItems: Events
    closedByPullRequestsReferences: PullRequests | None
