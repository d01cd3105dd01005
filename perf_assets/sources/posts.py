"""Posts as they are stored: questions of a tag set with their answers and comments, by month."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from perf_assets.config.forums import Forum, TagSet
from perf_assets.core.posts import text_and_code
from perf_assets.schema import schema_of
from perf_assets.schema.types import Columns

TABLES = ("raw.questions", "raw.answers", "raw.question_comments")


def _columns(table: str, *names: str) -> Columns:
    schema = schema_of(table)
    return {name: schema[name] for name in names}


QUESTION = _columns(
    "raw.questions",
    *("question_id", "tags", "title", "body_html", "score", "views", "answers", "owner"),
    *("created_at", "last_activity_at", "accepted_answer_id", "closed_at"),
)
"""What every source says of a question."""
ANSWER = _columns(
    "raw.answers", *("answer_id", "question_id", "score", "owner", "created_at", "body_html")
)
COMMENT = _columns(
    "raw.question_comments", *("comment_id", "post_id", "score", "owner", "created_at", "body")
)
API_QUESTION = {**QUESTION, **_columns("raw.questions", "month", "closed_reason", "duplicate_of")}
"""What an API says of a question."""


@dataclass(frozen=True)
class Dump:
    """The state of a dump that was read.

    fingerprint : of the files and of what is read of them.
    newest_at : the newest activity in it; ``None`` where nothing in it is of the study.
    """

    fingerprint: str
    newest_at: datetime | None

    @property
    def last_month(self) -> str:
        """The month in which it ends."""
        return "" if self.newest_at is None else f"{self.newest_at:%Y-%m}"


@dataclass(frozen=True)
class PostBatch:
    """Questions, their answers and their comments, with the columns of the tables of raw."""

    questions: pl.DataFrame
    answers: pl.DataFrame
    comments: pl.DataFrame

    @property
    def frames(self) -> dict[str, pl.DataFrame]:
        """Each with the table that it is stored in."""
        return dict(zip(TABLES, (self.questions, self.answers, self.comments), strict=True))

    def of_month(self, month: str) -> "PostBatch":
        """Return the rows of the questions of ``month``."""
        of_it = pl.col("month") == month
        return PostBatch(*(frame.filter(of_it) for frame in self.frames.values()))

    def without(self, numbers: Sequence[int]) -> "PostBatch":
        """Return all but the questions of these ``numbers``."""
        others = ~pl.col("question_id").is_in(list(numbers))
        return PostBatch(*(frame.filter(others) for frame in self.frames.values()))

    def and_(self, other: "PostBatch") -> "PostBatch":
        """Return these, and those of another one."""
        pairs = zip(self.frames.values(), other.frames.values(), strict=True)
        return PostBatch(*(pl.concat([mine, theirs]) for mine, theirs in pairs))


@dataclass(frozen=True)
class Read:
    """What was read, with how many questions and answers the source counts."""

    batch: PostBatch
    questions: int
    answers: int


def as_stored(
    forum: Forum,
    tag_set: TagSet,
    questions: pl.DataFrame,
    answers: pl.DataFrame,
    comments: pl.DataFrame,
    source: str,
) -> PostBatch:
    """Return questions, answers and comments of a source with all columns of the tables of raw.

    Whether an answer is accepted comes from its question; months are those of questions.
    """
    bodies = [text_and_code(body) for body in questions.get_column("body_html").to_list()]
    sets = [
        [tag_set.label for tag_set in forum.sets_of(set(tags))]
        for tags in questions.get_column("tags").to_list()
    ]
    number = pl.col("question_id").cast(pl.String)
    key_columns = {"forum": pl.lit(forum.name), "tag_set": pl.lit(tag_set.label)}
    whole = questions.with_columns(
        pl.Series("text", [text for text, _ in bodies], pl.String),
        pl.Series("code", [code for _, code in bodies], pl.String),
        pl.Series("tag_sets", sets, pl.List(pl.String)),
        **key_columns,
        source=pl.lit(source),
        html_url=pl.concat_str(pl.lit(forum.question_url), number),
    )
    of_question = questions.select("question_id", "month", "accepted_answer_id")
    answered = answers.join(of_question, on="question_id").with_columns(
        **key_columns,
        is_accepted=(pl.col("answer_id") == pl.col("accepted_answer_id")).fill_null(value=False),
    )
    commented = comments.join(of_question, on="question_id").with_columns(**key_columns)
    return PostBatch(
        *(
            frame.select(schema_of(table).names())
            .cast(dict(schema_of(table)))  # type: ignore[arg-type]
            .sort(table_key)
            for table, frame, table_key in zip(
                TABLES,
                (whole, answered, commented),
                ("question_id", "answer_id", "comment_id"),
                strict=True,
            )
        )
    )
