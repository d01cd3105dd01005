"""What the Stack Exchange API answers, as far as it is requested: names and types of its documents.

Source: https://api.stackexchange.com/docs (version 2.3), types question, answer, comment,
shallow-user and the common wrapper object.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

LARGEST = 2**53
EARLIEST, LATEST = 0, 4_102_444_800  # seconds since 1970; the year 2100

Number = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
Moment = Annotated[int, Field(ge=EARLIEST, le=LATEST)]


class _Shape(BaseModel):
    """An object of an answer; what it has besides is not looked at."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class User(_Shape):
    """Who wrote a post: an account, or the name of one that is gone."""

    user_id: Number | None = None
    display_name: str | None = None

    @property
    def name(self) -> str | None:
        """The number of the account or else the name shown."""
        return str(self.user_id) if self.user_id is not None else self.display_name


class Comment(_Shape):
    """A comment on a post."""

    comment_id: Number
    post_id: Number
    score: Number | None = None
    owner: User | None = None
    creation_date: Moment
    body_markdown: str


class OriginalQuestion(_Shape):
    """A question that another one is a duplicate of."""

    question_id: Number


class ClosedDetails(_Shape):
    """Why a question is closed."""

    original_questions: list[OriginalQuestion] = []


class Question(_Shape):
    """A question."""

    question_id: Number
    tags: list[str]
    title: str
    body: str
    score: Number | None = None
    view_count: Number | None = None
    answer_count: Number | None = None
    owner: User | None = None
    creation_date: Moment
    last_activity_date: Moment
    accepted_answer_id: Number | None = None
    closed_date: Moment | None = None
    closed_reason: str | None = None
    closed_details: ClosedDetails | None = None
    comments: list[Comment] = []


class Answer(_Shape):
    """An answer to a question."""

    answer_id: Number
    question_id: Number
    score: Number | None = None
    owner: User | None = None
    creation_date: Moment
    body: str
    comments: list[Comment] = []


class Tag(_Shape):
    """A tag of the site."""

    name: str


class Wrapper(_Shape):
    """What is around every answer: the items, and how many requests are left."""

    items: list[Any] = []
    has_more: bool = False
    total: Annotated[int, Field(ge=0, le=LARGEST)] | None = None
    quota_remaining: Annotated[int, Field(le=LARGEST)] | None = None
    quota_max: Annotated[int, Field(le=LARGEST)] | None = None
    backoff: Annotated[int, Field(ge=0, le=86400)] | None = None
    error_id: int | None = None
    error_name: str | None = None
    error_message: str | None = None


# The types by the names that the API's filters have for them; the wrapper has none.
_TYPES: dict[str, type[_Shape]] = {
    "": Wrapper,
    "question": Question,
    "closed_details": ClosedDetails,
    "original_question": OriginalQuestion,
    "answer": Answer,
    "comment": Comment,
    "shallow_user": User,
    "tag": Tag,
}
INCLUDED = tuple(
    f"{name}.{field}" for name, shape in _TYPES.items() for field in shape.model_fields
)
"""What is requested; all else is left out of answers."""
