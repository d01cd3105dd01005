"""Rules beside each other: keywords and stems over bug reports, two readings of the stems."""

import polars as pl

from perf_assets.core.analyses.group_samples import by_repository_and_pooled
from perf_assets.core.labelling.stems import AS_MEANT, AS_PUBLISHED, STEMS
from perf_assets.core.statistics.agreement import cohens_kappa_of_counts
from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.schema import schema_of

ALL_MONTHS = "all"
ANY = "any"
CELLS = {
    "both_rules": (True, True),
    "keywords_only": (True, False),
    "stems_only": (False, True),
    "neither_rule": (False, False),
}
"""The columns of counts: whether the keywords find it, and whether the stems do."""


def labelling_rule_agreement(rule_matches: pl.DataFrame) -> pl.DataFrame:
    """Cohen's kappa of the keywords and the stems, by repository and month and over all.

    Parameters
    ----------
    rule_matches : ``intermediate.rule_matches``: the bug reports of each month that both, one or
        neither find.

    Returns
    -------
    ``analysis.labelling_rule_agreement``: for each repository, and for all together, a row for each
    month and one of all months, in both readings of the stems. ``kappa`` is NULL where it is
    undefined, or where either rule finds fewer than five bug reports; see
    ``perf_assets.core.statistics.agreement.cohens_kappa``.
    """
    rows = [
        (dataset, repository, month, stem_set, *_agreement(counts))
        for dataset, repository, of_repository in by_repository_and_pooled(rule_matches)
        for (stem_set,), of_set in of_repository.group_by("stem_set", maintain_order=True)
        for (month,), counts in (
            *of_set.group_by("month", maintain_order=True),
            ((ALL_MONTHS,), of_set),
        )
    ]
    schema = schema_of("analysis.labelling_rule_agreement")
    return pl.DataFrame(rows, schema=schema, orient="row").sort(
        "dataset", "repository", "stem_set", "month"
    )


def _agreement(counts: pl.DataFrame) -> tuple[object, ...]:
    cells = {name: int(counts.get_column(name).sum()) for name in CELLS}
    kappa = cohens_kappa_of_counts({pair: cells[name] for name, pair in CELLS.items()})
    by_keywords = cells["both_rules"] + cells["keywords_only"]
    by_stems = cells["both_rules"] + cells["stems_only"]
    if min(by_keywords, by_stems) < CURVE:
        return (kappa.n, *cells.values(), None, None, None, kappa.confidence, None)
    limits = (kappa.statistic, kappa.low, kappa.high, kappa.confidence, kappa.reading)
    return (kappa.n, *cells.values(), *limits)


def keyword_stem_hits(question_stems: pl.DataFrame) -> pl.DataFrame:
    """Return what each entry of the set of stems finds in each tag set, in both readings.

    Parameters
    ----------
    question_stems : ``intermediate.question_stems``: the entries that find questions, and any of
        them.

    Returns
    -------
    ``analysis.keyword_stem_hits``: of each tag set with questions all entries, those that find none
    too, and a row of any of them, in both readings.
    """
    entries = [
        (entry, reading, stem)
        for reading in (AS_PUBLISHED, AS_MEANT)
        for entry, stem in zip((*STEMS.published, ANY), (*STEMS.entries(reading), ANY), strict=True)
    ]
    every = pl.DataFrame(
        entries, schema=dict.fromkeys(("entry", "stem_set", "stem"), pl.String), orient="row"
    )
    totals = question_stems.filter(pl.col("stem") == ANY).select(
        "forum", "tag_set", "stem_set", "all_questions"
    )
    counts = question_stems.drop("all_questions")
    return (
        totals.join(every, on="stem_set")
        .join(counts, on=["forum", "tag_set", "stem_set", "stem"], how="left")
        .with_columns(pl.col("questions", "only_by_it").fill_null(0))
        .with_columns(percent=100 * pl.col("questions") / pl.col("all_questions"))
        .select(
            pl.col(name).cast(kind)
            for name, kind in schema_of("analysis.keyword_stem_hits").items()
        )
        .sort("forum", "tag_set", "entry", "stem_set")
    )
