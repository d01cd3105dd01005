"""The git source: a bare clone, its commits with sizes, issue templates."""

from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.history import (
    RULE_VERSION,
    commit_months,
    list_branch_commits,
    list_commits,
    list_dropped,
    months_of,
)
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.git.signatures import read_mailmap
from perf_assets.sources.git.templates import read_issue_templates

__all__ = [
    "RULE_VERSION",
    "Clone",
    "commit_months",
    "list_branch_commits",
    "list_commits",
    "list_dropped",
    "months_of",
    "read_commits",
    "read_issue_templates",
    "read_mailmap",
    "update_clone",
]
