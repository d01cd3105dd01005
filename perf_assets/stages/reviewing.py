"""Reviewing: sheets of bug reports or questions for people to judge, and their verdicts back."""

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.base.sanitize import shortened
from perf_assets.core.posts import text_and_code
from perf_assets.core.reviews.sampling import draw, draw_each
from perf_assets.schema.frames import frame_of, registered
from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.sources.review_sheets.label_studio import is_label_studio, read_tasks, tasks_text
from perf_assets.sources.review_sheets.older_codebooks import remarks_on
from perf_assets.sources.review_sheets.sheet import BUG_REPORTS, QUESTIONS, read_sheet, sheet_text
from perf_assets.sources.review_sheets.verdicts import read_verdicts
from perf_assets.stages.review_subjects import (
    BUGS,
    ENDORSED,
    FIXED,
    FOUND,
    QUESTION_REVIEW,
    REVIEWS,
    Review,
)
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.lake_rows import where_rows_are
from perf_assets.storage.storing import append_verdicts
from perf_assets.storage.verdicts import keep_verdicts
from perf_assets.storage.warehouse import reading

CONSENSUS = "consensus"
LONGEST = 4_000
"""Characters of an answer in a sheet; a spreadsheet holds 32,767 in a cell."""
BODIES = (
    "select repository, number, body from raw.issues semi join drawn using (repository, number)"
)
RATER = re.compile(r"[^\W_][\w .@'-]{0,99}")


@dataclass(frozen=True)
class Imported:
    """What came of a sheet: verdicts that are new, supersede another one, or change nothing.

    remarks : what to know of verdicts by names of an older codebook.
    """

    added: int
    superseding: int
    unchanged: int
    imported_before: datetime | None = None
    remarks: tuple[str, ...] = ()


def sample_sheet(
    published: Path,
    labelled: int,
    unlabelled: int,
    seed: int,
    forum: str | None = None,
    *,
    is_of_fixed: bool = False,
) -> str:
    """Return a review sheet of ``labelled`` performance bugs and ``unlabelled`` other bug reports,
    drawn.

    The others are mixed in, and nothing in the sheet says which they are. With a ``forum`` it is
    one of its questions, those that the stems find and others. ``is_of_fixed`` leaves out what is
    not fixed.

    Raises
    ------
    PerfAssetsError
        There is nothing to draw from, or less than is requested.
    """
    review = FIXED if is_of_fixed else BUGS if forum is None else QUESTION_REVIEW
    drawn = _sampled(published, review, labelled, unlabelled, seed, forum)
    if forum is None:
        return sheet_text(drawn)
    return sheet_text(_with_answers(drawn), QUESTIONS)


def sample_tasks(
    published: Path, labelled: int, unlabelled: int, seed: int, *, is_of_fixed: bool = False
) -> str:
    """Return Label Studio tasks, in JSON, for the bug reports that :func:`sample_sheet` draws.

    Raises
    ------
    PerfAssetsError
        There is nothing to draw from, or less than is requested.
    """
    review = FIXED if is_of_fixed else BUGS
    drawn = _sampled(published, review, labelled, unlabelled, seed)
    with reading(published) as connection, registered(connection, "drawn", drawn.select(BUGS.key)):
        bodies = _rows_of(connection, published, BODIES, BUGS)
    return tasks_text(drawn.join(bodies, on=BUGS.key, how="left", maintain_order="left"))


def _sampled(
    published: Path,
    review: Review,
    labelled: int,
    unlabelled: int,
    seed: int,
    forum: str | None = None,
) -> pl.DataFrame:
    """Return the drawn subjects for a sheet of ``labelled`` and ``unlabelled``."""
    subjects = review.form.subjects
    if labelled < 0 or unlabelled < 0 or labelled + unlabelled == 0:
        raise PerfAssetsError(
            f"--n {labelled} and --unlabelled {unlabelled} give no sample: choose at least "
            f"one of the {subjects}, and no negative number"
        )
    rows = _drawn_from(published, review, forum)
    count_labelled = int(rows["is_performance"].sum())
    for option, requested, count, kind in (
        ("--n", labelled, count_labelled, review.labelled),
        ("--unlabelled", unlabelled, rows.height - count_labelled, f"other {subjects}"),
    ):
        if requested > count:
            raise PerfAssetsError(f"{option} {requested}: {published} has only {count} {kind}")
    return draw(rows, labelled, unlabelled, seed, review.key)


def tag_set_sheet(published: Path, forum: str, each: int, seed: int) -> tuple[str, int]:
    """Return a review sheet of at most ``each`` questions of each tag set of ``forum``, drawn.

    They are about performance or not, as in the study of challenges. A question of several tag
    sets counts for the first of them. The second value is their number.

    Raises
    ------
    PerfAssetsError
        There is nothing to draw from, or less than one is requested.
    """
    return _sheet_of_each(published, QUESTION_REVIEW, ("tag_set",), each, seed, forum)


def endorsement_sheet(published: Path, forum: str, number: int, seed: int) -> tuple[str, int]:
    """Return a review sheet of at most ``number`` comments that endorse an answer in ``forum``,
    drawn.

    They belong to questions without an accepted answer, where they count. The second value is
    their number.

    Raises
    ------
    PerfAssetsError
        There is nothing to draw from, or less than one is requested.
    """
    return _sheet_of_each(published, ENDORSED, ("forum",), number, seed, forum)


def finding_sheet(published: Path, each: int, seed: int) -> tuple[str, int]:
    """Return a review sheet of at most ``each`` findings of each rule in each repository, drawn.

    They belong to the newest tree of each repository. The second value is their number.

    Raises
    ------
    PerfAssetsError
        There is nothing to draw from, or less than one is requested.
    """
    return _sheet_of_each(published, FOUND, ("repository", "rule"), each, seed)


def _sheet_of_each(
    published: Path,
    review: Review,
    strata: tuple[str, ...],
    each: int,
    seed: int,
    forum: str | None = None,
) -> tuple[str, int]:
    """Return a sheet of at most ``each`` subjects of each of the ``strata``, and their number."""
    if each < 1:
        raise PerfAssetsError(f"--n {each} gives no sample: it must be at least 1")
    rows = _drawn_from(published, review, forum)
    if review is FOUND and rows.is_empty():
        raise PerfAssetsError(
            f"{published} has no findings of static checks: either they found nothing, or the "
            "study has checks = false"
        )
    drawn = draw_each(rows, each, seed, review.key, strata)
    drawn = drawn if review is FOUND else _with_answers(drawn)
    return sheet_text(drawn, review.form), drawn.height


def _with_answers(drawn: pl.DataFrame) -> pl.DataFrame:
    """Return the drawn rows with their answers as text for a cell, code behind it."""
    texts = [
        None if html is None else shortened("\n\n".join(filter(None, text_and_code(html))), LONGEST)
        for html in drawn["answer"]
    ]
    return drawn.with_columns(answer=pl.Series(texts, dtype=pl.String))


def _drawn_from(published: Path, review: Review, forum: str | None = None) -> pl.DataFrame:
    """Return the rows to draw from, only those of ``forum`` if it is named."""
    with reading(published) as connection:
        rows = _rows_of(connection, published, review.drawn, review)
    if review.form is BUG_REPORTS:
        rows = rows.with_columns(codebook=pl.lit(str(codebook().revision)))
    if forum is None:
        return rows
    forums = sorted(rows.get_column("forum").unique())
    if forum not in forums:
        there = f"choose from {', '.join(forums)}" if forums else "no forum has any"
        raise PerfAssetsError(
            f"--forum {forum}: {published} has no {review.form.subjects} of it; {there}"
        )
    return rows.filter(pl.col("forum") == forum)


def _rows_of(
    connection: duckdb.DuckDBPyConnection, published: Path, query: str, review: Review
) -> pl.DataFrame:
    """Return the rows of ``query``; PerfAssetsError if the published database lacks its tables."""
    try:
        return frame_of(connection.sql(query))
    except duckdb.CatalogException as error:
        if where := where_rows_are(connection, query, str(error)):
            raise PerfAssetsError(f"{published}: {where}") from None
        raise PerfAssetsError(
            f"{published} was published by an older perf-assets without "
            f"{review.form.subjects}: perf-assets run publishes it anew"
        ) from None


def write_sheet(path: Path, text: str, encoding: str = "utf-8-sig") -> None:
    """Write ``text`` to ``path``; an existing file with other content is never replaced.

    Spreadsheets need the byte order mark of ``utf-8-sig``; JSON readers refuse it.

    Raises
    ------
    PerfAssetsError
        It is there already, or cannot be written.
    """
    content = text.encode(encoding)
    try:
        if path.exists() and path.read_bytes() == content:
            return
        write_file(path, content, replaces=False)
    except FileExistsError:
        raise PerfAssetsError(
            f"{path} exists and may hold verdicts: choose another --output"
        ) from None
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: the sheet cannot be written there: {error.strerror}"
        ) from None


def rater_name(text: str) -> str:
    """Return the name of a rater, without needless white space.

    Raises
    ------
    PerfAssetsError
        It is not a valid name.
    """
    rater = " ".join(text.split())
    if RATER.fullmatch(rater) is None or rater.casefold() == CONSENSUS:
        raise PerfAssetsError(
            f"--rater {rater!r} is not a rater's name: begin with a letter or digit, and go on "
            f"with letters, digits, spaces and . @ ' -; {CONSENSUS} names the verdict of all raters"
        )
    return rater


def import_sheet(writer: AuditedWriter, path: Path, rater: str) -> Imported:
    """Add the verdicts of the sheet at ``path`` that say something new; nothing is overwritten.

    A sheet that the rater imported already, byte for byte, changes nothing: an older sheet
    imported again by mistake would undo later verdicts.

    Raises
    ------
    PerfAssetsError
        The sheet cannot be read or has a mistake; nothing of it is imported.
    """
    rater = rater_name(rater)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PerfAssetsError(f"{path}: the sheet cannot be read: {error.strerror}") from None
    sheet = (read_tasks if is_label_studio(content) else read_sheet)(path, content)
    review = REVIEWS[sheet.form]
    keep_verdicts(writer.database, writer.data_dir)
    links = {
        (container, number): link
        for container, number, link in writer.database.frame(review.links).iter_rows()
    }
    judged = read_verdicts(path, sheet, links)
    subjects = judged.select(review.key).unique().height
    checksum = hashlib.sha256(content).hexdigest()
    before = writer.database.frame(
        f"select max(imported_at) from {review.table} where rater = ? and file_sha256 = ?",
        [rater, checksum],
    ).item()
    if before is not None:
        return Imported(0, 0, subjects, before)
    in_force = writer.database.frame(review.in_force, [rater])
    new = _changes(review, judged, in_force)
    if new.height:
        source = {"rater": rater, "file": path.name, "file_sha256": checksum}
        verdicts = new.with_columns(
            *(pl.lit(value).alias(name) for name, value in source.items()),
            imported_at=pl.lit(datetime.now(UTC)),
        )
        append_verdicts(writer, review.table, verdicts)
    changed = new.select(review.key).unique()
    again = changed.join(in_force, on=review.key, how="semi").height
    remarks = tuple(remarks_on(sheet))
    return Imported(changed.height - again, again, subjects - changed.height, remarks=remarks)


def _changes(review: Review, judged: pl.DataFrame, in_force: pl.DataFrame) -> pl.DataFrame:
    """Return the verdicts that differ from those the rater gave before."""
    columns = [*review.key, *review.answers]
    texts = pl.selectors.list().list.join("|")  # lists cannot be joined on
    judgements, stored = (rows.select(columns).with_columns(texts) for rows in (judged, in_force))
    stored = stored.join(judgements, on=review.key, how="semi")
    differing = pl.concat(
        left.join(right, on=columns, how="anti", nulls_equal=True).select(review.key)
        for left, right in ((judgements, stored), (stored, judgements))
    )
    return judged.join(differing.unique(), on=review.key, how="semi").sort("line")
