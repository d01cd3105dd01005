"""Decisions that are due for a repository, skipped if its rows did not change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perf_assets.base.processes.progress import phase
from perf_assets.storage import fingerprints
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
    WriteOutcome,
)


def loaded_months(writer: AuditedWriter, table: str, repository: str) -> list[str]:
    """Return the months that ``table`` holds, in order, even where their latest load failed."""
    loads = writer.database.loads(table, repository)
    return loads.filter("is_stored")["month"].to_list()


def from_first(loaded: list[str], months: Sequence[str]) -> list[str]:
    """Return the ``loaded`` months from the first of ``months`` on."""
    first = min(months, default="9999-12")
    return [month for month in loaded if month >= first]


@dataclass(frozen=True)
class Work:
    """The ``months`` of ``repository`` to decide on, of all that are ``loaded``.

    tables : those that hold the decisions.
    """

    writer: AuditedWriter
    repository: str
    tables: Sequence[str]
    loaded: Sequence[str]
    months: Sequence[str]

    def basis(self, queries: Sequence[str], rules: object) -> str:
        """Return the fingerprint of the repository's rows of ``queries`` and the ``rules``."""
        held = [
            fingerprints.content_of(self.writer.database, query, [self.repository])
            for query in queries
        ]
        return fingerprints.basis_of(rules, held, self.loaded)

    def is_done(self, basis: str) -> bool:
        """Return whether what the tables hold of the repository was decided from ``basis``."""
        database = self.writer.database
        return fingerprints.is_current(database, self.tables, basis, self.repository)

    def store(
        self, basis: str, rule_version: str, staged: Callable[[str], list[StagedTable]]
    ) -> list[WriteOutcome]:
        """Store what is ``staged`` of each month; record ``basis`` if all of it is stored."""
        provenance = Provenance(PartitionState(rule_version=rule_version))
        partitions = [
            PartitionWrite(staged(month), self.repository, month, provenance)
            for month in self.months
        ]
        schema = self.tables[0].partition(".")[0]
        with phase(f"storing {schema} of {self.repository}"):
            outcomes = self.writer.store(partitions)
        is_all = list(self.months) == list(self.loaded)
        if is_all and all(outcome.failure is None for outcome in outcomes):
            fingerprints.note(self.writer.database, self.tables, basis, self.repository)
        return outcomes
