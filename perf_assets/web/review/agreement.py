"""How far raters agree while they judge, by answers before disclosure, and what to discuss.

Answers are those of ``Store.answers``, those before disclosure with those after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from perf_assets.core.reviews.rater_agreement import AGREED, kappa_of
from perf_assets.core.statistics.agreement import Kappa
from perf_assets.web.review.fields import FIRST
from perf_assets.web.review.store import Answer, Key

BATCH = 20
"""Subjects after which kappa is given again, to see it grow."""

COMPARED = ("category", "impact")


@dataclass(frozen=True)
class Pair:
    """Two raters: kappa over all that both judged, and over each batch of them."""

    first: str
    second: str
    both: int
    kappa: Kappa
    batches: tuple[tuple[int, float | None], ...]


@dataclass(frozen=True)
class Disagreement:
    """A subject on which raters differ or that one marked, and what they agreed on later."""

    key: Key
    answers: tuple[Answer, ...]
    questions: tuple[str, ...]
    agreed: Answer | None


def pairs(answers: Sequence[Answer]) -> list[Pair]:
    """Cohen's kappa of any two raters over the question that has to be answered.

    It is over answers before disclosure alone.
    """
    by_rater: dict[str, dict[Key, str]] = {}
    for answer in answers:
        if answer.rater != AGREED and answer.disclosed_at is None:
            by_rater.setdefault(answer.rater, {})[answer.key] = answer.cells.get(
                FIRST[answer.key.kind], ""
            )
    found = []
    for first, second in combinations(sorted(by_rater), 2):
        of_first, of_second = by_rater[first], by_rater[second]
        both = [key for key in of_first if key in of_second]
        given = [(of_first[key], of_second[key]) for key in both]
        if both:
            batches = tuple(
                (end, kappa_of(given[:end]).statistic)
                for end in (*range(BATCH, len(given), BATCH), len(given))
            )
            found.append(Pair(first, second, len(both), kappa_of(given), batches))
    return found


def disagreements(answers: Sequence[Answer]) -> list[Disagreement]:
    """Return what is to be discussed: subjects with answers that differ, or marked for it."""
    by_key, agreed = _by_subject(answers)
    found = []
    for key, given in sorted(by_key.items()):
        # Causes and impact are given of performance bugs alone.
        of_bugs = [answer for answer in given if answer.cells.get("is_performance") == "yes"]
        asked = {FIRST[key.kind]: given} | dict.fromkeys(COMPARED, of_bugs)
        questions = tuple(
            name
            for name, asked_of in asked.items()
            if len({answer.cells.get(name, "") for answer in asked_of}) > 1
        )
        is_shared = len({answer.rater for answer in given}) > 1
        if (questions and is_shared) or any(answer.is_to_discuss for answer in given):
            found.append(Disagreement(key, tuple(given), questions, agreed.get(key)))
    return found


def in_common(answers: Sequence[Answer]) -> dict[str, str]:
    """Return what all raters of a subject answer alike by their last answers, by question."""
    last = {answer.rater: answer for answer in answers}
    first, *others = last.values()
    return {
        name: text
        for name, text in first.cells.items()
        if name != "note" and others and all(one.cells.get(name) == text for one in others)
    }


def with_agreements(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers, and as agreed what all raters of a subject say since answers were
    changed.

    What they agreed on in the page counts instead.
    """
    by_key: dict[Key, list[Answer]] = {}
    for answer in answers:
        by_key.setdefault(answer.key, []).append(answer)
    found = list(answers)
    for given in by_key.values():
        said = [(one.rater, frozenset({**one.cells, "note": ""}.items())) for one in given]
        last = dict(said)
        if AGREED not in last and len({*last.values()}) == 1 < len({cells for _, cells in said}):
            found.append(replace(given[-1], rater=AGREED, disclosed_at=None))
    return found


def verdicts(answers: Sequence[Answer]) -> dict[Key, bool]:
    """Return the majority's verdict on performance for each subject; ties are left out."""
    by_key, agreed = _by_subject(answers)
    verdicts = {}
    for key, given in by_key.items():
        votes = [answer.cells.get("is_performance", "") for answer in given]
        yes, no = votes.count("yes"), votes.count("no")
        last = agreed[key].cells.get("is_performance", "") if key in agreed else None
        if last in ("yes", "no"):
            verdicts[key] = last == "yes"
        elif last is None and yes != no:
            verdicts[key] = yes > no
    return verdicts


def _by_subject(answers: Sequence[Answer]) -> tuple[dict[Key, list[Answer]], dict[Key, Answer]]:
    """Return the raters' answers on each subject, and what they agreed on."""
    by_key: dict[Key, list[Answer]] = {}
    for answer in answers:
        if answer.rater != AGREED:
            by_key.setdefault(answer.key, []).append(answer)
    return by_key, {answer.key: answer for answer in answers if answer.rater == AGREED}
