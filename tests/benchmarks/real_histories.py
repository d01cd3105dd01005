"""What mining, linking and the analysis of fixes take on real histories, and whether tracing is
right.

Run by hand, on a quiet machine:

    python -m tests.benchmarks.real_histories REPOSITORY... [--fixes N] [--blamed N]

Each REPOSITORY is a path or URL, cloned to a temporary directory. Of the commits whose subject
speaks of a fix or a bug as many as asked for are drawn with a seed (0: all of them), looked at
closely as a run does, and traced again to count the versions visited; some of them are traced by
``git blame -w -M -C`` of the whole file too. Prints a table in Markdown. A clone may lack objects:
commits that need one are counted and not drawn, and the table names what fails without them.
"""

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import polars as pl

from perf_assets.core.linking.links import link_fixes
from perf_assets.schema import schema_of
from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.command import GitError, in_clone, local_environment
from perf_assets.sources.git.inspection import inspect_commits
from perf_assets.sources.git.inspection_worker import inspect
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.git.szz.introducing import Trace, trace_by_blame
from perf_assets.sources.git.szz.line_history import LineHistory
from perf_assets.sources.git.szz.removed_lines import RemovedCode

FIX = re.compile(r"\b(?:fix(?:e[sd])?|bugs?)\b", re.IGNORECASE)
NAMED = re.compile(r"#(\d{1,6})\b")
APPROACHES = ("event", "url", "id")
NUMSTAT = ("log", "--numstat", "-M", "--diff-merges=first-parent")
COLUMNS = {
    "history": "history",
    "commits": "commits",
    "merges": "merges",
    "numstat": "`git log --numstat`",
    "mining": "mining",
    "unreadable": "unreadable",
    "linking": "linking",
    "fixes": "fixes",
    "analyze_fixes": "analysis of fixes",
    "tracing": "of it tracing",
    "versions": "versions",
    "visits": "visits",
    "steps": "most steps for one fix",
    "untraced": "untraced",
    "blame": "git blame, a file",
    "differing": "other than blame",
    "memory": "memory",
}
"""Of the table: seconds where nothing else is said."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--fixes", type=int, default=300, help="commits looked at; 0: all")
    parser.add_argument("--blamed", type=int, default=30, help="of them, traced by git blame too")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure(arguments.repositories[0], arguments.fixes, arguments.blamed)))
        return
    print("| " + " | ".join(COLUMNS.values()) + " |")
    print("| --- |" + " ---: |" * (len(COLUMNS) - 1))
    for repository in arguments.repositories:
        # A process each, as the most memory that it held is asked for.
        command = [sys.executable, "-m", "tests.benchmarks.real_histories", "--child", repository]
        command += ["--fixes", str(arguments.fixes), "--blamed", str(arguments.blamed)]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        measured = json.loads(printed.splitlines()[-1])
        print("| " + " | ".join(str(measured[name]) for name in COLUMNS) + " |", flush=True)


def measure(repository: str, fixes: int, blamed: int) -> dict[str, object]:
    """One row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        clone = update_clone(repository, Path(folder) / "clone.git")
        numstat, is_whole = timed(lambda: is_readable(clone))
        mining, commits = timed(lambda: pl.concat([batch for batch, _ in read_commits(clone)]))
        linking, _ = timed(lambda: link(commits))
        drawn = draw(commits, fixes)
        analyze_fixes, inspected = timed(lambda: list(inspect_commits(clone.path, drawn)))
        removed = [(found.sha, found.removed) for found in inspect(clone.path, drawn)]
        tracing, history = timed(lambda: traced(clone, removed))
        traces = {found.sha: found.trace for found in inspected}
        sample = random.Random(2).sample(removed, min(blamed, len(removed)))
        blame, expected = timed(lambda: blamed_traces(clone, sample))
        untraced = Counter(trace.problem for trace in traces.values() if trace.problem is not None)
        files = sum(len(code.files) for _, code in sample)
        differing = sum(traces[sha] != trace for sha, trace in expected.items())
    most = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {
        "history": "/".join(Path(repository).parts[-2:]),
        "commits": commits.height,
        "merges": f"{commits['is_merge'].mean():.0%}",
        "numstat": numstat if is_whole else "fails",
        "mining": mining,
        "unreadable": commits["unreadable"].count(),
        "linking": linking,
        "fixes": len(drawn),
        "analyze_fixes": analyze_fixes,
        "tracing": tracing,
        **visited(history),
        "untraced": "; ".join(f"{n} ({why})" for why, n in untraced.items()) or 0,
        "blame": f"{blame / max(1, files):.2f}",
        "differing": f"{differing} of {len(expected)}",
        "memory": f"{most >> 10} MB",
    }


def timed(work):
    started = time.perf_counter()
    result = work()
    return round(time.perf_counter() - started, 1), result


def is_readable(clone: Clone) -> bool:
    """Whether git can count the lines of all commits: what its time is compared with."""
    done = subprocess.run(
        in_clone(clone.path, *NUMSTAT, clone.tip),
        env=local_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode == 0


def link(commits: pl.DataFrame) -> pl.DataFrame:
    """Link the commits to issues of all numbers that their messages name."""
    numbers = commits["message"].str.extract_all(NAMED.pattern).explode().drop_nulls().unique()
    issues = pl.DataFrame({"number": numbers.str.strip_chars("#").cast(pl.Int64)}).unique()
    issues = issues.with_columns(created_at=commits["committed_at"].min())
    named = commits.with_columns(repository=pl.lit("a/b"), branch=pl.lit(None, pl.String))
    nothing = (
        pl.DataFrame(schema=schema_of(table))
        for table in ("raw.issue_events", "raw.issue_pull_requests")
    )
    return link_fixes(named, issues, *nothing, APPROACHES)


def draw(commits: pl.DataFrame, fixes: int) -> list[str]:
    """Commits that look like fixes, in the order of their hashes."""
    whole = commits.filter(~pl.col("is_merge"), pl.col("unreadable").is_null())
    subjects = whole.select("sha", "message").rows()
    looking = sorted(sha for sha, message in subjects if FIX.search((message or "").split("\n")[0]))
    return random.Random(1).sample(looking, min(fixes or len(looking), len(looking)))


def traced(clone: Clone, removed: list[tuple[str, RemovedCode]]) -> LineHistory | None:
    """The history with the fixes traced through it; None where it cannot be read whole."""
    try:
        history = LineHistory(clone.path, [sha for sha, _ in removed])
        history.trace(removed)
    except GitError:
        return None
    return history


def visited(history: LineHistory | None) -> dict[str, object]:
    """How many versions were there and visited, and the most steps for one fix."""
    if history is None:
        return dict.fromkeys(("versions", "visits", "steps"), "fails")
    return {
        "versions": len(history.versions.blob_of),
        "visits": history.versions.visits,
        "steps": max(history.steps, default=0),
    }


def blamed_traces(clone: Clone, fixes: list[tuple[str, RemovedCode]]) -> dict[str, Trace]:
    """What git blame says of the fixes; of none for which it needs an object that is missing."""
    traces = {}
    for sha, removed in fixes:
        with suppress(GitError):
            (traces[sha],) = trace_by_blame(clone.path, [(sha, removed)])
    return traces


if __name__ == "__main__":
    main()
