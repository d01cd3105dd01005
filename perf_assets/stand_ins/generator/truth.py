"""Writes what the plan knows: the tables that a right run over the corpus must arrive at.

Lists are joined by ``|``, moments are ISO 8601 in UTC.

Every value comes from what was planned. Nothing here reads titles, bodies or commit messages.
``judgements.csv`` says of each bug report what somebody who reads it would: the rule by words is
wrong about some. ``environments.csv`` is what the fields of bodies state, ``outcomes.csv`` what
became of bug reports, ``fixers.csv`` who wrote their fixes, by their address where nothing tells
the account.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from perf_assets.stand_ins.generator.area_truth import area_monthly, bug_areas, hot_spots
from perf_assets.stand_ins.generator.corpus import timestamp
from perf_assets.stand_ins.generator.fix_truth import (
    bug_lifetime,
    fix_contents,
    introducing_commits,
)
from perf_assets.stand_ins.generator.history import in_order
from perf_assets.stand_ins.generator.model import Comment, Commit, Issue, Pull, is_bot, person
from perf_assets.stand_ins.generator.outcomes import OUTCOMES, planned_outcomes
from perf_assets.stand_ins.generator.people import FIXERS, planned_answers, planned_fixers
from perf_assets.stand_ins.generator.planner import DAY, HOUR, Calendar, Plan
from perf_assets.stand_ins.generator.program import planted_findings
from perf_assets.stand_ins.generator.releases import Releases

DATASET = "live"

Row = dict[str, Any]
Link = tuple[Issue, Commit, str]
Links = dict[Link, bool]


def write_truth(plan: Plan, directory: Path, trend_start: int, releases: Releases) -> None:
    """Write the truth tables into ``directory``; ``trend_start`` is the index of that month."""
    issues = sorted(plan.issues, key=lambda issue: issue.number)
    commits = [commit for commit in plan.commits if commit.is_on_main]
    links = planned_links(issues, plan.pulls, plan.commits, plan.former_name)
    bugs = [issue for issue in issues if issue.is_bug_report]
    fixes = _fixes(links)
    linked = {
        commit: None for issue, commit, _ in links if issue.is_bug_report and commit.is_on_main
    }
    metrics = {bug: _metrics(plan, bug, fixes[bug]) for bug in bugs}

    def moments(bug: Issue) -> list[_Moment]:
        return _moments(plan.calendar, bug, fixes[bug])

    tables = {
        "labels.performance_labels": [_label(plan, issue) for issue in issues],
        "links.fix_links": [_link(plan, link, repeated) for link, repeated in links.items()],
        "marts.bug_metrics": list(metrics.values()),
        "marts.bug_areas": list(bug_areas(plan, bugs, fixes)),
        "marts.area_monthly": list(area_monthly(plan, bugs, fixes, metrics, moments, trend_start)),
        "marts.hot_spots": list(hot_spots(plan, bugs, fixes)),
        "details.introducing_commits": list(introducing_commits(plan, linked)),
        "marts.bug_lifetimes": [bug_lifetime(plan, bug, fixes[bug]) for bug in bugs if fixes[bug]],
        "marts.bug_releases": [releases.of_bug(bug, fixes[bug]) for bug in bugs if fixes[bug]],
        "raw.releases": list(releases.rows()),
        "marts.trend_monthly": _trend(plan, issues, fixes, trend_start),
        "marts.dataset_breakdown": _breakdown(plan, bugs, fixes),
        "raw.commits": [_commit(plan, commit) for commit in commits],
        "raw.static_findings": list(planted_findings(plan, in_order(plan.commits))),
    }
    for name, rows in tables.items():
        path = directory / f"{name.partition('.')[2]}.csv"
        if rows:  # a table without rows has no file
            pl.DataFrame(rows, infer_schema_length=None).write_csv(path)
    fixers = list(planned_fixers(plan, bugs, fixes))
    pl.DataFrame(fixers, schema=FIXERS, orient="row").write_csv(directory / "fixers.csv")
    judged = [{"number": bug.number, "is_performance": bug.is_about_performance} for bug in bugs]
    columns = {"number": pl.Int64, "is_performance": pl.Boolean}
    pl.DataFrame(judged, schema=columns).write_csv(directory / "judgements.csv")
    ended = planned_outcomes((bug, bool(fixes[bug])) for bug in bugs)
    outcomes = pl.DataFrame(list(ended), schema=OUTCOMES)
    outcomes.write_csv(directory / "outcomes.csv")
    stated = [
        {"number": issue.number, "environment_aspect": aspect, "environment_value": value}
        for issue in issues
        for aspect, value in issue.environment.items()
    ]
    fields = ("number", "environment_aspect", "environment_value")
    pl.DataFrame(stated, schema=fields).write_csv(directory / "environments.csv")
    _write_json(directory / "counts.json", _counts(plan, commits))
    _write_json(directory / "traps.json", _traps(plan))


def planned_links(
    issues: Sequence[Issue], pulls: Sequence[Pull], commits: Sequence[Commit], former_name: str
) -> Links:
    """Return issue, commit and approach of every fix link, and whether it is repeated.

    Of a merged pull request its commits make the size, and the merge only where none of them is
    linked. What closed an issue under ``former_name`` is the repository's own.
    """
    names = (None, former_name)
    links: dict[Link, None] = {}
    repeated: set[tuple[Issue, Commit]] = set()
    related = [(issue, pull, "pull_request") for issue, pull in _related(issues, pulls, names)]
    named = [(issue, pull, "named_in_comment") for issue in issues for pull in issue.named_pulls]
    for issue, pull, approach in related + named:
        later = [commit for commit in pull.own if commit.at >= issue.created]
        merge = pull.merge_commit
        if merge is not None and merge.merges is not None:
            if later:
                repeated.add((issue, merge))
            if not any(event.closer and event.closer.pull is pull for event in issue.events):
                later.append(merge)
        for commit in later:
            links[issue, commit, approach] = None
    links |= {
        (issue, commit, approach): None for commit in commits for issue, approach in commit.links
    }
    for issue, merge, side in _brought(pulls):
        links[issue, side, "named_by_pull_request"] = None
        repeated.add((issue, merge))
    links |= dict.fromkeys(_closed(issues, names))
    ordered = sorted(links, key=lambda link: (link[0].number, link[1].sha, link[2]))
    return {link: link[:2] in repeated for link in ordered}


def _brought(pulls: Sequence[Pull]) -> Iterator[tuple[Issue, Commit, Commit]]:
    """Yield issue, merge and commit of merges that name an issue and brought the commit."""
    for pull in pulls:
        merge = pull.merge_commit
        if merge is not None and merge.merges is not None:
            for issue, _ in merge.links:
                for side in merge.merges.commits:
                    if side.at >= issue.created:
                        yield issue, merge, side


def _closed(issues: Sequence[Issue], names: Collection[str | None]) -> Iterator[Link]:
    """Yield the links of closing events."""
    for issue in issues:
        for event in issue.events:
            closer = event.closer
            if closer is None or closer.repository not in names:
                continue
            if closer.commit is not None:
                yield issue, closer.commit, "closed_by_commit"
            elif closer.pull is not None and closer.pull.merge_commit is not None:
                yield issue, closer.pull.merge_commit, "closed_by_pull_request"


def _related(
    issues: Sequence[Issue], pulls: Sequence[Pull], names: Collection[str | None]
) -> list[tuple[Issue, Pull]]:
    """Return the pull requests of the repository itself that closed an issue or are linked to
    it.
    """
    closers = [(issue, event.closer) for issue in issues for event in issue.events if event.closer]
    closed = [
        (issue, closer.pull)
        for issue, closer in closers
        if closer.pull is not None and closer.repository in names
    ]
    return closed + [(issue, pull) for pull in pulls for issue in pull.closes]


def _fixes(links: Links) -> defaultdict[Issue, set[Commit]]:
    fixes: defaultdict[Issue, set[Commit]] = defaultdict(set)
    for (issue, commit, _), is_repeated in links.items():
        if commit.is_on_main and not is_repeated:
            fixes[issue].add(commit)
    return fixes


def _label(plan: Plan, issue: Issue) -> Row:
    return {
        "repository": plan.repository,
        "number": issue.number,
        "is_bug_report": issue.is_bug_report,
        "is_performance": issue.is_performance,
        "matched_labels": "|".join(sorted(issue.performance_labels)),
        "matched_keywords": "|".join(sorted(issue.keywords)),
        "matched_in": "|".join(sorted(issue.parts)),
    }


def _link(plan: Plan, link: Link, is_repeated: bool) -> Row:
    issue, commit, approach = link
    return {
        "repository": plan.repository,
        "number": issue.number,
        "sha": commit.sha,
        "approach": approach,
        "is_counted": commit.is_on_main,
        "is_repeated": is_repeated,
    }


def _metrics(plan: Plan, issue: Issue, fix: set[Commit]) -> Row:
    closed = issue.closed
    is_fixed = closed is not None and bool(fix)
    of_people = [comment for comment in issue.comments if not is_bot(comment.author)]
    with_bots = {f"{name}_with_bots": value for name, value in _talk(issue, issue.comments).items()}
    size = sum(commit.additions + commit.deletions for commit in fix)
    return {
        "dataset": DATASET,
        "repository": plan.repository,
        "number": issue.number,
        "month": plan.calendar.names[issue.month],
        "state": "open" if closed is None else "closed",
        "is_performance": issue.is_performance,
        "is_fixed": is_fixed,
        "opened_at": timestamp(issue.created),
        "closed_at": timestamp(closed),
        "fix_time_days": (closed - issue.created) / DAY if closed is not None and fix else None,
        "fix_size": size if fix else None,
        "fix_commits": len(fix),
        **fix_contents(fix),
        **_talk(issue, of_people),
        **planned_answers(plan, issue, of_people),
        **with_bots,
        "reopenings": len(issue.reopenings),
    }


def _talk(issue: Issue, comments: Sequence[Comment]) -> Row:
    """Return the number and accounts of these comments, and the time of the first answer."""
    author = person(issue.author)
    answers = [comment.at for comment in comments if person(comment.author) != author]
    return {
        "hours_to_first_comment": (min(answers) - issue.created) / HOUR if answers else None,
        "comments": len(comments),
        "commentators": len({person(comment.author) for comment in comments}),
    }


@dataclass(frozen=True)
class _Moment:
    """A bug report as it is at the end of ``month``, and unchanged before the month ``end``."""

    month: int
    end: int
    is_performance: bool
    closed: int | None
    is_fixed: bool


def _moments(calendar: Calendar, issue: Issue, fix: set[Commit]) -> list[_Moment]:
    """Return the life of an issue by months, from the ones in which something happened; as
    planned.
    """
    happened = [issue.created, *issue.closings, *issue.reopenings]
    happened += [event.at for event in issue.events] + [commit.at for commit in fix]
    months = sorted({calendar.month_of(at) for at in happened})
    return [
        moment
        for month, end in zip(months, [*months[1:], calendar.count], strict=True)
        if (moment := _moment(calendar, issue, fix, month, end)) is not None
    ]


def _moment(
    calendar: Calendar, issue: Issue, fix: set[Commit], month: int, end: int
) -> _Moment | None:
    """Return the issue at the end of ``month``; None if it is not a bug report then."""
    now = calendar.starts[month + 1]
    marks: dict[str | None, str] = {}
    for event in sorted(issue.events, key=lambda event: event.at):
        if event.at < now and event.kind == "labeled":
            marks[event.label] = issue.marks.get(event.label or "", "")
        elif event.at < now and event.kind == "unlabeled":
            marks.pop(event.label, None)
    if "other" in marks.values():
        return None
    closings = [at for at in issue.closings if at < now]
    is_closed = len(closings) > sum(at < now for at in issue.reopenings)
    return _Moment(
        month,
        end,
        is_performance=bool(issue.keywords) or "performance" in marks.values(),
        closed=closings[-1] if is_closed else None,
        is_fixed=is_closed and any(commit.at < now for commit in fix),
    )


class _Series:
    """Two counts a month, of performance bugs and of all bug reports."""

    def __init__(self, months: int) -> None:
        self.performance = [0] * months
        self.total = [0] * months

    def add(self, moment: _Moment, end: int | None = None) -> None:
        """Count the bug report in every month up to ``end``, left out; default: in one."""
        for month in range(moment.month, end or moment.month + 1):
            self.total[month] += 1
            self.performance[month] += moment.is_performance

    def share(self, month: int) -> float | None:
        """Return performance bugs in per cent."""
        total = self.total[month]
        return 100 * self.performance[month] / total if total else None


def _trend(
    plan: Plan, issues: Sequence[Issue], fixes: defaultdict[Issue, set[Commit]], first: int
) -> list[Row]:
    calendar = plan.calendar
    open_, fixed, opened, newly_fixed = (_Series(calendar.count) for _ in range(4))
    for issue in issues:
        for moment in _moments(calendar, issue, fixes[issue]):
            if moment.month == issue.month:
                opened.add(moment)
            if moment.closed is None:
                open_.add(moment, moment.end)
            if moment.is_fixed:
                fixed.add(moment, moment.end)
                if calendar.month_of(moment.closed or 0) == moment.month:
                    newly_fixed.add(moment)
    return [
        {
            "dataset": DATASET,
            "repository": plan.repository,
            "month": calendar.names[month],
            "open_performance": open_.performance[month],
            "open_total": open_.total[month],
            "open_percentage": open_.share(month),
            "fixed_performance": fixed.performance[month],
            "fixed_total": fixed.total[month],
            "fixed_percentage": fixed.share(month),
            "opened_performance": opened.performance[month],
            "opened_total": opened.total[month],
            "newly_fixed_performance": newly_fixed.performance[month],
            "newly_fixed_total": newly_fixed.total[month],
            "is_complete": True,
        }
        for month in range(first, calendar.count)
    ]


def _breakdown(
    plan: Plan, bugs: Sequence[Issue], fixes: defaultdict[Issue, set[Commit]]
) -> list[Row]:
    counts: Counter[tuple[bool, str]] = Counter()
    for issue in bugs:
        counts[issue.is_performance, "closed" if issue.is_closed else "open"] += 1
        counts[issue.is_performance, "fixed"] += issue.is_closed and bool(fixes[issue])
    return [
        {
            "dataset": DATASET,
            "repository": plan.repository,
            "is_performance": is_performance,
            **{column: counts[is_performance, column] for column in ("open", "closed", "fixed")},
        }
        for is_performance in (False, True)
    ]


def _commit(plan: Plan, commit: Commit) -> Row:
    return {
        "repository": plan.repository,
        "sha": commit.sha,
        "committed_at": timestamp(commit.at),
        "authored_at": timestamp(commit.authored),
        "is_merge": commit.is_merge,
        "additions": commit.additions,
        "deletions": commit.deletions,
        "changed_files": commit.changed_files,
        "month": plan.calendar.names[plan.calendar.month_of(commit.at)],
    }


def _counts(plan: Plan, commits: Sequence[Commit]) -> Row:
    """Return the totals that a correct run stores: a close without an event gets one."""
    lost = sum(issue.is_closed and not issue.has_close_events for issue in plan.issues)
    return {
        "issues": len(plan.issues),
        "comments": sum(len(issue.comments) for issue in plan.issues),
        "events": sum(len(issue.events) for issue in plan.issues) + lost,
        "pulls": len(plan.pulls),
        "commits": len(commits),
    }


def _traps(plan: Plan) -> Row:
    return {
        name: {
            "issues": [issue.number for issue in trap.issues],
            "pulls": [pull.number for pull in trap.pulls],
            "commits": [commit.sha for commit in trap.commits],
        }
        for name, trap in plan.traps.items()
    }


def _write_json(path: Path, content: Row) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
