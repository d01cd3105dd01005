"""What GitHub answers about discussions, as far as it is requested.

Source: https://docs.github.com/graphql/reference/objects#discussion
"""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

from perf_assets.sources.scalars import Int, Moment, Number, Text, Word

_MOMENT = TypeAdapter(Moment)
Instant = Annotated[
    datetime,
    BeforeValidator(_MOMENT.validate_python),
    AfterValidator(lambda moment: moment.astimezone(UTC)),
]


class _Shape(BaseModel):
    """An object of an answer; what it has besides is not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel)


class Author(_Shape):
    """Who wrote something; bots and mannequins have no number."""

    login: Text
    database_id: Number | None = None


class PageInfo(_Shape):
    """Whether a list goes on, and where."""

    has_next_page: bool = False
    end_cursor: Text | None = None


class Connection(_Shape):
    """A part of a list."""

    nodes: list[Any] | None = None
    page_info: PageInfo = PageInfo()


class Reply(_Shape):
    """A reply to a comment."""

    database_id: Number
    author: Author | None = None
    created_at: Instant
    deleted_at: Instant | None = None
    upvote_count: Int
    body: Text


class Comment(_Shape):
    """A comment on a discussion, which is an answer."""

    id: Word
    database_id: Number
    author: Author | None = None
    created_at: Instant
    deleted_at: Instant | None = None
    upvote_count: Int
    body_html: Text
    replies: Connection


class Chosen(_Shape):
    """The comment that is the answer."""

    database_id: Number


class CategoryId(_Shape):
    """The category of a discussion."""

    id: Word


class Label(_Shape):
    """A label."""

    name: Text


class Category(_Shape):
    """A category of the repository."""

    id: Word
    slug: Text
    is_answerable: bool


class Discussion(_Shape):
    """A discussion with its first comments."""

    id: Word
    number: Number
    title: Text
    body_html: Text
    author: Author | None = None
    created_at: Instant
    updated_at: Instant
    upvote_count: Int
    closed_at: Instant | None = None
    state_reason: Text | None = None
    category: CategoryId
    answer: Chosen | None = None
    labels: Connection | None = None
    comments: Connection

    @property
    def active_at(self) -> datetime:
        """Return when something happened in it last."""
        return max(self.created_at, self.updated_at)

    @property
    def is_pinned(self) -> bool:
        """Return False: pinned discussions are a list of their own."""
        return False
