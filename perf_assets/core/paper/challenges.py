"""The study of challenges (Zhang et al., ISSRE 2019): its stated figures, beside those of a forum.

Its posts and the kinds that its authors gave them are not public. What can be had is what a loaded
forum with the same tags shows, over months that the study may have seen; whatever needs the posts
themselves is not derivable.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from perf_assets.core.analyses.group_samples import POOLED
from perf_assets.core.paper.figures import (
    CHALLENGES,
    Figure,
    PaperTables,
    comparison_row,
    number_of,
)
from perf_assets.core.questions.classifier_assumptions import KINDS
from perf_assets.core.questions.difficulty import question_difficulty
from perf_assets.sanitize import in_words

TAG_SETS = ("tensorflow", "pytorch", "deeplearning4j")
"""The tags of the study, each a tag set of the forum that it is compared with."""

NO_POSTS = "the study's posts are not public"
NO_FORUM = (
    f"{NO_POSTS}, and no forum with the tag sets {', '.join(TAG_SETS)} is loaded to compare with"
)
NO_KINDS = (
    f"{NO_POSTS}, and no questions of the forum were classified by people to learn kinds from"
)

COLLECTION, CLASSIFIER, DIFFICULTY = (
    f"Text on {what}" for what in ("the data", "the classifier", "difficulty")
)


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
        f"{data.of}, the month before the conference; when the study collected its posts, and what "
        "was deleted or given other tags since, is not known"
    )
    for tag_set, text in published["questions"].items():
        figure = _figure(f"questions.{tag_set}", COLLECTION, tag_set, "questions", text)
        value = data.value("questions", tag_set=tag_set)
        yield comparison_row(figure, value, gap=data.gap(), reason=reason, note=data.of)
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
    for rank, text in enumerate(published["median_views"], 1):
        name, quantity = f"median_views.{rank}", f"median of views, value {rank} of three"
        why = f"{NO_POSTS}, and which questions each of the three values is of is not known to us"
        yield comparison_row(_figure(name, COLLECTION, POOLED, quantity, text), None, gap=why)


def _classifier(published: PaperTables, data: ForumData) -> Iterator[tuple[object, ...]]:
    rows = data.quality.filter(
        method="weights", variant="default", split="stratified", kind="macro"
    )
    note = (
        "of other questions than the study's, mean over the kinds, each tested by a classifier "
        "that did not learn from it"
    )
    for measure, text in published.items():
        figure = _figure(
            f"classifier.{measure}", CLASSIFIER, POOLED, f"{measure}, about, percent", text
        )
        value = None if rows.is_empty() else rows[measure][0]
        gap = data.gap() or (NO_KINDS if value is None else None)
        percent = None if value is None else 100 * value
        yield comparison_row(figure, percent, gap=gap, reason=note, note=note)


def _difficulty(published: PaperTables, data: ForumData) -> Iterator[tuple[object, ...]]:
    now = f"{data.of}; answers that were given or accepted since count"
    for kind, text in published["accepted"].items():
        quantity = f"questions with an accepted answer, percent: {in_words(kind)}"
        figure = _figure(f"accepted.{kind}", DIFFICULTY, POOLED, quantity, text)
        share = data.value("accepted_share", kind)
        percent = None if share is None else 100 * share
        yield comparison_row(figure, percent, gap=data.gap(kind), reason=now, note=now)
    figure = _figure(
        "accepted.lowest",
        DIFFICULTY,
        POOLED,
        "place of performance among the kinds, the lowest share of accepted answers first",
        "1",
    )
    gap = data.gap("performance")
    yield comparison_row(figure, _rank_of_performance(data), gap=gap, reason=now, note=now)
    for kind, text in published["hours"].items():
        quantity = f"hours to the accepted answer, here the median: {in_words(kind)}"
        figure = _figure(f"hours.{kind}", DIFFICULTY, POOLED, quantity, text)
        value = data.value("median_hours_to_accepted", kind)
        yield comparison_row(figure, value, gap=data.gap(kind), reason=now, note=now)


def _rank_of_performance(data: ForumData) -> float | None:
    shares = {kind: data.value("accepted_share", kind) for kind in KINDS}
    own = shares["performance"]
    if own is None:
        return None
    return 1.0 + sum(share is not None and share < own for share in shares.values())


def _figure(name: str, location: str, tag_set: str, quantity: str, text: str) -> Figure:
    return Figure(f"challenges.{name}", location, tag_set, quantity, text, CHALLENGES)
