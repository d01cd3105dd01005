"""How often SZZ names the commit that brought a bug: precision and recall on developers' own words.

Run by hand:

    python -m tests.benchmarks.szz ORACLE CLONES

ORACLE is a JSON file of the oracle of Rosa et al. ("Evaluating SZZ Implementations Through a
Developer-informed Oracle", ICSE 2021; public repository grosa1/icse2021-szz-replication-package,
``json-input-raw/bugfix_commits_all.json``): fixes whose message names the commits that brought the
bug. CLONES is a folder with clones, bare or not, at most two folders deep, whatever their names: a
fix is looked for in all of them, since many projects of the oracle are forks. Fixes of which a
commit that they name is in no clone are left out.

Each fix goes through the code that fills ``details.introducing_commits``; merges are left out, as
in ``intermediate.bug_introductions``. Three answers are judged: ``latest`` (the candidate that was
committed last, from which ``marts.bug_lifetimes`` counts), ``earliest``, and ``all`` candidates.
Counted over all fixes, as the authors do: precision is the share of the named commits that are
right, recall the share of the commits to be found that were named, each with Wilson's interval.
Once without a report, as the oracle knows few; and once for an ideal one, a minute after the last
commit that brought the bug (the authors' best scenario), which nobody has.
"""

import argparse
import json
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scipy.stats import binomtest

from perf_assets.sources.git.inspection import inspect_commits

Candidates = dict[str, int]
"""Commits with the time of their commit, in seconds since 1970."""


@dataclass(frozen=True)
class Fix:
    """A fix of the oracle: the commits that brought its bug, and the time of an ideal report."""

    sha: str
    brought_by: frozenset[str]
    reported: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("oracle", type=Path, help="JSON file of fixes")
    parser.add_argument("clones", type=Path, help="folder of clones")
    arguments = parser.parse_args()
    fixes = read_oracle(arguments.oracle)
    answers: list[tuple[Fix, Candidates]] = []
    clones = 0
    for clone in repositories(arguments.clones):
        left = [fix for fix in fixes if all(fix.sha != known.sha for known, _ in answers)]
        here = held(clone, left)
        clones += bool(here)
        answers += inspected(clone, here)
    untraced = sum(not candidates for _, candidates in answers)
    print(
        f"{len(answers)} of {len(fixes)} fixes, in {clones} clones; "
        f"of {untraced} SZZ names no candidate"
    )
    for title, chosen in (
        ("without a report", answers),
        ("with an ideal report", [(fix, before(fix, found)) for fix, found in answers]),
    ):
        print(
            f"{title}\n  names      named right  precision          to find  recall             F1"
        )
        for name, choose in CHOICES.items():
            report(name, [(fix.brought_by, choose(found)) for fix, found in chosen])


def read_oracle(path: Path) -> list[Fix]:
    """The fixes of the oracle, each once."""
    fixes = {
        entry["fix_commit_hash"]: Fix(
            entry["fix_commit_hash"], frozenset(entry["bug_commit_hash"]), reported(entry)
        )
        for entry in json.loads(path.read_text(encoding="utf-8"))
    }
    return list(fixes.values())


def reported(entry: dict[str, str]) -> int:
    """When the bug was, or would ideally have been, reported."""
    answer_of = entry.get("best_scenario_issue_date") or entry["earliest_issue_date"]
    return int(datetime.fromisoformat(answer_of).replace(tzinfo=UTC).timestamp())


def repositories(folder: Path) -> Iterator[Path]:
    """The git directories in ``folder``, at most two folders deep, sorted."""
    for pattern in ("*", "*/*", "*/.git", "*/*/.git"):
        yield from sorted(one for one in folder.glob(pattern) if (one / "objects").is_dir())


def held(clone: Path, fixes: Sequence[Fix]) -> list[Fix]:
    """Those of the ``fixes`` of which the clone has all commits, the fix itself no merge."""
    shas = sorted({sha for fix in fixes for sha in (fix.sha, *fix.brought_by)})
    answer = git(clone, "cat-file", "--batch-check=%(objecttype)", given="\n".join(shas))
    there = {
        sha
        for sha, answer_of in zip(shas, answer.splitlines(), strict=True)
        if answer_of == "commit"
    }
    found = [fix for fix in fixes if {fix.sha, *fix.brought_by} <= there]
    return [fix for fix in found if len(git(clone, "rev-parse", f"{fix.sha}^@").split()) == 1]


def inspected(clone: Path, fixes: Sequence[Fix]) -> Iterator[tuple[Fix, Candidates]]:
    """Each fix with the commits that SZZ names."""
    traces = inspect_commits(clone, [fix.sha for fix in fixes]) if fixes else iter(())
    for fix, commit in zip(fixes, traces, strict=True):
        introducing = commit.trace.introducing
        yield fix, {sha: when for _, sha, when, is_merge, _ in introducing if not is_merge}


def before(fix: Fix, candidates: Candidates) -> Candidates:
    """The candidates from before the ideal report."""
    return {sha: when for sha, when in candidates.items() if when <= fix.reported}


def git(clone: Path, *arguments: str, given: str = "") -> str:
    command = ["git", "--git-dir", str(clone), *arguments]
    ran = subprocess.run(command, input=given, capture_output=True, check=True, encoding="utf-8")
    return ran.stdout


def at_the(end: Callable[[Iterable[int]], int]) -> Callable[[Candidates], set[str]]:
    def choose(candidates: Candidates) -> set[str]:
        by_time = defaultdict(list)
        for sha, when in candidates.items():
            by_time[when].append(sha)
        return {min(by_time[end(by_time)])} if by_time else set()

    return choose


CHOICES: dict[str, Callable[[Candidates], set[str]]] = {
    "latest": at_the(max),
    "earliest": at_the(min),
    "all": set,
}


def report(name: str, judged: Iterable[tuple[frozenset[str], set[str]]]) -> None:
    pairs = list(judged)
    right = sum(len(truth & named) for truth, named in pairs)
    named = sum(len(named) for _, named in pairs)
    to_find = sum(len(truth) for truth, _ in pairs)
    f1 = 2 * right / (named + to_find)
    print(
        f"  {name:9}{named:7}{right:6}  {share(right, named)}{to_find:10}  "
        f"{share(right, to_find)}  {f1:.3f}"
    )


def share(right: int, number: int) -> str:
    interval = binomtest(right, number).proportion_ci(method="wilson")
    return f"{right / number:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


if __name__ == "__main__":
    main()
