"""A worker: one repository, mined in a home of its own, and what changed of it shipped to the lake.

A worker needs no lasting disk. Where its home is gone, or where another worker has shipped the
repository since, it begins with what the lake has; its clone is made again.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from perf_assets.errors import PerfAssetsError
from perf_assets.lake import Lake, Shipped, bring, leased, ship, state_of
from perf_assets.progress import phase
from perf_assets.sources.waiting import LONGEST_WAIT
from perf_assets.stages.pipeline import decide, mine
from perf_assets.storage.gate import Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.storage.lock import writing
from perf_assets.storage.warehouse import Database, open_warehouse
from perf_assets.study import Repository, Study, Until

RELEASED = "released"  # the file of a worker's home that says which state of the lake it has


@dataclass(frozen=True)
class Worked:
    """What a worker did.

    outcomes : of the partitions that it looked at.
    shipped : what of them went to the lake.
    """

    outcomes: Sequence[Outcome]
    shipped: Shipped

    @property
    def failures(self) -> list[str]:
        """What failed its audit, a sentence each; all else is shipped."""
        return [one.failure for one in self.outcomes if one.failure is not None]


def work(
    study: Study,
    home: Home,
    repository: Repository,
    months: Sequence[str],
    *,
    verify: bool = False,
    force: bool = False,
    longest_wait: float = LONGEST_WAIT,
    until: Until = "published",
) -> Worked:
    """Bring ``months`` of ``repository`` up to date, and ship those that changed.

    Raises
    ------
    PassingError
        Another worker has the repository, or the lake cannot be reached for the moment.
    PerfAssetsError
        For whatever else stops it; what is in the lake stays as it was.
    """
    if study.lake is None:
        raise PerfAssetsError(f"{study.path}: the study has no lake to ship to: add [lake]")
    lake = Lake.of(study.lake.url)
    study = study.as_far_as(until)
    own = home.worker(repository.name)
    # The home is locked first: who has it, and is called the same, is the same worker again.
    with (
        writing(own.path),
        leased(lake, repository.name, f"{socket.gethostname()}:{own.path}"),
        _restored(lake, own, repository.name) as database,
    ):
        gate = Gate(database, own)
        mined = mine(gate, study, repository, months, longest_wait, verify=verify)
        outcomes = [*mined, *decide(gate, study, repository, months, until, forced=force)]
        with phase(f"shipping {repository.name} to the lake"):
            shipped = ship(database, lake, repository.name)
        _note(own, state_of(lake, repository.name))
    return Worked(outcomes, shipped)


@contextmanager
def _restored(lake: Lake, own: Home, repository: str) -> Iterator[Database]:
    """The worker's warehouse, which begins with what the lake has.

    Where that is from here nothing is brought: what was mined since would be lost.
    """
    known, is_there = own.path / RELEASED, own.warehouse.exists()
    state = state_of(lake, repository)
    is_own = is_there and known.exists() and known.read_text(encoding="utf-8") == state
    with open_warehouse(own.warehouse) as database:
        if state and not is_own:
            with phase(f"restoring {repository} from the lake"):
                bring(database, lake, [repository])
            _note(own, state)
        yield database


def _note(own: Home, state: str) -> None:
    """Remember what of the repository is released, as it is here too."""
    unfinished = own.path / f".{RELEASED}.new"
    unfinished.write_text(state, encoding="utf-8")
    unfinished.replace(own.path / RELEASED)
