"""Reading from a stand-in on loopback, of GitHub or another host: hastily, whole, and compared."""

from dataclasses import replace
from datetime import UTC, datetime

import polars as pl

from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.issues.batches import IssueBatch, joined
from perf_assets.sources.issues.source import ChangePage, IssueSource
from perf_assets.sources.json_answers import AnswerError

OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
HASTY = GitHubPolicy(first_pause=0.01, longest_pause=0.02, secondary_pause=0.01, reset_margin=0.01)


def load(issues: IssueSource, months: list[str]) -> IssueBatch:
    return joined(batches_of(issues, issues.counts(months)))


def batches_of(issues: IssueSource, counts: dict[str, int]) -> list[IssueBatch]:
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


def changes(issues: IssueSource, since: datetime = OLDEST) -> ChangePage:
    """Everything that changed at or after ``since``, as one page."""
    pages = list(issues.iter_changes(since))
    return replace(pages[-1], batch=joined([page.batch for page in pages]))


def vars_of(batch: IssueBatch) -> list[pl.DataFrame]:
    return list(vars(batch).values())


def assert_same(one: IssueBatch, other: IssueBatch) -> None:
    for left, right in zip(vars_of(one), vars_of(other), strict=True):
        keys = [name for name in left.columns if left.schema[name] != pl.List(pl.String)]
        assert left.sort(keys).equals(right.sort(keys))
