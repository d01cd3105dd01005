"""Review sheets made by hand: bug reports that go out, and answers that come back."""

import csv
import io
from pathlib import Path
from typing import Any

import polars as pl

from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.sources.review_sheets.sheet import (
    BUG_REPORTS,
    QUESTIONS,
    Form,
    read_sheet,
    sheet_text,
)
from perf_assets.sources.review_sheets.verdicts import read_verdicts
from tests.question_rows import FORUM
from tests.rows import REPOSITORY

SHEET = Path("sheet.csv")
LINKS = {(REPOSITORY, n): f"https://github.com/{REPOSITORY}/issues/{n}" for n in range(1, 20)}
QUESTION_LINKS = {(FORUM, n): f"https://stackoverflow.com/q/{n}" for n in range(1, 20)}
YES = {"is_performance": "yes"}


def bug_to_judge(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "repository": REPOSITORY,
        "number": number,
        "title": "It is slow",
        "link": LINKS[REPOSITORY, number],
        "matched_labels": ["module: performance"],
        "keywords": ["slow"],
        "matched_in": ["title"],
        "rule_version": "3f2a9c0b",
        "codebook": str(codebook().revision),
    }
    return {**row, **changes}


def sheet(*answers: dict[str, str], **changes: Any) -> str:
    """A sheet with a row for each of the ``answers``, numbered from 1."""
    rows = [bug_to_judge(number, **changes) for number in range(1, len(answers) + 1)]
    table = list(csv.DictReader(io.StringIO(sheet_text(pl.DataFrame(rows)))))
    return written([{**row, **given} for row, given in zip(table, answers, strict=True)])


def question_sheet(*answers: dict[str, str]) -> str:
    """A sheet of questions with a row for each of the ``answers``, of the question it names."""
    rows = []
    for index, answer in enumerate(answers, start=1):
        number = int(answer.get("question_id", index))
        row = {
            "forum": FORUM,
            "question_id": number,
            "title": "Why is it slow?",
            "link": QUESTION_LINKS[FORUM, number],
            "tags": ["keras"],
            "stems": ["oom"],
            "matched_in": ["text"],
            "rule_version": "3f2a9c0b",
            "answer": "Read in batches.",
        }
        (made,) = csv.DictReader(io.StringIO(sheet_text(pl.DataFrame([row]), QUESTIONS)))
        rows.append({**made, **answer})
    return written(rows, form=QUESTIONS)


def written(rows: list[dict[str, str]], delimiter: str = ",", form: Form = BUG_REPORTS) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, form.columns, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def verdicts_of(text: str) -> list[dict[str, Any]]:
    links = LINKS | QUESTION_LINKS
    return read_verdicts(SHEET, read_sheet(SHEET, text.encode()), links).to_dicts()
