"""Requirements of a run before it starts: working tokens, reachable repositories, a budget.

It also reports the months to read again because an older version requested fewer fields.
"""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from functools import partial

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.forums import Forum
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study
from perf_assets.sources.forums import open_questions
from perf_assets.sources.git.remote import Address, read_heads
from perf_assets.sources.issues.opening import Say, StoredMonths, by_host, host_of, succeeds
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.stackexchange.dump_files import find_dump
from perf_assets.stages.mining.incremental_state import stale_cohorts
from perf_assets.storage.warehouse import Database, reading


def preflight(study: Study, data_dir: DataDirectory, say: Say) -> bool:
    """Report the requirements of a run of ``study``; return whether it can succeed."""
    results = [succeeds(say, _examine_git, repository, say) for repository in study.repositories]
    for host, theirs in by_host(study.repositories):
        results.append(succeeds(say, host.examine, theirs, partial(_stored_months, data_dir), say))
    for kind in dict.fromkeys(repository.kind for repository in study.repositories):
        if kind.lacks:
            say(f"{kind.title} does not tell {', '.join(kind.lacks)}: these are NULL")
    results += [succeeds(say, _examine_forum, forum, say) for forum in study.forums]
    return all(results)


def _examine_forum(forum: Forum, say: Say) -> None:
    """Report the source of its questions; PerfAssetsError if it cannot be read."""
    if forum.posts_dump is not None:
        files = ", ".join(file.title for file in find_dump(forum.posts_dump))
        say(f"{forum.name}: read from {files}")
        if forum.api_url is None:
            return
    access = ""
    for tag_set in forum.tag_sets:
        with closing(open_questions(forum, tag_set, RequestPolicy(longest_wait=0))) as source:
            source.check_tags()
            access = source.access
    say(f"{forum.name}: read from {forum.api_url or forum.dump} with {access}")


def _examine_git(repository: Repository, say: Say) -> None:
    """Report that git can read a repository; PerfAssetsError if it cannot."""
    try:
        address = Address.of(repository.git)
        branch = escape_text(read_heads(address).branch)
    except PerfAssetsError as error:
        raise PerfAssetsError(f"{repository.name}: {error}") from None
    say(f"{repository.name}: git can read {address.url}, default branch {branch}")


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
    if repository.corpus is None and (cost := host_of(repository.source).cost_of(counts)):
        text += f", for {cost}"
    say(text)


def _outdated(
    data_dir: DataDirectory, repository: Repository, months: Sequence[str]
) -> dict[str, int]:
    """Return the ``months`` whose stored issues lack fields, with their numbers of issues."""
    if not data_dir.warehouse.exists():
        return {}
    with reading(data_dir.warehouse) as connection:
        cohorts = stale_cohorts(connection, repository.name, repository.kind.fields_version)
    return {month: count for month, count in cohorts.items() if month in months}


def _stored_months(data_dir: DataDirectory, repository: Repository) -> StoredMonths:
    """Return what is stored of the months of ``repository``, and what a run would load."""
    months = repository.months
    outdated = _outdated(data_dir, repository, months)
    marks: dict[str, datetime] = {}
    if data_dir.warehouse.exists():
        with reading(data_dir.warehouse) as connection:
            loads = Database(connection).loads("raw.issues", repository.name)
        stored = loads.filter(status="loaded").select("month", "updated_at").iter_rows()
        marks = {month: mark for month, mark in stored if month in months and month not in outdated}
    return StoredMonths(marks, [month for month in months if month not in marks], len(outdated))
