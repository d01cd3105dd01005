"""No regular expression of the package takes quadratic time on any text that follows from it."""

import re

import pytest

from tests.benchmarks import patterns as benchmark
from tests.regular_expressions import RUNNING, SHORT, Use, all_uses, unknown_patterns
from tests.worst_texts import Recipe, seconds, slowest_recipes

LENGTH, TIMES = 1_000, 16  # characters, and by how much a long text is longer
MOST_RATIO = 64  # a linear pattern takes 16 times as long for the long text, a quadratic one 256
FLOOR = 0.01  # seconds below which a ratio says nothing
LIMIT = 0.5  # seconds, of CPU time


def slow_recipe(use: Use) -> Recipe | None:
    """Return a recipe whose long text takes far more time than its length explains, if any."""
    for recipe in slowest_recipes(use, LENGTH, 3):
        if _is_slow(use, recipe):
            return recipe
    return None


def _is_slow(use: Use, recipe: Recipe) -> bool:
    long = seconds(use, recipe, TIMES * LENGTH, LIMIT)
    if long < FLOOR:
        return False
    # A pause of the interpreter counts too: what is slow is so each time.
    long = min(long, *(seconds(use, recipe, TIMES * LENGTH, LIMIT) for _ in range(2)))
    short = min(seconds(use, recipe, LENGTH, LIMIT) for _ in range(5))
    return long > MOST_RATIO * short or long >= LIMIT


@pytest.mark.slow
def test_patterns_take_linear_time() -> None:
    uses = [use for use in all_uses() if use.place not in SHORT]
    slow = {use.place: recipe for use in uses if (recipe := slow_recipe(use))}
    assert slow == {}
    assert len(uses) > 250


@pytest.mark.slow
def test_patterns_that_only_running_code_knows_are_tested_or_explained() -> None:
    assert unknown_patterns() == sorted(RUNNING)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s+$", "search"),
        (r"<[^>]*>", "sub"),
        (r"^[\s>]*(?:[-*+])?\s*\[x\]", "match"),
        (r"(?P<prefix>\w*)(?P<quote>['\"])", "search"),
        (r"\S+@\S+", "fullmatch"),
        (r"^\s*Closes:", "search"),
        (r"a.*b", "search"),
        (r"<img\b[^>]*>", "sub"),
        (r"\s*([^<]*?)\s*<([^>]*)>", "findall"),
        (r"(?P<name>[^()]+?)\s*(?:\((?P<rest>.*)\))?", "fullmatch"),
        (r"\[Errno \d+\] (?P<what>[^:\n]+?): '", "search"),
    ],
)
def test_recognises_quadratic_patterns(pattern: str, method: str) -> None:
    use = Use("here", re.compile(pattern, re.MULTILINE), frozenset([method]))
    assert slow_recipe(use) is not None


@pytest.mark.slow
def test_benchmark_prints_the_worst_of_each_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark.main(["core.markdown", "--sizes", "100", "200"])
    printed = capsys.readouterr().out
    assert "core.markdown:FENCE" in printed
    assert "worst of" in printed
