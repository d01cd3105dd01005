"""The rules, in the order in which they are documented; a file each."""

from collections.abc import Iterable

from perf_assets.core.checks.rules.rule import Rule
from perf_assets.core.checks.rules.sequential_map import SEQUENTIAL_MAP

RULES: tuple[Rule, ...] = (SEQUENTIAL_MAP,)


def named(words: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that words stand for: a name, a code, the beginning of a code, or `all`.

    Raises
    ------
    KeyError
        With the first word that stands for no rule.
    """
    found: set[str] = set()
    for word in words:
        hits = {rule.name for rule in RULES if rule.answers_to(word)}
        if not hits:
            raise KeyError(word)
        found |= hits
    return tuple(rule for rule in RULES if rule.name in found)
