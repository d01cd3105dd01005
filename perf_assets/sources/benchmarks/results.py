"""What a file of benchmark results holds: rows of one shape, and what of it cannot be used."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import polars as pl
from pydantic_core import from_json

from perf_assets.base.sanitize import whole_characters

LONGEST_TEXT = 1000
"""Characters of a name, of parameters, of a unit: more of one is cut."""

SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
EARLIEST, LATEST = 0, 4102444800_000
"""Times in milliseconds that a measurement can have: from 1970 to 2100."""

NO_NAME = "not stated"
"""Machine or environment where the source names none."""

COLUMNS = {
    "benchmark": pl.String,
    "parameters": pl.String,
    "value": pl.Float64,
    "lower": pl.Float64,
    "upper": pl.Float64,
    "samples": pl.Int64,
    "version": pl.String,
    "unit": pl.String,
    "is_higher_better": pl.Boolean,
    "measured": pl.Int64,
}
"""The columns that differ between the results of one run; the rest is the run's."""


class UnusableError(Exception):
    """A file cannot be read at all; the text says why, without a name."""


@dataclass(frozen=True)
class Run:
    """The results that were measured together: on one commit, machine and environment.

    committed : when the commit was committed, in milliseconds, as the source says; None where it
        does not say.
    """

    sha: str
    committed: int | None
    machine: str
    environment: str


@dataclass
class Results:
    """The results of a file.

    frames : one for each run, with columns repository aside as ``raw.benchmark_results``.
    unusable : how many results cannot be used, by reason.
    """

    frames: list[pl.DataFrame] = field(default_factory=list)
    unusable: Counter[str] = field(default_factory=Counter)

    def add(self, run: Run, columns: Mapping[str, Sequence[Any]]) -> None:
        """Add the results of a run: ``columns`` are those of COLUMNS, missing ones are unknown.

        A result whose value is not a finite number counts as failed; where a limit is missing, is
        not finite, or has the value outside, there are no limits.
        """
        number = len(columns["benchmark"])
        if not number:
            return
        committed = run.committed
        if committed is None or not EARLIEST <= committed < LATEST or not SHA.fullmatch(run.sha):
            self.unusable["the commit has no whole hash, or no time that can be"] += number
            return
        series = {
            name: pl.Series(name, columns[name], dtype=kind, strict=False)
            if name in columns
            else pl.Series(name, [None], dtype=kind).new_from_index(0, number)
            for name, kind in COLUMNS.items()
        }
        lower, upper, value = pl.col("lower"), pl.col("upper"), pl.col("value")
        has_limits = (
            lower.is_finite() & upper.is_finite() & (lower <= value) & (value <= upper)
        ).fill_null(value=False)
        frame = pl.DataFrame(series).filter(pl.col("value").is_finite())
        self.unusable["the benchmark failed, or its result is not a number"] += (
            number - frame.height
        )
        measured = pl.when(pl.col("measured").is_between(EARLIEST, LATEST)).then(pl.col("measured"))
        self.frames.append(
            frame.select(
                pl.col("benchmark").str.slice(0, LONGEST_TEXT),
                pl.col("parameters")
                .fill_null("")
                .str.slice(0, LONGEST_TEXT)
                .alias("benchmark_parameters"),
                pl.lit(run.machine[:LONGEST_TEXT]).alias("machine"),
                pl.lit(run.environment[:LONGEST_TEXT]).alias("environment"),
                pl.lit(run.sha).alias("sha"),
                moment(pl.lit(committed)).alias("committed_at"),
                moment(measured.fill_null(committed)).alias("measured_at"),
                pl.col("value").alias("measured_value"),
                pl.col("unit").fill_null("").str.slice(0, LONGEST_TEXT),
                pl.when(has_limits).then(lower).alias("lower_limit"),
                pl.when(has_limits).then(upper).alias("upper_limit"),
                pl.when(pl.col("samples") > 0).then(pl.col("samples")).alias("samples"),
                pl.col("version")
                .fill_null("")
                .str.slice(0, LONGEST_TEXT)
                .alias("benchmark_version"),
                pl.col("is_higher_better").fill_null(value=False),
                pl.lit(month_of_commit(committed)).alias("month"),
            )
        )


def moment(milliseconds: pl.Expr) -> pl.Expr:
    """Return the time that is so many milliseconds after 1970 began."""
    return milliseconds.cast(pl.Datetime("ms")).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")


def month_of_commit(milliseconds: int) -> str:
    """Return the month of a time in milliseconds, as YYYY-MM in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m")


def milliseconds_of(text: object) -> int | None:
    """Return the milliseconds after 1970 of a time in ISO 8601, UTC where it names no zone."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    aware = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    try:
        return int(aware.timestamp() * 1000)
    except (OverflowError, ValueError):
        return None


def number_of(value: object) -> float | None:
    """Return ``value`` where it is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def whole_number_of(value: object) -> int | None:
    """Return ``value`` where it is a whole number that a column of 64 bits can hold."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) < 1 << 63 else None


def parsed(content: bytes) -> Any:  # noqa: ANN401
    """Return the JSON in ``content``, in which NaN and Infinity may stand for numbers.

    Raises
    ------
    UnusableError
        It is not JSON, or is cut.
    """
    try:
        document = from_json(content, allow_inf_nan=True, cache_strings="all")
    except (ValueError, RecursionError):
        raise UnusableError("this is not valid JSON, or a part of it is missing") from None
    return whole_characters(document) if b"\\ud" in content or b"\\uD" in content else document


def text_of(value: object) -> str:
    """Return ``value`` as a text: a text as it is, anything else as Python writes it."""
    return value if isinstance(value, str) else str(value)
