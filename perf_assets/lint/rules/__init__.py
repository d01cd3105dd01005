"""The rules, in the order in which they are documented; a file each."""

from __future__ import annotations

from collections.abc import Iterable

from perf_assets.lint.rules.cat_in_loop import CAT_IN_LOOP
from perf_assets.lint.rules.every_step import CACHE_EMPTIED_IN_LOOP, SYNCHRONIZE_IN_LOOP
from perf_assets.lint.rules.function_in_loop import FUNCTION_IN_LOOP
from perf_assets.lint.rules.item_by_index import ITEM_BY_INDEX
from perf_assets.lint.rules.loop_invariant_op import LOOP_INVARIANT_OP
from perf_assets.lint.rules.map_before_batch import MAP_BEFORE_BATCH
from perf_assets.lint.rules.model_with_gradients import MODEL_WITH_GRADIENTS
from perf_assets.lint.rules.rule import Rule
from perf_assets.lint.rules.scalar_to_function import SCALAR_TO_FUNCTION
from perf_assets.lint.rules.sequential_map import SEQUENTIAL_MAP
from perf_assets.lint.rules.session_in_loop import SESSION_IN_LOOP
from perf_assets.lint.rules.sync_in_evaluation import SYNC_IN_EVALUATION
from perf_assets.lint.rules.sync_in_loop import SYNC_IN_LOOP
from perf_assets.lint.rules.tensor_made_on_cpu import TENSOR_MADE_ON_CPU
from perf_assets.lint.rules.torch_loading import LOADER_WITHOUT_WORKERS, ZERO_GRAD_TO_ZERO
from perf_assets.lint.rules.unpinned_loader import HALF_PINNED_LOADER, UNPINNED_LOADER
from perf_assets.lint.rules.unused_noqa import UNUSED_NOQA

RULES: tuple[Rule, ...] = (
    LOOP_INVARIANT_OP,
    MAP_BEFORE_BATCH,
    SEQUENTIAL_MAP,
    SESSION_IN_LOOP,
    FUNCTION_IN_LOOP,
    SCALAR_TO_FUNCTION,
    LOADER_WITHOUT_WORKERS,
    ZERO_GRAD_TO_ZERO,
    SYNC_IN_LOOP,
    CAT_IN_LOOP,
    TENSOR_MADE_ON_CPU,
    MODEL_WITH_GRADIENTS,
    UNPINNED_LOADER,
    ITEM_BY_INDEX,
    CACHE_EMPTIED_IN_LOOP,
    SYNC_IN_EVALUATION,
    HALF_PINNED_LOADER,
    SYNCHRONIZE_IN_LOOP,
)

REPORTED = (*RULES, UNUSED_NOQA)
"""The rules of the command: a study counts performance problems, and no comments."""

CAUSES = {rule.name: rule.cause for rule in RULES}
"""The root cause of each rule's findings: category and sub-category."""


def named(words: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rules that words stand for: a name, a code, the beginning of a code, or `all`.

    Raises
    ------
    KeyError
        With the first word that stands for no rule.
    """
    found: set[str] = set()
    for word in words:
        hits = {rule.name for rule in REPORTED if rule.answers_to(word)}
        if not hits:
            raise KeyError(word)
        found |= hits
    return tuple(rule for rule in REPORTED if rule.name in found)
