"""Which commits fixed which issues, by month of the commit."""

from collections.abc import Sequence

import polars as pl

from perf_assets.core.linking.links import link_fixes
from perf_assets.progress import phase
from perf_assets.stages.deciding.months import from_first, loaded_months
from perf_assets.storage.audit import Parameters
from perf_assets.storage.gate import Candidate, Gate, Mark, Offer, Outcome, Provenance
from perf_assets.study import Study


def link_commits(gate: Gate, study: Study, repository: str, months: Sequence[str]) -> list[Outcome]:
    """Link the loaded commits of ``months``, and of those that follow, to the issues they fixed."""
    loaded = loaded_months(gate, "raw.commits", repository)
    commits = gate.database.frame(
        """
        select
            repository, sha, parents, message, committed_at, month, cast(null as varchar) as branch
        from raw.commits
        where repository = $1
        union all
        select repository, sha, parents, message, committed_at, month, branch
        from raw.branch_commits
        where repository = $1
        """,
        [repository],
    )
    issues = gate.database.frame(
        "select number, created_at from raw.issues where repository = ?", [repository]
    )
    closed = gate.database.frame(
        "select * from raw.issue_events where repository = ? and event = 'closed'", [repository]
    )
    pull_requests = gate.database.frame(
        "select * from raw.issue_pull_requests where repository = ?", [repository]
    )
    numbers = set(issues["number"])
    with phase(f"linking commits of {repository}"):
        links = link_fixes(commits, issues, closed, pull_requests, study.count_approaches)
    mark = Mark(rule_version=",".join(study.count_approaches))
    partitions = []
    for month in from_first(loaded, months):
        of_month = pl.col("month") == month
        told: Parameters = {
            "commit_shas": commits.filter(of_month)["sha"].to_list(),
            "issue_numbers": numbers,
        }
        candidate = Candidate("links.fix_links", links.filter(of_month), told)
        partitions.append(Offer([candidate], repository, month, Provenance(mark)))
    with phase(f"storing links of {repository}"):
        return gate.store(partitions)
