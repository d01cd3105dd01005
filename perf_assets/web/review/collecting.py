"""Answers on their way into the database: as sheets, by the same import and audit as any other."""

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perf_assets.base.files import write_output_file
from perf_assets.base.processes import child
from perf_assets.base.sanitize import for_spreadsheet, without_controls
from perf_assets.sources.review_sheets.sheet import LIST_SEPARATOR
from perf_assets.web.review.agreement import with_agreements
from perf_assets.web.review.codes import present_name, study_name
from perf_assets.web.review.fields import REVIEWS
from perf_assets.web.review.store import Answer, CodeChange, Key
from perf_assets.web.review.subjects import RANDOM, Subjects

SECONDS = 600


def sheets(
    subjects: Subjects,
    answers: Sequence[Answer],
    drawn: Mapping[Key, str],
    changes: Sequence[CodeChange],
) -> dict[tuple[str, str], str]:
    """Return a sheet for each rater and kind, of the answers to subjects that were drawn at random.

    They are answers before disclosure, and what raters agreed on afterwards.
    What was chosen because rule and classifier differ is left out: it is not a sample. A category
    that raters proposed is none of the study's: it goes into the note.
    """
    groups: dict[tuple[str, str], list[Answer]] = {}
    for answer in with_agreements(answers):
        if answer.disclosed_at is None and drawn.get(answer.key) == RANDOM:
            groups.setdefault((answer.rater, answer.key.kind), []).append(answer)
    return {
        (rater, kind): _sheet(subjects.given(kind), kind, group, changes)
        for (rater, kind), group in sorted(groups.items())
    }


@dataclass(frozen=True)
class Collected:
    """A sentence for each sheet, and what failed; whether all were imported."""

    sentences: list[str]
    is_complete: bool


def collect(folder: Path, data_dir: Path, texts: Mapping[tuple[str, str], str]) -> Collected:
    """Write the sheets and import them.

    They are imported together by a process of its own, as by ``perf-assets review import``; where a
    run holds the database, it says so, and the answers stay where they are.
    """
    paths: list[Path] = []
    raters: list[str] = []
    for (rater, kind), text in texts.items():
        name = f"{kind}-{''.join(c if c.isalnum() else '_' for c in rater)}"
        path = folder / f"{name}.csv"
        if path in paths:  # of another rater, who differs in what no file name should have
            path = folder / f"{name}-{len(paths)}.csv"
        write_output_file(path, text.encode("utf-8-sig"))
        paths.append(path)
        raters += ["--rater", rater]
    if not paths:
        return Collected([], is_complete=True)
    command = [sys.executable, "-m", "perf_assets", "review", "import", *map(str, paths)]
    command += [*raters, "--data-dir", str(data_dir)]
    try:
        done = child.run(command, seconds=SECONDS)
    except (OSError, child.TimeoutExpired) as error:
        names = ", ".join(path.name for path in paths)
        return Collected([f"{names}: not imported: {error}"], is_complete=False)
    lines = done.stdout.splitlines()
    told = [next((line for line in lines if line.startswith(f"{path}: ")), "") for path in paths]
    if done.returncode:
        told += done.stderr.strip().splitlines()[-1:]
    sentences = [line for line in told if line] or ["no answer"]
    return Collected(sentences, is_complete=not done.returncode)


def _sheet(
    given: pl.DataFrame, kind: str, answers: Sequence[Answer], changes: Sequence[CodeChange]
) -> str:
    review = REVIEWS[kind]
    lists = pl.selectors.list()
    rows = given.with_columns(lists.list.join(LIST_SEPARATOR))
    by_key = {
        (str(row[review.key[0]]), str(row[review.key[1]])): row
        for row in rows.iter_rows(named=True)
    }
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(review.form.columns)
    for answer in answers:
        row = by_key.get((answer.key.container, answer.key.number))
        if row is None:
            continue  # it left the study since
        cells = _cells(answer, changes)
        # A name means what the codebook said when the answer was given.
        given_cells = {**row, "codebook": answer.codebook_revision}
        values = [given_cells.get(name) for name in review.form.written]
        values += [cells.get(name, "") for name in review.form.rated]
        texts = ("" if value is None else str(value) for value in values)
        writer.writerow([for_spreadsheet(without_controls(cell)) for cell in texts])
    return text.getvalue()


def _cells(answer: Answer, changes: Sequence[CodeChange]) -> dict[str, str]:
    cells = dict(answer.cells)
    category = cells.get("category", "")
    if category:
        name = present_name(category, changes)
        cells["category"] = study_name(name) or ""
        if not cells["category"]:
            cells["note"] = f"{name}: {cells.get('note', '')}".strip(": ")
    return cells
