"""Traps in what commits say: names of issues that must not count, and names that must."""

from collections.abc import Callable

from perf_assets.stand_ins.generator.model import Commit, Issue, Pull
from perf_assets.stand_ins.generator.planner import HOUR, Plan
from perf_assets.stand_ins.generator.traps import trap

Named = Callable[[Issue], str]


def fixable(plan: Plan) -> tuple[Issue, int]:
    """Return an issue of its own, and a moment for a commit some days later."""
    issue = plan.issue(plan.month(room=1))
    return issue, plan.after(issue.created, plan.rng.uniform(1, 12))


def named(plan: Plan, message: Named, *approaches: str, close: bool = True) -> Commit:
    """Return a commit that names an issue as ``message`` does; it counts by ``approaches``."""
    issue, at = fixable(plan)
    links = [(issue, approach) for approach in approaches]
    commit = plan.commit(at, lambda: message(issue), links)
    if close:
        plan.close(issue, soon(plan, at))
    return commit


def soon(plan: Plan, moment: int) -> int:
    """Return a time at most an hour after ``moment``."""
    return min(moment + plan.rng.randint(0, HOUR), plan.calendar.end - 1)


# Ways to name an issue


@trap(issues=7, commits=7, rank=1)
def ways_to_name_an_issue(plan: Plan) -> None:
    """Plant this case: #N, GH-N, owner/name#N, with and without a verb, at the start, within and
    in brackets.
    """
    ways: tuple[Named, ...] = (
        lambda issue: f"Fix the wrong shape, fixes #{issue.number}",
        lambda issue: f"GH-{issue.number} Correct the stride check",
        lambda issue: f"Handle None\n\nCloses {plan.repository}#{issue.number}.",
        lambda issue: f"Handle empty batches (#{issue.number})",
        lambda issue: f"[#{issue.number}] Handle scalars",
        lambda issue: f"Rework the check\n\n#{issue.number} showed that it was wrong.",
        lambda issue: f"Check strides\n\nThis was reported as\n  - #{issue.number}, by mail",
    )
    for way in ways:
        named(plan, way, "id")


@trap(issues=4, commits=4, rank=1)
def ways_to_link_an_issue(plan: Plan) -> None:
    """Plant this case: the address in full, with a fragment, in other case, within brackets."""
    spelt = plan.repository.title()
    ways: tuple[Named, ...] = (
        lambda issue: f"Repair pickling\n\n{plan.url(issue)}",
        lambda issue: f"Repair copying\n\nSee {plan.url(issue)}#issuecomment-4021",
        lambda issue: f"Repair views\n\nhttp://www.github.com/{spelt}/issues/{issue.number}",
        lambda issue: f"Repair [slices]({plan.url(issue)}).",
    )
    for way in ways:
        named(plan, way, "url")


@trap(commits=1, rank=1)
def one_issue_by_two_approaches(plan: Plan) -> None:
    """Plant this case: linked and named in one message: two links, one commit."""
    named(plan, lambda issue: f"Mend #{issue.number}\n\nSee {plan.url(issue)}", "id", "url")


@trap(commits=1)
def one_issue_named_twice(plan: Plan) -> None:
    """Plant this case: named twice in one message: one link."""
    named(plan, lambda issue: f"Mend #{issue.number}\n\nReally fixes #{issue.number}", "id")


@trap(issues=0, commits=1)
def subject_that_begins_with_number_one(plan: Plan) -> None:
    """Plant this case: a subject line that begins with #1 names issue 1."""
    first = plan.issues[0]
    at = plan.after(first.created, 3)
    plan.commit(at, "#1 Keep the dtype of the input", [(first, "id")])


@trap(issues=2, commits=1, rank=1)
def two_issues_in_one_commit(plan: Plan) -> None:
    """Plant this case: one commit fixes two issues."""
    (first, _), (second, _) = fixable(plan), fixable(plan)
    plan.say(second, "memory leak", "title")
    at = plan.after(max(first.created, second.created), 3)
    plan.commit(
        at, lambda: f"Fix #{first.number} and #{second.number}", [(first, "id"), (second, "id")]
    )
    plan.close(first, soon(plan, at))
    plan.close(second, soon(plan, at))


@trap(issues=2, commits=5, rank=1)
def fix_of_several_commits(plan: Plan) -> None:
    """Plant this case: several commits are one fix; one of the issues is a performance bug."""
    for count in (3, 2):
        issue, at = fixable(plan)
        if count == 2:
            plan.say(issue, "performance hit", "body")
        for index in range(count):
            plan.fix(issue, at, by_url=index == 1)
            at = plan.after(at, 1)
        plan.close(issue, soon(plan, at))


@trap(commits=1)
def commit_in_the_second_of_the_issue(plan: Plan) -> None:
    """Plant this case: not before the issue: in the same second."""
    month = plan.month(first=min(2, plan.calendar.count - 1))
    if month == plan.calendar.quiet_for_commits:
        month += 1
    issue = plan.issue(month)
    plan.fix(issue, issue.created)
    plan.close(issue, issue.created + 60)


@trap(issues=2, commits=2, rank=1)
def fix_commit_and_still_open(plan: Plan) -> None:
    """Plant this case: a commit tried to fix it, the issue is open: never closed, and reopened."""
    issue, at = fixable(plan)
    plan.fix(issue, at)
    again, at = fixable(plan)
    plan.say(again, "slowdown", "body")
    plan.fix(again, at)
    plan.close(again, soon(plan, at))
    plan.reopen(again, plan.after(again.closings[-1], 5))


@trap(commits=1)
def fix_commit_after_the_close(plan: Plan) -> None:
    """Plant this case: closed first, the commit follows."""
    issue, at = fixable(plan)
    plan.close(issue, at)
    plan.fix(issue, plan.after(at, 7))


@trap(commits=1)
def fix_of_an_issue_that_is_no_bug_report(plan: Plan) -> None:
    """Plant this case: an enhancement has fix links and no bug metrics."""
    issue, at = fixable(plan)
    plan.label(issue, "enhancement", marks="other")
    plan.fix(issue, at)
    plan.close(issue, soon(plan, at))


# Numbers that name nothing here


@trap(issues=0, commits=2, rank=1)
def number_of_a_pull_request(plan: Plan) -> None:
    """Plant this case: squashed pull requests carry their own number; an address may hold one,
    too.
    """
    for text in ("(#{})", "\n\nSee https://github.com/{}/issues/{}"):
        at = plan.after(plan.moment(plan.month(room=1)), 1)
        pull = plan.pull(at)
        commit = plan.commit(at, _pull_message(plan, pull, text))
        plan.merge(pull, commit)


def _pull_message(plan: Plan, pull: Pull, text: str) -> Callable[[], str]:
    if text.count("{}") == 1:
        return lambda: f"Sort the imports {text.format(pull.number)}"
    return lambda: f"Sort the exports{text.format(plan.repository, pull.number)}"


@trap(issues=6, commits=6, rank=1)
def issue_of_another_repository(plan: Plan) -> None:
    """Plant this case: addresses and numbers of others, also where the name only begins or ends
    like ours.
    """
    name = plan.repository
    ways: tuple[Named, ...] = (
        lambda issue: f"Follow upstream\n\nhttps://github.com/other/repo/issues/{issue.number}",
        lambda issue: f"Work around other/repo#{issue.number}",
        lambda issue: f"Adapt to {name}-docs#{issue.number}",
        lambda issue: f"Adapt\n\nhttps://github.com/{name}-docs/issues/{issue.number}",
        lambda issue: f"Adapt to big-{name}#{issue.number}",
        lambda issue: f"See https://gitlab.com/{name}/issues/{issue.number}",
    )
    for way in ways:
        named(plan, way)


@trap(issues=0, commits=4, rank=1)
def numbers_of_a_list(plan: Plan) -> None:
    """Plant this case: #1, #2, #3 count items: bare, with bullets, with #1 alone; issues 1 to 3
    are not meant.
    """
    messages = (
        "Rework the loader\n\n#1 read in blocks\n#2 drop the cache\n#3 add tests\n",
        "Rework the writer\n\n- #1 write in blocks\n- #2 drop the cache\n",
        "Rework the reader\n\n* #1 keep the order\n\nsome words between\n\n* #2 close the file",
        "Rework the parser\n\n#1 accept tabs\n",
    )
    for message in messages:
        plan.commit(plan.after(plan.moment(plan.month(room=1)), 2), message)


@trap(issues=5, commits=5, rank=1)
def number_in_code(plan: Plan) -> None:
    """Plant this case: fenced, inline and indented code names no issue."""
    ways: tuple[Named, ...] = (
        lambda issue: f"Show the log\n\n```\nfixes #{issue.number}\n```\n",
        lambda issue: f"Escape `#{issue.number}` in titles",
        lambda issue: f"Quote the log\n\n    fixes #{issue.number}\n",
        lambda issue: f"Quote the dump\n\n\tfixes #{issue.number}\n",
        lambda issue: f"Show the dump\n\n~~~\n{plan.url(issue)}\n#{issue.number}\n~~~",
    )
    for way in ways:
        named(plan, way)


@trap(issues=0, commits=3)
def number_that_is_a_colour(plan: Plan) -> None:
    """Plant this case: colour codes and other words that begin like a number."""
    for message in (
        "Paint the border #99999999",
        "Paint the links #1e90ff and #1f2",
        "Escape &#1; and page.html#1 in the guide",
    ):
        plan.commit(plan.after(plan.moment(plan.month(room=1)), 2), message)


@trap(issues=0, commits=2)
def number_that_nothing_has(plan: Plan) -> None:
    """Plant this case: a number beyond all others, and one that was given to something deleted."""
    at = plan.after(plan.moment(plan.month(room=1)), 2)
    plan.commit(at, "Fix the thing of #87654321")
    plan.commit(at + 1, lambda: f"Fix the thing of #{plan.gaps[0] if plan.gaps else 87654320}")


@trap(commits=1, months=2, rank=1)
def issue_opened_after_the_commit(plan: Plan) -> None:
    """Plant this case: a commit cannot fix what was opened later."""
    month = plan.month(first=1)
    issue = plan.issue(month)
    early = plan.moment(month - 1)
    if plan.calendar.month_of(early) == plan.calendar.quiet_for_commits:
        early = plan.moment(month - 2)
    plan.commit(early, lambda: f"Prepare for #{issue.number}")
    plan.close(issue, plan.after(issue.created, 4))


@trap(commits=0)
def commit_of_another_branch(plan: Plan) -> None:
    """Plant this case: a commit that never reached the default branch is linked and does not
    count.
    """
    issue, at = fixable(plan)
    commit = plan.commit(at, lambda: f"Try to fix #{issue.number}", [(issue, "id")])
    commit.is_on_main = False
