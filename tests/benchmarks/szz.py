"""How often SZZ names the commit that brought a bug: precision and recall on developers' own words.

Run by hand:

    python -m tests.benchmarks.szz ORACLE CLONES [--variants FOLDER]

ORACLE is a JSON file of the oracle of Rosa et al. ("Evaluating SZZ Implementations Through a
Developer-informed Oracle", ICSE 2021; public repository grosa1/icse2021-szz-replication-package,
``json-input-raw/bugfix_commits_all.json``): fixes whose message names the commits that brought the
bug. CLONES is a folder with clones, bare or not, at most two folders deep, whatever their names: a
fix is looked for in all of them, since many projects of the oracle are forks. Fixes of which a
commit that they name is in no clone are left out. FOLDER has the answers of the nine published
variants (``json-output-raw/json-output.zip`` of the package, unpacked), judged on the same fixes.

Each fix goes through the code that fills ``details.introducing_commits``; merges are left out, as
in ``intermediate.bug_introductions``. Five answers are judged: ``latest`` (the candidate that was
committed last, from which ``marts.bug_lifetimes`` counts), ``earliest``, ``all`` candidates, the
most ``probable``, and the ``likely`` ones, of a half or more. The message of the fix,
which names the answer, is never read. The probability of a candidate is that of a logistic model
that was fitted to the other half of the clones; the numbers fitted to all are those of the query.
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
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression

from perf_assets.sources.git.inspection import inspect_commits

VARIANTS = {
    "B-SZZ": "b",
    "AG-SZZ": "ag",
    "L-SZZ": "l",
    "R-SZZ": "r",
    "MA-SZZ": "ma",
    "RA-SZZ*": "ra",
    "SZZ@PYD": "pd",
    "SZZ@UNL": "unleashed",
    "SZZ@OPN": "open",
}
"""The published variants, by the authors' names, and their files; RA-SZZ* and SZZ@OPN read Java."""

BINS = (0, 0.1, 0.25, 0.5, 0.75, 1)


@dataclass(frozen=True)
class Fix:
    """A fix of the oracle: the commits that brought its bug, and the time of an ideal report."""

    sha: str
    brought_by: frozenset[str]
    reported: int


@dataclass(frozen=True)
class Candidate:
    """A commit that SZZ names: when it was committed, its share of the lines, age at the fix."""

    when: int
    share: float
    days: float
    probability: float = 0.0


Candidates = dict[str, Candidate]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("oracle", type=Path, help="JSON file of fixes")
    parser.add_argument("clones", type=Path, help="folder of clones")
    parser.add_argument("--variants", type=Path, help="folder of answers of the published variants")
    arguments = parser.parse_args()
    fixes = read_oracle(arguments.oracle)
    answers: list[tuple[Fix, Candidates]] = []
    halves: list[int] = []
    clones = 0
    for clone in repositories(arguments.clones):
        left = [fix for fix in fixes if all(fix.sha != known.sha for known, _ in answers)]
        here = held(clone, left)
        clones += bool(here)
        answers += inspected(clone, here)
        halves += [clones % 2] * len(here)
    untraced = sum(not candidates for _, candidates in answers)
    print(
        f"{len(answers)} of {len(fixes)} fixes, in {clones} clones; "
        f"of {untraced} SZZ names no candidate"
    )
    answers = estimated(answers, halves)
    for title, ending, chosen in (
        ("without a report", "", answers),
        (
            "with an ideal report",
            ".issue-filter",
            [(fix, before(fix, found)) for fix, found in answers],
        ),
    ):
        print(
            f"{title}\n  names      named right  precision          to find  recall             F1"
        )
        for name, choose in CHOICES.items():
            report(name, [(fix.brought_by, choose(found)) for fix, found in chosen])
        for name, short in VARIANTS.items() if arguments.variants else ():
            file = arguments.variants / f"bic_{short}_bugfix_commits_all{ending}.json"
            named = published(file)
            report(name, [(fix.brought_by, named.get(fix.sha, set())) for fix, _ in answers])


def estimated(
    answers: Sequence[tuple[Fix, Candidates]], halves: Sequence[int]
) -> list[tuple[Fix, Candidates]]:
    """Give candidates the probability of a model that was fitted to the other half of clones."""
    rows = [
        (number, sha, candidate, sha in fix.brought_by)
        for number, (fix, found) in enumerate(answers)
        for sha, candidate in found.items()
    ]
    signs = np.array([[c.share, np.log1p(c.days)] for _, _, c, _ in rows]).reshape(-1, 2)
    right = np.array([is_right for *_, is_right in rows], bool)
    half = np.array([halves[number] for number, *_ in rows])
    if any(len(set(right[half == side])) < 2 for side in (0, 1)):
        return list(answers)
    chances = np.empty(len(rows))
    for side in (0, 1):
        model = LogisticRegression(C=100).fit(signs[half != side], right[half != side])
        chances[half == side] = model.predict_proba(signs[half == side])[:, 1]
    whole = LogisticRegression(C=100).fit(signs, right)
    print(
        f"fitted to all: {whole.intercept_.round(3)}, {whole.coef_.round(3)} (share, ln days + 1)"
    )
    print(f"Brier score on the other half {np.mean((chances - right) ** 2):.3f}")
    for low, high in pairwise(BINS):
        there = (chances >= low) & (chances < high)
        if there.any():
            observed = share(int(right[there].sum()), int(there.sum()))
            print(f"  {low} to {high}: {there.sum()}, mean {chances[there].mean():.3f}, {observed}")
    found: list[tuple[Fix, Candidates]] = [(fix, {}) for fix, _ in answers]
    for (number, sha, candidate, _), chance in zip(rows, chances, strict=True):
        found[number][1][sha] = replace(candidate, probability=float(chance))
    return found


def published(file: Path) -> dict[str, set[str]]:
    """The commits that a published variant names for each fix."""
    entries = json.loads(file.read_text(encoding="utf-8"))
    return {entry["fix_commit_hash"]: set(entry["inducing_commit_hash"]) for entry in entries}


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
        fixed = int(git(clone, "show", "-s", "--format=%ct", fix.sha))
        lines: dict[tuple[str, int], int] = defaultdict(int)
        for _, sha, when, is_merge, count in commit.trace.introducing:
            if not is_merge:
                lines[sha, when] += count
        total = sum(lines.values())
        yield (
            fix,
            {
                sha: Candidate(when, count / total, max(fixed - when, 0) / 86_400)
                for (sha, when), count in lines.items()
            },
        )


def before(fix: Fix, candidates: Candidates) -> Candidates:
    """The candidates from before the ideal report."""
    return {sha: one for sha, one in candidates.items() if one.when <= fix.reported}


def git(clone: Path, *arguments: str, given: str = "") -> str:
    command = ["git", "--git-dir", str(clone), *arguments]
    ran = subprocess.run(command, input=given, capture_output=True, check=True, encoding="utf-8")
    return ran.stdout


def at_the(end: Callable[[Iterable[int]], int]) -> Callable[[Candidates], set[str]]:
    def choose(candidates: Candidates) -> set[str]:
        by_time = defaultdict(list)
        for sha, candidate in candidates.items():
            by_time[candidate.when].append(sha)
        return {min(by_time[end(by_time)])} if by_time else set()

    return choose


def probable(candidates: Candidates) -> set[str]:
    """The most probable candidate, of several the latest."""
    return set(
        sorted(candidates, key=lambda sha: (candidates[sha].probability, candidates[sha].when))[-1:]
    )


CHOICES: dict[str, Callable[[Candidates], set[str]]] = {
    "latest": at_the(max),
    "earliest": at_the(min),
    "all": set,
    "probable": probable,
    "likely": lambda found: {sha for sha, one in found.items() if one.probability >= 0.5},
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
    if not number:
        return "none                "
    interval = binomtest(right, number).proportion_ci(method="wilson")
    return f"{right / number:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


if __name__ == "__main__":
    main()
