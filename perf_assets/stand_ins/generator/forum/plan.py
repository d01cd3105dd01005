"""The plan of a synthetic forum: its questions, and what becomes of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import log
from random import Random

from perf_assets.stand_ins.generator.forum.texts import KINDS, Text, text_of
from perf_assets.stand_ins.generator.planner import DAY, HOUR, Calendar

TAG_SETS = (("tensorkit", ("tensorkit", "tensorkit-lite")), ("gradlib", ("gradlib",)))
OTHER_TAGS = ("python", "numpy", "deployment", "c++", "gpu")
STRANGE_TAGS = ("python", "regex", "html", "c++")
# How often a kind comes: first the three that the study found to be asked most, in its order.
MOST_ASKED = ("program_crash",) * 4 + ("model_migration_and_deployment",) * 2 + ("implementation",)
CYCLE = (*KINDS, *MOST_ASKED, *KINDS, *KINDS)
# Share of accepted questions, and hours until the accepted answer on average, in the order that the
# study found: comprehension is accepted most, performance least and latest, crashes soonest. They
# are further apart than there, so that the order is still seen where kinds are recognised wrongly.
ACCEPTED = {"performance": 0.25, "comprehension": 0.56}
USUALLY_ACCEPTED = 0.38
HOURS_TO_ACCEPTED = {"performance": 8.0, "program_crash": 1.2}
USUAL_HOURS = 2.5
TWO_KINDS_EVERY = 11  # no divisor of the cycle, so that every kind has some
LABELLED_SHARE = 0.5
CLOSED_CODES = ("101", "102", "103", "104", "105")


@dataclass
class Comment:
    """A comment on a post; without ``owner`` the account is gone."""

    at: int
    owner: int | None
    text: str
    number: int = 0


@dataclass
class Answer:
    """An answer; without ``owner`` the account is gone, and without ``name`` too forgotten."""

    at: int
    owner: int | None
    name: str | None
    score: int
    body: str
    is_accepted: bool = False
    is_deleted: bool = False  # it was accepted, and is in the dump no more
    comments: list[Comment] = field(default_factory=list)
    number: int = 0


@dataclass
class Question:
    """A question; times are milliseconds since 1970.

    tag_sets : the labels of those it belongs to; none of a question that the study leaves out.
    kinds : what it is about.
    closed : when, and the code of the reason.
    is_labelled : whether its kinds are given to the classifier.
    """

    at: int
    tags: tuple[str, ...]
    tag_sets: tuple[str, ...]
    text: Text
    owner: int | None
    name: str | None
    score: int
    views: int
    answers: list[Answer] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    closed: tuple[int, str] | None = None
    duplicate_of: "Question | None" = None
    is_labelled: bool = False
    number: int = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """Its subject."""
        return self.text.kinds

    @property
    def accepted(self) -> Answer | None:
        """The answer that its owner accepted, also where it was deleted since."""
        return next((answer for answer in self.answers if answer.is_accepted), None)

    @property
    def endorsed(self) -> Answer | None:
        """The first answer that its owner endorses in a comment, where none is accepted."""
        if self.accepted is not None or self.owner is None:
            return None
        of_others = [
            answer
            for answer in self.answers
            if answer.owner != self.owner and not answer.is_deleted
        ]
        endorsed = [
            answer
            for answer in of_others
            for comment in answer.comments
            if comment.owner == self.owner and comment.text in ENDORSING
        ]
        return min(endorsed, key=lambda answer: answer.at, default=None)

    @property
    def touched(self) -> int:
        """When something happened in it last."""
        closed = [self.closed[0]] if self.closed else []
        return max([self.at, *(answer.at for answer in self.answers), *closed])


@dataclass
class Forum:
    """Everything that was posted; ``others`` are times of posts that are neither of both."""

    questions: list[Question]
    others: list[tuple[int, int]]

    @property
    def studied(self) -> list[Question]:
        """The questions of the study, in the order of their numbers."""
        mine = [question for question in self.questions if question.tag_sets]
        return sorted(mine, key=lambda question: question.number)


def plan_forum(rng: Random, calendar: Calendar, questions: int) -> Forum:
    """Return a forum with so many questions of the study, half as many others, and other posts."""
    studied = [_question(rng, calendar, index) for index in range(questions)]
    strangers = [_stranger(rng, calendar) for _ in range(questions // 2)]
    latest = 1000 * calendar.end - 1
    for question in (*studied, *strangers):
        _answer(rng, question, latest)
    for kind in KINDS:
        _accept(rng, [question for question in studied if question.kinds[0] == kind], kind, latest)
    for question in (*studied, *strangers):
        _comment(rng, question, latest)
    _plant(rng, studied, calendar)
    others = [
        (_moment(rng, calendar), rng.choice((4, 5, 4, 5, 7))) for _ in range(max(1, questions // 8))
    ]
    forum = Forum([*studied, *strangers], others)
    _number(forum)
    return forum


def _moment(rng: Random, calendar: Calendar) -> int:
    month = rng.choices(calendar.busy, calendar.weights)[0]
    return 1000 * rng.randrange(calendar.starts[month], calendar.starts[month + 1]) + rng.randrange(
        1000
    )


def _question(rng: Random, calendar: Calendar, index: int) -> Question:
    # In turn, so that small forums have all of them.
    kind = CYCLE[index % len(CYCLE)]
    has_two = index % TWO_KINDS_EVERY == TWO_KINDS_EVERY - 1
    text = text_of(rng, (kind, rng.choice([k for k in KINDS if k != kind])) if has_two else (kind,))
    label, tags = TAG_SETS[index % 3 == 2]
    chosen = [rng.choice(tags), *rng.sample(OTHER_TAGS, rng.randrange(3))]
    rng.shuffle(chosen)
    return Question(
        _moment(rng, calendar),
        tuple(chosen),
        (label,),
        text,
        rng.randrange(2, 500),
        None,
        rng.choice((0, 0, 1, 1, 2, 3, 5, 8, 21, -1, -3)),
        rng.randrange(10, 4000),
        is_labelled=rng.random() < LABELLED_SHARE,
    )


def _stranger(rng: Random, calendar: Calendar) -> Question:
    tags = tuple(rng.sample(STRANGE_TAGS, rng.randrange(1, 3)))
    text = text_of(rng, (rng.choice(KINDS),))
    return Question(
        _moment(rng, calendar), tags, (), text, rng.randrange(2, 500), None, 1, rng.randrange(900)
    )


def _answer(rng: Random, question: Question, latest: int) -> None:
    """Give it its answers."""
    for _ in range(rng.choices((0, 1, 2, 3), (25, 40, 25, 10))[0]):
        at = question.at + int(1000 * HOUR * rng.expovariate(1 / 20)) + 60_000
        if at < latest:
            body = f"<p>{rng.choice(ANSWERS)}</p>\n"
            owner = rng.randrange(2, 500)
            question.answers.append(Answer(at, owner, None, rng.randrange(-2, 12), body))


def _accept(rng: Random, questions: Sequence[Question], kind: str, latest: int) -> None:
    """Accept an answer of the share of questions that the kind has, after times of its own.

    Not by chance, so that small samples show the order of the kinds too: the accepted questions
    are as many as their share, spread evenly over tag sets and those that stems find, and their
    times are spread evenly over an exponential distribution.
    """
    answered = [question for question in questions if question.answers]
    answered.sort(key=lambda question: (question.tag_sets, question.text.has_stem))
    number = min(len(answered), round(ACCEPTED.get(kind, USUALLY_ACCEPTED) * len(questions)))
    chosen = [answered[len(answered) * index // number] for index in range(number)]
    average = HOURS_TO_ACCEPTED.get(kind, USUAL_HOURS)
    for index, question in enumerate(rng.sample(chosen, number)):
        accepted = rng.choice(question.answers)
        hours = -average * log(1 - (index + 0.5) / number)
        accepted.at = min(question.at + int(1000 * HOUR * hours) + 60_000, latest)
        accepted.is_accepted = True


def _comment(rng: Random, question: Question, latest: int) -> None:
    posts: list[Question | Answer] = [question, *question.answers]
    for post in posts:
        for _ in range(rng.choices((0, 1, 2), (70, 20, 10))[0]):
            at = post.at + rng.randrange(1000 * DAY)
            if at < latest:
                post.comments.append(Comment(at, rng.randrange(2, 500), rng.choice(COMMENTS)))


ANSWERS = (
    "You can pass it to the constructor.",
    "This was changed in 1.4; see the release notes &amp; the guide.",
    "Call <code>tk.reset()</code> first.",
)
COMMENTS = (
    "Which version is this?",
    "Thanks, that solved it & more!",
    "Please add the whole output.",
)
ENDORSING = (
    "Thanks, that solved it & more!",
    "Great, that worked for me.",
    "Thank you, Jo!",
    "It works now, cheers",
)
RESERVED = (
    "Thanks, but it does not work here.",
    "Thank you, I'll try that tomorrow",
    "That worked, how would I do it with two inputs?",
    "Thanks in advance",
)


def _plant(rng: Random, studied: list[Question], calendar: Calendar) -> None:
    """Plant rare cases, each at least once if there is room, else in one question of forty."""
    rare = iter(rng.sample(studied, len(studied)))
    number = max(1, len(studied) // 40)
    for plant in (
        _of_both_tag_sets,
        _of_two_kinds,
        _without_account,
        _with_keywords_in_code,
        _with_html_in_the_title,
        _answered_by_author,
        _with_a_deleted_answer,
        _with_an_older_answer,
    ):
        for question in islice(rare, number):
            plant(rng, question)
    latest = 1000 * calendar.end - 1
    for index, question in enumerate(islice(rare, 2 * number)):
        at = min(question.at + rng.randrange(1000 * DAY), latest)
        question.closed = (at, CLOSED_CODES[index % len(CLOSED_CODES)])
        if question.closed[1] == "101" and len(studied) > 1:
            question.duplicate_of = rng.choice(
                [other for other in studied if other is not question]
            )
    _endorse(rare, number, latest)


def _endorse(rare: Iterator[Question], number: int, latest: int) -> None:
    """Plan comments under unaccepted answers: of thanks, of others, and with reservations."""
    unaccepted = (
        question
        for question in rare
        if question.answers and question.accepted is None and question.owner
    )
    by_others = (None, 1)  # of an account that is gone, and of one that never asks
    for texts, owners in ((ENDORSING, None), (RESERVED, None), (ENDORSING, by_others)):
        for index, question in enumerate(islice(unaccepted, number)):
            answer = question.answers[-1]
            owner = question.owner if owners is None else owners[index % len(owners)]
            at = min(answer.at + 1000 * HOUR, latest)
            answer.comments.append(Comment(at, owner, texts[index % len(texts)]))


def _of_both_tag_sets(_: Random, question: Question) -> None:
    question.tags = tuple(dict.fromkeys((*question.tags, "gradlib", "tensorkit")))
    question.tag_sets = tuple(label for label, _ in TAG_SETS)


def _of_two_kinds(rng: Random, question: Question) -> None:
    """Plant a question whose kind only people can tell."""
    first = question.kinds[0]
    second = KINDS[(KINDS.index(first) + 2) % len(KINDS)]
    question.text, question.is_labelled = text_of(rng, (first, second)), True


def _without_account(rng: Random, question: Question) -> None:
    question.owner, question.name = None, rng.choice(("user1234", None))


def _with_keywords_in_code(_: Random, question: Question) -> None:
    question.text = question.text.with_code("while True: print('memory leak, slowly')")


def _with_html_in_the_title(_: Random, question: Question) -> None:
    """Plant a question with line ends of Windows."""
    question.text = question.text.with_title('Why does "a < b && c" say &lt;None&gt;?').crlf()


def _answered_by_author(_: Random, question: Question) -> None:
    for answer in question.answers[:1]:
        answer.owner = question.owner


def _with_a_deleted_answer(_: Random, question: Question) -> None:
    if question.accepted is not None:
        question.accepted.is_deleted = True


def _with_an_older_answer(rng: Random, question: Question) -> None:
    """Plant a question that was moved here from another site."""
    if len(question.answers) > 1 and not question.answers[0].is_accepted:
        question.answers[0].at = question.at - rng.randrange(1000, 1000 * HOUR)


def _number(forum: Forum) -> None:
    """Give posts numbers in the order in which they came, as a forum does, and
    comments by themselves.
    """
    posts: list[tuple[int, Question | Answer]] = []
    for question in forum.questions:
        posts.append((question.at, question))
        posts += [(answer.at, answer) for answer in question.answers]
    posts.sort(key=lambda pair: pair[0])
    # Other posts get the numbers that are left out.
    for index, (_, post) in enumerate(posts):
        post.number = 1001 + 3 * index
    comments = [comment for _, post in posts for comment in post.comments]
    for index, comment in enumerate(sorted(comments, key=lambda comment: comment.at)):
        comment.number = 50_001 + index
