"""Reading from a stand-in for GitHub on loopback: hastily, whole, and compared."""

from dataclasses import replace
from datetime import datetime

import polars as pl

from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.batches import IssueBatch, joined
from perf_assets.sources.issues.source import ChangePage
from perf_assets.sources.json_answers import AnswerError

HASTY = GitHubPolicy(first_pause=0.01, longest_pause=0.02, secondary_pause=0.01, reset_margin=0.01)


def load(issues: GitHubIssues, months: list[str]) -> IssueBatch:
    return joined(batches_of(issues, issues.counts(months)))


def batches_of(issues: GitHubIssues, counts: dict[str, int]) -> list[IssueBatch]:
    """Every cohort; AnswerError after the others where one cannot be used."""
    batches: list[IssueBatch] = []
    troubles: list[AnswerError] = []
    for _, batch in issues.cohorts(counts):
        if isinstance(batch, AnswerError):
            troubles.append(batch)
        else:
            batches.append(batch)
    if troubles:
        raise troubles[0]
    return batches


def changes(issues: GitHubIssues, since: datetime) -> ChangePage:
    """Everything that changed at or after ``since``, as one page."""
    pages = list(issues.iter_changes(since))
    return replace(pages[-1], batch=joined([page.batch for page in pages]))


def vars_of(batch: IssueBatch) -> list[pl.DataFrame]:
    return list(vars(batch).values())


def assert_same(one: IssueBatch, other: IssueBatch) -> None:
    for left, right in zip(vars_of(one), vars_of(other), strict=True):
        keys = [name for name in left.columns if left.schema[name] != pl.List(pl.String)]
        assert left.sort(keys).equals(right.sort(keys))
