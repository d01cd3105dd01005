"""Plans what two made-up raters say of a sample of the bug reports."""

from collections.abc import Iterator
from random import Random
from typing import Any

from perf_assets.stand_ins.generator.corpus import timestamp
from perf_assets.stand_ins.generator.model import Issue
from perf_assets.stand_ins.generator.planner import Plan

RATERS = ("made-up rater 1", "made-up rater 2")
LABELLED, OTHERS = 40, 20
"""How many performance bugs by the rule they judge, and how many other bug reports."""

UNSURE, OTHER_VERDICT, OTHER_CAUSE = 0.03, 0.04, 0.15
"""How often a rater is unsure, takes a report for the opposite, and names another cause."""

CAUSES = (
    ("Memory inefficiency", "Unreleased memory resources", "memory", 5),
    ("Memory inefficiency", "Unnecessary memory allocation", "memory", 3),
    ("Traditional SE inefficiency", None, "speed", 6),
    ("Threading inefficiency", "Lack of parallelization", "speed", 3),
    ("Matrix computation inefficiency", "Lack of vectorization", "speed", 2),
    ("Unnecessary computation", "Unnecessary operation", "both", 1),
    ("Inefficient caching", None, "memory", 1),
    ("Other", "Not discussed enough", "speed", 2),
)
"""Root causes of the paper's Table III with an impact, and how often each is drawn."""

COLUMNS = ("rater", "repository", "number", "verdict", "category", "subcategory", "impact")


def made_up_verdicts(plan: Plan, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each rater and judged bug report, as ``reviews.verdicts``."""
    rng = Random(f"verdicts of {seed}")
    bugs = sorted((issue for issue in plan.issues if issue.is_bug_report), key=_number)
    drawn: list[Issue] = []
    for is_labelled, size in ((True, LABELLED), (False, OTHERS)):
        stratum = [bug for bug in bugs if bug.is_performance == is_labelled]
        drawn += rng.sample(stratum, min(size, len(stratum)))
    causes = {bug: _cause(rng) for bug in drawn}
    for rater in RATERS:
        for bug in sorted(drawn, key=_number):
            chance = rng.random()
            is_performance = bug.is_about_performance != (chance < OTHER_VERDICT)
            verdict = "yes" if is_performance else "no"
            cause = _cause(rng) if rng.random() < OTHER_CAUSE else causes[bug]
            answers = (*cause,) if verdict == "yes" else (None, None, None)
            if chance > 1 - UNSURE:
                verdict, answers = "unsure", (None, None, None)
            row = (rater, plan.repository, bug.number, verdict, *answers)
            yield {
                **dict(zip(COLUMNS, row, strict=True)),
                "imported_at": timestamp(plan.calendar.end),
            }


def _cause(rng: Random) -> tuple[str | None, str | None, str | None]:
    (cause,) = rng.choices(CAUSES, [weight for *_, weight in CAUSES])
    return cause[:3]


def _number(issue: Issue) -> int:
    return issue.number
