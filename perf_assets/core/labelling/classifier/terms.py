"""Words of reports and pairs of neighbouring words, as stems."""

from collections.abc import Mapping

import polars as pl

WORD = r"\b\w\w+\b"
CODE_BLOCK = r"(?s)```.*?(?:```|\z)|~~~.*?(?:~~~|\z)|<!--.*?(?:-->|\z)"
FORM_FIELD = r"(?i)gpu models? and (?:memory|configuration)"
"""A field of the issue forms of TensorFlow and PyTorch, which says nothing of the report."""

LONGEST_BODY = 20_000
"""Characters of a body that are read: what follows is a log."""


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
