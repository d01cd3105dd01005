"""Replicating: the published package brought into the warehouse, all of its tables or none."""

import logging
from pathlib import Path

from perf_assets.progress import phase
from perf_assets.sources.replication import Package, fetch_package, read_package
from perf_assets.storage.gate import Candidate, Gate, Offer, Outcome

log = logging.getLogger(__name__)

TABLES = tuple(f"replication.{name}" for name in Package.__dataclass_fields__)
"""The stored tables of the package, in the schema of that name."""


def load_package(
    gate: Gate, folder: Path | None = None, *, accept_changes: bool = False
) -> Outcome:
    """Read the package in ``folder`` (default: downloaded), audit and store it whole.

    Raises
    ------
    PerfAssetsError
        The folder or the download is not the published package; what was stored stays.
    """
    with phase("reading the published data"):
        place = folder or fetch_package(gate.home.replication)
        package = read_package(place, accept_changes=accept_changes)
    candidates = [Candidate(f"replication.{name}", rows) for name, rows in package.frames.items()]
    (outcome,) = gate.store([Offer(candidates)])
    rejected = package.rejects.height
    loaded = sum(outcome.rows.values()) - rejected
    if outcome.failure is None:
        log.info("%s: %d rows loaded, %d rejected", place, loaded, rejected)
    return outcome
