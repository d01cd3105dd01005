"""Benchmark results of the repository, as airspeed velocity stores them, with planted changes.

Two machines measure every few commits of the main line; one of them is noisy, and rests for some
weeks. Three benchmarks become slower at one commit and are back at a later one, one becomes faster,
the code of one changes, and one falls silent. A report of that time names the first of the three.
All is drawn by a stream of its own, once everything else is planned.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from perf_assets.stand_ins.generator.model import Commit, Issue
from perf_assets.stand_ins.generator.planner import Plan

DIRECTORY = "benchmarks"
STUDY = f"""
[[benchmarks]]
repository = "{{repository}}"
format = "asv"
path = "{DIRECTORY}"
"""
ENVIRONMENT = "virtualenv-py3.9"
NOISE = {"atlas": 0.01, "bora": 0.06}
"""Of each machine, as a share of the value."""

MEASURED = 110  # commits at most
FEWEST = 60  # in fewer the levels are too short
WORSE, BACK, BETTER, CHANGED, SILENT = 0.45, 0.75, 0.3, 0.5, 0.8  # of the measured commits
REST = 0.55, 0.65  # of the noisy machine
RATIO, GAIN, OTHER_CODE = 1.6, 0.7, 3.0
SLOWER = tuple(
    f"bench_{place}.track_seconds" for place in ("nn.Convolve", "core.Reduce", "io.Load")
)
FASTER, OTHER, STOPPED, STEADY = (
    f"bench_{place}.track_seconds"
    for place in ("optim.Step", "jit.Trace", "vision.Resize", "dist.Gather")
)
BENCHMARKS = (*SLOWER, FASTER, OTHER, STOPPED, STEADY)
NAMING = "\n\nOur suite shows it, too: `{benchmark}`."
HOURS = 3600


class PlantedBenchmarks:
    """The measured commits of a plan, and what happens at which of them."""

    def __init__(self, plan: Plan, seed: int) -> None:
        """Choose the commits that are measured."""
        self.plan, self.seed = plan, seed
        line = sorted(
            (
                commit
                for commit in plan.commits
                if commit.is_on_main and commit.branch is None and commit.merges is None
            ),
            key=lambda commit: (commit.at, commit.order),
        )
        self.commits: Sequence[Commit] = line[:: max(1, len(line) // MEASURED)]
        self.report: Issue | None = None

    def at(self, share: float) -> int:
        """Return the place among the measured commits at which so large a share of them begins."""
        return int(share * len(self.commits))

    def name_in_a_report(self) -> None:
        """Let a report about performance name the first benchmark that became slower."""
        begin, end = (self.commits[self.at(share)].at for share in (WORSE, BACK))
        trapped = {id(issue) for trap in self.plan.traps.values() for issue in trap.issues}
        reports = [
            issue
            for issue in self.plan.issues
            if begin < issue.created < end
            and issue.is_about_performance
            and issue.body
            and id(issue) not in trapped
        ]
        if reports:
            self.report = min(reports, key=lambda issue: issue.created)
            self.report.body = f"{self.report.body}{NAMING.format(benchmark=SLOWER[0])}"

    def write(self, directory: Path) -> None:
        """Write the result files, when the commits have their hashes."""
        rng = Random(f"benchmarks of {self.seed}")
        units = {name: {"name": name, "type": "track", "unit": "seconds"} for name in BENCHMARKS}
        directory.mkdir()
        _write(directory / "benchmarks.json", {**units, "version": 2})
        for machine, noise in NOISE.items():
            (directory / machine).mkdir()
            for place, commit in enumerate(self.commits):
                is_resting = self.at(REST[0]) <= place < self.at(REST[1])
                if machine == "bora" and is_resting:
                    continue
                results = {
                    name: [
                        [self._level(name, place) * rng.gauss(1, noise)],
                        [],
                        self._code(name, place),
                    ]
                    for name in BENCHMARKS
                    if name != STOPPED or place < self.at(SILENT)
                }
                path = directory / machine / f"{commit.sha[:8]}-{ENVIRONMENT}.json"
                _write(path, _document(machine, commit, results))

    def _level(self, name: str, place: int) -> float:
        if name in SLOWER and self.at(WORSE) <= place < self.at(BACK):
            return RATIO
        if name == FASTER and place >= self.at(BETTER):
            return GAIN
        return OTHER_CODE if name == OTHER and place >= self.at(CHANGED) else 1.0

    def _code(self, name: str, place: int) -> str:
        return "2" if name == OTHER and place >= self.at(CHANGED) else "1"

    def truth(self) -> dict[str, Any]:
        """Return what was planted: each change with the commits that it lies between."""
        machines = sorted(NOISE)
        changes = [
            *((name, WORSE, RATIO) for name in SLOWER),
            *((name, BACK, 1 / RATIO) for name in SLOWER),
            (FASTER, BETTER, GAIN),
        ]
        return {
            "changes": [
                {
                    "benchmark": name,
                    "machines": machines,
                    "last_sha_before": self.commits[self.at(share) - 1].sha,
                    "sha": self.commits[self.at(share)].sha,
                    "ratio": ratio,
                }
                for name, share, ratio in changes
            ],
            "reported_in": None if self.report is None else self.report.number,
            "silent": {"benchmark": STOPPED, "last_sha": self.commits[self.at(SILENT) - 1].sha},
            "changed": {"benchmark": OTHER, "sha": self.commits[self.at(CHANGED)].sha},
        }


def plant_benchmarks(plan: Plan, seed: int) -> PlantedBenchmarks | None:
    """Plan the results; None where the history is too short for levels."""
    planted = PlantedBenchmarks(plan, seed)
    if len(planted.commits) < FEWEST:
        return None
    planted.name_in_a_report()
    return planted


def _document(machine: str, commit: Commit, results: dict[str, Any]) -> dict[str, Any]:
    return {
        "commit_hash": commit.sha,
        "date": commit.at * 1000,
        "durations": {},
        "env_name": ENVIRONMENT,
        "env_vars": {},
        "params": {"machine": machine, "python": "3.9"},
        "python": "3.9",
        "requirements": {},
        "result_columns": ["result", "params", "version", "started_at"],
        "results": {name: [*row, (commit.at + 2 * HOURS) * 1000] for name, row in results.items()},
        "version": 2,
    }


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document) + "\n", encoding="utf-8")
