"""What a model reads in reports: stems of words, pairs of them, and signs of performance."""

from collections.abc import Mapping

import polars as pl

WORD = r"\b\w\w+\b"
CODE_BLOCK = r"(?s)```.*?(?:```|\z)|~~~.*?(?:~~~|\z)|<!--.*?(?:-->|\z)"
FORM_FIELD = r"(?i)gpu models? and (?:memory|configuration)"
"""A field of the issue forms of TensorFlow and PyTorch, which says nothing of the report."""

LONGEST_BODY = 20_000
"""Characters of a body that are read: what follows is a log."""

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
"""What each signal is found by, without regard to case: signs that need no training text."""


def cleaned(reports: pl.DataFrame) -> pl.DataFrame:
    """Title and body of each report in lower case, without code blocks, comments and form fields.

    Parameters
    ----------
    reports : columns title, body; a missing body is an empty one.
    """
    body = (
        pl.col("body")
        .fill_null("")
        .str.replace_all(CODE_BLOCK, " ")
        .str.slice(0, LONGEST_BODY)
        .str.replace_all(FORM_FIELD, " ")
    )
    return reports.select(
        title=pl.col("title").fill_null("").str.to_lowercase(), body=body.str.to_lowercase()
    )


def words_of(texts: pl.Series) -> pl.DataFrame:
    """Return the words of each text in their order: columns report (its position) and word."""
    return (
        pl.DataFrame({"text": texts})
        .with_row_index("report")
        .select("report", word=pl.col("text").str.extract_all(WORD))
        .explode("word")
        .drop_nulls("word")
    )


def counted_terms(words: pl.DataFrame, stems: Mapping[str, str]) -> pl.DataFrame:
    """Return how often each stem, and each pair of neighbouring ones, stands in each text.

    Parameters
    ----------
    words : as of :func:`words_of`.
    stems : the stem of each word that is known; others are passed over, and part no pair.

    Returns
    -------
    Columns report, term, count, and word: how the text writes the term first.
    """
    known = pl.DataFrame(
        {"word": list(stems), "stem": list(stems.values())},
        schema={"word": pl.String, "stem": pl.String},
    )
    found = words.join(known, on="word", how="left", maintain_order="left")
    following = pl.col("stem", "word").shift(-1).over("report").name.prefix("next_")
    paired = found.with_columns(following).filter(pl.col("stem").is_not_null())
    pairs = paired.filter(pl.col("next_stem").is_not_null()).select(
        "report",
        term=pl.col("stem") + " " + pl.col("next_stem"),
        word=pl.col("word") + " " + pl.col("next_word"),
    )
    single = paired.select("report", "word", term="stem")
    return (
        pl.concat([single, pairs.select("report", "word", "term")])
        .group_by("report", "term", maintain_order=True)
        .agg(count=pl.len(), word=pl.col("word").first())
    )


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
    signals: dict[str, pl.Expr] = {}
    for field in ("title", "body"):
        for name, pattern in SIGNALS.items():
            matches = pl.col(field).str.count_matches(f"(?i){pattern}").cast(pl.Float64)
            is_title = field == "title"
            signals[f"{field}: {name}"] = matches.clip(0, 1) if is_title else matches.log1p() / 2
    return reports.select(**signals)
