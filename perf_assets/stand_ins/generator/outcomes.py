"""What became of the usual reports: duplicates, and reports that people reject.

Planted with chances of their own, so that everything else is as it was planned without it. Traps
stay as they are, and so do reports with a fix.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from random import Random
from typing import Any

import polars as pl

from perf_assets.stand_ins.generator.model import Event, Issue
from perf_assets.stand_ins.generator.planner import HOUR, Plan

DUPLICATES, INVALID = 0.15, 0.15
"""Shares of the usual bug reports that were closed without a fix."""

DUPLICATE, INVALID_LABEL = "duplicate", "invalid"
MARKED_BY_GITHUB = 0.7
"""Share of the duplicates that GitHub marks; the others have a label alone."""

OUTCOMES = {"number": pl.Int64, "outcome": pl.String, "repeats": pl.Int64}


def plant_outcomes(plan: Plan, seed: int) -> None:
    """Let some reports that were closed without a fix repeat another one, or be rejected."""
    rng = Random(f"{seed} outcomes")
    trapped = {id(issue) for trap in plan.traps.values() for issue in trap.issues}
    fixed = {id(issue) for issue in _named_by_fixes(plan)}
    usual = [
        issue
        for issue in plan.issues
        if issue.is_bug_report and id(issue) not in trapped and id(issue) not in fixed
    ]
    in_order = sorted(usual, key=_opened)
    for issue in usual:
        closed = issue.closed
        if closed is None or not issue.has_close_events:
            continue
        draw = rng.random()
        earlier = bisect_left(in_order, issue.created, key=_opened)
        closer = next(event.actor for event in reversed(issue.events) if event.kind == "closed")
        if draw < DUPLICATES and earlier:
            _mark(issue, in_order[rng.randrange(earlier)], closed, closer, rng)
        elif draw < DUPLICATES + INVALID:
            issue.state_reason, issue.labelled_as = "not_planned", INVALID_LABEL
            issue.labels.append(INVALID_LABEL)
            issue.events.append(Event("labeled", closed, closer, label=INVALID_LABEL))


def _opened(issue: Issue) -> int:
    return issue.created


def _mark(issue: Issue, repeated: Issue, closed: int, closer: str | None, rng: Random) -> None:
    """Mark a duplicate, by GitHub or by a label, which does not say of what."""
    if rng.random() >= MARKED_BY_GITHUB:
        issue.labels.append(DUPLICATE)
        issue.events.append(Event("labeled", closed, closer, label=DUPLICATE))
        issue.state_reason, issue.labelled_as = "completed", DUPLICATE
        return
    issue.state_reason, issue.repeats = "duplicate", repeated
    at = max(issue.created, closed - rng.randint(0, HOUR))
    issue.events.append(Event("marked_as_duplicate", at, closer, canonical=repeated))


def planned_outcome(issue: Issue, *, is_fixed: bool) -> str:
    """Return the outcome of a bug report, as it was planned."""
    if issue.closed is None:
        return "open"
    if is_fixed:
        return "fixed"
    if issue.repeats is not None:
        return DUPLICATE
    if issue.labelled_as is not None:
        return issue.labelled_as
    return "not_planned" if issue.state_reason == "not_planned" else "closed_without_fix"


def planned_outcomes(issues: Iterable[tuple[Issue, bool]]) -> Iterator[dict[str, Any]]:
    """Yield number, outcome and repeated number of bug reports, each with whether it is fixed."""
    for issue, is_fixed in issues:
        yield {
            "number": issue.number,
            "outcome": planned_outcome(issue, is_fixed=is_fixed),
            "repeats": issue.repeats and issue.repeats.number,
        }


def _named_by_fixes(plan: Plan) -> Collection[Issue]:
    named = [issue for commit in plan.commits for issue, _ in commit.links]
    named += [issue for pull in plan.pulls for issue in pull.closes]
    named += [
        issue
        for issue in plan.issues
        if issue.named_pulls or any(event.closer is not None for event in issue.events)
    ]
    return named
