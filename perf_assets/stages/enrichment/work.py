"""Decisions that are due for a repository, skipped if its rows did not change."""

from collections.abc import Sequence
from dataclasses import dataclass

from perf_assets.storage import fingerprints
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome


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
        """Return the fingerprint of the rows of ``queries`` of the repository, and of the
        ``rules``.
        """
        held = [
            fingerprints.content_of(self.writer.database, query, [self.repository])
            for query in queries
        ]
        return fingerprints.basis_of(rules, held, self.loaded)

    def is_done(self, basis: str) -> bool:
        """Return whether what the tables hold of the repository was decided from ``basis``."""
        database = self.writer.database
        return fingerprints.is_current(database, self.tables, basis, self.repository)

    def done(self, basis: str, outcomes: list[WriteOutcome]) -> list[WriteOutcome]:
        """Record it as done if all of it is; return the ``outcomes``."""
        is_all = list(self.months) == list(self.loaded)
        if is_all and all(outcome.failure is None for outcome in outcomes):
            fingerprints.note(self.writer.database, self.tables, basis, self.repository)
        return outcomes
