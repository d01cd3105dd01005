"""What Discourse answers, as far as it is read: names and types of its documents.

Source: https://docs.discourse.org and the serializers of Discourse and of its plugin Solved.
"""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

LARGEST = 2**53
FIRST_YEAR, LAST_YEAR = 1970, 2100
REGULAR, MODERATED, SMALL_ACTION = 1, 2, 3  # kinds of posts; a whisper is 4
LIKE = 2
CLOSING = ("closed.enabled", "autoclosed.enabled", "archived.enabled")


def _in_time(moment: datetime) -> datetime:
    if not FIRST_YEAR <= moment.year < LAST_YEAR:
        raise ValueError(f"a time between {FIRST_YEAR} and {LAST_YEAR} is expected")
    return moment.astimezone(UTC)


Number = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
Count = Annotated[int, Field(ge=0, le=LARGEST)]
Moment = Annotated[AwareDatetime, Field(strict=False), AfterValidator(_in_time)]
Slug = Annotated[str, StringConstraints(max_length=1000)]


class _Shape(BaseModel):
    """An object of an answer; what it has besides is not looked at."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class NamedTag(_Shape):
    """A tag as newer versions describe it; older ones give its name alone."""

    name: str


class _Tagged(_Shape):
    tags: list[str | NamedTag] | None = None
    category_id: Number | None = None

    @property
    def names(self) -> list[str]:
        """Return the names of its tags in lower case."""
        tags = self.tags or []
        return [(tag if isinstance(tag, str) else tag.name).lower() for tag in tags]


class ListedTopic(_Tagged):
    """A topic in a list of topics."""

    id: Number
    created_at: Moment
    bumped_at: Moment | None = None
    pinned: bool | None = None

    @property
    def number(self) -> int:
        """Return its number."""
        return self.id

    @property
    def is_pinned(self) -> bool:
        """Return whether it is before all others."""
        return bool(self.pinned)

    @property
    def active_at(self) -> datetime:
        """Return when something happened in it last, by which lists are sorted."""
        return max(self.created_at, self.bumped_at or self.created_at)


class TopicList(_Shape):
    """A page of a list of topics."""

    topics: list[Any]
    more_topics_url: str | None = None


class TopicPage(_Shape):
    """The answer that holds a page of topics."""

    topic_list: TopicList


class Post(_Shape):
    """A post of a topic."""

    id: Number
    post_number: Number
    post_type: Number
    user_id: Number | None = None
    username: str | None = None
    created_at: Moment
    cooked: str
    actions_summary: list[Any] = []
    accepted_answer: bool | None = None
    action_code: str | None = None
    user_deleted: bool | None = None
    deleted_at: Any = None

    @property
    def is_there(self) -> bool:
        """Return whether somebody wrote it, and nobody deleted or withdrew it."""
        is_post = self.post_type in {REGULAR, MODERATED}
        return is_post and not self.user_deleted and self.deleted_at is None

    @property
    def likes(self) -> int:
        """Return the number of people who like it."""
        counts = [
            action.get("count")
            for action in self.actions_summary
            if isinstance(action, dict) and action.get("id") == LIKE
        ]
        return sum(n for n in counts[:1] if isinstance(n, int) and 0 <= n <= LARGEST)

    @property
    def owner(self) -> str | None:
        """Return the number of the account, or else its name."""
        return str(self.user_id) if self.user_id is not None else self.username


class AcceptedAnswer(_Shape):
    """Which post the plugin Solved has as the solution."""

    post_number: Number


class PostStream(_Shape):
    """Posts of a topic: the first ones, and the numbers of all."""

    posts: list[Any]
    stream: list[Number] = []


class Posts(_Shape):
    """The answer that holds further posts of a topic."""

    post_stream: PostStream


class Topic(_Tagged):
    """A topic with its first posts."""

    id: Number
    title: str
    created_at: Moment
    views: Count | None = None
    closed: bool | None = None
    archived: bool | None = None
    deleted_at: Any = None
    accepted_answer: AcceptedAnswer | None = None
    post_stream: PostStream


class FurtherPosts(Posts):
    """The answer of a topic's posts alone, as a folder has it."""

    id: Number

    @property
    def rank(self) -> tuple[bool, datetime, int]:
        """Return a key by which it is before every answer that describes the topic."""
        return (False, datetime.min.replace(tzinfo=UTC), 0)


class KeptTopic(Topic):
    """The answer of a topic as a folder has it, with what lists say of it in other words."""

    bumped_at: Moment | None = None
    last_posted_at: Moment | None = None
    visible: bool | None = None
    archetype: str | None = None

    @property
    def active_at(self) -> datetime:
        """Return when something happened in it last, as far as the answer has it."""
        return max(self.created_at, self.bumped_at or self.last_posted_at or self.created_at)

    @property
    def rank(self) -> tuple[bool, datetime, int]:
        """Return a key by which the latest of several answers, and the fullest, is the last."""
        return (True, self.active_at, len(self.post_stream.stream))

    @property
    def listed(self) -> ListedTopic | None:
        """Return it as lists have it; None of one that they do not show, as messages."""
        if self.visible is False or self.archetype not in {None, "regular"}:
            return None
        return ListedTopic(
            id=self.id,
            created_at=self.created_at,
            bumped_at=self.active_at,
            tags=self.tags,
            category_id=self.category_id,
        )


class Category(_Shape):
    """A category with its subcategories."""

    id: Number
    slug: Slug = ""
    parent_category_id: Number | None = None
    subcategory_list: list[Any] | None = None


class CategoryList(_Shape):
    """The categories of a forum."""

    categories: list[Any]


class Categories(_Shape):
    """The answer that holds the categories."""

    category_list: CategoryList


class SiteCategories(_Shape):
    """The answer on the whole site, which has all categories in one list."""

    categories: list[Any]


class Refusal(_Shape):
    """Why a request was refused; ``extras`` has the seconds to wait."""

    extras: dict[str, Any] = {}
