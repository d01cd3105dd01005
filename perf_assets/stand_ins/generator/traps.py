"""The register of traps: each a function that plants one into the plan, with what it needs.

The name of the function is the name of the trap in ``truth/traps.json``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from perf_assets.stand_ins.generator.model import Trap
from perf_assets.stand_ins.generator.planner import Plan

Planter = Callable[[Plan], None]


@dataclass(frozen=True)
class Entry:
    """A trap and what it takes; ``rank`` 1 is planted first when not all of them fit."""

    name: str
    plant: Planter
    issues: int
    commits: int
    months: int
    rank: int
    needs_template: bool
    has_usual_life: bool


REGISTER: list[Entry] = []


def trap(
    *,
    issues: int = 1,
    commits: int = 0,
    months: int = 1,
    rank: int = 2,
    needs_template: bool = False,
    has_usual_life: bool = False,
) -> Callable[[Planter], Planter]:
    """Register the decorated function as a trap that takes that many issues and commits.

    Issues with a usual life are closed and fixed like any other; the rest live as planted.
    """

    def register(plant: Planter) -> Planter:
        name = plant.__name__
        needs = (issues, commits, months, rank, needs_template, has_usual_life)
        REGISTER.append(Entry(name, plant, *needs))
        return plant

    return register


def plant_traps(plan: Plan, issues: int, commits: int) -> None:
    """Plant every trap that fits into ``issues`` and ``commits``, the first ranks first.

    Within a rank the order is drawn, so that small corpora of several seeds hold all of them.
    """
    drawn = plan.rng.sample(REGISTER, len(REGISTER))
    for entry in sorted(drawn, key=lambda entry: entry.rank):
        enough_months = plan.calendar.count >= entry.months
        has_template = plan.has_template or not entry.needs_template
        if entry.issues > issues or entry.commits > commits or not (enough_months and has_template):
            continue
        issues -= entry.issues
        commits -= entry.commits
        plan.trap = plan.traps.setdefault(entry.name, Trap())
        # Half of the issues with a usual life are performance bugs: late ones keep their share
        # rising over the months.
        plan.lateness = 3 if entry.has_usual_life else 1
        entry.plant(plan)
        if entry.has_usual_life:
            plan.lifeless += plan.trap.issues
        plan.trap, plan.lateness = None, 1
