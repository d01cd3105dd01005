"""How good the links are: precision and recall against a list of known fixes, by approach.

Run by hand:

    python -m tests.benchmarks.link_quality CORPUS REPOSITORY TRUTH [--alias OWNER/NAME]

CORPUS is a corpus directory, REPOSITORY its git repository, TRUTH a CSV file with the columns
issue_number and commit. The links are made three times: with what the corpus has; with a closing
event of GitHub for each pull request that brought a known fix, as the corpus may lack it; and
with such events that name the pull request and not its merge commit, so that git has to find it.

Only issues that the truth knows are counted; of others nobody can say. What comments name is in all
three. How often links are right that no list knows was read: see link_calibration.py.

A link is right when the truth has its issue and commit. As a list of fixes often names one commit
of a pull request, the merge or one of the branch, the second precision takes every commit of a
pull request that brought a known fix for right.
"""

import argparse
import csv
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from perf_assets.base.corpus import read_corpus
from perf_assets.core.linking.links import APPROACHES, link_fixes
from perf_assets.schema import schema_of
from perf_assets.schema.types import TEXTS

MERGED = re.compile(r"(?:Merge|Squash) pull request #(\d+) from ")

Pair = tuple[int, str]
Pull = tuple[int, str]  # number and merge commit


def main() -> None:
    arguments = read_arguments()
    corpus = read_corpus(arguments.corpus, arguments.name)
    commits = read_history(arguments.repository, corpus.repository)
    with arguments.truth.open(encoding="utf-8") as file:
        truth = {(int(row["issue_number"]), row["commit"]) for row in csv.DictReader(file)}
    issues = pl.DataFrame(
        [(n, datetime.fromisoformat(record["created_at"])) for n, record in corpus.issues.items()],
        schema=["number", "created_at"],
        orient="row",
    )
    main_line = set(commits.filter(pl.col("branch").is_null())["sha"])
    on_main = {pair for pair in truth if pair[1] in main_line}
    print(f"{corpus.repository}: {commits.height} commits, {issues.height} issues")
    print(f"known fixes: {len(truth)} pairs, {len(on_main)} of them on the default branch")
    pulls = dict(pulls_of(arguments.repository, commits, truth))
    print(f"pull requests brought {len(pulls)} of them")
    known = sorted({number for number, _ in truth})
    comment_rows = pl.DataFrame(
        [
            (place, number, comment["body"])
            for number, comments in corpus.comments.items()
            for place, comment in enumerate(comments)
        ],
        schema={"comment_id": pl.Int64, "number": pl.Int64, "body": pl.String},
        orient="row",
    )
    right = delivered(arguments.repository, pulls) | truth
    for title, pull_requests in (
        ("without GitHub's side", []),
        ("GitHub names pull requests and their merge commits", events(pulls, merges=True)),
        ("GitHub names pull requests alone", events(pulls, merges=False)),
    ):
        found = linked(commits, issues, pull_requests, comment_rows, arguments.alias)
        found = found.filter(pl.col("number").is_in(known))
        print(f"\n{title}")
        report(found, truth, right)
        report(found.filter(pl.col("branch").is_null()), on_main, right, "default branch: ")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, help="corpus directory")
    parser.add_argument("repository", type=Path, help="path of its git repository")
    parser.add_argument("truth", type=Path, help="CSV file: issue_number, commit")
    parser.add_argument("--alias", action="append", default=[], help="a former name")
    parser.add_argument("--name", help="owner/name, where the corpus does not tell")
    return parser.parse_args()


def git(repository: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(repository), *arguments],
        capture_output=True,
        check=True,
        encoding="utf-8",
        errors="replace",
    ).stdout


def read_history(repository: Path, name: str) -> pl.DataFrame:
    """The commits of all branches; those of the default one have no ``branch``."""
    main_line = set(git(repository, "rev-list", "HEAD").split())
    log = git(repository, "log", "--branches", "--format=%H%x1f%P%x1f%ct%x1f%S%x1f%B%x1e")
    rows = []
    for entry in log.split("\x1e"):
        if not entry.strip():
            continue
        sha, parents, seconds, source, message = entry.lstrip("\n").split("\x1f")
        when = datetime.fromtimestamp(int(seconds), UTC)
        branch = None if sha in main_line else source.removeprefix("refs/heads/")
        rows.append((name, sha, parents.split(), message.strip(), when, f"{when:%Y-%m}", branch))
    columns = ("repository", "sha", "parents", "message", "committed_at", "month", "branch")
    return pl.DataFrame(rows, list(columns), orient="row", schema_overrides={"parents": TEXTS})


def pulls_of(
    repository: Path, commits: pl.DataFrame, truth: Iterable[Pair]
) -> Iterator[tuple[Pair, Pull]]:
    """The pull request of each known fix, as git alone tells it: its own subject, or the first
    merge on the way to a branch that brought it."""
    messages = dict(commits.select("sha", "message").iter_rows())
    for issue, sha in truth:
        found = MERGED.match(messages.get(sha, ""))
        if found:
            yield (issue, sha), (int(found[1]), sha)
            continue
        way = ["--merges", "--ancestry-path", "--topo-order", "--reverse", f"^{sha}", "--branches"]
        for merge in git(repository, "rev-list", *way).split():
            found = MERGED.match(messages[merge])
            if found and sha in brought(repository, merge):
                yield (issue, sha), (int(found[1]), merge)
                break


def brought(repository: Path, merge: str) -> set[str]:
    """What a merge brought, in git's own words; a commit that is not a merge brought itself."""
    _, _, *others = git(repository, "rev-list", "--parents", "-1", merge).split()
    if not others:
        return {merge}
    return set(git(repository, "rev-list", *others, f"^{merge}^1").split())


def delivered(repository: Path, pulls: dict[Pair, Pull]) -> set[Pair]:
    """Every commit of the pull requests that brought a known fix."""
    merges = {merge: brought(repository, merge) | {merge} for _, merge in pulls.values()}
    return {(issue, sha) for (issue, _), (_, merge) in pulls.items() for sha in merges[merge]}


def events(pulls: dict[Pair, Pull], *, merges: bool) -> list[tuple[int, int, str | None]]:
    """Issue, pull request and merge commit that a closing event would name."""
    pull_requests = {(issue, number, merge) for (issue, _), (number, merge) in pulls.items()}
    return [
        (issue, number, merge if merges else None) for issue, number, merge in sorted(pull_requests)
    ]


def linked(
    commits: pl.DataFrame,
    issues: pl.DataFrame,
    pull_requests: list[tuple[int, int, str | None]],
    comments: pl.DataFrame,
    aliases: list[str],
) -> pl.DataFrame:
    name = commits["repository"][0]
    closed = pl.DataFrame(
        [
            {"number": issue, "event_id": f"{place}", "commit_sha": merge, "pull_request": pull}
            | {"closer_repository": name, "created_at": datetime(2020, 1, 1, tzinfo=UTC)}
            for place, (issue, pull, merge) in enumerate(pull_requests)
        ],
        schema_overrides=schema_of("raw.issue_events"),
        schema=list(schema_of("raw.issue_events")),
    )
    related = pl.DataFrame(
        [
            {"number": issue, "pull_request": pull, "pull_request_repository": name}
            | {"relation": "closer", "is_merged": True, "merge_commit_sha": merge}
            for issue, pull, merge in pull_requests
        ],
        schema_overrides=schema_of("raw.issue_pull_requests"),
        schema=list(schema_of("raw.issue_pull_requests")),
    )
    return link_fixes(
        commits, issues, closed, related, APPROACHES, comments=comments, aliases=aliases
    )


def report(links: pl.DataFrame, truth: set[Pair], right: set[Pair], where: str = "") -> None:
    print(
        f"  {where or 'all branches: '}approach, links, right, precision, "
        "precision by pull request, recall, bugs with a right link"
    )
    groups: dict[str, set[Pair]] = defaultdict(set)
    for number, sha, approach, counted in links.select(
        "number", "sha", "approach", "is_counted"
    ).iter_rows():
        groups[approach].add((number, sha))
        groups["any"].add((number, sha))
        if counted:
            groups["counted"].add((number, sha))
    bugs = {number for number, _ in truth}
    for approach in (*APPROACHES, "any", "counted"):
        found = groups[approach]
        hits = found & truth
        share = f"{len(hits) / len(found):.3f}" if found else "-"
        wide = f"{len(found & right) / len(found):.3f}" if found else "-"
        reached = {number for number, _ in hits}
        print(
            f"  {approach:24}{len(found):6}{len(hits):6}{share:>8}{wide:>8}"
            f"{len(hits) / len(truth):8.3f}{len(reached):5} of {len(bugs)}"
        )


if __name__ == "__main__":
    main()
