"""Ways in which pull requests land: merge, squash or rebase, and later changes to the fixes.

They are planned on demand (``workflow``), beside the traps that every corpus has.
"""

from collections.abc import Callable

from perf_assets.base.errors import PerfAssetsError
from perf_assets.stand_ins.generator.link_traps import fixable, soon
from perf_assets.stand_ins.generator.model import Branch, Closer, Commit, Edit, Issue, Pull
from perf_assets.stand_ins.generator.planner import Plan

Land = Callable[[Plan, Pull, int], None]
LARGEST = 4  # commits of a pull request


def plan_workflow(plan: Plan, workflow: str, commits: int) -> None:
    """Fix issues by pull requests that land as ``workflow`` says, until ``commits`` are used.

    In turns with the usual way come those that any repository has: a branch that was pushed anew
    by force, an import that closes the pull request, a revert and a second landing, a cherry-pick
    to another branch, a pull request that is linked and never lands.
    """
    land = LANDINGS.get(workflow)
    if land is None:
        names = ", ".join(LANDINGS)
        raise PerfAssetsError(f"--workflow is {workflow!r}, and must be one of {names}")
    turns = (land, land, _forced, land, _imported_again, land, _cherry_picked, _never)
    end, turn = len(plan.commits) + commits, 0
    while len(plan.commits) + 2 * LARGEST < end:
        issue, at = fixable(plan)
        pull = plan.pull(at)
        turns[turn % len(turns)](plan, pull, at)
        _relate(plan, issue, pull, at)
        turn += 1


def _relate(plan: Plan, issue: Issue, pull: Pull, at: int) -> None:
    """Let the pull request close the issue, be linked to it, or both."""
    closes = plan.rng.random() < 0.6
    if not closes or plan.rng.random() < 0.5:
        pull.closes.append(issue)
    plan.close(issue, soon(plan, at), Closer(pull=pull) if closes else None)


def _merged(plan: Plan, pull: Pull, at: int) -> None:
    """Land by a merge commit, as GitHub's first button makes it."""
    branch = Branch()
    for number in range(plan.rng.randint(1, LARGEST), 0, -1):
        # The first may be older than the issue, and then is not its fix.
        side = plan.commit(max(plan.calendar.starts[0] + 1, at - number * 7200), _subject(plan))
        side.branch = branch
        branch.commits.append(side)
    merge = plan.commit(
        at, lambda: f"Merge pull request #{pull.number} from {pull.author}/topic", (), Edit("merge")
    )
    merge.merges = branch
    plan.merge(pull, merge)


def _squashed(plan: Plan, pull: Pull, at: int) -> None:
    """Land as one commit."""
    pull.size = plan.rng.randint(1, LARGEST)
    plan.merge(pull, plan.commit(at, lambda: f"{pull.title} (#{pull.number})"))


def _rebased(plan: Plan, pull: Pull, at: int) -> None:
    """Land each commit of the pull request on top of main, all in one second."""
    pull.landed = [plan.commit(at, _subject(plan)) for _ in range(plan.rng.randint(1, LARGEST))]
    plan.merge(pull, pull.landed[-1])


LANDINGS: dict[str, Land] = {"merge": _merged, "squash": _squashed, "rebase": _rebased}


def _forced(plan: Plan, pull: Pull, at: int) -> None:
    """Land by a forced push that rewrote the landed commit: GitHub names a lost one."""
    pull.landed = [plan.commit(at, lambda: f"{pull.title} (#{pull.number})")]
    pull.lost_oid = plan.rng.randbytes(20).hex()
    pull.closed = at


def _imported_again(plan: Plan, pull: Pull, at: int) -> None:
    """Land as an import that is reverted and repeated: GitHub shows the pull request as
    closed, not merged.
    """

    def message() -> str:
        address = f"https://github.com/{plan.repository}/pull/{pull.number}"
        return f"{pull.title}\n\nPull Request resolved: {address}\n"

    first = plan.commit(at, message)
    _revert(plan, first, f'Revert "{pull.title}"')
    again = plan.commit(at, message)
    pull.landed, pull.closed = [first, again], at


def _revert(plan: Plan, commit: Commit, subject: str) -> Commit:
    """Return a commit of the same second that takes ``commit`` back, as git words it."""
    revert = plan.commit(
        commit.at, lambda: f"{subject}\n\nThis reverts commit {commit.sha}.", (), plan.edit()
    )
    revert.quotes = commit
    return revert


def _cherry_picked(plan: Plan, pull: Pull, at: int) -> None:
    """Land squashed, and cherry-pick to another branch with the same words, which is not a fix."""
    _squashed(plan, pull, at)
    landed = plan.commits[-1]
    pick = plan.commit(
        at,
        lambda: f"{pull.title} (#{pull.number})\n\n(cherry picked from commit {landed.sha})",
    )
    pick.quotes, pick.is_on_main = landed, False


def _never(plan: Plan, pull: Pull, at: int) -> None:
    """Close without landing, however much it is linked."""
    pull.closed = at


def _subject(plan: Plan) -> str:
    return plan.texts.subject()
