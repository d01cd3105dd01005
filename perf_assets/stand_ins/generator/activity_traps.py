"""Traps in what happens to issues: people, comments, events, and their times."""

from perf_assets.stand_ins.generator.model import GHOST, Event, Issue
from perf_assets.stand_ins.generator.planner import DAY, HOUR, Plan
from perf_assets.stand_ins.generator.traps import trap

MANY = 130
CHURN = 60


def _quiet(plan: Plan, author: str | None) -> Issue:
    """Return an issue of ``author`` that gets no other comments than those of the trap."""
    issue = plan.issue(author=author)
    issue.chatter = 0
    return issue


# People


@trap(issues=2, rank=1)
def deleted_author(plan: Plan) -> None:
    """Plant this case: the account of the author is gone; somebody else comments. Both
    spellings.
    """
    for author in (None, GHOST):
        issue = _quiet(plan, author)
        plan.comment(issue, plan.login(), issue.created + HOUR)


@trap(rank=1)
def deleted_commentator(plan: Plan) -> None:
    """Plant this case: a deleted account is somebody else than an author who still exists."""
    author, other = plan.people(2)
    issue = _quiet(plan, author)
    plan.comment(issue, author, issue.created + HOUR)
    plan.comment(issue, None, issue.created + 2 * HOUR)
    plan.comment(issue, GHOST, issue.created + 3 * HOUR)
    plan.comment(issue, other, issue.created + 4 * HOUR)


@trap(rank=1)
def deleted_author_and_commentator(plan: Plan) -> None:
    """Plant this case: deleted accounts are taken for one person: nobody else has commented."""
    issue = _quiet(plan, None)
    plan.comment(issue, GHOST, issue.created + HOUR)
    plan.comment(issue, None, issue.created + 2 * HOUR)


@trap(rank=1)
def comments_of_the_author_only(plan: Plan) -> None:
    """Plant this case: the author's own comments are not answers."""
    issue = _quiet(plan, plan.login())
    for hours in (1, 5, 30):
        plan.comment(issue, issue.author, issue.created + hours * HOUR)


@trap(rank=1)
def author_comments_first(plan: Plan) -> None:
    """Plant this case: the first answer is the second comment."""
    author, other = plan.people(2)
    issue = _quiet(plan, author)
    plan.comment(issue, author, issue.created + 60)
    plan.comment(issue, other, issue.created + 90 * 60 + 1)


@trap()
def answer_at_once(plan: Plan) -> None:
    """Plant this case: somebody answers in the very second in which the issue is opened: zero
    hours, not none.
    """
    author, other = plan.people(2)
    issue = _quiet(plan, author)
    plan.comment(issue, other, issue.created)


@trap(rank=1)
def bot_welcomes_first(plan: Plan) -> None:
    """Plant this case: a bot welcomes the author at once; the first word of a person comes hours
    later.
    """
    author, other = plan.people(2)
    issue = _quiet(plan, author)
    plan.comment(issue, "welcome[bot]", issue.created)
    plan.comment(issue, "ci-results[bot]", issue.created + HOUR)
    plan.comment(issue, other, issue.created + 5 * HOUR)
    plan.comment(issue, "ci-results[bot]", issue.created + 6 * HOUR)


@trap(rank=1)
def only_bots_answer(plan: Plan) -> None:
    """Plant this case: bots talk among themselves: nobody commented, and nobody answered."""
    issue = _quiet(plan, plan.login())
    for days, bot in enumerate(("welcome[bot]", "stale[bot]", "stale[bot]")):
        plan.comment(issue, bot, issue.created + days * DAY)


@trap(rank=1)
def bot_with_the_name_of_a_person(plan: Plan) -> None:
    """Plant this case: a bot is called as the author, another as a commentator: neither is that
    person.
    """
    author, other = plan.people(2)
    issue = _quiet(plan, author)
    plan.comment(issue, f"{author}[bot]", issue.created + HOUR)
    plan.comment(issue, author, issue.created + 2 * HOUR)
    plan.comment(issue, other, issue.created + 3 * HOUR)
    plan.comment(issue, f"{other}[bot]", issue.created + 4 * HOUR)


@trap()
def opened_by_a_bot(plan: Plan) -> None:
    """Plant this case: a bot reports and comments on its own report; people talk too."""
    issue = _quiet(plan, "ci-results[bot]")
    plan.comment(issue, "ci-results[bot]", issue.created + 60)
    for hours, login in enumerate(plan.people(2), 1):
        plan.comment(issue, login, issue.created + hours * HOUR)


@trap()
def two_comments_in_one_second(plan: Plan) -> None:
    """Plant this case: author and another person comment in the same second."""
    author, other = plan.people(2)
    issue = _quiet(plan, author)
    for login in (author, other):
        plan.comment(issue, login, issue.created + 3 * HOUR)


@trap()
def no_comments(plan: Plan) -> None:
    """Plant this case: nobody says anything."""
    _quiet(plan, plan.login())


@trap()
def comment_without_text(plan: Plan) -> None:
    """Plant this case: a comment whose text was removed still is a comment."""
    author, other = plan.people(2)
    issue = _quiet(plan, author)
    plan.comment(issue, other, issue.created + HOUR, "")


@trap(rank=1)
def more_than_100_comments(plan: Plan) -> None:
    """Plant this case: more than one page of comments; the first answer is on the second page."""
    author, *others = plan.people(6)
    issue = _quiet(plan, author)
    step = max(1, min(HOUR, (plan.calendar.end - 1 - issue.created) // (MANY + 1)))
    for index in range(MANY):
        login = author if index < 105 else others[index % 5]
        plan.comment(issue, login, issue.created + (index + 1) * step)


@trap(rank=1)
def more_than_100_events(plan: Plan) -> None:
    """Plant this case: a label put on and taken away again and again; reopened on the second
    page.
    """
    issue = plan.issue(plan.month(room=2))
    step = max(1, min(600, (plan.calendar.end - 1 - issue.created) // (2 * CHURN + 9)))
    at = issue.created
    for _ in range(CHURN):
        for kind in ("labeled", "unlabeled"):
            at += step
            issue.events.append(Event(kind, at, "tensorkit-bot[bot]", label="needs triage"))
    plan.close(issue, at + step)
    plan.reopen(issue, at + 2 * step)
    plan.label(issue, "bug")


# Closing and reopening


@trap(rank=1)
def reopened_and_closed_again(plan: Plan) -> None:
    """Plant this case: fixed twice: the fix time runs to the latest close."""
    issue = plan.issue(plan.month(room=3))
    first = plan.after(issue.created, 4)
    plan.close(issue, first)
    second = plan.after(first, 35)
    plan.reopen(issue, second)
    plan.close(issue, plan.after(second, 20))


@trap(rank=1)
def reopened_and_still_open(plan: Plan) -> None:
    """Plant this case: closed once, and open now."""
    issue = plan.say(plan.issue(plan.month(room=3)), "memory leak", "title")
    first = plan.after(issue.created, 10)
    plan.close(issue, first)
    plan.reopen(issue, plan.after(first, 40))


@trap()
def reopened_within_the_month(plan: Plan) -> None:
    """Plant this case: closed and reopened before the month was over: open at its end."""
    month = plan.month(room=1)
    issue = plan.issue(created=plan.calendar.starts[month] + 3 * HOUR)
    plan.close(issue, issue.created + 2 * DAY)
    plan.reopen(issue, issue.created + 3 * DAY)
    plan.close(issue, issue.created + 4 * DAY)
    plan.reopen(issue, issue.created + 5 * DAY)


@trap(issues=2, months=3)
def closed_at_the_border_of_a_month(plan: Plan) -> None:
    """Plant this case: closed in the last second of a month, and in the first of the next."""
    border = plan.calendar.starts[plan.month(room=1) + 1]
    for at in (border - 1, border):
        issue = plan.issue(created=border - 20 * DAY)
        plan.close(issue, at)


@trap(months=4)
def reopened_at_the_border_of_a_month(plan: Plan) -> None:
    """Plant this case: reopened at midnight: closed at the end of the month before."""
    border = plan.calendar.starts[plan.month(room=1) + 1]
    issue = plan.issue(created=border - 9 * DAY)
    plan.close(issue, border - DAY)
    plan.reopen(issue, border)


@trap()
def closed_as_not_planned(plan: Plan) -> None:
    """Plant this case: closed without a fix."""
    issue = plan.issue(plan.month(room=1))
    plan.close(issue, plan.after(issue.created, 3), reason="not_planned")


@trap()
def closed_at_once(plan: Plan) -> None:
    """Plant this case: closed in the second in which it was opened."""
    issue = plan.issue()
    plan.close(issue, issue.created)


@trap()
def closed_without_events(plan: Plan) -> None:
    """Plant this case: an old issue whose events GitHub has not kept."""
    issue = plan.issue(plan.month(room=1))
    issue.chatter = 0
    plan.close(issue, plan.after(issue.created, 6))
    issue.events.clear()
    issue.has_close_events = False


@trap(rank=1)
def comment_at_the_moment_of_closing(plan: Plan) -> None:
    """Plant this case: commented and closed by one click."""
    author, other = plan.people(2)
    issue = plan.issue(plan.month(room=1), author=author)
    issue.chatter = 0
    plan.close(issue, plan.after(issue.created, 2))
    plan.comment(issue, other, issue.closings[-1])


# Other events


@trap()
def renamed(plan: Plan) -> None:
    """Plant this case: only the title of today counts."""
    issue = plan.issue()
    old = f"{issue.title} and everything is slow"
    at = min(issue.created + DAY, plan.calendar.end - 1)
    issue.events.append(Event("renamed", at, plan.login(), previous=old, current=issue.title))


@trap()
def transferred(plan: Plan) -> None:
    """Plant this case: opened elsewhere and moved here: an early date, a late number."""
    issue = plan.issue(plan.month(room=2))
    issue.numbered = plan.after(issue.created, 45)
    source = f"{plan.repository.partition('/')[0]}/old-tracker"
    issue.events.append(Event("transferred", issue.numbered, plan.login(), from_repository=source))
