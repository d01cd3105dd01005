"""A small TensorFlow program in the repository, whose performance problems come and go.

It is written by plain commits, that fix nothing, in four steps: two problems come in with it, a
third one follows, a file is moved, one problem is mended. Beside them stand lines that look alike
and are none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from perf_assets.base.months import quarter_of
from perf_assets.stand_ins.generator.model import Commit
from perf_assets.stand_ins.generator.planner import Calendar, Plan

STEPS = (0.1, 0.35, 0.55, 0.75)  # of the months: when each step is made, at the earliest

PIPELINE = "src/tensorkit/digits.py"
MOVED_PIPELINE = "src/tensorkit/datasets/digits.py"
TRAINING = "src/tensorkit/digits_training.py"

SEQUENTIAL = "    return records.map(parse_batch)"
MENDED = "    return records.map(parse_batch, num_parallel_calls=tf.data.AUTOTUNE)"
REPEATED = "        loss = loss + tf.sqrt(rate) * tf.reduce_mean(batch)"
EARLY = "    parsed = records.map(parse, num_parallel_calls=tf.data.AUTOTUNE)"

READING = f'''"""Digits as they come from files."""

import pandas as pd
import tensorflow as tf


def parse_batch(lines):
    return tf.strings.to_number(lines)


def training_digits(paths):
    records = tf.data.TextLineDataset(paths).batch(256)
{SEQUENTIAL}


def names_of(table: pd.DataFrame):
    # A column of pandas has a map of its own.
    return table["name"].map(str.lower)
'''
EVALUATION = f"""

def parse(line):
    return tf.strings.to_number(line)


def evaluation_digits(paths):
    records = tf.data.TextLineDataset(paths)
{EARLY}
    return parsed.batch(256)
"""
LEARNING = f'''"""The loss of a number of batches."""

import tensorflow as tf


@tf.function
def total_loss(batches: list, rate):
    loss = 0.0
    for batch in batches:
{REPEATED}
    return loss


@tf.function
def first_losses(batches, rate):
    # Three steps are few: the graph stays small.
    return [tf.sqrt(rate) * tf.reduce_mean(batches[step]) for step in range(3)]
'''


@dataclass(frozen=True)
class Change:
    """What a step does to one file: what it holds then, and the lines added and deleted.

    moved_from : the path it had before.
    """

    path: str
    text: str
    added: int
    deleted: int
    moved_from: str | None = None


WHOLE = READING + EVALUATION
CHANGES: tuple[tuple[Change, ...], ...] = (
    (
        Change(PIPELINE, READING, READING.count("\n"), 0),
        Change(TRAINING, LEARNING, LEARNING.count("\n"), 0),
    ),
    (Change(PIPELINE, WHOLE, EVALUATION.count("\n"), 0),),
    (Change(MOVED_PIPELINE, WHOLE, 0, 0, moved_from=PIPELINE),),
    (Change(MOVED_PIPELINE, WHOLE.replace(SEQUENTIAL, MENDED), 1, 1),),
)
"""What each step changes."""

LOOP = (TRAINING, LEARNING, "loop-invariant-op", REPEATED)
PLANTED: tuple[tuple[tuple[str, str, str, str], ...], ...] = (
    (),
    ((PIPELINE, READING, "sequential-map", SEQUENTIAL), LOOP),
    (
        (PIPELINE, WHOLE, "sequential-map", SEQUENTIAL),
        (PIPELINE, WHOLE, "map-before-batch", EARLY),
        LOOP,
    ),
    (
        (MOVED_PIPELINE, WHOLE, "sequential-map", SEQUENTIAL),
        (MOVED_PIPELINE, WHOLE, "map-before-batch", EARLY),
        LOOP,
    ),
    ((MOVED_PIPELINE, WHOLE, "map-before-batch", EARLY), LOOP),
)
"""The problems after so many steps: path, text of the file, rule, and the line."""


def plan_program(calendar: Calendar, plain: Sequence[Commit]) -> None:
    """Give the steps to some of the ``plain`` commits, in their order; as many as there is room."""
    waiting = sorted(plain, key=lambda commit: commit.order)
    for step, share in enumerate(STEPS, 1):
        first = calendar.starts[int(share * calendar.count)]
        waiting = [commit for commit in waiting if commit.at >= first]
        if not waiting:
            return
        waiting.pop(0).program_step = step


def planted_findings(plan: Plan, ordered: Sequence[Commit]) -> Iterator[dict[str, Any]]:
    """Yield the problems at the end of each quarter; ``ordered`` are all commits as they were
    written.
    """
    ends: dict[str, tuple[str, int]] = {}
    step = 0
    for commit in ordered:
        if commit.is_on_main and commit.branch is None:
            step = commit.program_step or step
            month = plan.calendar.names[plan.calendar.month_of(commit.at)]
            ends[quarter_of(month)] = commit.sha, step
    for quarter in sorted({quarter_of(month) for month in plan.calendar.names}):
        sha, step = ends[max(earlier for earlier in ends if earlier <= quarter)]
        for path, text, rule, line in PLANTED[step]:
            yield {
                "repository": plan.repository,
                "quarter": quarter,
                "sha": sha,
                "path": path,
                "line": text.splitlines().index(line) + 1,
                "rule": rule,
            }
