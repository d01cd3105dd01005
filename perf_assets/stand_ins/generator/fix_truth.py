"""What the plan knows of the contents of fixes: files, tests, and who wrote the lines they remove.

Every line of the history is unique, so that its writer is certain whatever git compares.
"""

from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import Any

from perf_assets.stand_ins.generator.corpus import timestamp
from perf_assets.stand_ins.generator.history import TESTS
from perf_assets.stand_ins.generator.model import Commit, Issue
from perf_assets.stand_ins.generator.planner import DAY, Plan

LANGUAGES = {".py": "Python", ".md": "Markdown", ".txt": "Text"}

Row = dict[str, Any]


def fix_contents(fix: Collection[Commit]) -> Row:
    """Return columns of marts.bug_metrics; without methods, and without analysis of merges."""
    if not fix:
        return dict.fromkeys(("fix_files", "fix_methods", "fix_languages", "fix_test_share"))
    changed = [(path, sum(lines)) for commit in fix for path, lines in commit.files.items()]
    total = sum(lines for _, lines in changed)
    in_tests = sum(lines for path, lines in changed if _is_test(path))
    languages = {LANGUAGES.get(PurePosixPath(path).suffix, "Other") for path, _ in changed}
    return {
        "fix_files": len({path for path, _ in changed}),
        "fix_methods": None if any(commit.merges for commit in fix) else 0,
        "fix_languages": "|".join(sorted(languages)),
        "fix_test_share": in_tests / total if total else None,
    }


def introducing_commits(plan: Plan, fixes: Collection[Commit]) -> Iterator[Row]:
    """Yield rows of details.introducing_commits for the commits that are linked to bug reports."""
    for commit in fixes:
        for (path, writer), lines in _origins(commit).items():
            yield {
                "repository": plan.repository,
                "sha": commit.sha,
                "path": path,
                "introducing_sha": writer.sha,
                "introduced_at": timestamp(writer.at),
                "lines": lines,
            }


def bug_lifetime(plan: Plan, issue: Issue, fix: Collection[Commit]) -> Row:
    """Return the row of marts.bug_lifetimes of a bug report with a fix."""
    origins = [origin for commit in fix for origin in _origins(commit).items()]
    writers = candidates(issue, fix)
    times = [writer.at for writer in writers]
    if writers:
        outcome = "introduced"
    elif any(commit.merges for commit in fix):
        outcome = "not_traced"
    else:
        outcome = "no_candidate" if origins else "only_adds"
    return {
        "dataset": "live",
        "repository": plan.repository,
        "number": issue.number,
        "is_performance": issue.is_performance,
        "outcome": outcome,
        "removed_lines": sum(lines for _, lines in origins),
        "introducing_commits": len(writers),
        "introduced_at": timestamp(max(times, default=None)),
        "lifetime_days": (issue.created - max(times)) / DAY if times else None,
        "longest_lifetime_days": (issue.created - min(times)) / DAY if times else None,
    }


def candidates(issue: Issue, fix: Collection[Commit]) -> dict[Commit, set[Commit]]:
    """Return who wrote source lines that the ``fix`` removes, before the report; and which of its
    commits remove them."""
    found: dict[Commit, set[Commit]] = {}
    for commit in fix:
        for _, writer in _origins(commit):
            if writer.at <= issue.created:
                found.setdefault(writer, set()).add(commit)
    return found


def _origins(commit: Commit) -> dict[tuple[str, Commit], int]:
    """Return path and writer of the source lines that the commit removes; none for a merge."""
    if commit.merges is not None:
        return {}
    return {
        (path, writer): lines
        for (path, writer), lines in commit.origins.items()
        if path.endswith(".py") and not _is_test(path)
    }


def _is_test(path: str) -> bool:
    return path.startswith(TESTS)
