"""Performance work that no report asked for: some plain commits say that they make things faster.

Their messages alone are other ones, by a stream of their own; what they do to the files stays.
"""

from functools import partial
from itertools import cycle
from random import Random
from typing import Any

from perf_assets.stand_ins.generator.phrases import CAUSE_COMMIT
from perf_assets.stand_ins.generator.planner import Plan
from perf_assets.stand_ins.generator.texts import COMPONENTS
from perf_assets.stand_ins.generator.wording import plain_commits

SHARE = 0.2
"""Of the plain commits."""

MESSAGES = (
    ("optimisation", "Speed up {}\n\nA table replaces the inner loop."),
    ("optimisation", "perf: skip needless work in {}"),
    ("optimisation", "Avoid unnecessary copies in {}"),
    ("optimisation", "Rework {}\n\nBefore 41 ms, after 12 ms: 3.4x faster on the large example."),
    ("optimisation", "Reduce the memory usage of {}"),
    ("fix", "Fix a memory leak in {}"),
    ("fix", "Fix a performance regression in {}"),
    ("guard", "bench: measure {}"),
    ("none", "Mark the slow tests of {}"),
    ("none", "Document how to speed up {}"),
)
"""What a commit says, and what it is then, where it touches the product."""


def plant_work(plan: Plan, seed: int) -> None:
    """Let some plain commits say that they are performance work, or seem to."""
    rng = Random(f"work of {seed}")
    commits = [
        commit
        for commit in plain_commits(plan)
        if commit.form is None and commit.message() != CAUSE_COMMIT
    ]
    chosen = rng.sample(commits, int(SHARE * len(commits)))
    for commit, (kind, message) in zip(chosen, cycle(MESSAGES), strict=False):
        what = rng.choice(COMPONENTS)
        commit.message = partial(message.format, what)
        plan.work[id(commit)] = kind


def planted_work(plan: Plan) -> dict[str, Any]:
    """Return the hashes of the commits of each kind of work; empty without any.

    Those that touch tests or documentation alone are none of it, whatever they say.
    """
    found: dict[str, list[str]] = {}
    for commit in plan.commits:
        kind = plan.work.get(id(commit))
        if kind is not None:
            is_product = any(path.startswith("src/") for path in commit.files)
            found.setdefault(kind if is_product or kind == "guard" else "none", []).append(
                commit.sha
            )
    return {kind: sorted(shas) for kind, shas in sorted(found.items())}
