"""The rules that follow from the declaration of a table, each as Great Expectations takes it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from perf_assets.schema import Column, Table

CRITICAL = "critical"

# Columns that the audit adds to the rows of a candidate; rules may speak of them.
PARTITION = "$partition"  # the index of the row's partition among those judged together
MONTH_START = "$month_start"  # the first moment of the partition's month
MISSING = "$missing"  # names of the columns that have no value, though they need one
MONTH_OF = "$month_of_"  # before the name of a moment: "" where it lies in the partition's month

IN_SET = "expect_column_values_to_be_in_set"
BETWEEN = "expect_column_values_to_be_between"
NULL = "expect_column_values_to_be_null"
REGEX = "expect_column_values_to_match_regex"
NOT_BELOW = "expect_column_pair_values_a_to_be_greater_than_b"
UNIQUE = "expect_compound_columns_to_be_unique"
# Types whose findings are rows; of all others a partition is judged by itself.
OF_ROWS = (
    "expect_column_values_",
    "expect_column_value_lengths_to_be_",
    "expect_column_pair_values_",
    "expect_multicolumn_sum_",
    "expect_compound_columns_",
)
OF_PARTITION = "rows_are_of_the_"  # begins the names of the rules that tell partitions apart

WHOLE = "A partition is replaced as a whole: a row of another one would be stored twice."


@dataclass(frozen=True, eq=False)
class Rule:
    """One expectation: its short name, how severe a breach is, and why it holds.

    ``type`` and ``kwargs`` are those of Great Expectations.
    """

    name: str
    severity: str
    note: str
    type: str
    kwargs: Mapping[str, Any]

    @cached_property
    def is_about_rows(self) -> bool:
        """Return whether each row keeps or breaks it alone; a key that stands twice, the later row
        does.

        Other rules are about the set: how many rows there are, whose they are, what most of them
        keep.
        """
        return (
            self.type.startswith(OF_ROWS)
            and "mostly" not in self.kwargs
            and not self.name.startswith(OF_PARTITION)
        )

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns the rule speaks of, without those of its condition."""
        single = (self.kwargs.get(name) for name in ("column", "column_A", "column_B"))
        return (*(name for name in single if name), *self.kwargs.get("column_list", ()))

    @cached_property
    def condition_columns(self) -> tuple[str, ...]:
        """The columns that decide to which rows the rule applies."""
        return tuple(_condition_columns(self.kwargs.get("row_condition", {})))

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The parameters that the rule needs at run time, by argument."""
        return {
            argument: value["$PARAMETER"]
            for argument, value in self.kwargs.items()
            if isinstance(value, dict) and "$PARAMETER" in value
        }


def declared_rules(table: Table) -> Iterator[Rule]:
    """Key, values that must be there, partition, and the limits of each column."""
    yield _rule("keys_are_unique", table.key_why, UNIQUE, column_list=list(table.key))
    yield _rule(
        "nothing_is_missing",
        "Only the columns that the declaration calls nullable may be without a value.",
        NULL,
        column=MISSING,
    )
    if table.partitioned:
        for part in table.parts:
            yield _rule(f"{OF_PARTITION}{part}", WHOLE, IN_SET, **_value_set(part))
        yield _rule(f"{OF_PARTITION}month", WHOLE, IN_SET, **_value_set("month"))
    for column in table.columns:
        yield from _limits(column)


def _limits(column: Column) -> Iterator[Rule]:
    name = column.name
    if column.values is not None:
        why = column.reason("values")
        yield _rule(f"{name}_is_known", why, IN_SET, column=name, value_set=list(column.values))
    numbers = {
        f"{limit}_value": bound
        for limit, bound in (("min", column.min), ("max", column.max))
        if isinstance(bound, int | float)
    }
    if numbers:
        yield _rule(f"{name}_is_in_range", column.reason("range"), BETWEEN, column=name, **numbers)
    if isinstance(column.min, str):
        rule = f"{name}_is_not_below_{column.min}"
        yield _rule(rule, column.reason("min"), NOT_BELOW, **_order(name, column.min))
    if isinstance(column.max, str):
        rule = f"{name}_is_not_above_{column.max}"
        yield _rule(rule, column.reason("max"), NOT_BELOW, **_order(column.max, name))
    if column.pattern is not None:
        why = column.reason("pattern")
        yield _rule(f"{name}_has_its_form", why, REGEX, column=name, regex=_whole(column.pattern))
    if column.of is not None:
        rule = f"{column.of}_is_within_the_month"
        yield _rule(rule, column.reason("of"), NULL, column=MONTH_OF + column.of)


def _rule(name: str, why: str, kind: str, **arguments: object) -> Rule:
    return Rule(name, CRITICAL, why or "So the column is declared.", kind, arguments)


def _value_set(parameter: str) -> dict[str, object]:
    return {"column": parameter, "value_set": {"$PARAMETER": parameter}}


def _order(greater: str, lesser: str) -> dict[str, object]:
    ignored = "either_value_is_missing"
    return {"column_A": greater, "column_B": lesser, "or_equal": True, "ignore_row_if": ignored}


def _whole(pattern: str) -> str:
    """``pattern`` as one of the whole text; flags have to stand in front of all else."""
    flags, rest = ("(?s)", pattern[4:]) if pattern.startswith("(?s)") else ("", pattern)
    return rf"{flags}^(?:{rest})\Z"


def _condition_columns(condition: Mapping[str, Any]) -> Iterator[str]:
    if "column" in condition:
        yield condition["column"]["name"]
    for part in condition.get("conditions", ()):
        yield from _condition_columns(part)
