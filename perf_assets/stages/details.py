"""Detailing: a close look at the commits that fix bug reports, each commit once."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from perf_assets.core import languages
from perf_assets.core.frames import TEXTS, TIME, Columns
from perf_assets.sources.git.commits import moment
from perf_assets.sources.git.inspection import Analysis, analyse
from perf_assets.sources.git.introducing import Trace
from perf_assets.stages.deriving import from_first, loaded_months
from perf_assets.storage.gate import Candidate, Gate, Outcome, Provenance

log = logging.getLogger(__name__)

# Raised when what is stored of a commit must be found anew.
RULE_VERSION = "1"
LIBRARIES = ("PyDriller", "lizard", "Pygments")

MERGE = "a merge commit, whose changes are those of the commits it brings"

DETAIL_SCHEMA: Columns = {
    "repository": pl.String,
    "sha": pl.String,
    "analysed_files": pl.Int64,
    "methods_changed": pl.Int64,
    "changed_methods": TEXTS,
    "nloc": pl.Int64,
    "complexity": pl.Int64,
    "complexity_change": pl.Int64,
    "dmm_unit_size": pl.Float64,
    "dmm_unit_complexity": pl.Float64,
    "dmm_unit_interfacing": pl.Float64,
    "not_analysed": pl.String,
    "languages": languages.LANGUAGE_TOTALS,
    "test_share": pl.Float64,
    "removed_lines": pl.Int64,
    "not_traced": pl.String,
    "month": pl.String,
}
INTRODUCING_SCHEMA: Columns = {
    "repository": pl.String,
    "sha": pl.String,
    "path": pl.String,
    "introducing_sha": pl.String,
    "introduced_at": TIME,
    "is_merge": pl.Boolean,
    "lines": pl.Int64,
    "month": pl.String,
}

TABLES = {
    "raw.commit_details": DETAIL_SCHEMA,
    "links.introducing_commits": INTRODUCING_SCHEMA,
}
# The same before git's files and the calendar are brought in.
READ_SCHEMA = {
    name: kind for name, kind in DETAIL_SCHEMA.items() if name not in ("languages", "test_share")
}
TRACED_SCHEMA = {**INTRODUCING_SCHEMA, "introduced_at": pl.Int64}

FIXES = """
    SELECT DISTINCT commits.sha, commits.month, commits.is_merge
    FROM links.fix_links AS links
    JOIN labels.performance_labels AS labels USING (repository, number)
    JOIN raw.commits AS commits USING (repository, sha)
    WHERE repository = ? AND labels.is_bug_report
    ORDER BY month, sha
"""


STORED = "SELECT sha, month FROM raw.commit_details WHERE repository = ?"
FILES = """
    SELECT sha, path, additions, deletions FROM raw.commit_files
    WHERE repository = ? AND month = ? AND list_contains(?, sha)
"""


@dataclass(frozen=True)
class Month:
    """The fixes of a month (sha, month, is_merge), and the rows of those that were looked at."""

    name: str
    fixes: pl.DataFrame
    details: pl.DataFrame
    introducing: pl.DataFrame

    @property
    def missing(self) -> pl.DataFrame:
        """The fixes that nobody looked at yet."""
        return self.fixes.join(self.details, on="sha", how="anti", maintain_order="left")


def detail_fixes(
    gate: Gate, clone: Path, repository: str, months: Sequence[str]
) -> Iterator[Outcome]:
    """Look closely at the fixes committed in ``months`` and after, where that was not done yet.

    A fix is any commit that is linked to a bug report, whether or not its link counts. What is
    found of a commit depends on nothing else, so it is found once; of a commit that is no fix any
    more nothing stays. A run that was killed goes on with the month it was at.
    """
    changed = list(_changed(gate, repository, months))
    if not changed:
        return
    missing = pl.concat([month.missing for month in changed])
    plain = missing.filter(~pl.col("is_merge"))["sha"].to_list()
    if plain:
        log.info("%s: a close look at %d fix commits", repository, len(plain))
    # One stream for all months: the processes are started once and always have work.
    with closing(analyse(clone, plain)) as analyses:
        for month in changed:
            yield _store(gate, repository, month, analyses)


def watermark() -> str:
    """What decides, beside the commit itself, what is found of it."""
    libraries = (f"{name} {version(name)}" for name in LIBRARIES)
    return ", ".join([f"{RULE_VERSION}.{languages.RULE_VERSION}", *libraries])


def _changed(gate: Gate, repository: str, months: Sequence[str]) -> Iterator[Month]:
    """The linked months whose stored fixes are others than those that are linked now."""
    linked = loaded_months(gate, "links.fix_links", repository)
    fixes = gate.database.frame(FIXES, [repository])
    stored = gate.database.frame(STORED, [repository])
    loads = gate.database.loads("raw.commit_details", repository)
    valid = set(loads.filter(status="loaded", watermark=watermark())["month"])
    for name in from_first(linked, months):
        of_month = fixes.filter(month=name)
        if name not in valid:
            nothing = (pl.DataFrame(schema=schema) for schema in TABLES.values())
            yield Month(name, of_month, *nothing)
        elif set(stored.filter(month=name)["sha"]) != set(of_month["sha"]):
            yield Month(name, of_month, *_kept(gate, repository, name, of_month))


def _kept(gate: Gate, repository: str, month: str, fixes: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The stored rows of those commits that are still fixes."""
    for table, schema in TABLES.items():
        rows = gate.database.partition(table, repository, month)
        known = rows.select(schema.keys()).cast(pl.Schema(schema))
        yield known.join(fixes, on="sha", how="semi")


def _store(gate: Gate, repository: str, month: Month, analyses: Iterator[Analysis]) -> Outcome:
    missing = month.missing
    merges = missing.filter("is_merge")["sha"]
    looked_at = [
        *(next(analyses) for _ in range(missing.height - merges.len())),
        *(Analysis(sha, problem=MERGE, trace=Trace(problem=MERGE)) for sha in merges),
    ]
    place: dict[str, Any] = {"repository": repository, "month": month.name}
    details = pl.DataFrame([place | _details(one) for one in looked_at], schema=READ_SCHEMA)
    files = gate.database.frame(FILES, [repository, month.name, missing["sha"].to_list()])
    details = details.join(
        languages.language_totals(files), on="sha", how="left", maintain_order="left"
    ).with_columns(pl.col("languages").fill_null(pl.lit([], dtype=languages.LANGUAGE_TOTALS)))
    introducing = pl.DataFrame(
        [place | row for one in looked_at for row in _introducing(one)], schema=TRACED_SCHEMA
    ).with_columns(moment("introduced_at"))
    fixes = month.fixes["sha"].to_list()
    return gate.store(
        repository,
        month.name,
        [
            Candidate(
                "raw.commit_details",
                pl.concat([month.details, details.select(DETAIL_SCHEMA.keys())]).sort("sha"),
                {"commit_shas": fixes},
                len(fixes),
            ),
            Candidate(
                "links.introducing_commits",
                pl.concat([month.introducing, introducing]).sort("sha", "path", "introducing_sha"),
                {"commit_shas": fixes},
            ),
        ],
        Provenance(watermark()),
    )


def _details(one: Analysis) -> dict[str, Any]:
    return {
        **(one.details or {}),
        "sha": one.sha,
        "not_analysed": one.problem,
        "removed_lines": None if one.trace.problem else one.trace.removed_lines,
        "not_traced": one.trace.problem,
    }


def _introducing(one: Analysis) -> Iterator[dict[str, Any]]:
    for path, commit, when, is_merge, lines in one.trace.introducing:
        yield {
            "sha": one.sha,
            "path": path,
            "introducing_sha": commit,
            "introduced_at": when,
            "is_merge": is_merge,
            "lines": lines,
        }
