"""The share of performance bugs, corrected for what rule and classifier get wrong."""

from collections.abc import Iterator
from math import exp, log, sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray

from perf_assets.core.analyses.group_samples import by_repository_and_pooled
from perf_assets.core.statistics.agreement import wilson_interval
from perf_assets.schema import schema_of

FEWEST_REPORTS = 50
TRANSFER_ERROR = 0.3
"""Standard deviation of the logit of a share that is estimated for a project that the classifier
has not seen: with it intervals held 97 % in a simulation over three judged projects, shares from 3
to 30 % and 150 to 2,000 reports (docs/accuracy.md)."""

Z = 1.959964
PASSES = 500
SMALLEST = 1e-4
GRID = 400

Estimate = tuple[str, int, float, float, float]


def corrected_shares(
    bug_reports: pl.DataFrame, probabilities: pl.DataFrame, quality: pl.DataFrame
) -> pl.DataFrame:
    """Return the share of performance bugs by each way to count it, and which one to believe.

    Parameters
    ----------
    bug_reports : columns dataset, repository, number, is_performance.
    probabilities : ``labels.performance_probabilities``.
    quality : ``analysis.labelling_quality``.

    Returns
    -------
    ``analysis.corrected_shares``, shares in percent: of the rule and of the classifier with
    Wilson's limits, which have the error of sampling alone; ``people``, the share that raters'
    verdicts correct, where they judged both labelled and other bug reports; and ``corrected``, the
    share at which the probabilities of the classifier agree with themselves (the EM adjustment of
    priors), with limits that have the error of sampling and that of a classifier in a project that
    it has not seen. People are believed where they judged, else the corrected share, and below
    :data:`FEWEST_REPORTS` bug reports the rule.

    References
    ----------
    Saerens, M., Latinne, P. and Decaestecker, C. (2002). Adjusting the outputs of a classifier to
    new a priori probabilities: a simple procedure. Neural Computation 14, 21-41.
    """
    scored = bug_reports.filter(pl.col("dataset") == "live").join(
        probabilities.select(
            "repository",
            "number",
            "probability",
            "trained_share",
            is_classified=pl.col("is_performance"),
        ),
        on=["repository", "number"],
    )
    rows = []
    for dataset, repository, reports in by_repository_and_pooled(scored):
        people = quality.filter(
            pl.col("dataset") == dataset,
            pl.col("repository") == repository,
            pl.col("rater") == "consensus",
            pl.col("measure") == "corrected_share",
            pl.col("estimate_percent").is_not_null(),
        )
        found = list(_estimates(reports, people))
        believed = found[-1][0]
        rows += [(dataset, repository, *row, row[0] == believed) for row in found]
    return pl.DataFrame(rows, schema=schema_of("analysis.corrected_shares"), orient="row")


def _estimates(reports: pl.DataFrame, people: pl.DataFrame) -> Iterator[Estimate]:
    """Yield method, bug reports, share and limits, the most trusted last."""
    for method, column in (("classifier", "is_classified"), ("rule", "is_performance")):
        share = wilson_interval(int(reports[column].sum()), reports.height)
        yield _percent(method, reports.height, share.share, share.low, share.high)
    if reports.height >= FEWEST_REPORTS:
        probability = np.clip(reports["probability"].sort().to_numpy(), SMALLEST, 1 - SMALLEST)
        yield _percent(
            "corrected",
            reports.height,
            *adjusted_share(probability, float(reports["trained_share"][0])),
        )
    for row in people.iter_rows(named=True):
        limits = (row[f"{name}_percent"] for name in ("estimate", "low", "high"))
        estimate, low, high = limits
        yield "people", reports.height, estimate, low, high


def adjusted_share(
    probabilities: NDArray[np.float64], trained_share: float
) -> tuple[float, float, float]:
    """Return the likeliest share of positives, and its limits at 95 %.

    Parameters
    ----------
    probabilities : of a calibrated classifier, each within (0, 1).
    trained_share : the share for which it is calibrated.
    """
    odds = probabilities / (1 - probabilities) * (1 - trained_share) / trained_share
    share = trained_share
    for _ in range(PASSES):
        posterior = odds * share / (odds * share + 1 - share)
        before, share = share, min(max(float(posterior.mean()), SMALLEST), 1 - SMALLEST)
        if abs(share - before) < SMALLEST / 100:
            break
    low, high = _limits(odds, share)
    return share, low, high


def _limits(odds: NDArray[np.float64], share: float) -> tuple[float, float]:
    """Return the limits of the share: of the likelihood ratio, widened by the transfer error."""
    logits = np.linspace(_logit(SMALLEST), _logit(1 - SMALLEST), GRID)
    shares = 1 / (1 + np.exp(-logits))
    # One row a share would be too large for a hundred thousand reports.
    likelihoods = np.array([np.log1p(each * (odds - 1)).sum() for each in shares])
    best = float(np.log1p(share * (odds - 1)).sum())
    inside = logits[2 * (best - likelihoods) <= Z**2]
    middle = _logit(share)
    sides = (min(middle, *inside[:1]), max(middle, *inside[-1:]))
    distances = (sqrt((side - middle) ** 2 + (Z * TRANSFER_ERROR) ** 2) for side in sides)
    low, high = (
        1 / (1 + exp(-(middle + sign * distance)))
        for sign, distance in zip((-1, 1), distances, strict=True)
    )
    return low, high


def _logit(share: float) -> float:
    return log(share / (1 - share))


def _percent(
    method: str, reports: int, share: float | None, low: float | None, high: float | None
) -> Estimate:
    return method, reports, 100 * (share or 0.0), 100 * (low or 0.0), 100 * (high or 0.0)
