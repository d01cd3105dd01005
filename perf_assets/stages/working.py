"""A worker mines one repository in a data directory of its own and pushes changes to the lake.

A worker needs no lasting disk. Where its data directory is gone, or where another worker has
shipped the repository since, it begins with what the lake has; its clone is made again.
"""

import socket
from collections.abc import Sequence
from dataclasses import dataclass

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study, Until
from perf_assets.lake.leases import leased
from perf_assets.lake.location import Lake
from perf_assets.lake.pull import restore
from perf_assets.lake.push import PushResult, push
from perf_assets.stages.steps import StepOptions, repository_steps, run_steps
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.forgetting import keep_out
from perf_assets.storage.lock import writing
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import open_warehouse


@dataclass(frozen=True)
class Worked:
    """What a worker did.

    outcomes : of the partitions that it looked at.
    shipped : what of them went to the lake.
    """

    outcomes: Sequence[WriteOutcome]
    shipped: PushResult

    @property
    def failures(self) -> list[str]:
        """Return what failed its audit, a sentence each; all else is shipped."""
        return [outcome.failure for outcome in self.outcomes if outcome.failure is not None]


def work(
    study: Study,
    data_dir: DataDirectory,
    repository: Repository,
    months: Sequence[str],
    options: StepOptions = StepOptions(),  # noqa: B008 (frozen)
    until: Until = "published",
) -> Worked:
    """Bring ``months`` of ``repository`` up to date, and ship those that changed.

    Raises
    ------
    TransientError
        Another worker has the repository, or the lake cannot be reached for the moment.
    PerfAssetsError
        For whatever else stops it; what is in the lake stays as it was.
    """
    if study.lake is None:
        raise PerfAssetsError(f"{study.path}: the study has no lake to ship to: add [lake]")
    own = data_dir.worker(repository.name)
    lake = Lake.of(study.lake.url, own)
    study = study.as_far_as(until)
    # The data directory is locked first: who has it, and is called the same, is the same worker
    # again.
    with (
        writing(own.path),
        leased(lake, repository.name, f"{socket.gethostname()}:{own.path}") as lease,
        open_warehouse(own.warehouse) as database,
    ):
        restore(database, lake, repository.name)
        keep_out(database, own)
        writer = AuditedWriter(database, own)
        steps = repository_steps(study, until)
        outcomes = [*run_steps(steps, writer, study, repository, months, options)]
        shipped = push(database, lake, repository.name, lease)
    return Worked(outcomes, shipped)
