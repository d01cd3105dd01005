"""Training: from reports that people judged to a model, with figures of reports it had not seen."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.labelling.classifier.features import (
    cleaned,
    counted_terms,
    signal_values,
)
from perf_assets.core.labelling.classifier.model import (
    BLOCKS,
    SIGNAL_WEIGHT,
    Floats,
    Model,
    probability_of,
    score,
    weighted_terms,
    words_of_block,
)
from perf_assets.core.libraries import import_scikit_learn, porter_stemmer
from perf_assets.core.questions.regression import platt_scaling

if TYPE_CHECKING:  # importing them takes a second or two
    from scipy import sparse

FEWEST_REPORTS_WITH_A_TERM = {"text": 2, "title": 1}
PENALTY = 3.0
FOLDS, ROUNDS = 5, 2
FEWEST_OF_A_KIND = 10
DIGITS = 5
BINS = 10
LONGEST_STEMMED = 25  # characters: what is longer is not a word

Flags: TypeAlias = NDArray[np.bool_]
Fit: TypeAlias = Callable[[pl.DataFrame, Flags], Model]


def train(reports: pl.DataFrame, command: str = "") -> Model:
    """Return a model of reports that people judged.

    Stems of words and pairs of neighbouring words by TF-IDF, of the whole text and of the title
    alone, and signals; logistic regression with both classes weighing alike; probabilities by
    Platt's sigmoid, fitted to margins of reports that their model had not seen. The threshold is
    where the F1 that is expected by these probabilities is highest, which is half of it.

    Parameters
    ----------
    reports : columns repository, title, body, is_performance.
    command : what trains it again.

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
    truth = _truth_of(reports)
    return _calibrated(_fit, reports, truth, fingerprint_of(reports), command)


def train_further(model: Model, reports: pl.DataFrame, command: str = "") -> Model:
    """Return a model of more reports, whose weights stay near those of ``model``.

    The words are those of ``model``. Of all weights that explain the reports those are taken that
    are nearest to what they were (a normal prior around them, of the variance that the penalty of
    :func:`train` has); calibration and threshold are of the new reports alone.

    Parameters
    ----------
    model : what to begin with.
    reports, command : as of :func:`train`.

    Raises
    ------
    PerfAssetsError
        There are too few reports of either kind.
    """
    truth, fit = _truth_of(reports), partial(_fit_near, model)
    version = f"{model.version}+{fingerprint_of(reports)}"
    return _calibrated(fit, reports, truth, version, command, model.description)


def evaluate(model: Model, reports: pl.DataFrame) -> Mapping[str, Any]:
    """Return the :func:`figures` of a model on judged reports that it was not trained on."""
    truth = reports["is_performance"].to_numpy().astype(bool)
    return figures(score(model, reports)["probability"].to_numpy(), truth, model.threshold)


def figures(probabilities: Floats, truth: Flags, threshold: float) -> dict[str, Any]:
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
    rows = reports.select("repository", "title", "body", "is_performance").rows()
    text = json.dumps(sorted(map(str, rows)))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _truth_of(reports: pl.DataFrame) -> Flags:
    truth = reports["is_performance"].to_numpy().astype(bool)
    yes, no = int(truth.sum()), int((~truth).sum())
    if min(yes, no) < FEWEST_OF_A_KIND:
        raise PerfAssetsError(
            f"{yes} reports about performance and {no} others are too few to train on: it takes "
            f"{FEWEST_OF_A_KIND} of each"
        )
    return truth


def _calibrated(
    fit: Fit,
    reports: pl.DataFrame,
    truth: Flags,
    version: str,
    command: str,
    began_with: Mapping[str, Any] | None = None,
) -> Model:
    """Return the fitted model, with sigmoid and threshold from reports that it had not seen."""
    margins = _unseen_margins(fit, reports, truth)
    slope, shift = platt_scaling(margins, truth)
    fitted = replace(
        fit(reports, truth),
        version=version,
        slope=round(slope, DIGITS),
        shift=round(shift, DIGITS),
        share=float(truth.mean()),
    )
    probabilities = probability_of(fitted, margins)
    threshold = round(_best_threshold(probabilities), 3)
    description = {
        "reports": len(truth),
        "performance_reports": int(truth.sum()),
        "repositories": sorted(reports["repository"].unique()),
        "fingerprint": fingerprint_of(reports),
        "command": command,
        "unseen": figures(probabilities, truth, threshold),
        **({} if began_with is None else {"began_with": began_with}),
    }
    return replace(fitted, threshold=threshold, description=description)


def _fit(reports: pl.DataFrame, truth: Flags) -> Model:
    import_scikit_learn()
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    texts = cleaned(reports)
    words = {block: words_of_block(texts, block) for block in BLOCKS}
    stems = _stems(words["text"]["word"].unique().sort())
    terms = {block: _known(words[block], stems, block, len(truth)) for block in BLOCKS}
    signals = dict.fromkeys(signal_values(texts.head(0)).columns, 0.0)
    empty = Model("", stems, terms, signals, 0.0, 1.0, 0.0, 0.5, 0.5, {})
    regression = LogisticRegression(
        C=PENALTY, class_weight="balanced", solver="liblinear", random_state=0
    ).fit(_features(empty, texts), truth)
    return _with_weights(empty, regression.coef_[0], float(regression.intercept_[0]))


def _fit_near(model: Model, reports: pl.DataFrame, truth: Flags) -> Model:
    from scipy.optimize import minimize  # noqa: PLC0415

    features = _features(model, cleaned(reports))
    start = _weights_of(model)
    signs = np.where(truth, 1.0, -1.0)
    size = np.where(truth, truth.mean(), 1 - truth.mean()) * 2  # both classes weigh alike

    def loss(change: Floats) -> tuple[float, Floats]:
        margins = features @ (start + change[:-1]) + model.intercept + change[-1]
        each = np.logaddexp(0, -signs * margins) / size
        slopes = -signs / (1 + np.exp(np.clip(signs * margins, -500, 500))) / size
        gradient = np.append(features.T @ slopes, slopes.sum()) + change / PENALTY
        return float(each.sum() + change @ change / (2 * PENALTY)), gradient

    change = minimize(loss, np.zeros(len(start) + 1), jac=True, method="L-BFGS-B").x
    return _with_weights(model, start + change[:-1], model.intercept + float(change[-1]))


def _weights_of(model: Model) -> Floats:
    terms = [known["weight"].to_numpy() for known in model.terms.values()]
    return np.concatenate([*terms, list(model.signals.values())])


def _with_weights(model: Model, weights: Floats, intercept: float) -> Model:
    """Return the model with other weights, in the order of its terms and signals, rounded."""
    rounded = np.round(weights, DIGITS)
    start = 0
    terms = {}
    for block, known in model.terms.items():
        of_block = pl.Series(rounded[start : start + known.height])
        terms[block] = known.with_columns(weight=of_block)
        start += known.height
    signals = dict(zip(model.signals, map(float, rounded[start:]), strict=True))
    return replace(model, terms=terms, signals=signals, intercept=round(intercept, DIGITS))


def _stems(words: pl.Series) -> dict[str, str]:
    stemmer = porter_stemmer()
    return {word: stemmer.stem(word) for word in words if len(word) <= LONGEST_STEMMED}


def _known(words: pl.DataFrame, stems: Mapping[str, str], block: str, reports: int) -> pl.DataFrame:
    """Return the terms that enough reports have, with their smoothed inverse document frequency."""
    frequency = counted_terms(words, stems).group_by("term").agg(reports=pl.len())
    rarity = ((1 + reports) / (1 + pl.col("reports"))).log() + 1
    return (
        frequency.filter(pl.col("reports") >= FEWEST_REPORTS_WITH_A_TERM[block])
        .select("term", idf=rarity.round(DIGITS))
        .sort("term")
    )


def _features(model: Model, texts: pl.DataFrame) -> "sparse.csr_matrix":
    """Return a row for each text, a column for each term of each block and for each signal."""
    from scipy import sparse  # noqa: PLC0415

    blocks = []
    for block, known in model.terms.items():
        words = words_of_block(texts, block)
        columns = known.with_row_index("column")
        found = weighted_terms(counted_terms(words, model.stems), columns, block)
        at = (found["report"].to_numpy(), found["column"].to_numpy())
        shape = (texts.height, known.height)
        blocks.append(sparse.csr_matrix((found["value"].to_numpy(), at), shape=shape))
    signals = sparse.csr_matrix(SIGNAL_WEIGHT * signal_values(texts).to_numpy())
    return sparse.hstack([*blocks, signals]).tocsr()


def _unseen_margins(fit: Fit, reports: pl.DataFrame, truth: Flags) -> Floats:
    """Return how far each report is from the boundary, by models that were trained without it."""
    import_scikit_learn()
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    margins = np.zeros(len(truth))
    for seed in range(ROUNDS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        for learning, testing in folds.split(margins, truth):
            fitted = fit(reports[learning], truth[learning])
            features = _features(fitted, cleaned(reports[testing]))
            margins[testing] += (features @ _weights_of(fitted) + fitted.intercept) / ROUNDS
    return margins


def _best_threshold(probabilities: Floats) -> float:
    """From which probability on the F1 that the probabilities let expect is highest."""
    ordered = np.sort(probabilities)[::-1]
    expected = 2 * np.cumsum(ordered) / (np.arange(1, len(ordered) + 1) + ordered.sum())
    return float(ordered[expected.argmax()])


def _area_under_roc(probabilities: Floats, truth: Flags) -> float:
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
