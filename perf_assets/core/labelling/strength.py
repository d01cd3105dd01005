"""How strong a label is: title over body, words that always mean it over those that often do not.

Of reports that people read, a keyword in the title was right in 62 of 65, one in the body alone in
24 of 42; "memory leak" alone was right in 25 of 25, "slow" alone in 13 of 23, and in the body alone
in 4 of 14. The words graded by default are those that were measured.
"""

import polars as pl

from perf_assets.core.labelling.rule_sets import STRONG_PLACES

STRENGTHS = ("strong", "moderate", "weak")

STRONG_KEYWORDS = ("memory leak",)
WEAK_KEYWORDS = ("slow",)

WIDENED_KEYWORDS = (
    "leak",
    "speed",
    "overhead",
    "lots of memory",
    "too much memory",
    "memory consumption",
)
"""Words of titles that the paper's keywords miss: forms of leak, speed and overhead."""

_STRONG, _MODERATE, _WEAK = 3, 2, 1


def strength_of(
    evidence: pl.DataFrame, strong_keywords: tuple[str, ...], weak_keywords: tuple[str, ...]
) -> pl.DataFrame:
    """Return the strength of the label of each issue, by its strongest evidence.

    Parameters
    ----------
    evidence : columns number, rule, field, match, as ``labels.label_evidence``.
    strong_keywords, weak_keywords : keywords of the study that are stronger, or weaker, than the
        others.

    Returns
    -------
    Columns number and strength. A performance label of the project is strong. A keyword in the
    title, its tag or the form is strong and one in the body moderate; a strong keyword is strong in
    both, a weak one moderate in the title and weak in the body. Issues without any of them are not
    there.
    """
    match, field = pl.col("match"), pl.col("field")
    in_title = field.is_in(STRONG_PLACES)
    keyword = (
        pl.when(match.is_in(strong_keywords))
        .then(_STRONG)
        .when(match.is_in(weak_keywords))
        .then(pl.when(in_title).then(_MODERATE).otherwise(_WEAK))
        .otherwise(pl.when(in_title).then(_STRONG).otherwise(_MODERATE))
    )
    by_rule = (
        pl.when(pl.col("rule") == "performance_label")
        .then(_STRONG)
        .when(pl.col("rule") == "keyword")
        .then(keyword)
    )
    names = {_STRONG: "strong", _MODERATE: "moderate", _WEAK: "weak"}
    return (
        evidence.select("number", grade=by_rule)
        .drop_nulls("grade")
        .group_by("number", maintain_order=True)
        .agg(strength=pl.col("grade").max().replace_strict(names, return_dtype=pl.String))
    )
