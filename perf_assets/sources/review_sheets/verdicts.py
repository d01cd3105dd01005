"""What raters wrote into a review sheet, as verdicts; a sheet with a mistake is refused whole."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import (
    MOST_DIGITS,
    in_words,
    shortened,
    value_of_words,
    without_controls,
)
from perf_assets.core.reviews.codebook import (
    FINDING_STATES,
    FINDING_VERDICTS,
    IMPACTS,
    VERDICTS,
    Codebook,
    UnknownWordError,
    nearest_word,
)
from perf_assets.schema import schema_of, table_of
from perf_assets.schema.types import Columns
from perf_assets.sources.review_sheets.codebook import (
    challenges_codebook,
    codebook,
    problem_codebook,
)
from perf_assets.sources.review_sheets.sheet import (
    BUG_REPORTS,
    ENDORSEMENTS,
    FINDINGS,
    LIST_SEPARATOR,
    QUESTIONS,
    Form,
    Places,
    Row,
    Sheet,
)

Subject = tuple[str, int | str]
Verdict = tuple[object, ...]
T = TypeVar("T")

FEW_WORDS = 4
"""Up to so many answers are listed where a word is none of them."""

MOST_MISTAKES = 5
"""Mistakes of a sheet that are named."""

IMPORTED = ("verdict_id", "rater", "imported_at", "file", "file_sha256")
"""The columns of the tables of verdicts that the import adds to those that a sheet gives."""


ADDRESS = re.compile(r"https?://[!-~]{1,2000}")
NOTHING: tuple[None, None] = (None, None)
KINDS = table_of("labels.question_kinds").column["kind"].values or ()
CRASH_KINDS = ("shape_inconsistency", "numerical_error", "cpu_gpu_incompatibility")
"""The three kinds of program crash of the study of challenges (section III)."""

CRASH = "program_crash"
PROBLEM = ("symptom1", "symptom2", "root_cause", "introducing_stage", "exposing_stage")
"""The columns of a sheet of questions that describe a performance problem."""


def judged_columns(table: str) -> Columns:
    """Return the columns that a sheet gives to a table of verdicts."""
    return {name: kind for name, kind in schema_of(table).items() if name not in IMPORTED}


def read_verdicts(path: Path, sheet: Sheet, links: Mapping[Subject, str]) -> pl.DataFrame:
    """Return the verdicts of the ``sheet`` at ``path``, with the ``judged_columns`` of its table.

    A sheet of questions has a row for each problem. A row whose columns for the rater are all
    empty is not judged yet, and left out.

    Parameters
    ----------
    links : the web address of every bug report by repository and number, or of every question by
        forum and number; the path of every finding by repository and identity; the address of the
        question of every endorsing comment by forum and number.

    Raises
    ------
    PerfAssetsError
        A word that nobody knows, a subject that is none, a row that does not fit together: the
        file, and line and column of the first mistakes, at most one of each row.
    """
    kind_of_reader, table = READERS[sheet.form]
    reader = kind_of_reader(links, sheet.places)
    # Sheets of an older version lack some columns.
    rows = (
        Row(row.line, {name: row.cells.get(name, "").strip() for name in sheet.form.columns})
        for row in sheet.rows
    )
    verdicts, mistakes = [], []
    for row in rows:
        try:
            verdicts.append(reader.verdict(row))
        except _MistakeError as mistake:
            mistakes.append(str(mistake))
    if mistakes:
        more = len(mistakes) - MOST_MISTAKES
        listed = "; ".join(mistakes[:MOST_MISTAKES]) + (f"; and {more} more" if more > 0 else "")
        raise PerfAssetsError(f"{path}, {listed}; nothing was imported")
    judged = [verdict for verdict in verdicts if verdict is not None]
    return pl.DataFrame(judged, schema=judged_columns(table), orient="row")


class _MistakeError(Exception):
    """What is wrong with a row, and where."""


class _Reader:
    """Checks each cell where it stands."""

    def __init__(self, links: Mapping[Subject, str], places: Places) -> None:
        self.links = links
        self.places = places
        self.lines: dict[Subject, int] = {}

    def verdict(self, row: Row) -> Verdict | None:
        """Return the rater's verdict in ``row``; None if the row is empty."""
        raise NotImplementedError

    def subject(
        self, row: Row, columns: tuple[str, str], subject_name: str, stored: str
    ) -> Subject:
        """Return the subject of a row, of which ``columns`` hold the name and the number."""
        container, text = (row.cells[column] for column in columns)
        if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
            self.refuse(
                row, columns[1], f"{shortened(text, 60)!r} is not the number of {subject_name}"
            )
        number = int(text)
        subject: Subject = (container, number)
        if subject not in self.links:
            shown = f"{shortened(container, 100)}#{shortened(text, 20)}"
            self.refuse(row, columns[1], f"{shown} is not a stored {stored}")
        if row.cells["link"] != self.links[subject]:
            # Sorting some columns of a spreadsheet without the others does this.
            self.refuse(row, "link", f"is not that of {container}#{number}, {self.links[subject]}")
        return subject

    def answer(
        self, row: Row, others: Sequence[str], only_yes: Sequence[str], what: str
    ) -> str | None:
        """Return whether it is about performance; None where nothing is filled in.

        The columns ``others`` are filled in only beside an answer, ``only_yes`` of them only where
        that is yes: they are about ``what``.
        """
        if not self.is_filled(row, "is_performance", others):
            return None
        verdict = self.word(row, "is_performance", VERDICTS)
        excess = [name for name in only_yes if row.cells[name]]
        if verdict != "yes" and excess:
            word = row.cells["is_performance"]
            self.refuse(row, excess[0], f"is only for {what}, and this is judged {word}")
        return verdict

    def is_filled(self, row: Row, column: str, others: Sequence[str]) -> bool:
        """Return whether ``column`` is filled in; without it the ``others`` must not be."""
        if row.cells[column]:
            return True
        for name in others:
            if row.cells[name]:
                self.refuse(row, column, f"is empty although {name} is filled in")
        return False

    def once(self, subject: Subject, row: Row, column: str) -> None:
        """Refuse a subject that another row was about."""
        if subject in self.lines:
            shown = subject[1] if isinstance(subject[1], str) else f"#{subject[1]}"
            before = self.places.row_at(self.lines[subject])
            self.refuse(row, column, f"{shown} is in {before} already")
        self.lines[subject] = row.line

    def code(self, row: Row, column: str, book: Codebook) -> tuple[str | None, str | None]:
        """Return category and sub-category of a cell; :data:`NOTHING` if it is empty."""
        text = row.cells[column]
        if not text:
            return NOTHING
        code = self.accepted(row, column, lambda: book.code(text))
        return code.category, code.subcategory

    def word(self, row: Row, column: str, words: tuple[str, ...], text: str | None = None) -> str:
        """Return ``text``, by default all of a cell, as one of ``words``."""
        written = row.cells[column] if text is None else text
        return self.accepted(row, column, lambda: known_word(written, words))

    def accepted(self, row: Row, column: str, find: Callable[[], T]) -> T:
        try:
            return find()
        except UnknownWordError as error:
            word = shortened(error.word, 60)
            self.refuse(row, column, f"{word!r} is unknown; {_remedy(error)}")

    def refuse(self, row: Row, column: str, reason: str) -> NoReturn:
        where = f"{self.places.row_at(row.line)}, {self.places.cell} {column}"
        raise _MistakeError(f"{where}: {reason}")


class _BugReader(_Reader):
    """Reads a sheet of bug reports."""

    def verdict(self, row: Row) -> Verdict | None:
        bug = self.subject(row, ("repository", "number"), "an issue", "bug report")
        self.once(bug, row, "number")
        causes = ("category", "impact")
        verdict = self.answer(row, (*causes, "note"), causes, "performance bugs")
        if verdict is None:
            return None
        category, subcategory = self.code(row, "category", codebook())
        impact = self.word(row, "impact", IMPACTS) if row.cells["impact"] else None
        return *bug, verdict, category, subcategory, impact, row.cells["note"] or None, row.line


class _FindingReader(_Reader):
    """Reads a sheet of findings of the static checks."""

    def verdict(self, row: Row) -> Verdict | None:
        container, identity = (row.cells[name] for name in ("repository", "finding_id"))
        finding = (container, identity)
        if finding not in self.links:
            shown = f"{shortened(container, 100)} has no finding {shortened(identity, 60)!r}"
            self.refuse(row, "finding_id", f"{shown} that is stored")
        if row.cells["path"] != without_controls(self.links[finding]).strip():
            # Sorting some columns of a spreadsheet without the others does this.
            self.refuse(row, "path", f"is not that of {identity}, {self.links[finding]}")
        self.once(finding, row, "finding_id")
        if not self.is_filled(row, "verdict", ("state", "address", "note")):
            return None
        state, address = self.state(row)
        verdict = self.word(row, "verdict", FINDING_VERDICTS)
        if verdict == "wrong" and state in ("confirmed", "fixed"):
            self.refuse(row, "verdict", f"is wrong although the project has {state} the finding")
        return *finding, verdict, state, address, row.cells["note"] or None, row.line

    def state(self, row: Row) -> tuple[str | None, str | None]:
        """Return the state of the finding and its address; older sheets have neither."""
        address = row.cells["address"]
        if not row.cells["state"]:
            if address:
                self.refuse(row, "state", "is empty although address is filled in")
            return NOTHING
        state = self.word(row, "state", FINDING_STATES)
        if ADDRESS.fullmatch(address) is None:
            self.refuse(
                row,
                "address",
                f"is not a web address such as https://..., although the finding was {state}",
            )
        return state, address


class _EndorsementReader(_Reader):
    """Reads a sheet of comments that count as endorsing an answer."""

    def verdict(self, row: Row) -> Verdict | None:
        comment = self.subject(row, ("forum", "comment_id"), "a comment", "endorsing comment")
        self.once(comment, row, "comment_id")
        if not self.is_filled(row, "verdict", ("note",)):
            return None
        verdict = self.word(row, "verdict", FINDING_VERDICTS)
        return *comment, verdict, row.cells["note"] or None, row.line


class _QuestionReader(_Reader):
    """Reads a sheet of questions, in which a question has a row for each of its problems."""

    def __init__(self, links: Mapping[Subject, str], places: Places) -> None:
        super().__init__(links, places)
        self.kinds: dict[Subject, list[str]] = {}
        self.problems: dict[Subject, dict[Verdict, int]] = {}

    def verdict(self, row: Row) -> Verdict | None:
        question = self.subject(row, ("forum", "question_id"), "a question", "question")
        others = ("kinds", *PROBLEM, "challenge", "note")
        verdict = self.answer(row, others, PROBLEM, "performance problems")
        if verdict is None:
            return None
        problem = self.problem(row)
        kinds = self.kinds.setdefault(question, self.kinds_of(row))
        problems = self.problems.setdefault(question, {})
        if problems:
            self.further(row, question, verdict, problem)
        problems[verdict, *problem] = row.line
        challenge, _ = self.code(row, "challenge", challenges_codebook())
        note = row.cells["note"] or None
        return *question, len(problems), verdict, kinds, *problem, challenge, note, row.line

    def kinds_of(self, row: Row) -> list[str]:
        """Return the kinds in the order of the study, then those of crash, which imply it."""
        words = [word for word in row.cells["kinds"].split(LIST_SEPARATOR.strip()) if word.strip()]
        known = (*KINDS, *CRASH_KINDS)
        kinds = {self.word(row, "kinds", known, word) for word in words}
        if not kinds.isdisjoint(CRASH_KINDS):
            kinds.add(CRASH)
        return [kind for kind in known if kind in kinds]

    def problem(self, row: Row) -> Verdict:
        """Return symptoms, root cause and stages."""
        book = problem_codebook()
        first, second = (self.code(row, name, book.symptoms) for name in ("symptom1", "symptom2"))
        if second != NOTHING and first in (NOTHING, second):
            self.refuse(row, "symptom2", "is only for a second symptom, beside another in symptom1")
        cause = self.code(row, "root_cause", book.causes)
        stages = (self.code(row, name, book.stages)[0] for name in PROBLEM[-2:])
        return *first, *second, *cause, *stages

    def further(self, row: Row, question: Subject, verdict: str, problem: Verdict) -> None:
        """Refuse another row of a question unless it describes a further problem."""
        before = self.problems[question]
        line = next(iter(before.values()))
        if {"yes"} != {verdict, *(str(earlier[0]) for earlier in before)}:
            self.refuse(
                row,
                "is_performance",
                f"#{question[1]} is judged in line {line} already, and only one that is about "
                "performance has a row for each problem",
            )
        if (verdict, *problem) in before or not any(problem):
            self.refuse(row, "symptom1", f"no problem other than that of line {line} is described")
        kinds = self.kinds_of(row)
        if kinds and kinds != self.kinds[question]:
            self.refuse(row, "kinds", f"are others than those of the same question in line {line}")


READERS: dict[Form, tuple[type[_Reader], str]] = {
    BUG_REPORTS: (_BugReader, "reviews.verdicts"),
    QUESTIONS: (_QuestionReader, "reviews.question_verdicts"),
    FINDINGS: (_FindingReader, "reviews.finding_verdicts"),
    ENDORSEMENTS: (_EndorsementReader, "reviews.endorsement_verdicts"),
}
"""What reads each form of sheet, and the table that its verdicts are for."""


def _remedy(error: UnknownWordError) -> str:
    """Return what to write: all answers where they are few, else the nearest one."""
    if 0 < len(error.words) <= FEW_WORDS:
        *first, last = error.words
        return f"write {', '.join(first)} or {last}"
    return f"did you mean {error.nearest!r}?"


def known_word(text: str, words: tuple[str, ...]) -> str:
    """Return ``text`` as one of ``words``; else raise UnknownWordError with the nearest."""
    word = value_of_words(text.replace("/", " "))
    if word not in words:
        shown = tuple(map(in_words, words))
        raise UnknownWordError(text.strip(), nearest_word(in_words(word), shown), shown)
    return word
