"""Questions from the API: those asked in a month, and those in which something happened since."""

import html
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, TypeAlias

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import end_of, start_of
from perf_assets.config.forums import Forum, TagSet
from perf_assets.sources.posts import ANSWER, API_QUESTION, COMMENT, Read, as_stored
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.stackexchange.api_client import KEY, MOST_PAGES, PAGE, ApiClient
from perf_assets.sources.stackexchange.api_shapes import Answer, Comment, Question, Tag, User

MOST = PAGE * MOST_PAGES
READINGS = 4  # of a list that changes while it is read
AT_ONCE = 100  # questions whose answers are requested together

RequestParameters: TypeAlias = dict[str, str | int]
"""Parameters of a request."""


class StackExchangeQuestions:
    """The questions of one tag set, as the API gives them."""

    def __init__(self, client: ApiClient, forum: Forum, tag_set: TagSet) -> None:
        """Prepare the source; no request is sent."""
        self.client, self.forum, self.tag_set = client, forum, tag_set

    @property
    def requests(self) -> int:
        """Return the number of requests so far."""
        return self.client.requests

    @property
    def access(self) -> str:
        """Return a phrase on the key that it sends, and on the requests that are left."""
        key = f"the key in {KEY}" if self.client.has_key else f"no key ({KEY})"
        quota = self.client.quota
        left = "an unknown number of" if quota is None else f"{quota:,}"
        return f"{key}, {left} requests left today"

    @property
    def dump(self) -> None:
        """Return the state of the dump that it reads: it reads none."""

    def close(self) -> None:
        """Give the connections back."""
        self.client.close()

    def check_tags(self) -> None:
        """Raise PerfAssetsError if the site lacks one of the tags; costs one request."""
        if not self.tag_set.tags:
            return
        tags = ";".join(self.tag_set.tags[:20])
        pages = self.client.items("tags/info", f"tags/{tags}/info", Tag, order="asc", sort="name")
        existing = {tag.name for found, _ in pages for tag in found}
        unknown = [tag for tag in self.tag_set.tags[:20] if tag not in existing]
        if len(unknown) == len(self.tag_set.tags):
            raise PerfAssetsError(
                f"{self.tag_set.name}: {self.forum.site} has no tag {' or '.join(unknown)}: check "
                "the tags of the forum in the study"
            )

    def newest_activity(self) -> datetime | None:
        """Return the time of the last activity in any of its questions; None without questions."""
        moments = []
        for tag in self._tags():
            parameters: RequestParameters = {"sort": "activity", "order": "desc", **tag}
            pages = self.client.items("questions", "questions", Question, **parameters)
            moments += [question.last_activity_date for question in next(iter(pages))[0]]
        return datetime.fromtimestamp(max(moments), UTC) if moments else None

    def month(self, month: str) -> Read:
        """Return all questions of ``month``, as they are now."""
        first, last = int(start_of(month).timestamp()), int(end_of(month).timestamp()) - 1
        found: dict[int, Question] = {}
        missed = 0
        for tag in self._tags():
            questions, missing_answers = self._created_between(first, last, tag)
            found |= {question.question_id: question for question in questions}
            missed += missing_answers
        mine = [question for question in found.values() if self._is_mine(question)]
        return self._read(mine, missed)

    def changed(self, since: datetime) -> Iterator[Read]:
        """Yield the questions in which something happened since, some at a time, oldest first."""
        for tag in self._tags():
            start, seen = int(since.timestamp()), set[int]()
            while True:
                parameters: RequestParameters = {"sort": "activity", "order": "asc", "min": start}
                parameters |= tag
                pages = self.client.items("questions", "questions", Question, **parameters)
                # A question that is touched meanwhile goes to the end, and the others move up: so
                # it is always the first page, from the newest that was seen on.
                questions, total = next(iter(pages))
                is_last = not questions or (total or 0) <= len(questions) < PAGE
                newest = max((question.last_activity_date for question in questions), default=start)
                if not is_last and newest == start:  # more in one second than a page holds
                    pages_of_second = self.client.items(
                        "questions", "questions", Question, **parameters, max=start
                    )
                    questions = [question for items, _ in pages_of_second for question in items]
                    newest += 1
                new = [question for question in questions if question.question_id not in seen]
                if new:
                    yield self._read(new, 0)
                    seen |= {question.question_id for question in new}
                if is_last:
                    break
                start = newest

    def _tags(self) -> list[RequestParameters]:
        return [{"tagged": tag} for tag in self.tag_set.tags] or [{}]

    def _is_mine(self, question: Question) -> bool:
        return self.forum.set_of({tag.lower() for tag in question.tags}) == self.tag_set

    def _created_between(
        self, first: int, last: int, tag: RequestParameters
    ) -> tuple[list[Question], int]:
        """Return the questions asked in these seconds, and how many more the API counts."""
        parameters: RequestParameters = {"sort": "creation", "order": "asc"}
        parameters |= {"fromdate": first, "todate": last, **tag}
        pages = partial(self.client.items, "questions", "questions", Question, **parameters)
        middle = (first + last) // 2
        halves = [
            partial(self._created_between, first, middle, tag),
            partial(self._created_between, middle + 1, last, tag),
        ]
        return _whole_list(pages, attrgetter("question_id"), halves if last > first else ())

    def _read(self, questions: Sequence[Question], missed: int) -> Read:
        """Return the questions with their answers and comments, as they are stored."""
        answers: list[Answer] = []
        missing_answers = 0
        for start in range(0, len(questions), AT_ONCE):
            numbers = [question.question_id for question in questions[start : start + AT_ONCE]]
            found, missing = self._answers(numbers)
            answers += found
            missing_answers += missing
        comments = [comment for question in questions for comment in question.comments]
        comments += [comment for answer in answers for comment in answer.comments]
        of_answer = {answer.answer_id: answer.question_id for answer in answers}
        batch = as_stored(
            self.forum,
            self.tag_set,
            pl.DataFrame(map(_question, questions), schema=API_QUESTION),
            pl.DataFrame(map(_answer, answers), schema=ANSWER),
            pl.DataFrame(map(_comment, comments), schema=COMMENT).with_columns(
                question_id=pl.col("post_id").replace(of_answer)
            ),
            "api",
        )
        return Read(batch, batch.questions.height + missed, batch.answers.height + missing_answers)

    def _answers(self, numbers: Sequence[int]) -> tuple[list[Answer], int]:
        path = f"questions/{';'.join(map(str, numbers))}/answers"
        pages = partial(
            self.client.items, "questions/answers", path, Answer, sort="creation", order="asc"
        )
        middle = len(numbers) // 2
        halves = [partial(self._answers, part) for part in (numbers[:middle], numbers[middle:])]
        return _whole_list(pages, attrgetter("answer_id"), halves if middle else ())


def _whole_list(
    pages: Callable[[], Iterable[tuple[list[Any], int | None]]],
    number_of: Callable[[Any], int],
    halves: Sequence[Callable[[], tuple[list[Any], int]]],
) -> tuple[list[Any], int]:
    """Return a list, read until it has as many items as the API counts, and how many are missing.

    One that is too long to be read to its end is requested in ``halves``, where there are any.
    """
    found: dict[int, Any] = {}
    missing = 0
    for _ in range(READINGS):
        found, total = {}, 0
        for items, counted in pages():
            total = counted if counted is not None else total
            if total > MOST and halves:
                lists, missed = zip(*(half() for half in halves), strict=True)
                return list(chain(*lists)), sum(missed)
            found |= {number_of(item): item for item in items}
        missing = total - len(found)
        if not missing:
            break
    return list(found.values()), missing


def _question(question: Question) -> dict[str, Any]:
    created_at = _moment(question.creation_date)
    details = question.closed_details
    originals = {} if details is None else {o.question_id for o in details.original_questions}
    return {
        "question_id": question.question_id,
        "tags": [tag.lower() for tag in question.tags],
        # It writes titles and names as HTML, where a dump writes them as they are.
        "title": html.unescape(question.title),
        "body_html": question.body,
        "score": question.score,
        "views": question.view_count,
        "answers": question.answer_count,
        "owner": _owner(question.owner),
        "created_at": created_at,
        "last_activity_at": _moment(question.last_activity_date),
        "accepted_answer_id": question.accepted_answer_id,
        "closed_at": None if question.closed_date is None else _moment(question.closed_date),
        "month": f"{created_at:%Y-%m}",
        "closed_reason": question.closed_reason,
        "duplicate_of": sorted(originals),
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "answer_id": answer.answer_id,
        "question_id": answer.question_id,
        "score": answer.score,
        "owner": _owner(answer.owner),
        "created_at": _moment(answer.creation_date),
        "body_html": answer.body,
    }


def _comment(comment: Comment) -> dict[str, Any]:
    return {
        "comment_id": comment.comment_id,
        "post_id": comment.post_id,
        "score": comment.score,
        "owner": _owner(comment.owner),
        "created_at": _moment(comment.creation_date),
        "body": html.unescape(comment.body_markdown),
    }


def _owner(user: User | None) -> str | None:
    return None if user is None or user.name is None else html.unescape(user.name)


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def open_source(forum: Forum, tag_set: TagSet, patience: RequestPolicy) -> StackExchangeQuestions:
    """Return the source of the questions of ``tag_set``; no request is sent."""
    client = ApiClient(str(forum.api_url), forum.site, patience=patience)
    return StackExchangeQuestions(client, forum, tag_set)
