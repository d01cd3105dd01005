"""Made questions whose kinds are planted in their words, for tests of the classifiers."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from perf_assets.core.questions.examples import Examples, examples_of
from perf_assets.schema import schema_of

FORUM = "stackoverflow"
COMMON = [f"common{number}" for number in range(200)]
# Words that only questions of a kind have; of no other's stem.
OWN = {
    "program_crash": ["kaboom", "burst", "exploding"],
    "installation": ["setup", "wheelhouse", "apt"],
    "performance": ["sluggish", "lagging", "crawl"],
}


def text_of(kinds: Sequence[str], random: np.random.Generator, clarity: int = 3) -> str:
    """A text with ``clarity`` own words of each of its kinds, among words of all texts."""
    words = list(random.choice(COMMON, 30))
    for kind in kinds:
        words += list(random.choice(OWN[kind], clarity))
    random.shuffle(words)
    return " ".join(words)


def labelled(
    numbers: dict[str, int], seed: int = 0, clarity: int = 3, forum: str = FORUM
) -> pl.DataFrame:
    """Rows of staging.labelled_questions: so many questions of each kind, mixed over time."""
    random = np.random.default_rng(seed)
    kinds = [kind for kind, number in numbers.items() for _ in range(number)]
    random.shuffle(kinds)
    rows: list[dict[str, Any]] = [
        {
            "forum": forum,
            "question_id": index,
            "kind": str(kind),
            "asked_at": datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=index),
            "title": "Question",
            "text": text_of([kind], random, clarity),
            "code": None,
        }
        for index, kind in enumerate(kinds, 1)
    ]
    return pl.DataFrame(rows, schema=schema_of("staging.labelled_questions"))


def examples(numbers: dict[str, int], seed: int = 0, clarity: int = 3) -> Examples:
    """The same as examples to learn from."""
    (found,) = examples_of(labelled(numbers, seed, clarity))
    return found


def questions(texts: dict[int, str]) -> pl.DataFrame:
    """Questions without title and code, by their numbers."""
    rows = [
        {"question_id": number, "title": "", "text": text, "code": None}
        for number, text in texts.items()
    ]
    schema = {"question_id": pl.Int64, "title": pl.String, "text": pl.String, "code": pl.String}
    return pl.DataFrame(rows, schema=schema)
