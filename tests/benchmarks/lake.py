"""How fast workers ship to a lake: commits a second, bytes of a ship, bringing it all back.

Run by hand; it prints a table:

    python -m tests.benchmarks.lake [--lake URL] [--processes 1 2 4] [--subjects 40] [--issues 200]
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perf_assets.lake.contents import subjects_in
from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import maintain, sizes
from perf_assets.lake.pull import pull
from perf_assets.lake.push import PushResult, push
from perf_assets.lake.releases import made_releases
from perf_assets.lake.snapshots import released
from tests.lakes import ENTRY, State, fill, in_processes, memory

MONTHS = 6
LONGEST_SECONDS = 3600


@dataclass(frozen=True)
class Measured:
    """What it took.

    commits_a_second : of the first ship of all. bytes, changed_bytes : of the first ship of a
    subject, and of one in which a month of six had changed.
    """

    processes: int
    subjects: int
    seconds: float
    commits_a_second: float
    bytes: float
    changed_seconds: float
    changed_commits: float
    changed_bytes: float
    bring_seconds: float
    snapshot_seconds: float
    maintain_seconds: float
    lake_bytes: int


def measure(lake: Lake, processes: int, subjects: int, issues: int) -> Measured:
    """Ship ``subjects`` of so many ``issues`` from ``processes``, change a month, bring it all."""
    names = [f"owner/name{number}" for number in range(subjects)]
    made_releases(lake)
    first, seconds = _shipped(lake, names, processes, issues, 0)
    second, changed_seconds = _shipped(lake, names, processes, issues, 1)
    began = time.monotonic()
    database = memory()
    pull(database, lake, names)
    assert subjects_in(database) == sorted(names)
    brought = time.monotonic()
    released(lake)
    viewed = time.monotonic()
    maintain(lake)
    maintained = time.monotonic()
    return Measured(
        processes,
        subjects,
        seconds,
        sum(one.commits for one in first) / seconds,
        sum(one.bytes for one in first) / subjects,
        changed_seconds,
        sum(one.commits for one in second) / subjects,
        sum(one.bytes for one in second) / subjects,
        brought - began,
        viewed - brought,
        maintained - viewed,
        sum(one.bytes for one in sizes(lake)),
    )


def state_of(subject: str, issues: int, version: int) -> State:
    """A subject of six months; another ``version`` has other titles in one of them."""
    entry = {**ENTRY, "title": "A title as long as titles are, and some more"}
    months = {(subject, f"2020-0{month + 1}"): [entry] * (issues // MONTHS) for month in range(6)}
    changed = [{**entry, "title": f"{version} {number}"} for number in range(issues // MONTHS)]
    return {**months, (subject, "2020-03"): changed}


def _shipped(
    lake: Lake, names: Sequence[str], processes: int, issues: int, version: int
) -> tuple[list[PushResult], float]:
    """Ship one version of all from several processes; what was shipped, and how many seconds that
    took the slowest of them."""
    with tempfile.TemporaryDirectory() as directory:
        ready = [(f"{directory}/{number}", names[number::processes]) for number in range(processes)]
        work = [(lake, part, issues, version, place) for place, part in ready]
        codes = in_processes(_work, work, LONGEST_SECONDS)
        assert codes == [0] * processes
        found: list[PushResult] = []
        longest = 0.0
        for place, _ in ready:
            seconds, *lines = Path(place).read_text(encoding="utf-8").splitlines()
            longest = max(longest, float(seconds))
            for subject, commits, size in map(str.split, lines):
                found.append(PushResult(subject, commits=int(commits), bytes=int(size)))
    return found, longest


def _work(lake: Lake, names: Sequence[str], issues: int, version: int, place: str) -> None:
    data_dir = memory()
    pull(data_dir, lake, names)
    known = data_dir.frame("FROM meta.build_state")
    fill(data_dir, {k: v for name in names for k, v in state_of(name, issues, version).items()})
    data_dir.upsert("meta.build_state", known)
    began = time.monotonic()
    done = [push(data_dir, lake, name) for name in names]
    seconds = time.monotonic() - began
    lines = [str(seconds), *(f"{one.subject} {one.commits} {one.bytes}" for one in done)]
    Path(place).write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lake")
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--subjects", type=int, default=40)
    parser.add_argument("--issues", type=int, default=200)
    arguments = parser.parse_args()
    names = list(Measured.__dataclass_fields__)
    print(" ".join(f"{name:>16}" for name in names))
    for processes in arguments.processes:
        with tempfile.TemporaryDirectory() as directory:
            lake = Lake.of(f"{arguments.lake or directory}/{processes}")
            found = measure(lake, processes, arguments.subjects, arguments.issues)
        print(" ".join(f"{getattr(found, name):>16,.6g}" for name in names), flush=True)


if __name__ == "__main__":
    main()
