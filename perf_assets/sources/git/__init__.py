"""The git source: a bare clone, the commits of its default branch with sizes, issue templates."""

from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.history import commit_months
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.git.templates import read_issue_templates

__all__ = ["Clone", "commit_months", "read_commits", "read_issue_templates", "update_clone"]
