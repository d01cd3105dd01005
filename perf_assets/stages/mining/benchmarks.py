"""Benchmark results of a repository, stored with the month in which their commit was committed.

A file is read when it is new, or differs from what was read. The months that it touches are built
anew from all of their files, so that a refresh stores what a fresh load would.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import phase
from perf_assets.config.benchmarks import Benchmarks
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study
from perf_assets.schema import schema_of, table_of
from perf_assets.sources.benchmarks.result_files import ResultFiles, find_results
from perf_assets.sources.benchmarks.results import Results
from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.trees import File
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
    WriteOutcome,
)
from perf_assets.storage.storing import store_in_parts

log = logging.getLogger(__name__)

RESULTS, FILES = TABLES = ("raw.benchmark_results", "raw.benchmark_files")
ROWS_AT_ONCE = 300_000  # read and not yet stored, which a killed run repeats
REPEATED = "another result of the benchmark on the commit was measured at the same time"

FileKey = tuple[str, str]
"""Path of a file, after the name of its source, and what names its content."""


def mine_benchmarks(
    writer: AuditedWriter, study: Study, repository: Repository, months: Sequence[str]
) -> Iterator[WriteOutcome]:
    """Bring the benchmark results of ``months`` up to date with the sources of the study.

    Where the study has none of this repository, and none are stored, nothing happens.

    Raises
    ------
    PerfAssetsError
        The files of a source cannot be found or read.
    """
    sources = [source for source in study.benchmarks if source.repository == repository.name]
    loads = writer.database.loads(RESULTS, repository.name)
    if not sources and loads.is_empty():
        return
    with phase(f"looking for benchmark results of {repository.name}"):
        found = {source.name: _find(writer, source) for source in sources}
    files = {
        (f"{name}/{file.path}", file.blob): (name, file)
        for name, source_files in found.items()
        for file in source_files.files
    }
    version = _version(found)
    stored = _stored(writer, repository, loads, version)
    studied = repository.months
    known = _known(stored, studied)
    current = {key: place for key, place in files.items() if key in known}
    gone = stored.join(_keys(current), on=["file", "file_id"], how="anti")
    reading = _Reading(repository.name, studied, found)
    reading.read({key: place for key, place in files.items() if key not in known})
    affected = {*gone["month"], *reading.months}
    there = set(loads.filter(status="loaded", rule_version=version)["month"])
    changed = sorted({*(affected & set(months)), *(set(months) - there)})
    again = stored.filter(pl.col("month").is_in(list(changed)))
    rest = {key for key in again.select("file", "file_id").iter_rows() if key in files}
    reading.read({key: files[key] for key in sorted(rest - reading.done)})

    def partition(month: str) -> tuple[PartitionWrite, int]:
        results, file_rows = reading.of_month(month)
        staged = [StagedTable(RESULTS, results), StagedTable(FILES, file_rows)]
        mark = Provenance(PartitionState(rule_version=version))
        return PartitionWrite(staged, repository.name, month, mark), results.height

    yield from store_in_parts(writer, (partition(month) for month in changed), ROWS_AT_ONCE)
    reading.report()


def _find(writer: AuditedWriter, source: Benchmarks) -> ResultFiles:
    name = hashlib.sha1(str(source.git).encode(), usedforsecurity=False).hexdigest()
    clone = writer.data_dir.clone(f"benchmarks/{name[:16]}")
    if source.git is not None:
        update_clone(source.git, clone)
    return find_results(source, clone)


def _version(found: Mapping[str, ResultFiles]) -> str:
    """Return the version of everything besides the files that decides the rows."""
    units = {name: files.units for name, files in found.items() if files.units}
    digest = hashlib.sha1(repr(sorted(units.items())).encode(), usedforsecurity=False)
    return f"{code_version(__name__)}{f', units {digest.hexdigest()}' if units else ''}"


def _stored(
    writer: AuditedWriter, repository: Repository, loads: pl.DataFrame, version: str
) -> pl.DataFrame:
    """Return the stored files, of the months that were read by the current rules."""
    current = loads.filter(status="loaded", rule_version=version)["month"]
    rows = writer.database.where(FILES, {"repository": repository.name})
    return rows.filter(pl.col("month").is_in(current.to_list()))


def _known(stored: pl.DataFrame, studied: Sequence[str]) -> set[FileKey]:
    """Return the files of which all is stored that the ``studied`` months want.

    A file with results of other months says from when to when these are, and one without any is in
    the first month.
    """
    first, last = studied[0], studied[-1]
    is_outside = (pl.col("other_months_to") < first) | (pl.col("other_months_from") > last)
    whole = stored.group_by("file", "file_id").agg(
        (pl.len() == pl.col("file_months").first()).alias("is_whole"),
        is_outside.first().fill_null(value=True).alias("is_outside"),
        ((pl.col("results") > 0) | (pl.col("month") == first)).all().alias("is_in_place"),
    )
    return set(
        whole.filter("is_whole", "is_outside", "is_in_place").select("file", "file_id").iter_rows()
    )


def _keys(files: Mapping[FileKey, object]) -> pl.DataFrame:
    schema = {"file": pl.String, "file_id": pl.String}
    return pl.DataFrame(list(files), schema=schema, orient="row")


@dataclass
class _Reading:
    """The results that were read, by month.

    done : the files that were read.
    """

    repository: str
    studied: Sequence[str]
    found: Mapping[str, ResultFiles]
    done: set[FileKey] = field(default_factory=set)
    _results: dict[str, list[tuple[str, pl.DataFrame]]] = field(default_factory=dict)
    _files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    _unusable: Counter[str] = field(default_factory=Counter)

    @property
    def months(self) -> set[str]:
        """The studied months that the files have results of."""
        return set(self._files)

    def read(self, files: Mapping[FileKey, tuple[str, File]]) -> None:
        """Read ``files``: each with the name of its source."""
        if not files:
            return
        with phase(
            f"reading benchmark results of {self.repository}", len(files), "files"
        ) as progress:
            for name, source in self.found.items():
                of_source = [file for place, file in files.values() if place == name]
                for file, results in source.read(of_source):
                    self._keep(f"{name}/{file.path}", file.blob, results)
                    progress(progress.done + 1)
        self.done |= set(files)

    def _keep(self, path: str, blob: str, results: Results | str) -> None:
        first, last = self.studied[0], self.studied[-1]
        by_month: dict[str, list[pl.DataFrame]] = {}
        others: list[tuple[str, int]] = []
        unusable: Counter[str] = Counter()
        if isinstance(results, str):
            unusable[results] += 1
        else:
            unusable += results.unusable
            for frame in results.frames:
                month = frame.item(0, "month") if frame.height else None
                if month is None:
                    continue
                if first <= month <= last:
                    by_month.setdefault(month, []).append(frame)
                else:
                    others.append((month, frame.height))
        row = {
            "repository": self.repository,
            "file": path,
            "file_id": blob,
            "file_months": max(len(by_month), 1),
            "other_months_results": sum(height for _, height in others),
            "other_months_from": min((month for month, _ in others), default=None),
            "other_months_to": max((month for month, _ in others), default=None),
        }
        self._unusable += unusable
        for month in sorted(by_month) or [first]:
            count = {
                "unusable_results": unusable.total(),
                "reasons": _words(unusable),
                "month": month,
            }
            self._files.setdefault(month, []).append(row | count)
            unusable = Counter()
            frames = by_month.get(month, [])
            if frames:
                self._results.setdefault(month, []).append((path, pl.concat(frames)))

    def of_month(self, month: str) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the rows of ``month``: results, each once, and files. They are forgotten here."""
        parts = [
            frame.with_columns(pl.lit(path).alias("file"))
            for path, frame in sorted(self._results.pop(month, []), key=lambda part: part[0])
        ]
        schema = schema_of(RESULTS)
        key = list(table_of(RESULTS).key[1:])
        whole = pl.concat(parts) if parts else pl.DataFrame(schema={**schema, "file": pl.String})
        results = whole.unique(key, keep="first", maintain_order=True)
        counts = dict(results.group_by("file").len().iter_rows())
        before = dict(whole.group_by("file").len().iter_rows())
        rows = []
        for row in self._files.pop(month, []):
            count = counts.get(row["file"], 0)
            repeated = before.get(row["file"], 0) - count
            reasons = [row["reasons"], _words(Counter({REPEATED: repeated}))]
            self._unusable[REPEATED] += repeated
            rows.append(
                row
                | {
                    "results": count,
                    "unusable_results": row["unusable_results"] + repeated,
                    "reasons": "; ".join(filter(None, reasons)) or None,
                }
            )
        results = results.with_columns(pl.lit(self.repository).alias("repository"))
        files = pl.DataFrame(rows, schema=schema_of(FILES))
        return results.select(schema.names()).sort(key), files.sort("file")

    def report(self) -> None:
        """Say in the log what could not be used."""
        for reason, number in sorted((+self._unusable).items()):
            log.info(
                "%s: %s benchmark results left out: %s", self.repository, f"{number:,}", reason
            )


def _words(unusable: Counter[str]) -> str | None:
    return (
        "; ".join(f"{number:,}: {reason}" for reason, number in sorted((+unusable).items())) or None
    )
