"""Candidates of many partitions judged together, and the verdict on each of them.

What differs from one partition to the next stands in columns beside the rows, so that each rule
holds or fails row by row: a column holds which values the partition does not allow, a key is
unique within its partition, and of rules that most rows keep each partition's own share counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import polars as pl

from perf_assets.base.months import end_of, start_of
from perf_assets.storage.audit.great_expectations import Finding
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audit.process import validate
from perf_assets.storage.audit.rules import (
    IN_SET,
    MISSING,
    MONTH_OF,
    MONTH_START,
    NULL,
    OF_ROWS,
    PARTITION,
    UNIQUE,
    Rule,
)
from perf_assets.storage.audit.suites import Suite

ROW_COUNT = "expect_table_row_count_to_equal"
UNIQUE_COLUMN = "expect_column_values_to_be_unique"
NOT_NULL = "expect_column_values_to_not_be_null"

SEVERAL = (list, set, tuple, frozenset)

Candidate = tuple[pl.DataFrame, Parameters]
Candidates = Sequence[Candidate]


PASSED = Finding(True)


def validate_partitions(suite: Suite, candidates: Candidates) -> list[dict[str, Finding]]:
    """Return the verdict on each of the ``candidates``, by the names of the rules of ``suite``.

    A finding on a partition as a whole has no rows.
    """
    decided = [
        {
            rule.name: finding
            for rule in suite.rules
            if (finding := _without_values(rule, frame, parameters)) is not None
        }
        for frame, parameters in candidates
    ]
    found = _judge_rows(suite, candidates, decided)

    def verdict(index: int, rule: Rule) -> Finding:
        if rule.name in decided[index]:
            return decided[index][rule.name]
        frame, parameters = candidates[index]
        if rule.name in found and found[rule.name].problem is None:
            return found[rule.name].of(index, rule, parameters)
        return _judge_alone(suite, rule, frame, parameters)

    return [
        {rule.name: verdict(index, rule) for rule in suite.rules}
        for index in range(len(candidates))
    ]


def _without_values(rule: Rule, frame: pl.DataFrame, parameters: Parameters) -> Finding | None:
    """Return the verdict on a partition where it depends on no value of its rows."""
    missing = sorted(name for name in rule.parameters.values() if _value(parameters, name) is None)
    if missing:
        return Finding(False, problem=f"{', '.join(missing)} is not known")
    if rule.type == ROW_COUNT:
        argument = rule.parameters.get("value")
        expected = int(str(_value(parameters, argument) if argument else rule.kwargs["value"]))
        return Finding(frame.height == expected, expected_rows=expected)
    return PASSED if frame.is_empty() else None


@dataclass(frozen=True)
class _Split:
    """What a rule found in the rows of all partitions: failing rows by partition, and heights."""

    problem: str | None
    failing: Mapping[int, list[int]]
    judged: Mapping[int, int]

    def of(self, index: int, rule: Rule, parameters: Parameters) -> Finding:
        """Return the part about the partition at ``index``, which has ``parameters``."""
        rows = self.failing.get(index, [])
        judged = self.judged.get(index, 0)
        # As Great Expectations has it: the share of rows that keep the rule is at least "mostly".
        mostly = rule.kwargs.get("mostly", 1)
        if "mostly" in rule.parameters:
            mostly = float(str(_value(parameters, rule.parameters["mostly"])))
        success = not rows or (judged - len(rows)) / judged >= mostly
        return PASSED if success else Finding(False, rows)


def _value(parameters: Parameters, name: str) -> object:
    return dict(parameters).get(name)


def _judge_rows(
    suite: Suite, candidates: Candidates, decided: Sequence[Mapping[str, Finding]]
) -> dict[str, _Split]:
    """Return what each rule about rows finds in the candidates on which it is not decided."""
    filled = [index for index, (frame, _) in enumerate(candidates) if frame.height]
    rules = [
        rule
        for rule in suite.rules
        if rule.type.startswith(OF_ROWS)
        and not all(rule.name in decided[index] for index in filled)
    ]
    if not rules:
        return {}
    frame = _beside(suite, {index: candidates[index] for index in filled})
    findings = _findings(suite, [_row_wise(rule) for rule in rules], frame)
    return {rule.name: _split(findings[rule.name], rule, frame) for rule in rules}


def _findings(suite: Suite, rules: Sequence[Rule], frame: pl.DataFrame) -> dict[str, Finding]:
    """Return what each rule finds; of what ``_beside`` worked out nothing is left to be checked."""
    found = {}
    for rule in rules:
        column = str(rule.kwargs.get("column"))
        if rule.type == NULL and column.startswith("$") and column in frame.columns:
            rows = frame[column].is_not_null().arg_true().to_list()
            found[rule.name] = Finding(not rows, rows)
    rest = tuple(rule for rule in rules if rule.name not in found)
    return found | (validate(suite.path, rest, frame) if rest else {})


def _split(finding: Finding, rule: Rule, frame: pl.DataFrame) -> _Split:
    if finding.success or finding.rows is None:
        problem = None if finding.success else finding.problem or "its failing rows are not known"
        return _Split(problem, {}, {})
    failing = frame[sorted(finding.rows)].group_by(PARTITION).agg("$index")
    judged = (
        frame
        if "mostly" not in rule.kwargs or rule.type in (NOT_NULL, NULL)
        else frame.drop_nulls([name for name in rule.columns if name in frame.columns])
    )
    heights = judged.group_by(PARTITION).len()
    return _Split(None, dict(failing.iter_rows()), dict(heights.iter_rows()))


def _beside(suite: Suite, candidates: Mapping[int, Candidate]) -> pl.DataFrame:
    """Return the rows of candidates beside the columns particular to their partitions."""
    alike: dict[tuple[object, ...], dict[int, Candidate]] = {}
    for index, (frame, parameters) in candidates.items():
        known = frozenset(name for name, value in parameters.items() if value is not None)
        shape = (*frame.schema.items(), known)
        alike.setdefault(shape, {})[index] = frame, parameters
    return pl.concat([_together(suite, part) for part in alike.values()], how="diagonal_relaxed")


def _together(suite: Suite, candidates: Mapping[int, Candidate]) -> pl.DataFrame:
    """Return the same of candidates of the same columns, of which the same parameters are known."""
    rows = pl.concat([frame for frame, _ in candidates.values()])
    parameters = [parameters for _, parameters in candidates.values()]
    heights = [frame.height for frame, _ in candidates.values()]
    needed = [
        column.name
        for column in suite.table.columns
        if not column.nullable and column.name in rows.columns
    ]
    lacks = [pl.when(pl.col(name).is_null()).then(pl.lit(name)) for name in needed]
    return rows.with_columns(
        _repeated(list(candidates), heights, pl.Int64()).alias(PARTITION),
        pl.select(pl.int_ranges(0, pl.Series(heights)).explode().alias("$index")).to_series(),
        (pl.coalesce(lacks) if lacks else pl.lit(None, pl.String)).alias(MISSING),
        *_of_months(suite, rows, parameters, heights),
        *_of_allowed(suite, rows, parameters, heights),
    )


def _of_months(
    suite: Suite, rows: pl.DataFrame, parameters: Sequence[Parameters], heights: Sequence[int]
) -> Iterator[pl.Series | pl.Expr]:
    """When the month of each row begins, and which of its moments lie in another month."""
    months = [month for parameter in parameters if (month := parameter.get("month")) is not None]
    if not months:
        return
    kind = pl.Datetime("us", "UTC")
    start = _repeated([start_of(month) for month in months], heights, kind)
    end = _repeated([end_of(month) for month in months], heights, kind)
    yield start.alias(MONTH_START)
    for name in dict.fromkeys(str(column.of) for column in suite.table.columns):
        if isinstance(rows.schema.get(name), pl.Datetime):
            is_outside = (rows[name] < start) | (rows[name] >= end)
            yield pl.when(is_outside).then(pl.lit("another month")).alias(f"{MONTH_OF}{name}")


def _of_allowed(
    suite: Suite, rows: pl.DataFrame, parameters: Sequence[Parameters], heights: Sequence[int]
) -> Iterator[pl.Expr]:
    """Yield which values of each row its partition does not allow, as ``$`` and the column."""
    for name, columns in suite.allowed_in.items():
        allowed = [
            value for parameter in parameters if (value := _value(parameter, name)) is not None
        ]
        for column in (column for column in columns if allowed and column in rows.columns):
            is_outside = _is_outside(rows[column], allowed, heights)
            yield pl.when(is_outside).then(pl.lit("not allowed")).alias(f"${column}")


def _is_outside(column: pl.Series, allowed: Sequence[object], heights: Sequence[int]) -> pl.Series:
    """Return where a value is not the one, or none of those, that its partition allows."""
    if not any(isinstance(item, SEVERAL) for item in allowed):
        return column != _repeated(allowed, heights, column.dtype)
    parts, start = [], 0
    for one, height in zip(allowed, heights, strict=True):
        values = pl.Series(list(one) if isinstance(one, SEVERAL) else [one], dtype=column.dtype)
        parts.append(~column.slice(start, height).is_in(values.implode()))
        start += height
    return pl.concat(parts)


def _repeated(values: Sequence[object], heights: Sequence[int], kind: pl.DataType) -> pl.Series:
    """Return the value of each partition, for each of its rows."""
    frame = pl.DataFrame({"value": pl.Series(values, dtype=kind), "height": heights})
    return frame.select(pl.col("value").repeat_by("height").explode()).to_series()


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
        # Sets differ from one partition to the next, and Great Expectations copies them often.
        kind, kwargs = NULL, {"column": f"${kwargs['column']}"}
    return replace(rule, type=kind, kwargs=kwargs)


def _judge_alone(suite: Suite, rule: Rule, frame: pl.DataFrame, parameters: Parameters) -> Finding:
    """Return the verdict on one partition that is not decided by its rows among those of others."""
    whole = _beside(suite, {0: (frame, parameters)})
    of_rows = rule.type.startswith(OF_ROWS)
    judged_rule = _row_wise(rule) if of_rows else rule
    finding = _findings(suite, [judged_rule], whole)[rule.name]
    if finding.problem is None and of_rows:
        return _split(finding, rule, whole).of(0, rule, parameters)
    return finding
