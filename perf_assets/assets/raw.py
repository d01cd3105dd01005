"""The raw assets: what GitHub and git say, a partition per repository and month."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

import dagster as dg

from perf_assets.assets import wiring
from perf_assets.partitions import VERIFY_TAG
from perf_assets.sources.git import update_clone
from perf_assets.sources.opening import open_issue_source
from perf_assets.sql_models.laying import table_docs
from perf_assets.stages.commits import load_commits
from perf_assets.stages.issues import load_issues
from perf_assets.storage.gate import Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.study import Repository, Study

ISSUE_TABLES = (
    "raw.issues",
    "raw.issue_comments",
    "raw.issue_events",
    "raw.issue_pull_requests",
)
COMMIT_TABLES = ("raw.commits", "raw.commit_files", "raw.issue_templates", "raw.branch_commits")


def raw_assets(
    study: Study, home: Home, partitions: dg.MultiPartitionsDefinition
) -> list[dg.AssetsDefinition]:
    """The issues of the study's repositories, and their commits."""
    docs = table_docs()

    @dg.multi_asset(
        name="github_issues",
        specs=[
            wiring.table_spec(docs[table], kinds={"github"}, partitions=partitions)
            for table in ISSUE_TABLES
        ],
        check_specs=[check for table in ISSUE_TABLES for check in wiring.rule_checks(table)],
        partitions_def=partitions,
        backfill_policy=wiring.SINGLE_RUN,
    )
    def github_issues(context: dg.AssetExecutionContext) -> Iterator[wiring.Event]:
        """Issues with comments and events, as GitHub tells them: new cohorts and what changed."""
        verify_months = study.verify_months if VERIFY_TAG in context.run_tags else None
        load = partial(_load_issues, verify_months=verify_months)
        yield from wiring.bring_up_to_date(context, home, study, ISSUE_TABLES, load)

    @dg.multi_asset(
        name="git_commits",
        specs=[
            wiring.table_spec(docs[table], kinds={"git"}, partitions=partitions)
            for table in COMMIT_TABLES
        ],
        check_specs=[check for table in COMMIT_TABLES for check in wiring.rule_checks(table)],
        partitions_def=partitions,
        backfill_policy=wiring.SINGLE_RUN,
    )
    def git_commits(context: dg.AssetExecutionContext) -> Iterator[wiring.Event]:
        """Commits of all branches, files of the default branch's, versions of issue templates."""
        yield from wiring.bring_up_to_date(context, home, study, COMMIT_TABLES, _load_commits)

    return [github_issues, git_commits]


def _load_issues(
    gate: Gate, repository: Repository, months: list[str], *, verify_months: int | None
) -> Iterator[Outcome]:
    started = datetime.now(UTC)
    with open_issue_source(repository) as source:
        try:
            yield from load_issues(gate, source, months, verify_months)
        finally:
            asked = source.client.total
            gate.database.connection.execute(
                "INSERT INTO meta.source_requests VALUES (?, ?, ?, ?)",
                [repository.name, started, asked.requests, asked.points],
            )


def _load_commits(gate: Gate, repository: Repository, months: list[str]) -> Iterator[Outcome]:
    clone = update_clone(repository.git, gate.home.clone(repository.name))
    yield from load_commits(gate, clone, repository.name, months)
