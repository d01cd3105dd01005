"""What the plan knows of areas: those of each bug report, their series, and places of fixes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import median
from typing import Any

from perf_assets.stand_ins.generator.areas import LABEL_AREAS, area_of_file
from perf_assets.stand_ins.generator.corpus import timestamp
from perf_assets.stand_ins.generator.history import TESTS
from perf_assets.stand_ins.generator.model import Commit, Issue
from perf_assets.stand_ins.generator.planner import DAY, Plan

Row = dict[str, Any]
Fixes = Mapping[Issue, set[Commit]]
Areas = Mapping[Issue, Mapping[str, Fraction]]


def areas_of_bugs(bugs: Sequence[Issue], fixes: Fixes) -> dict[Issue, dict[str, Fraction]]:
    """Return the areas of each bug report with its shares."""
    return {bug: _shares(_evidence(bug, fixes[bug])[1]) for bug in bugs}


def _evidence(bug: Issue, fix: Collection[Commit]) -> tuple[str | None, list[str]]:
    """Return the strongest source that names areas, and the area of each thing that it has."""
    labels = [LABEL_AREAS[label] for label in set(bug.labels) if label in LABEL_AREAS]
    if labels:
        return "label", labels
    paths = {path for commit in fix for path in commit.files}
    sources = {path for path in paths if not _is_aside(path)}
    if paths:
        return "fix", [area_of_file(path) for path in sources or paths]
    if bug.traced_file:
        return "stack_trace", [area_of_file(bug.traced_file)]
    return None, ["unknown"]


def _shares(areas: Sequence[str]) -> dict[str, Fraction]:
    return {area: Fraction(count, len(areas)) for area, count in sorted(Counter(areas).items())}


def _is_aside(path: str) -> bool:
    return path.startswith((TESTS, "docs/")) or path.endswith(".md")


def bug_areas(plan: Plan, bugs: Sequence[Issue], fixes: Fixes) -> Iterator[Row]:
    """Yield rows of marts.bug_areas."""
    for bug, areas in areas_of_bugs(bugs, fixes).items():
        source = _evidence(bug, fixes[bug])[0]
        for area, share in areas.items():
            yield {
                "dataset": "live",
                "repository": plan.repository,
                "number": bug.number,
                "area": area,
                "share": float(share),
                "area_source": source,
                "is_performance": bug.is_performance,
            }


def area_monthly(
    plan: Plan,
    bugs: Sequence[Issue],
    fixes: Fixes,
    metrics: Mapping[Issue, Row],
    moments: Callable[[Issue], Sequence[Any]],
    first: int,
) -> Iterator[Row]:
    """Yield rows of marts.area_monthly from the month ``first`` on.

    ``moments`` are the months in which a bug report changed, each with how it was at its end.
    """
    calendar = plan.calendar
    counts: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    weights: defaultdict[tuple[str, int], Fraction] = defaultdict(Fraction)
    times: defaultdict[tuple[str, int, str], list[float]] = defaultdict(list)
    areas = areas_of_bugs(bugs, fixes)
    for bug, shares in areas.items():
        for area, share in shares.items():
            for moment in moments(bug):
                kinds = ("total", "performance") if moment.is_performance else ("total",)
                at = area, moment.month
                for kind in kinds:
                    if moment.month == bug.month:
                        counts[at][f"opened_{kind}"] += 1
                    if moment.closed is None:
                        for month in range(moment.month, moment.end):
                            counts[area, month][f"open_{kind}"] += 1
                    elif moment.is_fixed and calendar.month_of(moment.closed) == moment.month:
                        counts[at][f"newly_fixed_{kind}"] += 1
                if moment.month == bug.month:
                    weights[at] += share
            _add_times(times, plan, bug, area, metrics[bug])
    for area in sorted({area for shares in areas.values() for area in shares}):
        for month in range(first, calendar.count):
            yield {
                "dataset": "live",
                "repository": plan.repository,
                "area": area,
                "month": calendar.names[month],
                **{
                    f"{name}_{kind}": counts[area, month][f"{name}_{kind}"]
                    for name in ("opened", "open", "newly_fixed")
                    for kind in ("performance", "total")
                },
                "weight_opened": float(weights[area, month]),
                **_medians({name: times[area, month, name] for name in TIMES}),
            }


TIMES = {
    "hours_to_triage": "triaged_total",
    "hours_to_first_comment": "answered_total",
    "fix_time_days": "timed_fixes",
}


def _add_times(
    times: defaultdict[tuple[str, int, str], list[float]],
    plan: Plan,
    bug: Issue,
    area: str,
    metrics: Row,
) -> None:
    closed = plan.calendar.month_of(bug.closed) if bug.closed is not None else -1
    for name, month, value in (
        ("hours_to_triage", bug.month, metrics["hours_to_triage"]),
        ("hours_to_first_comment", bug.month, metrics["hours_to_first_comment"]),
        ("fix_time_days", closed, metrics["fix_time_days"]),
    ):
        if value is not None:
            times[area, month, name].append(value)


def _medians(times: Mapping[str, Sequence[float]]) -> Row:
    return {
        column: value
        for name, values in times.items()
        for column, value in (
            (TIMES[name], len(values)),
            (f"median_{name}", median(values) if values else None),
        )
    }


def hot_spots(plan: Plan, bugs: Sequence[Issue], fixes: Fixes) -> Iterator[Row]:
    """Yield rows of marts.hot_spots for files; the planned library has no methods that fixes
    change.
    """
    touched: defaultdict[str, dict[Commit, set[Issue]]] = defaultdict(lambda: defaultdict(set))
    for bug in bugs:
        for commit in fixes[bug]:
            for path in commit.files:
                touched[path][commit].add(bug)
    for path, commits in sorted(touched.items()):
        in_order = sorted(commits, key=lambda commit: commit.sha)
        hot = [c for c in in_order if any(bug.is_performance for bug in commits[c])]
        if not hot or _is_aside(path):
            continue
        first, last = min(commit.at for commit in hot), max(commit.at for commit in hot)
        between = [
            sum(commit.files[path])
            for commit in plan.commits
            if path in commit.files
            and commit.is_on_main
            and not commit.is_merge
            and commit not in hot
            and first < commit.at < last
        ]
        lines_and_days = [
            (lines, (commit.at - writer.at) / DAY)
            for commit in hot
            if commit.merges is None and path.endswith(".py")
            for (origin, writer), lines in commit.origins.items()
            if origin == path
        ]
        total = sum(lines for lines, _ in lines_and_days)
        fixed = {bug for bugs_of in commits.values() for bug in bugs_of}
        yield {
            "dataset": "live",
            "repository": plan.repository,
            "code_unit": "file",
            "name": path,
            "area": area_of_file(path),
            "performance_fixes": sum(bug.is_performance for bug in fixed),
            "fixes": len(fixed),
            "first_fixed_at": timestamp(first),
            "last_fixed_at": timestamp(last),
            "commits_between": len(between),
            "churn_between": sum(between),
            "removed_lines": total,
            "mean_age_of_removed_lines_days": (
                sum(lines * days for lines, days in lines_and_days) / total if total else None
            ),
        }
