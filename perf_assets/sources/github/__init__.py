"""The GitHub source: issues with their comments and events, over GraphQL through PyGithub."""

from perf_assets.sources.github.batches import IssueBatch
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import IssueSource, Look

__all__ = ["GitHubClient", "IssueBatch", "IssueSource", "Look"]
