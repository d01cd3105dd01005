"""Many generated repositories of mixed size as one study: for one machine, or for workers."""

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from perf_assets.stand_ins.generator import generate

SIZES = ((400, 500), (60, 90), (25, 40), (10, 20))
"""Issues and commits of a repository: one of four is large."""
MONTHS = 30
WORKFLOWS = (None, "merge", "squash", "rebase")


def name_of(index: int) -> str:
    return f"fleet/r{index:02}"


def generate_fleet(
    directory: Path, count: int, sizes: Sequence[tuple[int, int]] = SIZES, months: int = MONTHS
) -> None:
    """``count`` repositories below ``directory``."""
    # A process of the tests has threads of Polars: its forks would wait for them for ever.
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        jobs = [pool.submit(_generate, directory, one, sizes, months) for one in range(count)]
        for job in jobs:
            job.result()


def fleet_study(directory: Path, count: int, file: str = "study.toml", lake: str = "") -> Path:
    """The study of the first ``count`` repositories; ``lake`` are the lines of its [lake]."""
    lines = ['name = "fleet"', 'performance_labels = ["performance"]']
    lines += ['non_bug_labels = ["feature", "enhancement", "question", "documentation"]']
    for index in range(count):
        folder = directory / f"r{index:02}"
        text = (folder / "study.toml").read_text(encoding="utf-8")
        entry = text[text.index("[[repositories]]") :]
        for key, path in (("git", folder / "repository.git"), ("corpus", folder)):
            entry = "".join(
                f"{key} = {json.dumps(str(path))}\n" if line.startswith(f"{key} =") else f"{line}\n"
                for line in entry.splitlines()
            )
        lines.append(entry)
    path = directory / file
    path.write_text("\n".join([*lines, f"[lake]\n{lake}" if lake else ""]), encoding="utf-8")
    return path


def _generate(directory: Path, index: int, sizes: Sequence[tuple[int, int]], months: int) -> None:
    folder = directory / f"r{index:02}"
    if folder.exists():
        return
    issues, commits = sizes[index % len(sizes)]
    workflow = WORKFLOWS[index // len(sizes) % len(WORKFLOWS)] if issues >= 290 else None
    generate(
        folder,
        seed=index,
        issues=issues,
        commits=commits,
        months=months,
        repository=name_of(index),
        workflow=workflow,
    )
