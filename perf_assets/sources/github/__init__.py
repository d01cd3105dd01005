"""The GitHub source: issues with their comments and events, over GraphQL through PyGithub."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perf_assets.sources.github.batches import IssueBatch
    from perf_assets.sources.github.client import GitHubClient
    from perf_assets.sources.github.issues import ChangePage, IssueSource

__all__ = ["ChangePage", "GitHubClient", "IssueBatch", "IssueSource"]

_MODULES = {
    "ChangePage": "issues",
    "GitHubClient": "client",
    "IssueBatch": "batches",
    "IssueSource": "issues",
}


def __getattr__(name: str) -> object:
    # PyGithub takes long to import: who only names the tables should not wait for it.
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
