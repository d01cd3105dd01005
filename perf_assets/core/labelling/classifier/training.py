"""Training: from reports that people judged to a model, with figures of reports it had not seen."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.labelling.classifier.features import WordVectors, places_of_reports
from perf_assets.core.labelling.classifier.model import (
    CLASSES,
    NONE,
    QUALITY,
    Model,
    counted,
    feature_count,
    feature_values,
    probabilities_of,
    score,
)
from perf_assets.core.labelling.vocabulary import COUNTED_KINDS, WORDS, Word
from perf_assets.core.libraries import import_scikit_learn

if TYPE_CHECKING:
    from perf_assets.core.labelling.classifier.model import Floats

Flags: TypeAlias = NDArray[np.bool_]

VARIANCE = 0.1
"""Of the normal prior of a weight."""

FOLDS, ROUNDS = 5, 2
FEWEST_OF_A_KIND = 10
DIGITS = 5
BINS = 10


def train(
    reports: pl.DataFrame,
    vectors: WordVectors,
    command: str = "",
    words: Mapping[str, Word] = WORDS,
) -> Model:
    """Return a model of reports that people judged.

    A multinomial logistic regression of which a report may say several kinds: one that is only
    known to be about performance has some kind of it, and the likelihood is of the sum of their
    probabilities. A rarer kind weighs more, by the root of how much rarer it is. Slope and shifts
    are then fitted to reports that their model had not seen, without these weights, so that
    probabilities are calibrated. The threshold is where the F1 that is expected by the
    probabilities is highest.

    Parameters
    ----------
    reports : columns repository, title, body, is_performance, kind: speed, memory, hang, quality
        (of results; not about performance here), or null where it is not known.
    vectors : of words.
    command : what trains it again.
    words : what signs are made of.

    Raises
    ------
    PerfAssetsError
        There are too few reports of either kind.

    References
    ----------
    Platt, J. (1999). Probabilistic outputs for support vector machines and comparisons to
    regularized likelihood methods. Advances in Large Margin Classifiers, 61-74.
    Lipton, Z. C., Elkan, C. and Naryanaswamy, B. (2014). Optimal thresholding of classifiers to
    maximize F1 measure. ECML PKDD, 225-239.
    """
    empty = Model(
        "",
        words,
        vectors,
        np.zeros((feature_count(words, vectors), len(CLASSES))),
        1.0,
        (0.0,) * len(CLASSES),
        {},
        0.5,
        {},
    )
    return _trained(empty, reports, fingerprint_of(reports), command)


def train_further(model: Model, reports: pl.DataFrame, command: str = "") -> Model:
    """Return a model of more reports, whose weights stay near those of ``model``.

    Of all weights that explain the reports those are taken that are nearest to what they were (a
    normal prior around them); calibration and threshold are of the new reports alone.

    Parameters
    ----------
    model : what to begin with.
    reports, command : as of :func:`train`.

    Raises
    ------
    PerfAssetsError
        There are too few reports of either kind.
    """
    version = f"{model.version}+{fingerprint_of(reports)}"
    further = _trained(model, reports, version, command)
    return replace(further, description={**further.description, "began_with": model.description})


def evaluate(model: Model, reports: pl.DataFrame) -> Mapping[str, Any]:
    """Return the :func:`figures` of a model on judged reports that it was not trained on."""
    found = score(model, reports).select(pl.sum_horizontal(COUNTED_KINDS)).to_series().to_numpy()
    return figures(found, _is_counted(reports), model.thresholds[counted(COUNTED_KINDS)])


def figures(probabilities: "Floats", truth: Flags, threshold: float) -> dict[str, Any]:
    """Return how well probabilities tell performance reports from others.

    Returns
    -------
    area_under_roc with the limits of 95 % (Hanley and McNeil 1982), precision, recall and f1 at
    ``threshold``, calibration_error: the mean distance of ten bins between mean probability and
    share, weighted by their size; reliability: for each bin reports, probability and share.
    """
    area = _area_under_roc(probabilities, truth)
    error = _error_of_area(area, int(truth.sum()), int((~truth).sum()))
    chosen = probabilities >= threshold
    hits = int((chosen & truth).sum())
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    reliability = [
        {
            "reports": int(here.sum()),
            "probability": round(float(probabilities[here].mean()), 3),
            "share": round(float(truth[here].mean()), 3),
        }
        for index in range(BINS)
        if (here := bins == index).any()
    ]
    distance = sum(
        entry["reports"] * abs(entry["probability"] - entry["share"]) for entry in reliability
    )
    return {
        "area_under_roc": round(area, 3),
        "area_low": round(max(area - 1.96 * error, 0.0), 3),
        "area_high": round(min(area + 1.96 * error, 1.0), 3),
        "precision": round(hits / max(int(chosen.sum()), 1), 3),
        "recall": round(hits / max(int(truth.sum()), 1), 3),
        "f1": round(2 * hits / max(int(chosen.sum()) + int(truth.sum()), 1), 3),
        "calibration_error": round(distance / len(truth), 3),
        "reliability": reliability,
    }


def fingerprint_of(reports: pl.DataFrame) -> str:
    """Return a digest of the reports and verdicts, whatever their order."""
    rows = reports.select("repository", "title", "body", "is_performance", "kind").rows()
    text = json.dumps(sorted(map(str, rows)))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _is_counted(reports: pl.DataFrame) -> Flags:
    is_counted = pl.col("kind").is_in(COUNTED_KINDS).fill_null(pl.col("is_performance"))
    result: Flags = reports.select(is_counted).to_series().to_numpy().astype(bool)
    return result


def _possible(reports: pl.DataFrame) -> Flags:
    """Return which classes each report may be of, by what is known of it: a row each."""
    known = reports["kind"].to_list()
    yes = [name not in (NONE, QUALITY) for name in CLASSES]
    unknown = {True: yes, False: [not each for each in yes]}
    return np.array(
        [
            unknown[is_performance] if kind is None else [name == kind for name in CLASSES]
            for kind, is_performance in zip(known, reports["is_performance"], strict=True)
        ]
    )


def _trained(model: Model, reports: pl.DataFrame, version: str, command: str) -> Model:
    truth = _is_counted(reports)
    yes, no = int(truth.sum()), int((~truth).sum())
    if min(yes, no) < FEWEST_OF_A_KIND:
        raise PerfAssetsError(
            f"{yes} reports about performance and {no} others are too few to train on: it takes "
            f"{FEWEST_OF_A_KIND} of each"
        )
    # The order of rows must not change a bit.
    ordered = reports.sort("repository", "title", "body", "is_performance", "kind")
    truth, possible = _is_counted(ordered), _possible(ordered)
    features = feature_values(places_of_reports(ordered), model.words, model.vectors)
    margins = _unseen_margins(model, features, possible, truth)
    slope, shifts = _calibration(margins, possible)
    fitted = replace(
        model,
        version=version,
        weights=_fit(features, possible, model.weights),
        slope=slope,
        shifts=shifts,
        share=float(truth.mean()),
    )
    probabilities = probabilities_of(fitted, margins)
    found = probabilities[:, [CLASSES.index(kind) for kind in COUNTED_KINDS]].sum(axis=1)
    thresholds = {
        counted(kinds): _best_threshold(
            probabilities[:, [CLASSES.index(kind) for kind in kinds]].sum(axis=1)
        )
        for number in range(1, len(CLASSES))
        for kinds in combinations(CLASSES[1:], number)
    }
    kinds = ordered["kind"].drop_nulls().value_counts().sort("kind")
    description = {
        "reports": len(truth),
        "performance_reports": yes,
        "kinds": dict(kinds.iter_rows()),
        "repositories": sorted(reports["repository"].unique()),
        "fingerprint": fingerprint_of(reports),
        "command": command,
        "unseen": figures(found, truth, thresholds[counted(COUNTED_KINDS)]),
    }
    return replace(fitted, thresholds=thresholds, description=description)


def _fit(features: "Floats", possible: Flags, prior: "Floats") -> "Floats":
    """Return the weights that are likeliest after the reports, near to ``prior``; rounded."""
    from scipy.optimize import minimize  # noqa: PLC0415

    sizes = possible.sum(axis=0, where=possible.sum(axis=1, keepdims=True) == 1)
    sizes = np.where(sizes == 0, 1, sizes)
    importance = np.sqrt(sizes.max() / sizes)
    each = (possible * importance).sum(axis=1) / possible.sum(axis=1)
    penalty = np.full(prior.shape, 1 / VARIANCE)
    penalty[-1] = 0.01  # the intercepts are free, but for a constant that all classes share

    def loss(change: "Floats") -> tuple[float, "Floats"]:
        moved = change.reshape(prior.shape)
        exponents = features @ (prior + moved)
        value, slopes = _log_likelihood(exponents, possible)
        gradient = -features.T @ (each[:, None] * slopes) + penalty * moved
        return float(-(each * value).sum() + (penalty * moved**2).sum() / 2), gradient.ravel()

    found = minimize(
        loss, np.zeros(prior.size), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    )
    result: Floats = np.round(prior + found.x.reshape(prior.shape), DIGITS)
    return result


def _log_likelihood(exponents: "Floats", possible: Flags) -> tuple["Floats", "Floats"]:
    """Return the log-likelihood of each report, and its derivatives by the exponents."""
    from scipy.special import logsumexp, softmax  # noqa: PLC0415

    inside = np.where(possible, exponents, -np.inf)
    value = logsumexp(inside, axis=1) - logsumexp(exponents, axis=1)
    return value, softmax(inside, axis=1) - softmax(exponents, axis=1)


def _calibration(margins: "Floats", possible: Flags) -> tuple[float, tuple[float, ...]]:
    """Return the slope and shifts by which the unseen reports are likeliest (Platt 1999)."""
    from scipy.optimize import minimize  # noqa: PLC0415

    def loss(free: "Floats") -> tuple[float, "Floats"]:
        value, slopes = _log_likelihood(free[0] * margins + free[1:], possible)
        shrinking = np.concatenate([[free[0] - 1], free[1:]])
        gradient = np.concatenate([[(slopes * margins).sum()], slopes.sum(axis=0)])
        return float(-value.sum() + (shrinking**2).sum() / 2), -gradient + shrinking

    start = np.concatenate([[1.0], np.zeros(margins.shape[1])])
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x.round(DIGITS)
    return float(found[0]), tuple(map(float, found[1:]))


def _unseen_margins(model: Model, features: "Floats", possible: Flags, truth: Flags) -> "Floats":
    """Return the sums of weights of each report, by models that were trained without it."""
    import_scikit_learn()
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    margins = np.zeros(possible.shape)
    for seed in range(ROUNDS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for learning, testing in folds.split(margins, truth):
            weights = _fit(features[learning], possible[learning], model.weights)
            margins[testing] += features[testing] @ weights / ROUNDS
    return margins


def _best_threshold(probabilities: "Floats") -> float:
    """From which probability on the F1 that the probabilities let expect is highest."""
    ordered = np.sort(probabilities)[::-1]
    expected = 2 * np.cumsum(ordered) / (np.arange(1, len(ordered) + 1) + ordered.sum())
    return round(float(ordered[expected.argmax()]), 3)


def _area_under_roc(probabilities: "Floats", truth: Flags) -> float:
    """Return the share of pairs in which the performance report has the higher probability."""
    from scipy.stats import rankdata  # noqa: PLC0415

    yes, no = int(truth.sum()), int((~truth).sum())
    ranks = rankdata(probabilities)
    return float((ranks[truth].sum() - yes * (yes + 1) / 2) / (yes * no))


def _error_of_area(area: float, yes: int, no: int) -> float:
    """Return the standard error of an area under the ROC curve.

    References
    ----------
    Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver
    operating characteristic (ROC) curve. Radiology 143, 29-36.
    """
    q_1, q_2 = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + (yes - 1) * (q_1 - area**2) + (no - 1) * (q_2 - area**2)
    return float(np.sqrt(max(variance, 0.0) / (yes * no)))
