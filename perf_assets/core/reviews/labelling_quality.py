"""How good the labels are, by the verdicts of people: precision, and recall where it can be had."""

import math
from collections.abc import Iterator

import polars as pl

from perf_assets.core.analyses.comparisons import POOLED, by_repository_and_pooled
from perf_assets.core.labelling.strength import STRENGTHS
from perf_assets.core.reviews.codebook import VERDICTS
from perf_assets.core.statistics.agreement import wilson_interval
from perf_assets.tables import schema_of

ALL_RULES = "all"
CONFIDENCE = 0.95
PLACES = ("project label", "title", "body alone")
"""Where the evidence is that counts most."""

Row = tuple[object, ...]


def labelling_quality(
    verdicts: pl.DataFrame, bug_reports: pl.DataFrame, graded: pl.DataFrame
) -> pl.DataFrame:
    """Precision of the labels by repository, rater, rule and strength, recall, and the true share.

    Precision is the share of verdicts ``yes`` among the bug reports that are labelled as
    performance bugs and were judged yes or no; ``unsure`` is left out and counted. Recall needs
    verdicts on bug reports that are not labelled: each stratum's share of performance bugs is
    projected to all bug reports of the stratum (stratified estimate), and the part that is labelled
    is the recall. The same two shares, each times the part of its stratum, add up to the share of
    performance bugs among all bug reports: the share that is labelled, corrected for what the rule
    gets wrong and what it misses, which is the estimator of Rogan and Gladen, the labelled share
    times precision by recall. All presume that the judged ones are a random sample of their
    stratum.

    Parameters
    ----------
    verdicts : columns dataset, repository, number, rater, verdict, is_performance (is it labelled),
        matched_labels, matched_keywords: the verdict in force of each rater and bug report.
    bug_reports : columns dataset, repository, is_performance, bug_reports: the sizes of the strata.
    graded : columns dataset, repository, number, strength, matched_in, matched_labels, as
        ``staging.bug_reports``: how strong the label is, and where keywords stand.

    Returns
    -------
    ``analysis.labelling_quality``, estimates and
    limits as percentages. Precision has Wilson's limits; those of recall follow from Wilson's
    limits of the share of performance bugs among the unlabelled ones; those of the corrected share
    from Wilson's limits of both shares (method of variance estimates recovery).

    References
    ----------
    Makkouk, Kim and Chen (ICSME 2022), section III: 141 of 160 labelled bugs were verified.
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., Wiley, chapter 5 (stratified estimate).
    Rogan, W. J. and Gladen, B. (1978). Estimating prevalence from the results of a screening test.
    American Journal of Epidemiology 107, 71-76.
    Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures: a
    general approach. Statistics in Medicine 27, 1693-1702.
    """
    rows: list[Row] = []
    known = graded.select(
        "dataset",
        "repository",
        "number",
        "strength",
        place=pl.when(pl.col("matched_labels").list.len() > 0)
        .then(pl.lit("project label"))
        .when(pl.col("matched_in").list.contains("title"))
        .then(pl.lit("title"))
        .when(pl.col("matched_in").list.len() > 0)
        .then(pl.lit("body alone")),
    )
    of_strata = verdicts.join(
        known, on=["dataset", "repository", "number"], how="left", maintain_order="left"
    )
    for dataset, repository, judged in by_repository_and_pooled(of_strata):
        for rater in judged.get_column("rater").unique().sort():
            of_rater = judged.filter(pl.col("rater") == rater)
            strata = _strata(bug_reports, dataset, repository)
            rows += [
                (dataset, repository, rater, *row)
                for row in (
                    *_precisions(of_rater.filter("is_performance")),
                    *_recall(of_rater, strata),
                    *_corrected_share(of_rater, strata),
                )
            ]
    return pl.DataFrame(rows, schema=schema_of("analysis.labelling_quality"), orient="row")


def _strata(bug_reports: pl.DataFrame, dataset: str, repository: str) -> dict[bool, int]:
    """How many bug reports are labelled as performance bugs, and how many are not."""
    here = (pl.col("dataset") == dataset) & (
        (pl.col("repository") == repository) | (repository == POOLED)
    )
    sizes = bug_reports.filter(here).group_by("is_performance").agg(pl.col("bug_reports").sum())
    return {True: 0, False: 0} | dict(sizes.iter_rows())


def _precisions(labelled: pl.DataFrame) -> Iterator[Row]:
    """Precision of all rules together, by strength and place, and of what matched."""
    yield _precision(ALL_RULES, labelled)
    for column, values in (("strength", STRENGTHS), ("place", PLACES)):
        for value in values:
            judged = labelled.filter(pl.col(column) == value)
            if judged.height:
                yield _precision(f"{column}: {value}", judged)
    for column, kind in (("matched_labels", "label"), ("matched_keywords", "keyword")):
        for matched in labelled.get_column(column).explode().drop_nulls().unique().sort():
            yield _precision(f"{kind}: {matched}", labelled.filter(_contains(column, matched)))


def _contains(column: str, matched: str) -> pl.Expr:
    return pl.col(column).list.contains(matched)


def _precision(rule: str, labelled: pl.DataFrame) -> Row:
    yes, no, unsure = _counts(labelled)
    share = wilson_interval(yes, yes + no, CONFIDENCE)
    limits = map(_percent, (share.share, share.low, share.high))
    return ("precision", rule, yes + no, yes, unsure, *limits, CONFIDENCE, "wilson")


def _recall(judged: pl.DataFrame, strata: dict[bool, int]) -> Iterator[Row]:
    """The share of all performance bugs that is labelled, where others were judged too."""
    yes, no, unsure = _counts(judged.filter("is_performance"))
    missed, right, unsure_others = _counts(judged.filter(~pl.col("is_performance")))
    n = yes + no + missed + right
    if yes == 0 or missed + right == 0:
        return
    found = strata[True] * yes / (yes + no)
    misses = wilson_interval(missed, missed + right, CONFIDENCE)
    # The more performance bugs are among the others, the fewer of all are labelled.
    shares = (misses.share, misses.high, misses.low)
    limits = (_percent(found / (found + strata[False] * (share or 0.0))) for share in shares)
    successes = yes + missed
    counts = (n, successes, unsure + unsure_others)
    yield ("recall", ALL_RULES, *counts, *limits, CONFIDENCE, "stratified, wilson of the misses")


def _corrected_share(judged: pl.DataFrame, strata: dict[bool, int]) -> Iterator[Row]:
    """The share of performance bugs among all bug reports, where both strata were judged."""
    counts = {kind: _counts(judged.filter(is_performance=kind)) for kind in (True, False)}
    total = sum(strata.values())
    if not total or any(yes + no == 0 for yes, no, _ in counts.values()):
        return
    parts = []
    for kind, (yes, no, _) in counts.items():
        share = wilson_interval(yes, yes + no, CONFIDENCE)
        weight = strata[kind] / total
        parts.append([weight * (value or 0.0) for value in (share.share, share.low, share.high)])
    estimate = sum(part[0] for part in parts)
    low = estimate - math.hypot(*(part[0] - part[1] for part in parts))
    high = estimate + math.hypot(*(part[2] - part[0] for part in parts))
    n, successes, unsure = (
        sum(values)
        for values in zip(
            *((yes + no, yes, left) for yes, no, left in counts.values()), strict=True
        )
    )
    limits = (100 * value for value in (estimate, max(low, 0.0), min(high, 1.0)))
    yield ("corrected_share", ALL_RULES, n, successes, unsure, *limits, CONFIDENCE, "rogan-gladen")


def _counts(judged: pl.DataFrame) -> tuple[int, int, int]:
    verdict = judged.get_column("verdict")
    yes, no, unsure = (int((verdict == word).sum()) for word in VERDICTS)
    return yes, no, unsure


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share
