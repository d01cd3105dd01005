"""How far raters agree while they judge, by their first answers, and what they have to discuss."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from perf_assets.core.reviews.rater_agreement import AGREED
from perf_assets.core.statistics.agreement import Kappa, cohens_kappa
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

    Answers are those before discussion: what was agreed later changes none of them.
    """
    by_rater: dict[str, dict[Key, str]] = {}
    for one in answers:
        if one.rater != AGREED:
            by_rater.setdefault(one.rater, {})[one.key] = one.cells.get(FIRST[one.key.kind], "")
    found = []
    for first, second in combinations(sorted(by_rater), 2):
        of_first, of_second = by_rater[first], by_rater[second]
        both = [key for key in of_first if key in of_second]
        given = [(of_first[key], of_second[key]) for key in both]
        if both:
            batches = tuple(
                (end, _kappa(given[:end]).statistic)
                for end in (*range(BATCH, len(given), BATCH), len(given))
            )
            found.append(Pair(first, second, len(both), _kappa(given), batches))
    return found


def disagreements(answers: Sequence[Answer]) -> list[Disagreement]:
    """What is to be discussed: subjects that two raters judged differently, or marked for it."""
    by_key: dict[Key, list[Answer]] = {}
    agreed = {}
    for one in answers:
        if one.rater == AGREED:
            agreed[one.key] = one
        else:
            by_key.setdefault(one.key, []).append(one)
    found = []
    for key, given in sorted(by_key.items()):
        questions = tuple(
            name
            for name in (FIRST[key.kind], *COMPARED)
            if len({one.cells.get(name, "") for one in given if _is_asked(one, name)}) > 1
        )
        if questions or any(one.is_to_discuss for one in given):
            found.append(Disagreement(key, tuple(given), questions, agreed.get(key)))
    return found


def verdicts(answers: Sequence[Answer]) -> dict[Key, bool]:
    """Whether subjects are about performance to raters; left out where no answer has the most."""
    votes: dict[Key, list[str]] = {}
    agreed: dict[Key, str] = {}
    for one in answers:
        verdict = one.cells.get("is_performance", "")
        if one.rater == AGREED:
            agreed[one.key] = verdict
        else:
            votes.setdefault(one.key, []).append(verdict)
    found = {}
    for key, given in votes.items():
        last = agreed.get(key)
        yes, no = given.count("yes"), given.count("no")
        if last in ("yes", "no"):
            found[key] = last == "yes"
        elif last is None and yes != no:
            found[key] = yes > no
    return found


def _is_asked(answer: Answer, name: str) -> bool:
    """Whether a rater was asked: causes and impact are given of performance bugs alone."""
    return name not in COMPARED or answer.cells.get("is_performance") == "yes"


def _kappa(given: Sequence[tuple[str, str]]) -> Kappa:
    return cohens_kappa([one for one, _ in given], [two for _, two in given])
