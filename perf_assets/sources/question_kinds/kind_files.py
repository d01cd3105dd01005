"""Files by which questions are sorted into kinds: packaged words, chosen keywords, labels."""

import csv
import io
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

import polars as pl

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import in_words, shortened, value_of_words
from perf_assets.core.questions.classifier_assumptions import KINDS
from perf_assets.core.questions.words import WORD, Wordlists
from perf_assets.schema import schema_of

LABEL_COLUMNS = ("question_id", "kind")
KEYWORD_COLUMNS = ("kind", "keyword")
DELIMITERS = ",;\t"  # spreadsheets of some countries write the others
LONGEST_KEYWORD = 64
LARGEST_NUMBER = 2**63 - 1


@cache
def wordlists() -> Wordlists:
    """Return the content of ``wordlists.toml``: stop words, and the keywords of each kind."""
    resource = files("perf_assets.sources.question_kinds").joinpath("wordlists.toml")
    content = tomllib.loads(resource.read_text("utf-8"))
    keywords = {kind: tuple(words) for kind, words in content["keywords"].items()}
    return Wordlists(frozenset(content["stop_words"]), keywords)


def read_keywords(forum: str, path: Path, packaged: Wordlists) -> Wordlists:
    """Return the ``packaged`` lists with the keywords of the file at ``path`` instead of theirs.

    The file has a header with the columns kind and keyword, and a row for each keyword of a kind;
    other columns are passed over, so that the answer of the cookbook's query
    ``question_keyword_candidates`` can be given back with the rows that are not chosen deleted. A
    kind without any row has no keywords.

    Raises
    ------
    PerfAssetsError
        The file cannot be read, a column is missing or there twice, a kind is unknown, a keyword is
        not one word, or there is none; the sentence names file and line.
    """
    text = _read(path, f"the keywords of {forum}")
    try:
        delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header = list(reader.fieldnames or ())
        if doubled := [name for name in KEYWORD_COLUMNS if header.count(name) > 1]:
            raise PerfAssetsError(f"{path}, line 1: the column {doubled[0]} occurs twice")
        missing = [name for name in KEYWORD_COLUMNS if name not in header]
        if missing:
            raise PerfAssetsError(
                f"{path}, line 1: the column {missing[0]} is missing; perf-assets query "
                "question_keyword_candidates --format csv gives a file to choose from"
            )
        chosen: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for row in reader:
            kind, keyword = ((row[name] or "").strip() for name in KEYWORD_COLUMNS)
            if kind or keyword:
                where = f"{path}, line {reader.line_num}"
                chosen[_kind(where, kind)].append(_keyword(where, keyword))
    except csv.Error as error:
        raise PerfAssetsError(f"{path}: not a valid CSV file: {error}") from None
    if not any(chosen.values()):
        raise PerfAssetsError(f"{path}: no keyword of {forum} is left; keep at least one keyword")
    keywords = {kind: tuple(dict.fromkeys(words)) for kind, words in chosen.items()}
    return Wordlists(packaged.stop_words, keywords, "chosen")


def read_labelled(forum: str, path: Path) -> pl.DataFrame:
    """Return the rows of ``reviews.labelled_questions`` that the file at ``path`` has.

    The file has a header with the columns question_id and kind, in any order, and a row for each
    question and kind. Kinds are read without regard to case and the width of white space; rows
    without any value are passed over.

    Raises
    ------
    PerfAssetsError
        The file cannot be read, a column is missing or unknown, a number or kind is none, or a
        question has a kind twice; the sentence names file and line.
    """
    text = _read(path, f"the labelled questions of {forum}")
    try:
        rows = list(_rows(forum, path, text))
    except csv.Error as error:
        raise PerfAssetsError(f"{path}: not a valid CSV file: {error}") from None
    return pl.DataFrame(rows, schema=schema_of("reviews.labelled_questions"), orient="row")


def _read(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PerfAssetsError(f"{path}: {what} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PerfAssetsError(
            f"{path}: {what} are not UTF-8 text; save the file as UTF-8"
        ) from None


def _rows(forum: str, path: Path, text: str) -> Iterator[tuple[str, int, str, str, int]]:
    reader = csv.reader(text.splitlines())
    header = [name.strip() for name in next(reader, [])]
    for name in header:
        if name not in LABEL_COLUMNS:
            raise PerfAssetsError(
                f"{path}, line 1: unknown column {shortened(name, 60)!r}; the columns "
                f"are {' and '.join(LABEL_COLUMNS)}, with their names in the first line"
            )
    if sorted(header) != sorted(LABEL_COLUMNS):
        raise PerfAssetsError(
            f"{path}, line 1: the columns must be {' and '.join(LABEL_COLUMNS)}, each once, with "
            "their names in the first line"
        )
    lines: dict[tuple[int, str], int] = {}
    for cells in reader:
        line = reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(LABEL_COLUMNS):
            raise PerfAssetsError(
                f"{path}, line {line}: {len(cells)} values where there are {len(LABEL_COLUMNS)} "
                "columns"
            )
        values = dict(zip(header, cells, strict=True))
        where = f"{path}, line {line}"
        question_id, kind = _number(where, values["question_id"]), _kind(where, values["kind"])
        if (question_id, kind) in lines:
            raise PerfAssetsError(
                f"{where}: question {question_id} has the kind {in_words(kind)} in line "
                f"{lines[question_id, kind]} already; remove one of them"
            )
        lines[question_id, kind] = line
        yield forum, question_id, kind, path.name, line


def _number(where: str, text: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit()) or not 0 < int(digits[:20]) <= LARGEST_NUMBER:
        raise PerfAssetsError(f"{where}: {shortened(text, 60)!r} is not a question number")
    return int(digits)


def _kind(where: str, text: str) -> str:
    kind = value_of_words(text)
    if kind not in KINDS:
        raise PerfAssetsError(
            f"{where}: {shortened(text, 60)!r} is not a kind of question; "
            f"{nearest(in_words(kind), [in_words(known) for known in KINDS])}"
        )
    return kind


def _keyword(where: str, text: str) -> str:
    keyword = text.casefold()
    if WORD.fullmatch(keyword) is None or len(keyword) > LONGEST_KEYWORD:
        raise PerfAssetsError(
            f"{where}: {shortened(text, 60)!r} is not a keyword; write one word of at "
            "least two letters and digits that begins with a letter"
        )
    return keyword
