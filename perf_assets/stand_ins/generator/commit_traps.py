"""Traps in what commits are and close: closing events, odd messages, files, times, branches."""

from perf_assets.stand_ins.generator.link_traps import fixable, named, soon
from perf_assets.stand_ins.generator.model import Branch, Closer, Edit, Pull
from perf_assets.stand_ins.generator.planner import DAY, LONG_MONTHS, Plan
from perf_assets.stand_ins.generator.traps import trap

# What closed the issue


@trap(commits=1, rank=1)
def closed_by_a_commit(plan: Plan) -> None:
    """Plant this case: the closing event names the commit, the message does not name the issue."""
    issue, at = fixable(plan)
    plan.close(issue, soon(plan, at), Closer(commit=plan.commit(at, "Correct the bounds")))


@trap(commits=1)
def closed_by_a_commit_that_names_it(plan: Plan) -> None:
    """Plant this case: found by two approaches, one of them counted."""
    issue, at = fixable(plan)
    plan.close(issue, soon(plan, at), Closer(commit=plan.fix(issue, at)))


@trap(commits=2, rank=1)
def closed_by_a_pull_request(plan: Plan) -> None:
    """Plant this case: the closing event names a pull request that a merge commit brought in."""
    issue, at = fixable(plan)
    pull, _ = plan.merged_branch(at, _merge_message)
    plan.close(issue, soon(plan, at), Closer(pull=pull))


@trap(commits=2)
def merge_commit_that_names_the_issue(plan: Plan) -> None:
    """Plant this case: the size of a merge commit is its difference to the first parent."""
    issue, at = fixable(plan)
    pull, _ = plan.merged_branch(
        at, lambda pull: f"{_merge_message(pull)}\n\nFixes #{issue.number}", [(issue, "id")]
    )
    plan.close(issue, soon(plan, at), Closer(pull=pull))


def _merge_message(pull: Pull) -> str:
    return f"Merge pull request #{pull.number} from {pull.author or 'ghost'}/topic"


@trap(commits=1)
def closed_by_a_squashed_pull_request(plan: Plan) -> None:
    """Plant this case: the merge commit of the pull request is an ordinary commit."""
    issue, at = fixable(plan)
    pull = plan.pull(at)
    commit = plan.commit(
        at, lambda: f"Fix views (#{pull.number})\n\nFixes #{issue.number}", [(issue, "id")]
    )
    plan.merge(pull, commit)
    plan.close(issue, soon(plan, at), Closer(pull=pull))


@trap()
def closed_by_a_pull_request_never_merged(plan: Plan) -> None:
    """Plant this case: a pull request without merge commit links nothing."""
    issue, at = fixable(plan)
    pull = plan.pull(at)
    pull.closed = at
    plan.close(issue, soon(plan, at), Closer(pull=pull))


@trap()
def closed_by_a_commit_that_history_lacks(plan: Plan) -> None:
    """Plant this case: the commit was rewritten away."""
    issue, at = fixable(plan)
    oid = plan.rng.randbytes(20).hex()
    plan.close(issue, soon(plan, at), Closer(oid=oid))


@trap(commits=1)
def closed_by_a_pull_request_of_another_repository(plan: Plan) -> None:
    """Plant this case: a pull request elsewhere, whose merge commit we share."""
    issue, at = fixable(plan)
    pull = plan.pull(at)
    plan.merge(pull, plan.commit(at, "Correct the padding"))
    plan.close(issue, soon(plan, at), Closer(pull=pull, repository="other/repo"))


@trap(commits=1)
def closed_by_a_commit_of_another_repository(plan: Plan) -> None:
    """Plant this case: a fork shares our commits; what closes from there does not count."""
    issue, at = fixable(plan)
    commit = plan.commit(at, "Correct the strides")
    closer = Closer(commit=commit, repository="other/repo")
    plan.close(issue, soon(plan, at), closer)


@trap(commits=2)
def closed_twice_by_commits(plan: Plan) -> None:
    """Plant this case: closed, reopened, closed again, each time by another commit: both are
    links.
    """
    issue, at = fixable(plan)
    plan.close(issue, at, Closer(commit=plan.commit(at, "Correct the check")))
    plan.reopen(issue, plan.after(at, 6))
    again = plan.after(issue.reopenings[-1], 6)
    plan.close(issue, again, Closer(commit=plan.fix(issue, again)))


# Shapes of commits


@trap(commits=1, rank=1)
def message_that_is_not_utf8(plan: Plan) -> None:
    """Plant this case: Latin-1 bytes without a word about it; the number is still there."""
    commit = named(plan, lambda issue: f"Größe für Übergaben prüfen, fixes #{issue.number}", "id")
    commit.encoding = "latin-1"


@trap(issues=0, commits=1, rank=1)
def empty_message(plan: Plan) -> None:
    """Plant this case: a commit without any message."""
    plan.commit(plan.after(plan.moment(plan.month(room=1)), 2), "")


@trap(issues=4, commits=4)
def fix_that_is_no_ordinary_edit(plan: Plan) -> None:
    """Plant this case: a renamed file, one renamed with changes, a binary file, nothing at all."""
    for edit in (
        Edit("rename"),
        Edit("rename", additions=3, deletions=2),
        Edit("binary"),
        Edit("empty"),
    ):
        issue, at = fixable(plan)
        plan.fix(issue, at, edit=edit)
        plan.close(issue, soon(plan, at))


@trap(issues=0, commits=4)
def unusual_file_changes(plan: Plan) -> None:
    """Plant this case: a deleted file, a changed mode, a file that became a link, names with odd
    characters.
    """
    for kind in ("delete", "mode", "symlink", "odd_names"):
        at = plan.after(plan.moment(plan.month(room=1)), 2)
        plan.commit(at, plan.texts.subject(), edit=Edit(kind, additions=5))


@trap(issues=1, commits=3, months=2, rank=1)
def commit_in_another_time_zone_at_a_border(plan: Plan) -> None:
    """Plant this case: local and UTC time disagree about the month; first and last second of a
    month.
    """
    calendar = plan.calendar
    months = [
        month
        for month in calendar.busy[:-1]
        if calendar.quiet_for_commits not in (month, month + 1)
    ]
    border = calendar.starts[plan.rng.choice(months) + 1]
    issue = plan.issue(created=border - 15 * DAY)
    for at, offset in ((border - 1, 540), (border, -480)):
        plan.fix(issue, at).offset_minutes = offset
    plan.close(issue, soon(plan, border))
    plan.commit(calendar.end - 1, plan.texts.subject()).offset_minutes = 540


@trap(issues=0, commits=1, months=LONG_MONTHS)
def commit_dated_before_its_parent(plan: Plan) -> None:
    """Plant this case: the clock of the committer was forty days late."""
    month = plan.calendar.count - 2
    commit = plan.commit(plan.moment(month) - 20 * DAY, plan.texts.subject())
    commit.order = commit.at + 40 * DAY


@trap(issues=0, commits=1, months=3)
def authored_months_before(plan: Plan) -> None:
    """Plant this case: written long before it was committed."""
    commit = plan.commit(plan.moment(plan.calendar.count - 1), plan.texts.subject())
    commit.authored = commit.at - 60 * DAY


@trap(issues=0, commits=1)
def author_without_name(plan: Plan) -> None:
    """Plant this case: old imports have no author name."""
    at = plan.after(plan.moment(plan.month(room=1)), 2)
    plan.commit(at, plan.texts.subject()).author_name = ""


@trap(issues=0, commits=3)
def branch_of_two_commits(plan: Plan) -> None:
    """Plant this case: a merged branch with two commits, the main line going on meanwhile."""
    at = plan.after(plan.moment(plan.month(room=1)), 2)
    _, merge = plan.merged_branch(at, _merge_message)
    branch = merge.merges or Branch()
    side = plan.commit(branch.commits[0].at + 60, plan.texts.subject())
    side.branch = branch
    branch.commits.append(side)
