"""What a rater fills in about each kind of subject: the columns of its review sheet."""

from collections.abc import Mapping
from dataclasses import dataclass

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import in_words, shortened
from perf_assets.core.reviews.codebook import (
    FINDING_STATES,
    FINDING_VERDICTS,
    IMPACTS,
    VERDICTS,
    Codebook,
    folded,
    nearest_word,
)
from perf_assets.sources.review_sheets.codebook import (
    challenges_codebook,
    codebook,
    problem_codebook,
)
from perf_assets.sources.review_sheets.verdicts import KINDS
from perf_assets.stages.review_subjects import BUGS, FOUND, QUESTION_REVIEW, Review

VERDICT_KEYS = ("y", "n", "u")
IMPACT_KEYS = ("1", "2", "3")
REVIEWS: Mapping[str, Review] = {"bugs": BUGS, "questions": QUESTION_REVIEW, "findings": FOUND}
"""The kinds of subjects, and their reviews."""

FIRST: Mapping[str, str] = {
    "bugs": "is_performance",
    "questions": "is_performance",
    "findings": "verdict",
}
"""The question of each kind that has to be answered; raters' agreement is over it."""


@dataclass(frozen=True)
class Field:
    """A question to raters, which is a column of a sheet.

    name, label : the column, and the question.
    choices : the answers; empty for a text.
    keys : the key for each choice; empty if they are chosen from a list.
    definitions : what choices mean.
    is_multiple : whether several answers can be given.
    """

    name: str
    label: str
    choices: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    definitions: Mapping[str, str] | None = None
    is_multiple: bool = False

    def accepted(self, text: str) -> str:
        """Return the answer that ``text`` names: in full, by its beginning or by a part of it.

        Raises
        ------
        PerfAssetsError
            No answer has that text, or several have.
        """
        if not self.choices:
            return text
        parts = text.split(" | ") if self.is_multiple else [text]
        return " | ".join(map(self._choice, parts))

    def _choice(self, text: str) -> str:
        written = folded(text)
        known = {folded(choice): choice for choice in self.choices}
        if written in known:
            return known[written]
        beginning = [choice for name, choice in known.items() if name.startswith(written)]
        found = beginning or [choice for name, choice in known.items() if written in name]
        if written and len(found) == 1:
            return found[0]
        shown = shortened(text, 60)
        if written and found:
            some = " and ".join(repr(choice) for choice in found[:2])
            raise PerfAssetsError(
                f"{self.label}: {shown!r} fits {len(found)} answers, such as {some}: write more"
            )
        nearest = nearest_word(text, self.choices)
        raise PerfAssetsError(
            f"{self.label}: {shown!r} is none of the answers; did you mean {nearest!r}?"
        )


def fields_of(kind: str, categories: Mapping[str, str] | None = None) -> tuple[Field, ...]:
    """Return the questions about a kind; ``categories``: those of bugs, default: the study's."""
    verdict = Field("is_performance", "Is it about performance?", VERDICTS, VERDICT_KEYS)
    note = Field("note", "Note")
    if kind == "bugs":
        causes = categories if categories is not None else _defined(codebook())
        return (
            verdict,
            Field("category", "Root cause", tuple(causes), definitions=causes),
            Field("impact", "Impact", IMPACTS, IMPACT_KEYS),
            note,
        )
    if kind == "questions":
        book = problem_codebook()
        stages = _defined(book.stages)
        return (
            verdict,
            Field("kinds", "Kinds", tuple(map(in_words, KINDS)), is_multiple=True),
            _chosen("symptom1", "Symptom", book.symptoms),
            _chosen("symptom2", "Second symptom", book.symptoms),
            _chosen("root_cause", "Root cause", book.causes),
            Field("introducing_stage", "Introduced in", tuple(stages), definitions=stages),
            Field("exposing_stage", "Exposed in", tuple(stages), definitions=stages),
            _chosen("challenge", "What makes it hard", challenges_codebook()),
            note,
        )
    return (
        Field("verdict", "Is the finding right?", FINDING_VERDICTS, VERDICT_KEYS),
        Field("state", "What the project did", FINDING_STATES),
        Field("address", "Web address where that stands"),
        note,
    )


def _chosen(name: str, label: str, book: Codebook) -> Field:
    defined = _defined(book)
    return Field(name, label, tuple(defined), definitions=defined)


def _defined(book: Codebook) -> dict[str, str]:
    return {code.name: description for code, description in book.descriptions.items()}
