"""The study of challenges (Zhang et al., ISSRE 2019): its stated figures, beside those of a forum.

Its posts, of the dump of December 2018, and the kinds that its authors gave them are a download
that is not read here. What can be had is what a loaded forum with the same tags shows, over the
months up to that one; whatever needs the posts themselves is not derivable. Where a word of the
study has two readings, mean and median, both are compared, and the quantity names them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from perf_assets.base.sanitize import in_words
from perf_assets.core.analyses.group_samples import POOLED
from perf_assets.core.paper.figures import (
    CHALLENGES,
    Figure,
    PaperTables,
    comparison_row,
    number_of,
)
from perf_assets.core.questions.classifier_assumptions import KINDS
from perf_assets.core.questions.difficulty import OTHER, question_difficulty

TAG_SETS = ("tensorflow", "pytorch", "deeplearning4j")
"""The tags of the study, each a tag set of the forum that it is compared with."""

NO_POSTS = (
    "the study's posts are a download, which its repository "
    "github.com/tianyi-zhang/deep-learning-stack-overflow links to and which is not read here"
)
NO_FORUM = (
    f"{NO_POSTS}, and no forum with the tag sets {', '.join(TAG_SETS)} is loaded to compare with"
)
NO_KINDS = (
    f"{NO_POSTS}, and no questions of the forum were classified by people to learn kinds from"
)

COLLECTION, VIEWS, COMMON, CLASSIFIER, DIFFICULTY, ORDER = (
    "Text on the data",
    "Table I",
    "Text on kinds of questions",
    "Text on the classifier",
    "Text on difficulty",
    "Figures 6 and 7",
)
LATER = "answers that were given or accepted since count"
GROWING = "views go on growing, so that a later dump shows more"
READINGS_OF_HOURS = {
    "mean": "mean_hours_to_accepted",
    "median": "median_hours_to_accepted",
}
"""The study says "on average"; an average of waits is moved by the longest of them."""

CLASSIFIERS = {
    "default": ("", "as the text describes it"),
    "as its code weighs": (".as_its_code", "as the published code weighs words"),
}
"""Variants of the classifier that are compared: the code of the study departs from its text."""

PLACES = {
    "accepted.highest": (
        "comprehension",
        "accepted_share",
        False,
        "highest share of accepted answers",
    ),
    "accepted.lowest": ("performance", "accepted_share", True, "lowest share of accepted answers"),
} | {
    f"hours.longest.{reading}": (
        "performance",
        column,
        False,
        f"longest time to an accepted answer, read as the {reading},",
    )
    for reading, column in READINGS_OF_HOURS.items()
}
"""Which kind the study has first: by a column, whether the lowest of it is first, what it is."""


@dataclass(frozen=True)
class ForumData:
    """What the forum shows of the study's tag sets; ``forum`` is None where none is loaded.

    difficulty : rows of ``analysis.question_difficulty``, of these tag sets and months alone.
    quality : those of ``analysis.question_kind_quality`` of the forum.
    """

    forum: str | None
    last_month: str
    difficulty: pl.DataFrame
    quality: pl.DataFrame

    @property
    def of(self) -> str:
        """What a value is of, for a sentence."""
        return f"of {self.forum} as it is now, questions until {self.last_month}"

    def value(self, column: str, kind: str = "all", tag_set: str = POOLED) -> float | None:
        """A value of the difficulty, if there is one."""
        found = self.difficulty.filter(kind=kind, tag_set=tag_set)[column].to_list()
        return None if not found or found[0] is None else float(found[0])

    def place(self, column: str, kind: str, *, is_lowest_first: bool) -> float | None:
        """The place of ``kind`` among the kinds by the ``column``, equal ones alike."""
        values = {other: self.value(column, other) for other in KINDS}
        own = values[kind]
        if own is None:
            return None
        others = (value for value in values.values() if value is not None)
        return 1.0 + sum(value < own if is_lowest_first else value > own for value in others)

    def gap(self, kind: str = "all") -> str | None:
        """Why a figure of ``kind`` cannot be had, if it cannot."""
        if self.forum is None:
            return NO_FORUM
        if kind != "all" and self.difficulty.filter(kind=kind).is_empty():
            return NO_KINDS
        return None


def challenges_figures(
    published: PaperTables, groups: pl.DataFrame, waits: pl.DataFrame, quality: pl.DataFrame
) -> Iterator[tuple[object, ...]]:
    """The rows of ``analysis.paper_comparison`` of the study of challenges.

    Parameters
    ----------
    published
        The table ``challenges`` of the file of published values.
    groups, waits
        ``intermediate.question_groups`` and ``intermediate.question_answer_times``. Read of the
        first forum by name that has all of :data:`TAG_SETS`, of these alone, up to the last month
        that the study can have seen.
    quality
        ``analysis.question_kind_quality``.
    """
    data = _data(published["last_month"], groups, waits, quality)
    yield from _collection(published, data)
    yield from _classifier(published["classifier"], data)
    yield from _difficulty(published, data)


def questions_needed(population: int, z: float = 1.96, error: float = 0.05) -> float:
    """Questions to inspect for a share within ``error`` of the whole, at a confidence by ``z``.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd edition, chapter 4. Wiley.

    Examples
    --------
    >>> round(questions_needed(39_628), 1)
    380.5
    """
    most = z**2 / 4
    return population * most / ((population - 1) * error**2 + most)


def _data(
    last_month: str, groups: pl.DataFrame, waits: pl.DataFrame, quality: pl.DataFrame
) -> ForumData:
    tag_sets: dict[str, set[str]] = {}
    for forum, tag_set in groups.select("forum", "tag_set").unique().iter_rows():
        tag_sets.setdefault(forum, set()).add(tag_set)
    found = min((name for name, sets in tag_sets.items() if sets >= set(TAG_SETS)), default=None)
    seen = groups.filter(
        pl.col("forum") == (found or ""),
        pl.col("tag_set").is_in(TAG_SETS),
        pl.col("month") <= last_month,
    )
    return ForumData(
        found, last_month, question_difficulty(seen, waits), quality.filter(forum=found or "")
    )


def _collection(published: PaperTables, data: ForumData) -> Iterator[tuple[object, ...]]:
    reason = (
        f"{data.of}, the month of the study's dump; questions that were deleted or given other "
        "tags since count otherwise"
    )
    for tag_set, text in published["questions"].items():
        figure = _figure(f"questions.{tag_set}", COLLECTION, tag_set, "questions", text)
        value = data.value("questions", tag_set=tag_set)
        yield comparison_row(figure, value, gap=data.gap(), reason=reason, note=data.of)
    yield from _views(published["views"], data)
    sample = published["sample"]
    figure = _figure(
        "sample.inspected", COLLECTION, POOLED, "questions inspected", sample["inspected"]
    )
    yield comparison_row(figure, None, gap=NO_POSTS)
    needed = _figure(
        "sample.needed",
        COLLECTION,
        POOLED,
        "questions to inspect for 95 % confidence and an error of 5 points",
        sample["needed"],
    )
    population = number_of(published["questions"][POOLED])
    note = f"of {population:,} questions, by Cochran's formula with z = 1.96"
    yield comparison_row(needed, questions_needed(population), gap=None, reason=note, note=note)


def _views(
    published: Mapping[str, Mapping[str, str]], data: ForumData
) -> Iterator[tuple[object, ...]]:
    for tag_set, texts in published.items():
        for measure, text in texts.items():
            name, quantity = f"views.{tag_set}.{measure}", f"views, {in_words(measure)}"
            figure = _figure(name, VIEWS, tag_set, quantity, text)
            value = data.value(f"{measure}_views", tag_set=tag_set)
            note = f"{data.of}; {GROWING}"
            yield comparison_row(figure, value, gap=data.gap(), reason=note, note=note)


def _classifier(published: PaperTables, data: ForumData) -> Iterator[tuple[object, ...]]:
    for variant, (suffix, reading) in CLASSIFIERS.items():
        rows = data.quality.filter(
            method="weights", variant=variant, split="stratified", kind="macro"
        )
        note = (
            f"{reading}; of other questions than the study's, mean over the kinds, each tested by "
            "a classifier that did not learn from it"
        )
        for measure, text in published.items():
            quantity = f"{measure}, about, percent: {reading}"
            name = f"classifier.{measure}{suffix}"
            figure = _figure(name, CLASSIFIER, POOLED, quantity, text)
            value = None if rows.is_empty() else rows[measure][0]
            gap = data.gap() or (NO_KINDS if value is None else None)
            percent = None if value is None else 100 * value
            yield comparison_row(figure, percent, gap=gap, reason=note, note=note)


def _difficulty(published: PaperTables, data: ForumData) -> Iterator[tuple[object, ...]]:
    now = f"{data.of}; {LATER}"
    for kind, text in published["question_rank"].items():
        quantity = f"place among the kinds by questions, the most first: {in_words(kind)}"
        figure = _figure(f"question_rank.{kind}", COMMON, POOLED, quantity, text)
        value = data.value("question_rank", kind)
        yield comparison_row(figure, value, gap=data.gap(kind), reason=data.of, note=data.of)
    for kind, text in published["accepted"].items():
        quantity = f"questions with an accepted answer, percent: {_named(kind)}"
        figure = _figure(f"accepted.{kind}", DIFFICULTY, POOLED, quantity, text)
        share = data.value("accepted_share", kind)
        percent = None if share is None else 100 * share
        yield comparison_row(figure, percent, gap=data.gap(kind), reason=now, note=now)
    for kind, text in published["hours"].items():
        for reading, column in READINGS_OF_HOURS.items():
            quantity = f"hours to the accepted answer, read as the {reading}: {_named(kind)}"
            figure = _figure(f"hours.{kind}.{reading}", DIFFICULTY, POOLED, quantity, text)
            value = data.value(column, kind)
            yield comparison_row(figure, value, gap=data.gap(kind), reason=now, note=now)
    for name, (kind, column, is_lowest_first, what) in PLACES.items():
        quantity = f"place of {in_words(kind)} among the kinds, the {what} first"
        place = data.place(column, kind, is_lowest_first=is_lowest_first)
        figure = _figure(name, ORDER, POOLED, quantity, "1")
        yield comparison_row(figure, place, gap=data.gap(kind), reason=now, note=now)


def _named(kind: str) -> str:
    return "all kinds but performance" if kind == OTHER else in_words(kind)


def _figure(name: str, location: str, tag_set: str, quantity: str, text: str) -> Figure:
    return Figure(f"challenges.{name}", location, tag_set, quantity, text, CHALLENGES)
