"""What fills the plan between the traps: the usual issues, commits and comments."""

from itertools import accumulate

from perf_assets.stand_ins.generator.model import Closer, Commit, Edit, Issue
from perf_assets.stand_ins.generator.planner import AREAS, BOTS, DAY, HOUR, TRIAGE, Plan

NON_BUG_LABELS = ("feature", "enhancement", "question", "documentation")
ROOM_FOR_TEMPLATE = 10  # commits
PIONEERS = 3  # issues 1 to 3, which lists in commit messages seem to name
AREA_SHARE = 0.55
PERFORMANCE_AREAS = (
    1,
    4,
    1,
    0,
)  # where performance bugs are, beside the others, which are anywhere
ENVIRONMENT_SHARE = 0.5
TRIAGED_SHARE = 0.15
FALSE_ALARMS = 0.35  # of the usual ones: with the others a tenth, as the study found (11.87 %)
MISSED = 0.15
MERGED = 0.12
SQUASHED = 0.3
WELCOMED = 0.25  # of the issues that draw comments: a bot is the first to say something


def open_history(plan: Plan, commits: int) -> None:
    """Plan the root commit and, where there is room, the issue template and its
    second version.
    """
    calendar = plan.calendar
    root = plan.commit(calendar.starts[0], "Initial commit", edit=Edit("root"))
    root.offset_minutes = 540
    plan.has_template = commits >= ROOM_FOR_TEMPLATE
    if not plan.has_template:
        return
    at = plan.moment(calendar.template)
    plan.commit(at, "Ask for what we need in bug reports", edit=Edit("template"))
    if calendar.second_template is not None:
        at = plan.moment(calendar.second_template)
        plan.commit(at, "Ask for more in bug reports", edit=Edit("second_template"))


def open_issues(plan: Plan, issues: int) -> None:
    """Plan the first issues, so that the numbers 1 to 3 are issues; number 1 at the
    first second.
    """
    for index in range(min(PIONEERS, issues)):
        plan.issue(created=plan.calendar.starts[0] + index * 600)


def fill_issues(plan: Plan, count: int, fix_commits: int) -> None:
    """Plan ``count`` usual issues; their fixes take at most ``fix_commits`` commits."""
    issues = plan.lifeless + [_usual_issue(plan) for _ in range(count)]
    chance = min(0.55, fix_commits / max(1, len(issues)))
    for issue in issues:
        fix_commits -= _usual_life(plan, issue, chance, fix_commits)


def _usual_issue(plan: Plan) -> Issue:
    rng, month = plan.rng, plan.month()
    issue = plan.issue(month)
    if plan.has_template and month >= plan.calendar.template and rng.random() < 0.6:
        issue.body = plan.templated(month)
    if rng.random() < 0.15:
        plan.label(issue, rng.choice(NON_BUG_LABELS), marks="other")
        if rng.random() < 0.2:
            plan.say(issue, None, "title")
        return issue
    if rng.random() < 0.6:
        plan.label(issue, "bug")
    is_performance = rng.random() < 0.03 + 0.3 * month / plan.calendar.count
    if rng.random() < AREA_SHARE:
        weights = PERFORMANCE_AREAS if is_performance else None
        plan.label(issue, rng.choices(AREAS, weights)[0])
    if rng.random() < TRIAGED_SHARE:
        plan.label(issue, rng.choice(TRIAGE))
    if is_performance:
        _usual_performance_bug(plan, issue)
    if rng.random() < ENVIRONMENT_SHARE:
        lines, issue.environment = plan.texts.environment(is_performance)
        issue.body = f"{issue.body or ''}\n\n{lines}".strip()
    return issue


def _usual_performance_bug(plan: Plan, issue: Issue) -> None:
    draw = plan.rng.random()
    if draw < FALSE_ALARMS:
        plan.raise_false_alarm(issue)
        return
    issue.chatter = 1.8
    if draw < FALSE_ALARMS + MISSED:
        issue.title, issue.is_missed = plan.texts.widened_title(), True
        return
    draw = plan.rng.random()
    if draw < 0.3:
        plan.label(issue, "module: performance", marks="performance")
    if 0.15 < draw < 0.6:
        plan.say(issue, None, "title")
    if draw > 0.45:
        plan.say(issue, None, "body")


def _usual_life(plan: Plan, issue: Issue, chance: float, budget: int) -> int:
    """Open, closed or fixed; the number of commits that the fix took."""
    rng = plan.rng
    days = rng.lognormvariate(0, 1.3) * (40 if issue.is_about_performance else 7)
    if rng.random() < 0.2 or issue.created + (days + 1) * DAY >= plan.calendar.end:
        return 0
    at = plan.after(issue.created, days)
    commits = min(budget, rng.choices((1, 2, 3), (80, 15, 5))[0]) if rng.random() < chance else 0
    closer = _usual_fix(plan, issue, at, commits) if commits else None
    reason = "not_planned" if not commits and rng.random() < 0.3 else "completed"
    closed = min(at + rng.randint(1, 2 * HOUR), plan.calendar.end - 1)
    plan.close(issue, closed, closer, reason)
    if rng.random() < 0.07 and closed + 60 * DAY < plan.calendar.end:
        plan.reopen(issue, plan.after(closed, rng.uniform(1, 30)))
        if rng.random() < 0.7:
            plan.close(issue, plan.after(issue.reopenings[-1], rng.uniform(1, 25)))
    return commits


def _usual_fix(plan: Plan, issue: Issue, at: int, commits: int) -> Closer | None:
    """Plan fix commits up to ``at``; return the closer that the closing event names."""
    rng = plan.rng
    scale = 40.0 if issue.is_performance else 20.0
    commit: Commit | None = None
    for index in range(commits):
        moment = at if index == commits - 1 else plan.after(issue.created, 0.5)
        moment = min(at, moment)
        commit = plan.fix(issue, moment, by_url=rng.random() < 0.2, edit=plan.edit(scale))
    draw = rng.random()
    if draw < 0.35:
        return Closer(commit=commit)
    if draw < 0.6 and commit is not None:
        pull = plan.pull(commit.at)
        plan.merge(pull, commit)
        return Closer(pull=pull)
    return None


def fill_commits(plan: Plan, count: int) -> list[Commit]:
    """Plan ``count`` commits that fix nothing: plain, squashed, or merged from a branch.

    Returns
    -------
    The plain ones.
    """
    plain: list[Commit] = []
    months = [
        month for month in range(plan.calendar.count) if month != plan.calendar.quiet_for_commits
    ]
    while count > 0:
        at = plan.moment(plan.rng.choice(months))
        draw = plan.rng.random()
        if count >= 2 and draw < MERGED:
            plan.merged_branch(
                at, lambda pull: f"Merge pull request #{pull.number} from {pull.author}/topic"
            )
            count -= 2
            continue
        if draw < MERGED + SQUASHED:
            _squashed(plan, at)
        else:
            plain.append(plan.commit(at, plan.texts.subject()))
        count -= 1
    return plain


def _squashed(plan: Plan, at: int) -> None:
    pull = plan.pull(at)
    commit = plan.commit(at, lambda: f"{pull.title} (#{pull.number})")
    plan.merge(pull, commit)


def fill_pulls(plan: Plan, count: int) -> None:
    """Plan ``count`` pull requests that were never merged, half of them closed."""
    for index in range(count):
        pull = plan.pull(plan.moment(plan.month()))
        if index % 2:
            pull.closed = plan.after(pull.created, 20)


def fill_comments(plan: Plan, total: int) -> None:
    """Spread what the traps left of ``total`` comments over the issues that draw comments."""
    rest = total - sum(len(issue.comments) for issue in plan.issues)
    drawing = [issue for issue in plan.issues if issue.chatter > 0]
    if rest <= 0 or not drawing:
        return
    weights = [issue.chatter * plan.rng.lognormvariate(0, 0.8) for issue in drawing]
    counts = dict.fromkeys(range(len(drawing)), 0)
    for index in plan.rng.choices(
        range(len(drawing)), cum_weights=list(accumulate(weights)), k=rest
    ):
        counts[index] += 1
    for index, count in counts.items():
        _talk(plan, drawing[index], count)


def _talk(plan: Plan, issue: Issue, count: int) -> None:
    """Plan comments of the author and a few others, most of them before the issue is closed."""
    rng, end = plan.rng, plan.calendar.end - 1
    others = [plan.account() for _ in range(1 + count // 2)]
    closed = issue.closed or end
    for index in range(count):
        until = closed if rng.random() < 0.9 else end
        at = issue.created + int((until - issue.created) * rng.random() ** 3)
        if index == 0 and rng.random() < WELCOMED:
            plan.comment(issue, BOTS[0], issue.created + rng.randint(1, 90))
            continue
        is_author = rng.random() < (0.2 if index == 0 else 0.35)
        plan.comment(issue, issue.author if is_author else rng.choice(others), at)
