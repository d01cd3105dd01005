"""How good the labels are, by the verdicts of people: precision, and recall where it can be had."""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import polars as pl

from perf_assets.core.analyses.group_samples import (
    CONFIDENCE,
    by_repository_and_pooled,
    groups_of,
    percent,
)
from perf_assets.core.labelling.strength import STRENGTHS
from perf_assets.core.reviews.codebook import VERDICTS
from perf_assets.core.statistics.agreement import wilson_interval
from perf_assets.schema import schema_of

ALL_RULES = "all"
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
    limits as percentages. Precision has Wilson's limits; those of recall and of the corrected share
    follow from Wilson's limits of both shares (method of variance estimates recovery). Pooled, each
    repository has strata of its own; those of which one was not judged are left out.

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
    labels = graded.select(
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
        labels, on=["dataset", "repository", "number"], how="left", maintain_order="left"
    )
    for dataset, repository, judged in by_repository_and_pooled(of_strata):
        for rater in judged.get_column("rater").unique().sort():
            of_rater = judged.filter(pl.col("rater") == rater)
            strata = _strata(of_rater, bug_reports, dataset)
            rows += [
                (dataset, repository, rater, *row)
                for row in (
                    *_precisions(of_rater.filter("is_performance")),
                    *_recall(strata),
                    *_corrected_share(strata),
                )
            ]
    return pl.DataFrame(rows, schema=schema_of("analysis.labelling_quality"), orient="row")


class Stratum(NamedTuple):
    """Bug reports of one repository that are, or are not, labelled, and what was judged of them."""

    size: int
    yes: int
    no: int
    unsure: int

    @property
    def expected(self) -> tuple[float, float, float]:
        """Performance bugs among all of them, with limits: their number times the judged share."""
        share = wilson_interval(self.yes, self.yes + self.no, CONFIDENCE)
        values = (share.share or 0.0, share.low or 0.0, share.high or 0.0)
        return values[0] * self.size, values[1] * self.size, values[2] * self.size


Strata = list[tuple[Stratum, Stratum]]


def _strata(judged: pl.DataFrame, sizes: pl.DataFrame, dataset: str) -> Strata:
    """Return the labelled and the other bug reports of each repository with verdicts on both."""
    found = []
    for (repository,), reports in groups_of(judged, "repository"):
        here = sizes.filter(dataset=dataset, repository=repository)
        counts_by_kind = dict(here.select("is_performance", "bug_reports").iter_rows())
        pair = [
            Stratum(counts_by_kind.get(kind, 0), *_counts(reports.filter(is_performance=kind)))
            for kind in (True, False)
        ]
        if all(entry.yes + entry.no for entry in pair):
            found.append((pair[0], pair[1]))
    return found


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
            has_matched = pl.col(column).list.contains(matched)
            yield _precision(f"{kind}: {matched}", labelled.filter(has_matched))


def _precision(rule: str, labelled: pl.DataFrame) -> Row:
    yes, no, unsure = _counts(labelled)
    share = wilson_interval(yes, yes + no, CONFIDENCE)
    limits = map(percent, (share.share, share.low, share.high))
    return ("precision", rule, yes + no, yes, unsure, *limits, CONFIDENCE, "wilson")


def _recall(strata: Strata) -> Iterator[Row]:
    """Yield the share of all performance bugs that is labelled, where others were judged too."""
    if not sum(labelled.yes for labelled, _ in strata):
        return
    found = _sum(labelled for labelled, _ in strata)
    missed = _sum(other for _, other in strata)
    estimate = found[0] / (found[0] + missed[0])
    low, high = _odds_limits(found, missed)
    yield (
        "recall",
        ALL_RULES,
        *_judged(strata),
        *(100 * value for value in (estimate, low, high)),
        CONFIDENCE,
        "stratified, mover",
    )


def _corrected_share(strata: Strata) -> Iterator[Row]:
    """Yield the share of performance bugs among all bug reports, where both strata were judged."""
    total = sum(labelled.size + other.size for labelled, other in strata)
    if not total:
        return
    estimate, low, high = _sum(entry for pair in strata for entry in pair)
    limits = (100 * min(max(value / total, 0.0), 1.0) for value in (estimate, low, high))
    yield ("corrected_share", ALL_RULES, *_judged(strata), *limits, CONFIDENCE, "rogan-gladen")


def _sum(strata: Iterable[Stratum]) -> tuple[float, float, float]:
    """Return the performance bugs of several strata, with limits by variance estimates recovery."""
    parts = [entry.expected for entry in strata]
    estimate = sum(part[0] for part in parts)
    below = math.hypot(*(part[0] - part[1] for part in parts))
    above = math.hypot(*(part[2] - part[0] for part in parts))
    return estimate, max(estimate - below, 0.0), estimate + above


def _odds_limits(
    found: tuple[float, float, float], missed: tuple[float, float, float]
) -> tuple[float, float]:
    """Limits of found / (found + missed), by those of the logarithm of found / missed."""
    if not missed[0]:
        # No logarithm: what was missed at most says how low it may be.
        return found[1] / (found[1] + missed[2]) if found[1] + missed[2] else 0.0, 1.0

    def log(value: float) -> float:
        return math.log(value) if value > 0 else -math.inf

    middle = log(found[0] / missed[0])
    low = middle - math.hypot(log(found[0]) - log(found[1]), log(missed[2]) - log(missed[0]))
    high = middle + math.hypot(log(found[2]) - log(found[0]), log(missed[0]) - log(missed[1]))
    return _expit(low), _expit(high)


def _expit(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0


def _judged(strata: Strata) -> tuple[int, int, int]:
    both = [entry for pair in strata for entry in pair]
    yes = sum(entry.yes for entry in both)
    return yes + sum(entry.no for entry in both), yes, sum(entry.unsure for entry in both)


def _counts(judged: pl.DataFrame) -> tuple[int, int, int]:
    verdict = judged.get_column("verdict")
    yes, no, unsure = (int((verdict == word).sum()) for word in VERDICTS)
    return yes, no, unsure
