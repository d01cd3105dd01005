"""Candidates of many partitions judged together, and the verdict on each of them.

What differs from one partition to the next stands in columns beside the rows, so that each rule
holds or fails row by row: a set of allowed values becomes a set of values of a partition, a key is
unique within its partition, and of rules that most rows keep each partition's own share counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from perf_assets.months import end_of, start_of
from perf_assets.storage.declared_rules import (
    IN_SET,
    MISSING,
    MONTH_OF,
    MONTH_START,
    PARTITION,
    UNIQUE,
    Rule,
)
from perf_assets.storage.great_expectations import Finding, validate
from perf_assets.storage.suites import Suite

if TYPE_CHECKING:
    from perf_assets.storage.audit import Parameters

ROW_COUNT = "expect_table_row_count_to_equal"
SAME = "expect_column_pair_values_to_be_equal"
UNIQUE_COLUMN = "expect_column_values_to_be_unique"
NOT_NULL = "expect_column_values_to_not_be_null"
# Types whose findings are rows; of all others a partition is judged by itself.
OF_ROWS = (
    "expect_column_values_",
    "expect_column_value_lengths_to_be_",
    "expect_column_pair_values_",
    "expect_multicolumn_sum_",
    "expect_compound_columns_",
)

Candidates = Sequence[tuple[pl.DataFrame, "Parameters"]]


@dataclass(frozen=True)
class Verdict:
    """Whether a partition keeps a rule, and else by what.

    rows : the failing rows, by place; ``None`` where the rule speaks of the whole partition.
    wanted_rows : how many rows there should be, of a rule that counts them.
    observed : what another rule about the whole partition saw.
    problem : why the rule could not be checked.
    """

    success: bool
    rows: Sequence[int] | None = None
    wanted_rows: int | None = None
    observed: object = None
    problem: str | None = None


KEPT = Verdict(True)


def judge(suite: Suite, candidates: Candidates) -> list[dict[str, Verdict]]:
    """The verdict on each of the ``candidates``, by the names of the rules of ``suite``."""
    verdicts: list[dict[str, Verdict]] = [{} for _ in candidates]
    for rule in suite.rules:
        for (_, told), verdict in zip(candidates, verdicts, strict=True):
            lacking = [name for name in rule.parameters.values() if _value(told, name) is None]
            if lacking:
                problem = f"{', '.join(sorted(lacking))} is not known"
                verdict[rule.name] = Verdict(False, problem=problem)
    for rule in suite.rules:
        if rule.type == ROW_COUNT:
            _count(rule, suite, candidates, verdicts)
    rows = [rule for rule in suite.rules if rule.type.startswith(OF_ROWS)]
    found = _judge_rows(suite, rows, candidates, verdicts)
    for rule in suite.rules:
        for place, (frame, told) in enumerate(candidates):
            if rule.name in verdicts[place]:
                continue
            if frame.is_empty():
                verdicts[place][rule.name] = KEPT
            elif rule.name in found and found[rule.name].problem is None:
                verdicts[place][rule.name] = found[rule.name].of(place, rule)
            else:
                verdicts[place][rule.name] = _judge_alone(suite, rule, frame, told)
    return verdicts


@dataclass(frozen=True)
class _Split:
    """What a rule found in the rows of all partitions: failing rows by partition, and heights."""

    problem: str | None
    failing: Mapping[int, list[int]]
    judged: Mapping[int, int]

    def of(self, place: int, rule: Rule) -> Verdict:
        """The part of it that is about the partition at ``place``."""
        rows = self.failing.get(place, [])
        judged = self.judged.get(place, 0)
        # As Great Expectations has it: the share of rows that keep the rule is at least "mostly".
        success = not rows or (judged - len(rows)) / judged >= rule.kwargs.get("mostly", 1)
        return KEPT if success else Verdict(False, rows)


def _value(told: "Parameters", name: str) -> object:
    return dict(told).get(name)


def _judge_rows(
    suite: Suite,
    rules: Sequence[Rule],
    candidates: Candidates,
    verdicts: Sequence[Mapping[str, Verdict]],
) -> dict[str, _Split]:
    """What each of the ``rules`` finds in the rows of the candidates that it has to decide on."""
    filled = [place for place, (frame, _) in enumerate(candidates) if frame.height]
    if not filled or not rules:
        return {}
    sets: dict[str, list[str]] = {}
    frames = [_beside(suite, place, *candidates[place], sets) for place in filled]
    frame = pl.concat(frames, how="diagonal_relaxed")
    undecided = [
        rule for rule in rules if not all(rule.name in verdicts[place] for place in filled)
    ]
    row_wise = {rule.name: _row_wise(rule) for rule in undecided}
    findings = validate(suite.path, tuple(row_wise.values()), frame, sets) if undecided else {}
    return {rule.name: _split(findings[rule.name], rule, frame) for rule in undecided}


def _split(finding: Finding, rule: Rule, frame: pl.DataFrame) -> _Split:
    if finding.success or finding.rows is None:
        problem = None if finding.success else finding.problem or "its failing rows are not known"
        return _Split(problem, {}, {})
    failing = frame[sorted(finding.rows)].group_by(PARTITION).agg("$place")
    judged = (
        frame
        if "mostly" not in rule.kwargs or rule.type == NOT_NULL
        else frame.drop_nulls([name for name in rule.columns if name in frame.columns])
    )
    heights = judged.group_by(PARTITION).len()
    return _Split(None, dict(failing.iter_rows()), dict(heights.iter_rows()))


def _beside(
    suite: Suite,
    place: int,
    frame: pl.DataFrame,
    told: "Parameters",
    sets: dict[str, list[str]],
) -> pl.DataFrame:
    """The rows of a candidate with the columns that tell what is particular to its partition.

    The allowed values among them are added to ``sets``, by parameter.
    """
    names = frame.columns
    needed = [
        column.name
        for column in suite.table.columns
        if not column.nullable and column.name in names
    ]
    lacks = [pl.when(pl.col(name).is_null()).then(pl.lit(name)) for name in needed]
    month = told.get("month")
    moments = [
        str(column.of)
        for column in suite.table.columns
        if isinstance(frame.schema.get(str(column.of)), pl.Datetime)
    ]
    added = {
        PARTITION: pl.lit(place, pl.Int64),
        "$place": pl.int_range(pl.len(), dtype=pl.Int64),
        MISSING: pl.coalesce(lacks) if lacks else pl.lit(None, pl.String),
    }
    if month is not None:
        added[MONTH_START] = pl.lit(start_of(month))
        for name in moments:
            at = pl.col(name)
            is_outside = (at < start_of(month)) | (at >= end_of(month))
            added[f"{MONTH_OF}{name}"] = pl.when(is_outside).then(pl.lit("another month"))
    for name, columns in suite.allowed_in.items():
        allowed = _value(told, name)
        if allowed is None:
            continue
        known = set(allowed) if isinstance(allowed, (list, set, tuple, frozenset)) else {allowed}
        for column in (column for column in columns if column in names):
            # Of the allowed values those that occur: Great Expectations copies them.
            occurring = [value for value in frame[column].unique() if value in known]
            sets.setdefault(name, []).extend(f"{place} {value}" for value in occurring)
            added[_told_apart(column)] = pl.format("{} {}", place, pl.col(column))
    return frame.with_columns(**added)


def _told_apart(column: str) -> str:
    """The column of the values of ``column`` with the place of their partition before them."""
    return f"${column}"


@cache
def _row_wise(rule: Rule) -> Rule:
    """``rule`` as one that holds, or fails, row by row whatever the partition."""
    kwargs = {name: value for name, value in rule.kwargs.items() if name != "mostly"}
    kind = rule.type
    if rule.type == UNIQUE_COLUMN:
        kind, kwargs = UNIQUE, {"column_list": [kwargs.pop("column")], **kwargs}
    if kind == UNIQUE:
        kwargs["column_list"] = [PARTITION, *kwargs["column_list"]]
    if rule.type == IN_SET and rule.parameters:
        kwargs["column"] = _told_apart(kwargs["column"])
    return replace(rule, type=kind, kwargs=kwargs)


def _judge_alone(suite: Suite, rule: Rule, frame: pl.DataFrame, told: "Parameters") -> Verdict:
    """The verdict on one partition that is not decided by its rows among those of others."""
    sets: dict[str, list[str]] = {}
    whole = _beside(suite, 0, frame, told, sets)
    of_rows = rule.type.startswith(OF_ROWS)
    asked = _row_wise(rule) if of_rows else rule
    finding = validate(suite.path, (asked,), whole, sets)[rule.name]
    if finding.problem is None and of_rows:
        return _split(finding, rule, whole).of(0, rule)
    return Verdict(
        finding.success, finding.rows, observed=finding.observed, problem=finding.problem
    )


def _count(
    rule: Rule, suite: Suite, candidates: Candidates, verdicts: list[dict[str, Verdict]]
) -> None:
    """Compare the number of rows of each candidate with the number it should have."""
    undecided = [place for place, verdict in enumerate(verdicts) if rule.name not in verdict]
    argument = rule.parameters.get("value")
    wanted = {
        place: int(
            str(_value(candidates[place][1], argument) if argument else rule.kwargs["value"])
        )
        for place in undecided
    }
    if not wanted:
        return
    frame = pl.DataFrame(
        {
            "rows": [candidates[place][0].height for place in undecided],
            "wanted": list(wanted.values()),
        }
    )
    arguments = {"column_A": "rows", "column_B": "wanted"}
    finding = validate(suite.path, (_count_rule(rule, tuple(arguments.items())),), frame, {})
    found = finding[rule.name]
    off = {undecided[row] for row in found.rows or ()}
    for place in undecided:
        is_off = place in off or (not found.success and found.rows is None)
        verdicts[place][rule.name] = (
            Verdict(False, wanted_rows=wanted[place], problem=found.problem) if is_off else KEPT
        )


@cache
def _count_rule(rule: Rule, arguments: tuple[tuple[str, str], ...]) -> Rule:
    return replace(rule, type=SAME, kwargs=dict(arguments))
