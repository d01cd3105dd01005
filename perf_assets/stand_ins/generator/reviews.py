"""Sizes and reviews of pull requests, and what a right run must find of both.

Planted last, with chances of their own, so that everything else is as it was planned without it.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from perf_assets.stand_ins.generator.corpus import timestamp
from perf_assets.stand_ins.generator.model import Pull, Review, is_bot, person
from perf_assets.stand_ins.generator.planner import BOTS, DAY, Plan

STATES = ("APPROVED", "APPROVED", "COMMENTED", "CHANGES_REQUESTED", "DISMISSED")
UNREVIEWED = 0.2
BY_THE_AUTHOR, BY_A_BOT, BY_NOBODY = 0.1, 0.15, 0.03
"""Shares of the reviewed: the author comments first, a program does, the account is deleted."""

MOST_REVIEWS = 4
LONG = 24
"""Reviews of one pull request, which are more than a run reads."""

REVIEWS_READ = 20


def plant_reviews(plan: Plan, seed: int) -> None:
    """Give each pull request its size, which follows from its commits, and reviews."""
    rng = Random(f"{seed} reviews")
    for index, pull in enumerate(plan.pulls):
        pull.lines = _lines(pull, rng)
        count = 0 if rng.random() < UNREVIEWED else rng.randint(1, MOST_REVIEWS)
        pull.reviews = _reviews(plan, pull, LONG if index == 1 else count, rng)


def planted_pull_requests(plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield what is right of each pull request, and the bug reports that GitHub relates it to."""
    for pull in sorted(plan.pulls, key=lambda pull: pull.number):
        read = pull.reviews[:REVIEWS_READ]
        by_others = [review for review in read if _is_by_another(pull, review)]
        yield {
            "pull_request": pull.number,
            "author": person(pull.author),
            "opened_at": timestamp(pull.created),
            "first_review_at": timestamp(min((one.at for one in by_others), default=None)),
            "merged_at": timestamp(pull.closed) if pull.is_merged else None,
            "closed_at": timestamp(pull.closed),
            "is_merged": pull.is_merged,
            **dict(zip(("additions", "deletions", "changed_files"), pull.lines, strict=True)),
            "reviews": len(pull.reviews),
            "reviewers": sorted({one.author for one in by_others if one.author is not None}),
            "is_review_list_complete": len(pull.reviews) <= REVIEWS_READ,
            "bug_reports": sorted(_bug_reports(plan, pull)),
        }


def _lines(pull: Pull, rng: Random) -> tuple[int, int, int]:
    """Return added and deleted lines and changed files: of its commits, or else drawn."""
    commits = pull.own
    if not commits:
        return rng.randint(1, 300), rng.randint(0, 100), rng.randint(1, 9)
    files = {path for commit in commits for path in commit.files}
    return (
        sum(commit.additions for commit in commits),
        sum(commit.deletions for commit in commits),
        len(files),
    )


def _reviews(plan: Plan, pull: Pull, count: int, rng: Random) -> list[Review]:
    """Return ``count`` reviews in the order of their times, before it is closed."""
    end = pull.closed or min(pull.created + 9 * DAY, plan.calendar.end - 1)
    times = sorted(rng.randint(pull.created, max(pull.created, end)) for _ in range(count))
    return [
        Review(_reviewer(plan.logins, pull, index, rng), at, rng.choice(STATES))
        for index, at in enumerate(times)
    ]


def _reviewer(logins: Sequence[str], pull: Pull, index: int, rng: Random) -> str | None:
    draw = rng.random()
    if index == 0 and draw < BY_THE_AUTHOR:
        return pull.author
    if index == 0 and draw < BY_THE_AUTHOR + BY_A_BOT:
        return BOTS[0]
    if draw > 1 - BY_NOBODY:
        return None
    others = [login for login in logins[: 2 + len(logins) // 8] if login != pull.author]
    return rng.choice(others)


def _is_by_another(pull: Pull, review: Review) -> bool:
    """Return whether somebody else than the author reviewed; two deleted accounts may be one."""
    return not is_bot(review.author) and person(review.author) != person(pull.author)


def _bug_reports(plan: Plan, pull: Pull) -> Iterator[int]:
    for issue in plan.issues:
        closers = (event.closer for event in issue.events if event.closer is not None)
        is_closer = any(
            closer.pull is pull and closer.repository in (None, plan.former_name)
            for closer in closers
        )
        is_linked = is_closer or any(closed is issue for closed in pull.closes)
        if issue.is_bug_report and is_linked:
            yield issue.number
