"""The raw assets: what GitHub and git say, a partition per repository and month."""

from collections.abc import Iterator, Sequence

import dagster as dg

from perf_assets.assets.factory import PartitionedStep, Stored, partitioned_asset, stored
from perf_assets.assets.run_options import RunOptions
from perf_assets.config.study import Repository, Study
from perf_assets.sources.github.batches import TABLES as ISSUE_TABLES
from perf_assets.stages.mining.commits import TABLES as COMMIT_TABLES
from perf_assets.stages.mining.commits import mine_commits
from perf_assets.stages.mining.static_findings import TABLES as FINDING_TABLES
from perf_assets.stages.mining.static_findings import mine_findings
from perf_assets.storage.audited_writer import AuditedWriter, WriteOutcome
from perf_assets.storage.home import Home

ISSUES = stored("github_issues", *ISSUE_TABLES, kinds=["github"])
COMMITS = stored("git_commits", *COMMIT_TABLES, kinds=["git"])
FINDINGS = stored("static_findings", *FINDING_TABLES, kinds=["git", "python"])


def mining_assets(
    study: Study, home: Home, longest_wait: float
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """The issues of the study's repositories, their commits, and what checks find in their trees.

    Where the study wants no checks of any, the assets of these are there all the same, for
    statistics read them, and nothing fills them.
    """

    def issues(
        gate: AuditedWriter, repository: Repository, months: list[str], options: RunOptions
    ) -> Iterator[WriteOutcome]:
        # It takes PyGithub, which takes long to import: only who mines should wait for that.
        from perf_assets.stages.mining.issues import mine_issues  # noqa: PLC0415

        verify_months = study.verify_months if options.is_verifying else None
        return mine_issues(gate, repository, months, verify_months, longest_wait)

    def commits(
        gate: AuditedWriter, repository: Repository, months: list[str], _: RunOptions
    ) -> Iterator[WriteOutcome]:
        return mine_commits(gate, repository, months)

    def findings(
        gate: AuditedWriter, repository: Repository, months: list[str], _: RunOptions
    ) -> Iterator[WriteOutcome]:
        return mine_findings(gate, repository, months)

    steps = (
        (
            ISSUES,
            issues,
            "Issues with comments and events, as GitHub tells them: new cohorts and what changed.",
        ),
        (
            COMMITS,
            commits,
            "Commits of all branches, files of the default branch's, versions of issue templates.",
        ),
        (
            FINDINGS,
            findings,
            "What static checks find in the tree at the end of each quarter.",
        ),
    )
    return by_repository(study, home, steps)


def by_repository(
    study: Study, home: Home, steps: Sequence[tuple[Stored, PartitionedStep[Repository], str]]
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """The assets of ``steps``, described, by repository and month.

    In a study of forums alone nothing fills them; they are there, for models read them.
    """
    if not study.repositories:
        return [spec for what, _, _ in steps for spec in what.specs()]
    return [
        partitioned_asset(what, study.repositories, home, step, said) for what, step, said in steps
    ]
