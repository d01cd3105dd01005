"""Requirements of a run before it starts: working tokens, reachable repositories, a budget.

It also reports the months to read again because an older version requested fewer fields.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from math import ceil
from typing import TypeVarTuple

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import in_words
from perf_assets.base.sanitize import escape_text
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.forums import Forum
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study
from perf_assets.sources.forums import open_questions
from perf_assets.sources.git.remote import Address, read_heads
from perf_assets.sources.github.accounts import POINTS_PER_HOUR, Accounts, GitHubPolicy
from perf_assets.sources.github.client import GITHUB, GitHubClient, RequestCost
from perf_assets.sources.github.credentials import credentials_of
from perf_assets.sources.github.issues import (
    COUNTS_PER_REQUEST,
    FEW_CHANGES,
    FEW_CHANGES_POINTS,
    PAGE_POINTS,
    IssueSource,
    pages,
)
from perf_assets.sources.github.long_lists import PAGE
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.stackexchange.dump_files import find_dump
from perf_assets.stages.mining.incremental_state import stale_cohorts
from perf_assets.storage.warehouse import Database, reading

LONG_THREADS = 1.05  # requests for threads longer than a page, as the benchmark has them
SECONDS_PER_REQUEST = 2.0  # of a full page, roughly
HOUR = 3600.0

Ts = TypeVarTuple("Ts")
Say = Callable[[str], None]
Marks = Mapping[str, datetime]


def preflight(study: Study, data_dir: DataDirectory, say: Say) -> bool:
    """Report the requirements of a run of ``study``; return whether it can succeed."""
    results = [_succeeds(say, _examine_git, repository, say) for repository in study.repositories]
    for url in dict.fromkeys(map(_url, study.repositories)):
        chosen = [repository for repository in study.repositories if _url(repository) == url]
        if url is None:
            for repository in chosen:
                say(f"{repository.name}: read from {repository.corpus}, no token is needed")
        else:
            results.append(_succeeds(say, _examine_api, url, chosen, data_dir, say))
    results += [_succeeds(say, _examine_forum, forum, say) for forum in study.forums]
    return all(results)


def _succeeds(say: Say, examine: Callable[[*Ts], bool | None], *arguments: *Ts) -> bool:
    """Examine something, and report why it fails; return whether it does not."""
    try:
        return examine(*arguments) is not False
    except PerfAssetsError as error:
        say(str(error))
        return False


def _examine_forum(forum: Forum, say: Say) -> None:
    """Report the source of its questions; PerfAssetsError if it cannot be read."""
    if forum.dump is not None:
        files = ", ".join(file.title for file in find_dump(forum.dump))
        say(f"{forum.name}: read from {files}")
    if forum.api_url is None:
        return
    access = ""
    for tag_set in forum.tag_sets:
        with closing(open_questions(forum, tag_set, RequestPolicy(longest_wait=0))) as source:
            source.check_tags()
            access = source.access
    say(f"{forum.name}: read from {forum.api_url} with {access}")


def _examine_git(repository: Repository, say: Say) -> None:
    """Report that git can read a repository; PerfAssetsError if it cannot."""
    try:
        address = Address.of(repository.git)
        branch = escape_text(read_heads(address).branch)
    except PerfAssetsError as error:
        raise PerfAssetsError(f"{repository.name}: {error}") from None
    say(f"{repository.name}: git can read {address.url}, default branch {branch}")


def _url(repository: Repository) -> str | None:
    return None if repository.corpus is not None else repository.github_url or GITHUB


def _examine_api(
    url: str, repositories: list[Repository], data_dir: DataDirectory, say: Say
) -> bool:
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
            _succeeds(say, _examine_repository, client, repository, data_dir, total, say)
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
    data_dir: DataDirectory,
    total: RequestCost,
    say: Say,
) -> None:
    """Report what there is to read of a repository, and add what that costs to ``total``."""
    source = IssueSource(client, repository.name)
    source.newest()
    if source.rename_notice is not None:
        say(source.rename_notice)
    months = repository.months
    outdated = _outdated(data_dir, repository, months)
    marks = {
        month: mark
        for month, mark in stored(data_dir, repository).items()
        if month in months and month not in outdated
    }
    missing = [month for month in months if month not in marks]
    changed = source.changed_count(min(marks.values())) if marks else 0
    counts = source.counts(missing)
    # With all fields that a run requests, so that fields withheld from the token are reported.
    lacking = source.probe().gaps
    cost = _cost(pages(counts, len(source.client.accounts.all)), len(missing))
    if marks:
        cost.add(_cost_of_changes(changed))
    again = f", {len(outdated)} of them again" if outdated else ""
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


def read_again(
    data_dir: DataDirectory, repository: Repository, first: str | None, last: str | None, say: Say
) -> None:
    """Say what a run from ``first`` to ``last`` reads again of ``repository``, and what that costs.

    It is computed from stored data without requests; issues opened or removed since are not in it.
    """
    counts = _outdated(data_dir, repository, repository.months_within(first, last))
    if not counts:
        return
    text = (
        f"{repository.name}: {len(counts)} months with {sum(counts.values()):,} issues lack fields "
        "that older versions did not request, such as author associations, reactions and "
        "milestones: a run reads them again, once"
    )
    if repository.corpus is None:
        accounts = max(1, len(credentials_of()))
        cost = _cost(pages(counts, accounts), len(counts))
        cost.add(_cost_of_changes(0))
        text += (
            f", for about {cost.requests:,} requests and {cost.points:,} points of the "
            f"{accounts * POINTS_PER_HOUR:,} that GitHub gives in an hour"
        )
    say(text)


def _outdated(
    data_dir: DataDirectory, repository: Repository, months: Sequence[str]
) -> dict[str, int]:
    """Return the ``months`` whose stored issues lack fields, with their numbers of issues."""
    if not data_dir.warehouse.exists():
        return {}
    with reading(data_dir.warehouse) as connection:
        cohorts = stale_cohorts(connection, repository.name)
    return {month: count for month, count in cohorts.items() if month in months}


def stored(data_dir: DataDirectory, repository: Repository) -> Marks:
    """Return the months of issues that are stored, and what each was read up to."""
    if not data_dir.warehouse.exists():
        return {}
    with reading(data_dir.warehouse) as connection:
        loads = Database(connection).loads("raw.issues", repository.name)
    return dict(loads.filter(status="loaded").select("month", "updated_at").iter_rows())


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
