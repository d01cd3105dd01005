"""The keywords that people chose for each kind of question, from the file that a forum names."""

import csv
import io
from pathlib import Path

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, in_words, shortened, value_of_words
from perf_assets.core.questions.classifier_assumptions import KINDS
from perf_assets.core.questions.words import WORD, Wordlists

COLUMNS = ("kind", "keyword")
DELIMITERS = ",;\t"  # spreadsheets of some countries write the others
LONGEST = 64


def read_keywords(forum: str, path: Path, packaged: Wordlists) -> Wordlists:
    """Return the ``packaged`` lists with the keywords of the file at ``path`` in place of their
    own.

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
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: the keywords of {forum} cannot be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise PerfAssetsError(
            f"{path}: the keywords of {forum} are not UTF-8 text; save the file as UTF-8"
        ) from None
    try:
        delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header = list(reader.fieldnames or ())
        if doubled := [name for name in COLUMNS if header.count(name) > 1]:
            raise PerfAssetsError(f"{path}, line 1: the column {doubled[0]} occurs twice")
        missing = [name for name in COLUMNS if name not in header]
        if missing:
            raise PerfAssetsError(
                f"{path}, line 1: the column {missing[0]} is missing; perf-assets query "
                "question_keyword_candidates --format csv gives a file to choose from"
            )
        chosen: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for row in reader:
            kind, keyword = ((row[name] or "").strip() for name in COLUMNS)
            if kind or keyword:
                where = f"{path}, line {reader.line_num}"
                chosen[_kind(where, kind)].append(_keyword(where, keyword))
    except csv.Error as error:
        raise PerfAssetsError(f"{path}: not a valid CSV file: {error}") from None
    if not any(chosen.values()):
        raise PerfAssetsError(f"{path}: no keyword of {forum} is left; keep at least one keyword")
    keywords = {kind: tuple(dict.fromkeys(words)) for kind, words in chosen.items()}
    return Wordlists(packaged.stop_words, keywords, "chosen")


def _kind(where: str, text: str) -> str:
    kind = value_of_words(text)
    if kind not in KINDS:
        raise PerfAssetsError(
            f"{where}: {escape_text(shortened(text, 60))!r} is not a kind of question; "
            f"{nearest(in_words(kind), [in_words(known) for known in KINDS])}"
        )
    return kind


def _keyword(where: str, text: str) -> str:
    keyword = text.casefold()
    if WORD.fullmatch(keyword) is None or len(keyword) > LONGEST:
        raise PerfAssetsError(
            f"{where}: {escape_text(shortened(text, 60))!r} is not a keyword; write one word of at "
            "least two letters and digits that begins with a letter"
        )
    return keyword
