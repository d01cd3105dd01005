"""A process that loads issues through the audited writer, quick to start and fit to be killed."""

from pathlib import Path
from typing import Any

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.opening import open_issue_source
from perf_assets.stages.mining.issues import load_issues
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse


def load(url: str, data_dir: Path, repository: str, months: list[str]) -> None:
    """Load or refresh ``months``; an AssertionError where one fails its audit."""
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        source = GitHubIssues(GitHubClient(url), repository)
        for outcome in load_issues(
            AuditedWriter(database, DataDirectory(data_dir)), source, months
        ):
            assert outcome.failure is None, outcome.failure


def load_from(repository: dict[str, Any], data_dir: Path, months: list[str]) -> None:
    """Load ``months`` of a repository as a study names it, from whatever host it is on."""
    with (
        open_warehouse(data_dir / "warehouse.duckdb") as database,
        open_issue_source(Repository(**repository)) as source,
    ):
        for outcome in load_issues(
            AuditedWriter(database, DataDirectory(data_dir)), source, months
        ):
            assert outcome.failure is None, outcome.failure
