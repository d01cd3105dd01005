"""Reviewing: sheets of bug reports for people to judge, and their verdicts brought back."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from perf_assets.core.reviews.sampling import draw
from perf_assets.errors import PerfAssetsError
from perf_assets.sources.review_sheets.sheet import GIVEN, read_sheet, sheet_text
from perf_assets.sources.review_sheets.verdicts import read_verdicts
from perf_assets.storage.gate import Candidate, Gate, Offer
from perf_assets.storage.verdicts import TABLE, keep_verdicts
from perf_assets.storage.warehouse import reading

CONSENSUS = "consensus"
RATER = re.compile(r"[^\W_][\w .@'-]{0,99}")
ANSWERS = ("verdict", "category", "subcategory", "impact", "note")

BUG_REPORTS = """
select
    repository, number, bugs.title, bugs.html_url as link, bugs.is_performance,
    bugs.matched_labels, bugs.matched_keywords as keywords, bugs.matched_in, labels.rule_version
from staging.bug_reports as bugs
inner join labels.performance_labels as labels using (repository, number)
where bugs.dataset = 'live'
"""
IN_FORCE = "select * from staging.verdicts where rater = ?"


@dataclass(frozen=True)
class Imported:
    """What came of a sheet: verdicts that are new, supersede another one, or change nothing."""

    added: int
    superseding: int
    unchanged: int
    imported_before: datetime | None = None


def sample_sheet(published: Path, labelled: int, unlabelled: int, seed: int) -> str:
    """A review sheet of ``labelled`` performance bugs and ``unlabelled`` other bug reports, drawn.

    The others are mixed in; their matched columns are empty.

    Raises
    ------
    PerfAssetsError
        There is nothing to draw from, or less than is asked for.
    """
    if labelled < 0 or unlabelled < 0 or labelled + unlabelled == 0:
        raise PerfAssetsError(
            f"--n {labelled} and --unlabelled {unlabelled} give no sample: at least one bug report "
            "is needed, and neither number can be negative"
        )
    with reading(published) as connection:
        bugs: pl.DataFrame = connection.sql(BUG_REPORTS).pl()
    there = int(bugs["is_performance"].sum())
    for option, wanted, known, kind in (
        ("--n", labelled, there, "labelled performance bugs"),
        ("--unlabelled", unlabelled, bugs.height - there, "other bug reports"),
    ):
        if wanted > known:
            raise PerfAssetsError(f"{option} {wanted}: there are {known} {kind} in {published}")
    return sheet_text(draw(bugs, labelled, unlabelled, seed).select(GIVEN))


def write_sheet(path: Path, text: str) -> None:
    """Write ``text`` to ``path``; a file that is there with other content is never replaced.

    Raises
    ------
    PerfAssetsError
        It is there already, or cannot be written.
    """
    content = text.encode("utf-8-sig")
    try:
        if path.exists() and path.read_bytes() == content:
            return
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise PerfAssetsError(
            f"{path} is there already and may hold verdicts: choose another --output"
        ) from None
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: the sheet cannot be written there: {error.strerror}"
        ) from None


def import_sheet(gate: Gate, path: Path, rater: str) -> Imported:
    """Add the verdicts of the sheet at ``path`` that say something new; nothing is overwritten.

    A sheet that the rater imported already, byte for byte, changes nothing: an older sheet
    imported again by mistake would take back what was said since.

    Raises
    ------
    PerfAssetsError
        The sheet cannot be read or has a mistake; nothing of it is imported.
    """
    rater = " ".join(rater.split())
    if RATER.fullmatch(rater) is None or rater.casefold() == CONSENSUS:
        raise PerfAssetsError(
            f"--rater {rater!r} is no name of a rater: begin with a letter or digit, and go on "
            f"with letters, digits, spaces and . @ ' -; {CONSENSUS} is what all raters say"
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PerfAssetsError(f"{path}: the sheet cannot be read: {error.strerror}") from None
    links = gate.database.frame(
        "select repository, number, html_url from staging.bug_reports where dataset = 'live'"
    )
    keep_verdicts(gate.database, gate.home)
    known = {(repository, number): link for repository, number, link in links.iter_rows()}
    judged = read_verdicts(path, read_sheet(path, content), known)
    checksum = hashlib.sha256(content).hexdigest()
    before = gate.database.frame(
        f"select max(imported_at) from {TABLE} where rater = ? and file_sha256 = ?",
        [rater, checksum],
    ).item()
    if before is not None:
        return Imported(0, 0, judged.height, before)
    in_force = gate.database.frame(IN_FORCE, [rater])
    new = _news(judged, in_force)
    if new.height:
        last = gate.database.frame(f"select coalesce(max(verdict_id), 0) from {TABLE}").item()
        _append(gate, new, rater, path.name, checksum, last)
    again = new.join(in_force, on=["repository", "number"], how="semi").height
    return Imported(new.height - again, again, judged.height - new.height)


def _news(judged: pl.DataFrame, in_force: pl.DataFrame) -> pl.DataFrame:
    """The verdicts that differ from the rater's last one on the same bug report."""
    keys: Sequence[str] = ("repository", "number", *ANSWERS)
    return judged.join(in_force, on=keys, how="anti", nulls_equal=True).sort("line")


def _append(gate: Gate, new: pl.DataFrame, rater: str, file: str, checksum: str, last: int) -> None:
    rows = new.with_row_index("verdict_id", offset=last + 1).with_columns(
        pl.col("verdict_id").cast(pl.Int64),
        rater=pl.lit(rater),
        imported_at=pl.lit(datetime.now(UTC)),
        file=pl.lit(file),
        file_sha256=pl.lit(checksum),
    )
    # Whole tables are stored: what is there already stays as it is.
    stored = gate.database.frame(f"select * from {TABLE}")
    every = pl.concat([stored, rows.select(stored.columns).cast(dict(stored.schema))])  # type: ignore[arg-type]
    (outcome,) = gate.store([Offer([Candidate(TABLE, every)])])
    if outcome.failure is not None:
        raise PerfAssetsError(outcome.failure)
    keep_verdicts(gate.database, gate.home)
