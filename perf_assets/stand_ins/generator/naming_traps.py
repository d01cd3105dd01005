"""Traps in how fixes are named: former names, plain numbers, pull requests in comments."""

from collections.abc import Callable

from perf_assets.stand_ins.generator.link_traps import Named, fixable, named, soon
from perf_assets.stand_ins.generator.model import Closer, Issue, Pull
from perf_assets.stand_ins.generator.planner import HOUR, Plan
from perf_assets.stand_ins.generator.traps import trap


@trap(issues=3, commits=3, rank=1)
def issue_under_a_former_name(plan: Plan) -> None:
    """Plant this case: address and number under the name that the repository had before count as
    its own.
    """
    before = plan.former_name
    named(
        plan,
        lambda issue: f"Mend slices\n\nhttps://github.com/{before}/issues/{issue.number}",
        "url",
    )
    named(plan, lambda issue: f"Mend views, fixes {before.upper()}#{issue.number}", "id")
    issue, at = fixable(plan)
    commit = plan.commit(at, plan.texts.subject())
    plan.close(issue, soon(plan, at), Closer(commit=commit, repository=before))


@trap(issues=4, commits=4, rank=1)
def plain_number_of_an_issue(plan: Plan) -> None:
    """Plant this case: a number without a mark: glued to a word, after "issue", after a verb, as
    a branch's name.
    """
    ways: tuple[Named, ...] = (
        lambda issue: f"Check the stride, fix issues#{issue.number}",
        lambda issue: f"Check the shape, {_after_issue(issue.number)} (part one)",
        lambda issue: _after_verb(issue.number),
        lambda issue: _branch(issue.number),
    )
    for way in ways:
        named(plan, way, "plain_id")


def _after_issue(number: int) -> str:
    """Plant this case: "issue 3" does not name a low number, which needs a mark."""
    return f"issue {number}" if number >= 10 else f"issue#{number}"


def _after_verb(number: int) -> str:
    """Plant this case: "fix 12" and "fix 404" do not name issues."""
    return f"fixes {number}" if number >= 100 and not 400 <= number < 600 else f"fixes#{number}"


def _branch(number: int) -> str:
    return f"Bugfix/{number} dtype of views" if number >= 100 else f"Bugfix#{number} dtype of views"


@trap(issues=3, commits=3, rank=1)
def plain_number_of_something_else(plan: Plan) -> None:
    """Plant this case: numbers that count, the issues of others, and tests for an issue that was
    fixed before.
    """
    ways: tuple[Named, ...] = (
        lambda issue: f"fix {issue.number} typos",
        lambda issue: f"Work around numpy issue {issue.number}",
        lambda issue: f"Cypress test for issue {issue.number}.",
    )
    for way in ways:
        named(plan, way)


@trap(issues=2, commits=3, rank=1)
def pull_request_named_in_a_comment(plan: Plan) -> None:
    """Plant this case: a comment names the pull request that landed as the fix: by a squash, and
    by a merge.
    """
    issue, at = fixable(plan)
    pull = _later(plan.pull(at), issue)
    plan.merge(pull, plan.commit(at, lambda: f"{pull.title} (#{pull.number})"))
    _add_comment(plan, issue, pull, at, "Should be fixed by #{number}.")
    issue, at = fixable(plan)
    merged, _ = plan.merged_branch(
        at, lambda pull: f"Merge pull request #{pull.number} from ann/topic"
    )
    _add_comment(
        plan, issue, _later(merged, issue), at, "See https://github.com/{name}/pull/{number}"
    )


def _later(pull: Pull, issue: Issue) -> Pull:
    """Return the pull request, opened after the issue: an earlier one is not a fix."""
    pull.created = max(pull.created, issue.numbered + 60)
    pull.closed = None if pull.closed is None else max(pull.closed, pull.created)
    return pull


def _add_comment(plan: Plan, issue: Issue, pull: Pull, at: int, text: str) -> None:
    author = plan.people(1, [issue.author])[0]
    at_comment = max(at, pull.created)
    plan.comment(
        issue, author, at_comment, lambda: text.format(name=plan.repository, number=pull.number)
    )
    issue.named_pulls.append(pull)
    plan.close(issue, soon(plan, at_comment))


@trap(issues=4, commits=3)
def pull_request_named_that_is_no_fix(plan: Plan) -> None:
    """Plant this case: one that broke it, one that never landed, one from before the issue, one
    of another.
    """
    never = plan.pull(plan.after(plan.moment(plan.month(room=1)), 1))
    texts = (
        "It broke with #{number}.",
        "other/repo#{number} is where this was done",
        "> Fixed by #{number}",
    )
    for text in texts:
        issue, at = fixable(plan)
        pull = _later(plan.pull(at), issue)
        plan.merge(pull, plan.commit(at, _squash(pull)))
        author = plan.people(1, [issue.author])[0]
        plan.comment(issue, author, at + HOUR, _naming(text, pull))
    issue, at = fixable(plan)
    plan.comment(issue, plan.people(1, [issue.author])[0], at, _naming("Try #{number}", never))


def _squash(pull: Pull) -> Callable[[], str]:
    return lambda: f"{pull.title} (#{pull.number})"


def _naming(text: str, pull: Pull) -> Callable[[], str]:
    return lambda: text.format(number=pull.number)


@trap(issues=3, commits=2)
def commit_shared_by_three_fixes(plan: Plan) -> None:
    """Plant this case: one commit is part of three fixes, and one of them has a second commit."""
    found = [fixable(plan) for _ in range(3)]
    issues = [issue for issue, _ in found]
    at = max(at for _, at in found)
    shared = plan.commit(
        at,
        lambda: "Rework the cache\n\n" + "\n".join(f"Fixes #{issue.number}" for issue in issues),
        [(issue, "id") for issue in issues],
    )
    plan.say(issues[0], "memory leak", "title")
    plan.fix(issues[0], plan.after(shared.at, 1))
    for issue in issues:
        plan.close(issue, soon(plan, shared.at))
