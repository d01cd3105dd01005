"""Great Expectations at work: one shared context, and what a suite finds in a frame.

Only the validation process imports it (``process.py``).
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.imports import without
from perf_assets.storage.audit.rules import Rule

if TYPE_CHECKING:  # importing it takes seconds
    import pandas as pd
    from great_expectations.core import ExpectationSuite, ExpectationValidationResult
    from great_expectations.core.batch_definition import BatchDefinition
    from great_expectations.expectations.expectation import Expectation
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

# Which rows fail is only determined for rules that do, by their index in the frame, without their
# values.
PASS_OR_FAIL = "BOOLEAN_ONLY"
FAILING_ROWS = {
    "result_format": "COMPLETE",
    "exclude_unexpected_values": True,
    "partial_unexpected_count": 0,
}

# What is imported where it is found. Spark's client takes a second, and ends the process where it
# takes that one for a test of its own, as those without a main file; pyarrow takes 50 MB.
UNUSED = ("pyspark", "pyarrow")

# Expectations share one parser of parameters, and the context one slot for the data.
_one_at_a_time = Lock()


@dataclass(frozen=True)
class Finding:
    """What one rule found.

    rows : the failing rows, by index; ``None`` where the rule is about the whole frame.
    expected_rows : how many rows there should be, of a rule that counts them.
    observed : what another rule about the whole frame saw.
    problem : why the rule could not be checked.
    """

    success: bool
    rows: Sequence[int] | None = None
    observed: object = None
    problem: str | None = None
    expected_rows: int | None = None


def prepare() -> None:
    """Import Great Expectations now; else the first validation does, which takes seconds."""
    with _one_at_a_time:
        _batch_definition()


def validate(source: Path, rules: Sequence[Rule], frame: pl.DataFrame) -> dict[str, Finding]:
    """Check ``rules``, as they stand in the file ``source``, on a frame of at least one row.

    Parameters
    ----------
    frame : as ``columns_of`` gives it.
    """
    with _one_at_a_time, _configurations_kept():
        batch = _batch_definition().get_batch({"dataframe": _pandas_frame(frame)})
        expectations = {rule.name: _expectation(source, rule) for rule in rules}

        def run(names: Sequence[str], result_format: object) -> dict[str, Finding]:
            chosen = _gx_suite(source.stem, [expectations[name] for name in names])
            try:
                outcome = batch.validate(chosen, result_format=result_format)
            except Exception as error:
                if len(names) == 1:
                    return {names[0]: Finding(False, problem=_first_line(error))}
                # Alone, each shows whether it was the one.
                return {name: run([name], result_format)[name] for name in names}
            found = {result.expectation_config.meta["rule"]: result for result in outcome.results}
            return {name: _finding(found.get(name)) for name in names}

        findings = run(list(expectations), PASS_OR_FAIL)
        failed = [name for name, finding in findings.items() if not finding.success]
        return findings | (run(failed, FAILING_ROWS) if failed else {})


def columns_of(frame: pl.DataFrame, rules: Sequence[Rule]) -> pl.DataFrame:
    """Return the columns that ``rules`` speak of (any one, where they speak of none).

    Lists are shown to the rules as text, their entries joined by ", ".
    """
    needed = {name for rule in rules for name in (*rule.columns, *rule.condition_columns)}
    columns = [name for name in frame.columns if name in needed] or frame.columns[:1]
    return frame.select(columns).with_columns(pl.selectors.list().list.join(", "))


def _pandas_frame(frame: pl.DataFrame) -> "pd.DataFrame":
    """``frame`` as pandas has it, as Polars would convert it where pyarrow is installed."""
    import pandas as pd  # noqa: PLC0415

    return pd.DataFrame({column.name: _pandas_column(column) for column in frame}, copy=False)


def _pandas_column(column: pl.Series) -> object:
    import pandas as pd  # noqa: PLC0415

    match column.dtype:
        case pl.String:
            return pd.array(column.to_numpy(), dtype="str")
        case pl.Datetime(time_zone=zone):
            return pd.DatetimeIndex(column.to_numpy()).tz_localize(zone)
        case pl.Date:
            return column.cast(pl.Datetime("ms")).to_numpy()
        case kind if kind.is_nested() or kind == pl.Null:
            return pd.Series(column.to_list(), dtype=object)
        case _:
            return column.to_numpy()


@contextmanager
def _configurations_kept() -> Iterator[None]:
    """Let expectations work out their configurations once.

    Great Expectations requests each some ninety times in a validation, and each time it is made
    anew, from all that the expectation holds: half of what a validation takes.
    """
    _batch_definition()
    from great_expectations.expectations.expectation import Expectation  # noqa: PLC0415

    original = Expectation.configuration
    kept: dict[int, tuple[Expectation, ExpectationConfiguration]] = {}

    def configuration(self: Expectation) -> "ExpectationConfiguration":
        if id(self) not in kept:  # an expectation that is kept keeps its id
            kept[id(self)] = self, original.__get__(self)
        return kept[id(self)][1]

    Expectation.configuration = property(configuration)
    try:
        yield
    finally:
        Expectation.configuration = original


@cache
def _batch_definition() -> "BatchDefinition[Any]":
    with without(*UNUSED):
        import great_expectations as gx  # noqa: PLC0415
        from great_expectations.execution_engine import pandas_execution_engine  # noqa: PLC0415

    # Smaller batches are hashed row by row, twice, which nobody reads: half of the time.
    pandas_execution_engine.HASH_THRESHOLD = 0

    logging.getLogger("great_expectations").setLevel(logging.WARNING)
    context = gx.get_context(mode="ephemeral")
    context.enable_analytics(False)
    context.variables.progress_bars = {"globally": False}
    asset = context.data_sources.add_pandas("candidates").add_dataframe_asset("candidate")
    return asset.add_batch_definition_whole_dataframe("whole")


@cache
def _expectation(source: Path, rule: Rule) -> "Expectation":
    from great_expectations.expectations.expectation_configuration import (  # noqa: PLC0415
        ExpectationConfiguration,
    )

    try:
        return ExpectationConfiguration(
            type=rule.type,
            kwargs=dict(rule.kwargs),
            meta={"rule": rule.name},
            severity=rule.severity,
        ).to_domain_obj()
    except Exception as error:
        reason = " ".join(str(error).split())
        raise PerfAssetsError(f"{source}: rule {rule.name} is malformed: {reason}") from None


def _gx_suite(table: str, expectations: "Sequence[Expectation]") -> "ExpectationSuite":
    from great_expectations.core import ExpectationSuite  # noqa: PLC0415

    return ExpectationSuite(name=table, expectations=expectations)


def _finding(result: "ExpectationValidationResult | None") -> Finding:
    if result is None:
        return Finding(False, problem="Great Expectations gave no result")
    problem = _problem(result.exception_info or {})
    if problem is not None:
        return Finding(False, problem=problem)
    detail = result.result or {}
    return Finding(
        bool(result.success), detail.get("unexpected_index_list"), detail.get("observed_value")
    )


def _problem(info: Mapping[str, Any]) -> str | None:
    """Return the message of the exception in a result, which has one, or one for each metric."""
    if "raised_exception" in info:
        return _first_line(info["exception_message"]) if info["raised_exception"] else None
    messages = [_first_line(entry["exception_message"]) for entry in info.values()]
    return "; ".join(dict.fromkeys(messages)) or None


def _first_line(message: object) -> str:
    return (str(message).strip().splitlines() or ["no message"])[0]
