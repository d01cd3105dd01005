"""A folder with the package, read whole: every row is loaded or rejected with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import schema_of
from perf_assets.sources.replication import tables
from perf_assets.sources.replication.csv_files import Reject
from perf_assets.sources.replication.package import FRAMEWORKS, TAXONOMY, Framework, pinned

DATASET = "replication"


@dataclass(frozen=True)
class Package:
    """The package as typed frames; columns as in ``perf_assets.sources.replication.tables``."""

    bugs: pl.DataFrame
    fixes: pl.DataFrame
    fix_commits: pl.DataFrame
    paper_series: pl.DataFrame
    taxonomy: pl.DataFrame
    rejected_rows: pl.DataFrame

    @property
    def frames(self) -> dict[str, pl.DataFrame]:
        """Each frame by the name of its table in the schema ``replication``."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def read_package(folder: Path, *, accept_changes: bool = False) -> Package:
    """Return the package in ``folder``, of one framework or of both.

    Parameters
    ----------
    folder
        Holds the taxonomy and all files of at least one framework.
    accept_changes
        Take files whose content differs from the published one.

    Raises
    ------
    PerfAssetsError
        The folder is none of the package, or a file is missing, cut short, has other columns, or
        another content than published.
    """
    frameworks = _frameworks(folder)

    def accepts(file: str, digest: str) -> bool:
        return accept_changes or pinned().accepts(file, digest)

    bugs, fixes, commits, series, rejects = [], [], [], [], []
    for framework in frameworks:
        own_bugs, broken = tables.read_bugs(folder, framework, accepts)
        rejects += broken
        own_fixes, own_commits, broken = tables.read_fixes(folder, framework, own_bugs, accepts)
        rejects += broken
        own_series, broken = tables.read_series(folder, framework, accepts)
        rejects += broken
        bugs += own_bugs
        fixes += own_fixes
        commits += own_commits
        series += own_series
    taxonomy, broken = tables.read_taxonomy(folder, accepts)
    rows = {
        "bugs": bugs,
        "fixes": fixes,
        "fix_commits": commits,
        "paper_series": series,
        "taxonomy": taxonomy,
    }
    rejected = rejects_frame([*rejects, *broken])
    return Package(
        **{name: _frame(name, found) for name, found in rows.items()}, rejected_rows=rejected
    )


def _frame(name: str, rows: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema_of(f"replication.{name}"), orient="row")


def rejects_frame(rejects: Sequence[Reject]) -> pl.DataFrame:
    """Return ``replication.rejected_rows``, the rows that could not be loaded."""
    return _frame("rejected_rows", [{"dataset": DATASET, **vars(reject)} for reject in rejects])


def _frameworks(folder: Path) -> list[Framework]:
    """Return the frameworks whose files are there; all of them, or none of one framework."""
    if not folder.is_dir():
        raise PerfAssetsError(
            f"{folder}: this folder does not exist; name the one with the CSV files"
        )
    found = []
    for framework in FRAMEWORKS:
        missing = [file for file in framework.files if not (folder / file).is_file()]
        if len(missing) < len(framework.files):
            found.append(framework)
            if missing:
                raise PerfAssetsError(
                    f"{folder / missing[0]}: the file is missing; the other files of "
                    f"{framework.repository} are there"
                )
    if not found:
        raise PerfAssetsError(
            f"{folder}: none of the published files is there; the folder must hold "
            f"{FRAMEWORKS[0].files[0]} and its companions"
        )
    if not (folder / TAXONOMY).is_file():
        raise PerfAssetsError(f"{folder / TAXONOMY}: the file is missing")
    return found
