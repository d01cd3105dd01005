"""Signs of performance in a report that no training text is needed for, each a pattern."""

from collections.abc import Mapping

import polars as pl

BEGINNING = r"\b"
"""With which each pattern begins: of a word."""

NUMBER = r"\d+(?:[.,]\d+)?\s*"

SIGNALS: Mapping[str, str] = {
    "slow": r"\bslow(?:er|est|ly|s|ed|ness|down|downs)?\b",
    "fast": r"\bfast(?:er|est)?\b",
    "speed": r"\bspeed(?:s|up|ups|ed)?\b",
    "performance": r"\bperformance\b",
    "latency": r"\b(?:latenc(?:y|ies)|throughput)\b",
    "memory": r"\b(?:memory|mem|vram|ram)\b",
    "leak": r"\bleak(?:s|ed|ing|age)?\b",
    "out of memory": r"\b(?:out of memory|oom|cudamalloc|bad_alloc)\b",
    "utilization": r"\b(?:utili[sz]ation|idle|(?:gpu|cpu) usage)\b",
    "duration or rate": rf"\b(?:{NUMBER}(?:ms|s|secs?|seconds|minutes|mins?|hours|fps"
    r"|im(?:g|ages)/s(?:ec)?|samples/sec|[gm]i?b)\b|takes? (?:\w+ )?(?:time|long))",
    "optimization": r"\boptimi[sz](?:e|ed|ation|ations|ing)\b",
    "efficiency": r"\b(?:in)?efficien(?:t|cy|tly)\b",
    "hang": r"\b(?:hang(?:s|ing)?|freez(?:e|es|ing)|stuck|deadlocks?)\b",
    "benchmark": r"\b(?:benchmark\w*|profil(?:e|er|ing))\b",
    "regression": r"\b(?:performance|speed) regression",
    "consumption": r"\b(?:consum\w+|usage|overhead|bottlenecks?)\b",
    "ratio": rf"\b(?:{NUMBER}x|times (?:slower|faster))\b",
}
"""What each signal is found by, without regard to case."""


def signal_values(reports: pl.DataFrame) -> pl.DataFrame:
    """Return how much of each signal is in title and body of each report.

    Parameters
    ----------
    reports : columns title, body, without missing values.

    Returns
    -------
    A column for each signal of each field, as ``title: slow``: 1 where a title has it, for a body
    half the logarithm of one more than how often it has.
    """
    in_title = (
        _matches("title", pattern).clip(0, 1).alias(f"title: {name}")
        for name, pattern in SIGNALS.items()
    )
    in_body = (
        (_matches("body", pattern).log1p() / 2).alias(f"body: {name}")
        for name, pattern in SIGNALS.items()
    )
    return reports.select(*in_title, *in_body)


def _matches(field: str, pattern: str) -> pl.Expr:
    return pl.col(field).str.count_matches(f"(?i){pattern}").cast(pl.Float64)
