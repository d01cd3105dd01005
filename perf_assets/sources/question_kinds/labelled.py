"""Questions that people classified, from the CSV file that a forum of the study names."""

import csv
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, in_words, shortened, value_of_words
from perf_assets.core.questions.classifier_assumptions import KINDS
from perf_assets.schema import schema_of

TABLE = "reviews.labelled_questions"
COLUMNS = ("question_id", "kind")
LARGEST_NUMBER = 2**63 - 1


def read_labelled(forum: str, path: Path) -> pl.DataFrame:
    """Return the rows of ``reviews.labelled_questions`` of ``forum``, as the file at ``path`` has
    them.

    The file has a header with the columns question_id and kind, in any order, and a row for each
    question and kind. Kinds are read without regard to case and the width of white space; rows
    without any value are passed over.

    Raises
    ------
    PerfAssetsError
        The file cannot be read, a column is missing or unknown, a number or kind is none, or a
        question has a kind twice; the sentence names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: the labelled questions of {forum} cannot be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise PerfAssetsError(
            f"{path}: the labelled questions of {forum} are not UTF-8 text; save the file as UTF-8"
        ) from None
    try:
        rows = list(_rows(forum, path, text))
    except csv.Error as error:
        raise PerfAssetsError(f"{path}: not a valid CSV file: {error}") from None
    return pl.DataFrame(rows, schema=schema_of(TABLE), orient="row")


def _rows(forum: str, path: Path, text: str) -> Iterator[tuple[str, int, str, str, int]]:
    reader = csv.reader(text.splitlines())
    header = [name.strip() for name in next(reader, [])]
    for name in header:
        if name not in COLUMNS:
            raise PerfAssetsError(
                f"{path}, line 1: unknown column {escape_text(shortened(name, 60))!r}; the columns "
                f"are {' and '.join(COLUMNS)}, with their names in the first line"
            )
    if sorted(header) != sorted(COLUMNS):
        raise PerfAssetsError(
            f"{path}, line 1: the columns must be {' and '.join(COLUMNS)}, each once, with their "
            "names in the first line"
        )
    lines: dict[tuple[int, str], int] = {}
    for cells in reader:
        line = reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(COLUMNS):
            raise PerfAssetsError(
                f"{path}, line {line}: {len(cells)} values where there are {len(COLUMNS)} columns"
            )
        values = dict(zip(header, cells, strict=True))
        question_id, kind = _number(path, line, values["question_id"]), values["kind"]
        found_kind = _kind(path, line, kind)
        if (question_id, found_kind) in lines:
            raise PerfAssetsError(
                f"{path}, line {line}: question {question_id} has the kind {in_words(found_kind)} "
                f"in line {lines[question_id, found_kind]} already; remove one of them"
            )
        lines[question_id, found_kind] = line
        yield forum, question_id, found_kind, path.name, line


def _number(path: Path, line: int, text: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit()) or not 0 < int(digits[:20]) <= LARGEST_NUMBER:
        raise PerfAssetsError(
            f"{path}, line {line}: {escape_text(shortened(text, 60))!r} is not a question number"
        )
    return int(digits)


def _kind(path: Path, line: int, text: str) -> str:
    kind = value_of_words(text)
    if kind not in KINDS:
        raise PerfAssetsError(
            f"{path}, line {line}: {escape_text(shortened(text, 60))!r} is not a kind of question; "
            f"{nearest(in_words(kind), [in_words(known) for known in KINDS])}"
        )
    return kind
