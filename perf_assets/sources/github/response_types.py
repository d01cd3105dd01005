"""The shapes of GitHub's answers, as far as requested: names and types of its GraphQL schema.

Reference: https://docs.github.com/graphql/reference. What may be null there may be null here, but
for what no row can do without.
"""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AfterValidator, BeforeValidator, Field, Strict
from typing_extensions import TypedDict

LARGEST = 2**31 - 1  # of GraphQL's Int
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})")
WHOLE_SECONDS = 20  # characters of 2020-01-31T12:00:00Z
WHOLE_SECOND = re.compile(
    "(19[7-9]|2[0-9]{2})[0-9]-(0[1-9]|1[0-2])-([01][1-9]|2[0-8])"
    "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
)
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9998, 12, 31, tzinfo=UTC)


def _moment(text: str) -> str:
    """A moment as it is stored: in UTC, with a Z."""
    if WHOLE_SECOND.fullmatch(text):  # as GitHub writes them, without exception
        return text
    if MOMENT.fullmatch(text) is None:
        raise ValueError("a moment in time is needed here")
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("a moment in time is needed here") from None
    if not EARLIEST <= moment <= LATEST:
        raise ValueError("a moment in time from 1970 to 9998 is needed here")
    if len(text) == WHOLE_SECONDS:
        return text
    return moment.isoformat(timespec="auto").replace("+00:00", "Z")


def _next_cursor(info: dict[str, Any]) -> dict[str, Any]:
    if info["hasNextPage"] and not info["endCursor"]:
        raise ValueError("there is a next page, and no cursor that leads to it")
    return info


def _nothing(node: object) -> object:
    # What is no issue has none of the requested fields.
    return node or None


Moment = Annotated[str, AfterValidator(_moment)]
Count = Annotated[int, Strict(), Field(ge=0, le=LARGEST)]
Number = Annotated[int, Strict(), Field(ge=1, le=LARGEST)]
BigInt = Annotated[int, Strict(False), Field(ge=0, le=2**63 - 1)]
Text = Annotated[str, Strict()]
Word = Annotated[str, Strict(), Field(min_length=1, max_length=1000)]
Sha = Annotated[str, Strict(), Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Url = Annotated[str, Strict(), Field(pattern=r"^https?://[!-~]+$", max_length=2000)]
Flag = Annotated[bool, Strict()]
Association = Annotated[str, Strict(), Field(pattern="^[A-Z_]{1,50}$")] | None


class Named(TypedDict):
    """A repository."""

    nameWithOwner: Word


class Label(TypedDict):
    """A label."""

    name: Text


class Actor(TypedDict):
    """An account, and what kind of one: a user's, a bot's."""

    kind: Annotated[Word, Field(alias="__typename")]
    login: Text


class Total(TypedDict):
    """How many there are."""

    totalCount: Count


class Info(TypedDict):
    """Whether a page has a next one."""

    hasNextPage: Flag
    endCursor: Text | None


PageInfo = Annotated[Info, AfterValidator(_next_cursor)]


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

    content: Annotated[str, Strict(), Field(pattern="^[A-Z_]{1,50}$")]
    reactors: Total


class Milestone(TypedDict):
    """What an issue is planned for."""

    title: Text


class Comment(TypedDict):
    """A comment."""

    fullDatabaseId: BigInt
    author: Actor | None
    authorAssociation: Association
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


class _Event(TypedDict):
    id: Word
    createdAt: Moment
    actor: Actor | None


class Closed(_Event):
    """An issue was closed: by whom, and by which commit or pull request."""

    kind: Annotated[Literal["ClosedEvent"], Field(alias="__typename")]
    closer: Annotated[ClosingCommit | ClosingPullRequest, Field(discriminator="kind")] | None


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


Event = Annotated[Closed | Reopened | Labelled | Renamed | Transferred, Field(discriminator="kind")]


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
    nodes: list[Label | None]


class Comments(TypedDict):
    """A page of comments."""

    totalCount: Count
    pageInfo: PageInfo
    nodes: list[Comment | None]


class Events(TypedDict):
    """A page of events."""

    totalCount: Count
    pageInfo: PageInfo
    nodes: list[Event | None]


class PullRequests(TypedDict):
    """A page of related pull requests."""

    pageInfo: PageInfo
    nodes: list[PullRequest | None]


class Issue(TypedDict):
    """An issue with the first page of all that belongs to it."""

    id: Word
    number: Number
    title: Text
    body: Text
    author: Actor | None
    authorAssociation: Association
    state: Literal["OPEN", "CLOSED"]
    stateReason: Annotated[str, Strict(), Field(pattern="^[A-Z_]{1,50}$")] | None
    createdAt: Moment
    updatedAt: Moment
    closedAt: Moment | None
    url: Url
    milestone: Milestone | None
    reactionGroups: list[ReactionGroup] | None
    labels: Labels
    comments: Comments
    timelineItems: Events
    closedByPullRequestsReferences: PullRequests | None


class Updated(TypedDict):
    """When an issue was updated."""

    updatedAt: Moment


class Newest(TypedDict):
    """The issue that was updated last."""

    totalCount: Count
    nodes: list[Updated]


class Page(TypedDict):
    """A page of issues."""

    pageInfo: PageInfo
    nodes: list[Issue]


class ChangePage(TypedDict):
    """A repository, and the issue in it that was updated last."""

    nameWithOwner: Word
    archivedAt: NotRequired[Moment | None]
    issues: Newest


class ChangePageQuery(TypedDict):
    """The answer to LOOK."""

    repository: ChangePage


class ChangedIssues(TypedDict):
    """A repository, and a page of its issues that changed."""

    nameWithOwner: Word
    archivedAt: NotRequired[Moment | None]
    newest: Newest
    issues: Page


class Changed(TypedDict):
    """The answer to a request for what changed."""

    repository: ChangedIssues


class Counted(TypedDict):
    """How many issues a repository has of a kind."""

    nameWithOwner: Word
    issues: Total


class ChangedCount(TypedDict):
    """The answer to CHANGED_COUNT."""

    repository: Counted


class Found(TypedDict):
    """A page of a search; what is no issue in it is an empty object."""

    issueCount: Count
    pageInfo: PageInfo
    nodes: list[Annotated[Issue | None, BeforeValidator(_nothing)]]


class Search(TypedDict):
    """The answer to SEARCH."""

    search: Found


class SearchCount(TypedDict):
    """How many issues a search finds."""

    issueCount: Count


Counts = dict[str, SearchCount]


class Here(TypedDict):
    """An issue or pull request, and the repository it is in now."""

    number: Number
    repository: Named


class Rest(TypedDict, total=False):
    """An issue with the next page of one of its connections."""

    labels: Labels
    comments: Comments
    timelineItems: Events
    closedByPullRequestsReferences: PullRequests


class Discussion(TypedDict):
    """A discussion."""

    number: Number


Locations = dict[str, Here | None]
Discussions = dict[str, Discussion | None]
Rests = dict[str, Rest]


class Budget(TypedDict):
    """The budget left to a credential, and when (seconds since 1970) it is full again."""

    limit: Count
    remaining: Count
    reset: Annotated[float, Field(ge=0, le=2**33, allow_inf_nan=False)]


class Resources(TypedDict):
    """The budgets of a credential."""

    graphql: Budget


class Limits(TypedDict):
    """The answer to GET /rate_limit."""

    resources: Resources
