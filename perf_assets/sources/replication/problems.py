"""The labelled problems of the study of performance problems, read into a typed frame.

Its authors publish ``empirical_study.csv``; the same rows are handed on as ``problems.csv``, with
fewer columns and other names. Both are read, and give the same rows.
"""

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from perf_assets.base.sanitize import MOST_DIGITS
from perf_assets.core.reviews.codebook import Code, Codebook, UnknownWordError
from perf_assets.schema import schema_of
from perf_assets.sources.replication.csv_files import (
    Line,
    Reject,
    RejectedError,
    load_rows,
    read_lines,
)
from perf_assets.sources.replication.package import pinned_problems
from perf_assets.sources.review_sheets.codebook import problem_codebook

TABLE = "replication.problems"
FORUM = "stackoverflow"
PUBLISHED_FILE = "empirical_study.csv"
FILES = (PUBLISHED_FILE, "problems.csv")
"""What the file is called in a folder."""

FIELDS = (
    "id",
    "creation_date",
    "title",
    "url",
    "introducing stage",
    "exposing stage",
    "symptom1",
    "symptom2",
    "root cause",
)
# Nineteen columns without a name follow, all of them empty.
PUBLISHED = (*FIELDS[:4], "comment", *FIELDS[4:], *("",) * 19)
PLAIN = tuple(name.replace(" ", "_") for name in FIELDS)

REPRODUCED = ("library", "profiler_status", "xla_status", "documentation_status")
"""What :mod:`perf_assets.sources.replication.benchmark` adds."""

NUMBER = rf"[1-9]\d{{0,{MOST_DIGITS - 1}}}"
IDENTIFIER = re.compile(rf"(?P<question>{NUMBER})(?:_(?P<problem>{NUMBER}))?")


def read_problems(path: Path, *, accept_changes: bool = False) -> tuple[pl.DataFrame, list[Reject]]:
    """Return the problems in the file at ``path``, in either form, and the rejected rows.

    Parameters
    ----------
    accept_changes
        Take a file whose content differs from the published one.

    Returns
    -------
    ``replication.problems``, codes in the words of the codebook, and the rejected rows.

    Raises
    ------
    PerfAssetsError
        The file is missing, cut short, has other columns, or another content than published.
    """
    digests = {*pinned_problems().sums.values(), *pinned_problems().part_sums.values()}
    columns = PUBLISHED if _is_published_form(path) else PLAIN
    lines = read_lines(
        path,
        columns,
        lambda digest: accept_changes or digest in digests,
        ends_in_newline=columns is not PUBLISHED,
    )
    indices = [columns.index(name) for name in (FIELDS if columns is PUBLISHED else PLAIN)]
    seen: dict[str, int] = {}

    def parse(line: Line) -> Mapping[str, object]:
        row = _problem(dict(zip(FIELDS, (line.cells[index] for index in indices), strict=True)))
        name = str(row["problem_id"])
        if name in seen:
            raise RejectedError(f"problem {name} is listed already, in line {seen[name]}")
        seen[name] = line.number
        return row

    rows, rejects = load_rows(lines, len(columns), parse)
    return pl.DataFrame(rows, schema=schema_of(TABLE), orient="row"), rejects


def _is_published_form(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b",comment," in file.readline()
    except OSError:
        return False


def _problem(cells: Mapping[str, str]) -> dict[str, object]:
    name, url = cells["id"].strip(), cells["url"].strip()
    found = IDENTIFIER.fullmatch(name)
    if found is None:
        raise RejectedError(f"{name!r} is not a question number such as 65160023 or 65160023_2")
    if not url.endswith(f"/questions/{found['question']}"):
        raise RejectedError(f"the address {url!r} is not that of question {found['question']}")
    book = problem_codebook()
    first = _code(book.symptoms, cells, "symptom1")
    second = _code(book.symptoms, cells, "symptom2") if cells["symptom2"].strip() else None
    cause = _code(book.causes, cells, "root cause")
    return {
        "problem_id": name,
        "forum": FORUM,
        "question_id": int(found["question"]),
        "created_at": _moment(cells["creation_date"]),
        # The published form has line ends in titles, and both have characters as HTML writes them.
        "title": " ".join(html.unescape(cells["title"]).split()) or None,
        "html_url": url,
        **{
            name.replace(" ", "_"): _code(book.stages, cells, name).category
            for name in ("introducing stage", "exposing stage")
        },
        "symptom_1_category": first.category,
        "symptom_1_subcategory": first.subcategory,
        "symptom_2_category": second and second.category,
        "symptom_2_subcategory": second and second.subcategory,
        "cause_category": cause.category,
        "cause_subcategory": cause.subcategory,
        **dict.fromkeys(REPRODUCED),
        **{
            f"published_{name.replace(' ', '_')}": cells[name].strip() or None
            for name in FIELDS[4:]
        },
    }


def _code(book: Codebook, cells: Mapping[str, str], name: str) -> Code:
    try:
        return book.code(cells[name])
    except UnknownWordError as error:
        raise RejectedError(f"{name}: {error}") from None


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise RejectedError(f"creation date {text!r} is not a time such as 2020-12-06T01:43:50.000Z")
