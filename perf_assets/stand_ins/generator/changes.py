"""Planted changes: from a month on a series of the repository has another level.

They draw from a random stream of their own, after everything else is planned, so that a corpus with
a change is otherwise the one without it.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from perf_assets.base.errors import PerfAssetsError
from perf_assets.stand_ins.generator.model import Event, Issue
from perf_assets.stand_ins.generator.planner import Plan

SHARE, ANSWER, LABELLER = "opened_share", "hours_to_first_comment", "labeller"
LABEL, LABEL_OF_BOT = "module: performance", "performance"
LABELLING_BOT = "triage[bot]"
SERIES = (SHARE, ANSWER, LABELLER)


@dataclass(frozen=True)
class PlantedChange:
    """A change of ``series`` from ``month`` (YYYY-MM) on.

    ``size`` is, of opened_share, the share of the other bug reports that become performance bugs
    by their label, and of hours_to_first_comment the factor by which all comments come later. Of
    labeller it is the share of the other bug reports that a bot, which begins to label in that
    month, calls performance bugs wrongly; it labels all performance bugs, too.
    """

    series: str
    month: str
    size: float


def plant_changes(plan: Plan, changes: Sequence[PlantedChange], seed: int) -> list[dict[str, Any]]:
    """Plant ``changes`` into a plan that is complete but for its numbers; their truth.

    Issues of traps stay as they are.

    Raises
    ------
    PerfAssetsError
        A month that the plan does not have, or a series that nobody can plant.
    """
    draw = Random(f"{seed} changes")
    trapped = {id(issue) for trap in plan.traps.values() for issue in trap.issues}
    for change in changes:
        if change.month not in plan.calendar.names or change.series not in SERIES:
            raise PerfAssetsError(
                f"a change of {change.series} in {change.month} cannot be planted: take "
                f"{', '.join(SERIES)}, and a month of the corpus"
            )
        first = plan.calendar.names.index(change.month)
        for issue in plan.issues:
            if issue.month < first or id(issue) in trapped or not issue.is_bug_report:
                continue
            if change.series == LABELLER:
                if issue.is_performance or draw.random() < change.size:
                    _label_by_bot(issue)
                continue
            if change.series == SHARE:
                if not issue.is_performance and draw.random() < change.size:
                    issue.labels.append(LABEL)
                    issue.marks[LABEL] = "performance"
                    issue.performance_labels += (LABEL,)
                    issue.events.append(Event("labeled", issue.created, issue.author, label=LABEL))
                continue
            for comment in issue.comments:
                later = issue.created + int((comment.at - issue.created) * change.size)
                comment.at = min(later, plan.calendar.end - 1)
    return [asdict(change) for change in changes]


def _label_by_bot(issue: Issue) -> None:
    """Have the bot put its label on, a minute after the opening."""
    at = issue.created + 60
    if LABEL_OF_BOT not in issue.labels:
        issue.labels.append(LABEL_OF_BOT)
        issue.performance_labels += (LABEL_OF_BOT,)
    issue.marks[LABEL_OF_BOT] = "performance"
    issue.events = [event for event in issue.events if event.label != LABEL_OF_BOT]
    issue.events.append(Event("labeled", at, LABELLING_BOT, label=LABEL_OF_BOT))
