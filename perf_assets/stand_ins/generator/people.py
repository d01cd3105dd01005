"""Who everybody is: associations, addresses, reactions, and programs that use a person's account.

Planted last, with chances of their own, so that everything else is as it was planned without it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from random import Random

from perf_assets.stand_ins.generator.areas import triaged_after
from perf_assets.stand_ins.generator.model import (
    DISGUISED_BOTS,
    HIDDEN_BOT,
    NAMED_BOT,
    Comment,
    Commit,
    Issue,
    Person,
    is_bot,
    person,
)
from perf_assets.stand_ins.generator.planner import BOTS, HOUR, Plan

NOREPLY = "@users.noreply.github.com"
WELCOME = 120  # seconds after the opening within which a program greets
LEAST_GREETINGS = 15  # that show what an account is
MEMBERS, CONTRIBUTORS, NEWCOMERS = 0.05, 0.3, 0.04  # shares of the accounts
UNKNOWN_ADDRESSES = 0.1  # of the commits
MILESTONES = 0.2
REACTED = 0.2
FIXERS = ("number", "person", "commits", "is_first_contribution", "is_member")
KINDS = ("+1", "+1", "+1", "heart", "eyes", "rocket", "hooray", "laugh", "confused", "-1")


def plant_people(plan: Plan, seed: int) -> None:
    """Say who everybody is, and let some of the greetings come from disguised programs."""
    rng = Random(f"{seed} people")
    people = [_person(rng, index, login) for index, login in enumerate(plan.logins)]
    plan.people_by_login = {person.login: person for person in people}
    _disguise(plan, rng)
    for commit in plan.commits:
        _sign(commit, rng, people)
    for issue in plan.issues:
        issue.reactions = _reactions(rng)
        if rng.random() < MILESTONES:
            issue.milestone = f"v1.{issue.month}"
        for comment in issue.comments:
            comment.reactions = _reactions(rng)


def association(plan: Plan, login: str | None) -> str:
    """Return the association of an account with the repository, in GitHub's words."""
    person = plan.people_by_login.get(login or "")
    return "NONE" if person is None else person.association


def account_type(login: str) -> str:
    """Return the type of an account, as GitHub gives it."""
    return "User" if login in DISGUISED_BOTS or not is_bot(login) else "Bot"


def _person(rng: Random, index: int, login: str) -> Person:
    draw = rng.random()
    # Accounts that come first in the list are far more active than others.
    if index < 2 or draw < MEMBERS:
        association = "MEMBER"
    elif draw < CONTRIBUTORS:
        association = "CONTRIBUTOR"
    elif draw < CONTRIBUTORS + NEWCOMERS:
        association = "FIRST_TIME_CONTRIBUTOR"
    else:
        association = "NONE"
    private = f"{login}@example.org"
    hidden = f"{1000 + index}+{login}{NOREPLY}"
    emails = rng.choice(((private,), (hidden,), (private, hidden), (private, f"{login}@lab.test")))
    return Person(login, association, emails)


def _sign(commit: Commit, rng: Random, people: Sequence[Person]) -> None:
    """Give the commit an author; few write most of them."""
    person = people[int(len(people) * rng.random() ** 3)]
    commit.author = person.login
    commit.email = rng.choice(person.emails)
    if rng.random() < UNKNOWN_ADDRESSES:
        commit.author, commit.email = None, f"{person.login}@laptop.local"


def _reactions(rng: Random) -> dict[str, int]:
    if rng.random() >= REACTED:
        return {}
    counts: dict[str, int] = {}
    for _ in range(rng.randint(1, 6)):
        kind = rng.choice(KINDS)
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def _disguise(plan: Plan, rng: Random) -> None:
    """Let greetings of the bot come from others; those of an issue from one, as they did."""
    greeted = [(issue, greetings) for issue in plan.issues if (greetings := _greetings(issue))]
    is_many = len(greeted) >= 4 * LEAST_GREETINGS
    for issue, greetings in greeted:
        name = rng.choice((BOTS[0], NAMED_BOT, HIDDEN_BOT if is_many else NAMED_BOT))
        if name == BOTS[0]:
            continue
        for comment in greetings:
            comment.author = name
            if name == HIDDEN_BOT:
                comment.body = _greeting(issue)


def _greetings(issue: Issue) -> list[Comment]:
    """Return the bot's greeting on an issue, if it only greeted."""
    said = [comment for comment in issue.comments if comment.author == BOTS[0]]
    is_greeted = all(comment.at - issue.created < WELCOME for comment in said)
    return said if is_greeted and issue.author != BOTS[0] else []


def _greeting(issue: Issue) -> Callable[[], str]:
    return lambda: (
        f"Hello @{issue.author}, thank you for report {issue.number}. Somebody looks at it soon."
    )


def planned_fixers(
    plan: Plan, bugs: Sequence[Issue], fixes: Mapping[Issue, set[Commit]]
) -> Iterator[tuple[int, str, int, bool, bool]]:
    """Yield the fixers of ``bugs``: number, person, commits, and the columns after them."""
    attributed = _attributed(plan)
    seen = {issue.author for issue in plan.issues}
    seen |= {comment.author for issue in plan.issues for comment in issue.comments}
    first: dict[str, int] = {}
    for commit in plan.commits:
        if commit.is_on_main:
            account = _author(commit, attributed)
            first[account] = min(first.get(account, commit.at), commit.at)
    for bug in bugs:
        authors: dict[str, list[Commit]] = {}
        for commit in fixes[bug]:
            authors.setdefault(_author(commit, attributed), []).append(commit)
        for account, commits in sorted(authors.items()):
            is_first = min(commit.at for commit in commits) == first[account]
            is_member = account in seen and association(plan, account) == "MEMBER"
            yield bug.number, account, len(commits), is_first, is_member


def _attributed(plan: Plan) -> set[str]:
    """Return the addresses of commits that GitHub names with an account, as it closed issues by
    them.
    """
    closers = [event.closer for issue in plan.issues for event in issue.events if event.closer]
    commits = [closer.commit for closer in closers]
    pulls = [closer.pull for closer in closers] + [pull for pull in plan.pulls if pull.closes]
    commits += [pull.merge_commit for pull in pulls if pull is not None]
    return {commit.email for commit in commits if commit is not None and commit.author is not None}


def _author(commit: Commit, attributed: Collection[str]) -> str:
    """Return the account of the author where it can be known, else the address."""
    is_known = commit.email in attributed or commit.email.endswith(NOREPLY)
    return commit.author if commit.author is not None and is_known else commit.email


def planned_answers(
    plan: Plan, issue: Issue, of_people: Sequence[Comment]
) -> dict[str, str | float | None]:
    """Return the reporter, the time of a member's answer, and the time without one while open."""
    author = person(issue.author)
    answers = [comment for comment in of_people if person(comment.author) != author]
    by_members = [answer.at for answer in answers if association(plan, answer.author) == "MEMBER"]
    read_until = plan.read_until
    until = min([issue.closed or read_until, read_until, *(comment.at for comment in answers)])
    return {
        "author_association": association(plan, issue.author),
        "hours_to_first_member_comment": (
            (min(by_members) - issue.created) / HOUR if by_members else None
        ),
        "hours_unanswered": (until - issue.created) / HOUR,
        "hours_to_triage": triaged_after(issue),
    }
