"""How fast the git stream is, and whether it is right: against PyDriller and plain git log.

Run by hand, on a quiet machine:

    python -m tests.benchmarks.git_mining REPOSITORY [--sample COMMITS]

REPOSITORY is a path or URL; it is cloned to a temporary directory first. PyDriller reads a sample
of the same commits, which holds every root and octopus merge, and is extrapolated to all of them.
At last a warehouse is loaded as of about 500 commits earlier, and brought up to date. A clone may
lack objects: commits that need one are counted, and left out where PyDriller and git log fail.
The exit code is 1 where numbers differ.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import polars as pl
import pydriller

from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.command import in_clone, local_environment, run
from perf_assets.sources.git.history import list_branch_commits, list_commits
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.git.templates import read_issue_templates
from perf_assets.stages.mining.commits import load_commits
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse

NEW_COMMITS = 500  # that a refresh is measured on
SIZES = ("additions", "deletions", "changed_files")


def main() -> None:
    arguments = read_arguments()
    with tempfile.TemporaryDirectory() as folder:
        clone = update_clone(arguments.repository, Path(folder) / "stream.git")
        # PyDriller writes to the configuration of what it reads.
        other = update_clone(arguments.repository, Path(folder) / "pydriller.git")
        seconds, peak, commits = stream(clone)
        lacking = commits["unreadable"].count()
        print(f"{clone.url}: {commits.height} commits, {lacking} of them unreadable")
        print(f"stream            {seconds:8.1f} s, peak memory {peak}")
        plain = numstat(clone)
        if plain is None:
            print("git log --numstat    fails, as the clone lacks an object")
        else:
            print(f"git log --numstat {plain:8.1f} s; the stream takes {seconds / plain:.2f} of it")
        sample = choose(commits.filter(pl.col("unreadable").is_null()), arguments.sample)
        each, differ = pydriller_on(other, sample)
        naive = each * commits.height
        print(f"PyDriller         {naive:8.1f} s, from {sample.height} commits")
        print(f"the stream is {naive / seconds:.1f} times as fast as PyDriller")
        print(f"commits whose numbers differ from PyDriller's: {differ} of {sample.height}")
        count, miner, writer = refresh(clone, Path(folder) / "home")
        print(f"refresh after {count} new commits: {miner:.2f} s of git and counting,")
        print(f"                  {writer:.2f} s through the audited writer into the warehouse")
    sys.exit(1 if differ else 0)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", help="path or URL of a git repository")
    parser.add_argument("--sample", type=int, default=500, help="commits PyDriller reads (500)")
    return parser.parse_args()


def stream(clone: Clone) -> tuple[float, str, pl.DataFrame]:
    """Seconds and peak memory of mining everything in a process of its own, and the commits."""
    context = get_context("spawn")
    answers = context.SimpleQueue()
    miner = context.Process(target=mine, args=(clone, answers))
    miner.start()
    peak = 0
    while answers.empty() and miner.is_alive():
        peak = max(peak, sum(memory(pid) for pid in family(miner.pid)))
        time.sleep(0.1)
    seconds, commits = answers.get()
    miner.join()
    return seconds, f"{peak / 1024:.0f} MB" if peak else "not known here", commits


def mine(clone: Clone, answers) -> None:
    start = time.perf_counter()
    kept = []
    for commits, _ in read_commits(clone):
        kept.append(commits.select("sha", "parents", "unreadable", *SIZES))
    seconds = time.perf_counter() - start
    answers.put((seconds, pl.concat(kept)))


def refresh(origin: Clone, path: Path) -> tuple[int, float, float]:
    """How many commits are new, seconds to mine them, and to bring a loaded warehouse up to date.

    The warehouse is loaded from ``origin`` as it was about 500 commits earlier. The time to fetch
    is not counted, nor that of starting a process.
    """
    data_dir = DataDirectory.of(path)
    earlier = git(origin, "rev-list", "--first-parent", origin.tip).split()
    old = next((sha for sha in earlier if new_since(origin, sha) >= NEW_COMMITS), earlier[-1])
    # A fetch would fail where the clone lacks an object: its branch is moved instead.
    clone = update_clone(str(origin.path), data_dir.clone("bench/mark"))
    branch = f"refs/heads/{clone.branch}"
    git(clone, "update-ref", branch, old)
    before = load(replace(clone, tip=old), data_dir)
    git(clone, "update-ref", branch, clone.tip)
    start = time.perf_counter()
    listed = list_commits(clone)
    list_branch_commits(clone)
    unknown = listed.filter(~pl.col("sha").is_in(before["sha"].implode()))
    read_issue_templates(clone, unknown)
    for _ in read_commits(clone, unknown):
        pass
    miner = time.perf_counter() - start
    start = time.perf_counter()
    after = load(clone, data_dir)
    writer = time.perf_counter() - start
    assert after["sha"].sort().equals(listed["sha"].sort())
    return unknown.height, miner, writer


def load(clone: Clone, data_dir: DataDirectory) -> pl.DataFrame:
    """Bring the warehouse to what the clone holds, every month of it; the commits stored."""
    listings = [list_commits(clone)["month"], list_branch_commits(clone)["month"]]
    months = pl.concat(listings).unique().sort().to_list()
    with open_warehouse(data_dir.warehouse) as database:
        writer = AuditedWriter(database, data_dir)
        for outcome in load_commits(writer, clone, "bench/mark", months):
            if outcome.failure:
                raise SystemExit(outcome.failure)
        return database.frame("SELECT sha FROM raw.commits")


def new_since(clone: Clone, sha: str) -> int:
    return int(git(clone, "rev-list", "--count", f"{sha}..{clone.tip}"))


def git(clone: Clone, *arguments: str) -> str:
    return run(in_clone(clone.path, *arguments), local_environment()).decode()


def family(pid: int | None) -> Iterator[int]:
    """A process and its descendants, where the system tells."""
    if pid is not None:
        yield pid
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):  # processes end while they are looked at
                for child in task.read_text().split():
                    yield from family(int(child))


def memory(pid: int) -> int:
    """Kilobytes of a process; a page that several share is divided among them."""
    with suppress(OSError):  # processes end while they are looked at
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def numstat(clone: Clone) -> float | None:
    """Seconds of plain git for the same numbers; None where it needs an object that is missing."""
    options = ("log", "--numstat", "-M", "--diff-merges=first-parent", "--format=%H", clone.tip)
    command = ["git", f"--git-dir={clone.path}", *options]
    start = time.perf_counter()
    with Path(os.devnull).open("wb") as nowhere:
        done = subprocess.run(
            command, stdout=nowhere, stderr=nowhere, env=local_environment(), check=False
        )
    return None if done.returncode else time.perf_counter() - start


def choose(commits: pl.DataFrame, count: int) -> pl.DataFrame:
    """Every root and octopus merge, and others at random."""
    special = pl.col("parents").list.len().is_in([1, 2]).not_()
    rest = commits.filter(~special)
    others = random.Random(0).sample(range(rest.height), min(count, rest.height))
    return pl.concat([commits.filter(special), rest[others]])


def pydriller_on(clone: Clone, sample: pl.DataFrame) -> tuple[float, int]:
    """Seconds PyDriller takes for a commit, and how many of ``sample`` it counts differently."""
    repository = pydriller.Git(str(clone.path))
    start = time.perf_counter()
    counted = []
    for sha in sample["sha"]:
        commit = repository.get_commit(sha)
        counted.append((commit.insertions, commit.deletions, commit.files))
    seconds = time.perf_counter() - start
    wrong = sum(
        one != other for one, other in zip(sample.select(SIZES).rows(), counted, strict=True)
    )
    return seconds / max(1, sample.height), wrong


if __name__ == "__main__":
    main()
