"""What a run costs of GitHub's rate limit, and whether its tokens and permissions suffice."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from math import ceil

from perf_assets.base.processes.progress import in_words
from perf_assets.config.repositories import Repository
from perf_assets.sources.github.accounts import POINTS_PER_HOUR, Accounts, GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.credentials import credentials_of
from perf_assets.sources.github.issues import (
    COUNTS_PER_REQUEST,
    FEW_CHANGES,
    FEW_CHANGES_POINTS,
    PAGE_POINTS,
    GitHubIssues,
    pages,
)
from perf_assets.sources.github.long_lists import PAGE
from perf_assets.sources.issues.opening import Say, StoredMonths, succeeds
from perf_assets.sources.issues.source import RequestCost

LONG_THREADS = 1.05  # requests for threads longer than a page, as the benchmark has them
SECONDS_PER_REQUEST = 2.0  # of a full page, roughly
HOUR = 3600.0


def examine_api(
    url: str, repositories: list[Repository], stored: Callable[[Repository], StoredMonths], say: Say
) -> bool:
    """Report the tokens for an API, and what there is to read of each of its repositories."""
    # A diagnosis does not wait for a limit.
    client = GitHubClient(url, credentials_of(), say, GitHubPolicy(longest_wait=0))
    try:
        if not all_tokens(client.accounts, say):
            say(f"no token works at {url}: create one at https://github.com/settings/tokens")
            return False
        if left(client.accounts) == 0:
            say("the budget is used up: run again when it is full to estimate the cost of a run")
            return True
        total = RequestCost()
        results = [
            succeeds(say, _examine_repository, client, repository, stored(repository), total, say)
            for repository in repositories
        ]
        say(forecast(total, client.accounts))
        return all(results)
    finally:
        client.close()


def all_tokens(accounts: Accounts, say: Say) -> bool:
    """Report for each credential whether it works, and its budget; return whether one works."""
    for account in accounts.all:
        trouble = accounts.probe(account)
        if trouble is not None:
            say(f"{account.name}: {trouble}")
        elif account.reset:
            say(
                f"{account.name}: works, {account.remaining:,} of {account.limit:,} points left, "
                f"full again at {datetime.fromtimestamp(account.reset, UTC):%Y-%m-%d %H:%M} UTC"
            )
        else:
            say(f"{account.name}: works, and this API has no rate limit")
    return not all(account.is_refused for account in accounts.all)


def left(accounts: Accounts) -> int:
    """Return the points of all credentials that work."""
    return sum(account.remaining for account in accounts.all if not account.is_refused)


def _examine_repository(
    client: GitHubClient,
    repository: Repository,
    stored: StoredMonths,
    total: RequestCost,
    say: Say,
) -> None:
    """Report what there is to read of a repository, and add what that costs to ``total``."""
    source = GitHubIssues(client, repository.name)
    source.newest()
    if source.rename_notice is not None:
        say(source.rename_notice)
    marks, missing = stored.marks, stored.missing
    changed = source.changed_count(min(marks.values())) if marks else 0
    counts = source.counts(missing)
    # With all fields that a run requests, so that fields withheld from the token are reported.
    lacking = source.probe().gaps
    cost = _cost(pages(counts, len(source.client.accounts.all)), len(missing))
    if marks:
        cost.add(_cost_of_changes(changed))
    again = f", {stored.outdated} of them again" if stored.outdated else ""
    say(
        f"{repository.name}: {repository.start} to {repository.end}, {len(missing)} months with "
        f"{sum(counts.values()):,} issues to load{again}, {len(marks)} stored with {changed:,} "
        f"issues to refresh: about {cost.requests:,} requests and {cost.points:,} points"
    )
    for gap in lacking.iter_rows(named=True):
        say(
            f"{repository.name}: GitHub's answer about issue {gap['subject']} lacks "
            f"{gap['lacks']} of {gap['entity']} ({gap['reason']}): a run stores the rest and "
            "counts the gap in raw.issue_gaps"
        )
    total.add(cost)


def _cost(to_read: int, months: int) -> RequestCost:
    """Return the cost of so many pages of issues, and of the counts of so many months."""
    asides = 2 + 2 * ceil(months / COUNTS_PER_REQUEST)
    return RequestCost(
        asides + ceil(to_read * LONG_THREADS), asides + ceil(PAGE_POINTS * to_read * LONG_THREADS)
    )


def _cost_of_changes(changed: int) -> RequestCost:
    """Return the cost of listing so many issues that changed; the first page is a small one."""
    more = ceil(max(0, changed - FEW_CHANGES) / PAGE * LONG_THREADS)
    return RequestCost(1 + more, FEW_CHANGES_POINTS + PAGE_POINTS * more)


def cost_in_words(counts: Mapping[str, int]) -> str:
    """Return what reading months with so many issues costs, of what GitHub gives in an hour."""
    accounts = max(1, len(credentials_of()))
    cost = _cost(pages(dict(counts), accounts), len(counts))
    cost.add(_cost_of_changes(0))
    return (
        f"about {cost.requests:,} requests and {cost.points:,} points of the "
        f"{accounts * POINTS_PER_HOUR:,} that GitHub gives in an hour"
    )


def forecast(cost: RequestCost, accounts: Accounts) -> str:
    """Return a sentence on the cost and the time of a run, waits for the budget included."""
    usable = [account for account in accounts.all if not account.is_refused]
    hourly = sum(account.limit for account in usable)
    beyond = max(0, cost.points - left(accounts))
    refills = ceil(beyond / hourly) if hourly else 0
    working = cost.requests * SECONDS_PER_REQUEST
    text = f"a run costs about {cost.requests:,} requests and {cost.points:,} points"
    if refills:
        return (
            f"{text}, more than the {left(accounts):,} left: about {in_words(refills * HOUR)} with "
            f"{refills} waits for the budget"
        )
    return f"{text} of the {left(accounts):,} left: about {in_words(working)}"
