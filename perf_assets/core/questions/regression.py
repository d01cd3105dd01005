"""The baseline classifier of questions: one logistic regression for each kind, on TF-IDF."""

import hashlib
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from perf_assets.core.libraries import import_scikit_learn
from perf_assets.core.questions.classifier_assumptions import Variant
from perf_assets.core.questions.scoring import Flags, Floats
from perf_assets.core.questions.words import Counts

if TYPE_CHECKING:  # importing it takes a second or two
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import ThreadpoolController

FEWEST_QUESTIONS_WITH_A_WORD = 2
CALIBRATION_FOLDS = 3
NEWTON_STEPS, TOLERANCE, RIDGE, SHORTEST = 100, 1e-8, 1e-12, 1e-10  # of Platt's sigmoid
MOST_KEPT = 100
_kept: "dict[bytes, Regression]" = {}


@dataclass(frozen=True)
class Calibrated:
    """A linear model of a kind, and the sigmoid that turns its margins into probabilities."""

    weights: Floats
    intercept: float
    slope: float
    shift: float


@dataclass(frozen=True)
class Regression:
    """What was learned: the words that count, how they are weighted, and a model for each kind.

    models : of a kind with too few examples the share of them, for every question.
    """

    variant: Variant
    columns: NDArray[np.int64]
    weighting: "TfidfTransformer"
    models: tuple[Calibrated | float, ...]

    def scores(self, counts: Counts) -> Floats:
        """Return questions by kinds: the calibrated probability."""
        features = self.weighting.transform(counts[:, self.columns])
        return np.column_stack([_probability(model, features) for model in self.models])

    def decide(self, scores: Floats) -> Flags:
        """Return the kinds of at least one half, or else the most probable one."""
        decided = scores >= 0.5
        if self.variant.takes_highest:
            undecided = ~decided.any(axis=1)
            decided[undecided, scores[undecided].argmax(axis=1)] = True
        return decided


def learn_regression(counts: Counts, truth: Flags, variant: Variant) -> Regression:
    """Return one regression for each kind against the rest, learned from questions of known kinds.

    Words and pairs of words that two questions or more have, by logarithmic term frequency and
    inverse document frequency; L2 penalty, classes weighted by their size; probabilities by Platt's
    sigmoid over three folds. A kind with fewer examples, or other questions, than folds gets its
    share as the probability of every question. The last hundred are kept: a run chooses a method by
    what it then measures, on the same folds.

    References
    ----------
    Platt, J. (1999). Probabilistic outputs for support vector machines and comparisons to
    regularized likelihood methods. Advances in Large Margin Classifiers, 61-74.
    """
    key = _fingerprint(counts, truth)
    if key not in _kept:
        if len(_kept) == MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = _fitted(counts, truth, variant)
    return replace(_kept[key], variant=variant)  # which differ in how they decide


def _fingerprint(counts: Counts, truth: Flags) -> bytes:
    arrays = (counts.indptr, counts.indices, counts.data, truth)
    found = hashlib.sha256(repr((counts.shape, truth.shape)).encode())
    for array in arrays:
        found.update(np.ascontiguousarray(array).data)
    return found.digest()


def _fitted(counts: Counts, truth: Flags, variant: Variant) -> Regression:
    import_scikit_learn()
    from sklearn import config_context  # noqa: PLC0415
    from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415

    columns = np.flatnonzero(counts.getnnz(axis=0) >= FEWEST_QUESTIONS_WITH_A_WORD)
    weighting = TfidfTransformer(sublinear_tf=True)
    features = weighting.fit_transform(counts[:, columns])
    # Threads that wait for each other take several times as long as one for so little to compute.
    # What is handed to it here need not be validated for each of many small fits.
    with (
        _thread_pools().limit(limits=1),
        config_context(assume_finite=True, skip_parameter_validation=True),
    ):
        models = tuple(_learned(features, is_of_kind) for is_of_kind in truth.T)
    return Regression(variant, columns, weighting, models)


@cache
def _thread_pools() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415  (scikit-learn brings it)

    return ThreadpoolController()


def _learned(features: Counts, is_of_kind: Flags) -> Calibrated | float:
    import_scikit_learn()
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    positive = int(is_of_kind.sum())
    if min(positive, len(is_of_kind) - positive) < CALIBRATION_FOLDS or not features.shape[1]:
        return positive / len(is_of_kind)
    model = LogisticRegression(solver="liblinear", random_state=0)
    folds = StratifiedKFold(CALIBRATION_FOLDS, shuffle=True, random_state=0)
    margins = np.empty(len(is_of_kind))
    for learning, testing in folds.split(margins, is_of_kind):
        _fit(model, features[learning], is_of_kind[learning])
        margins[testing] = features[testing] @ model.coef_[0] + model.intercept_[0]
    slope, shift = platt_scaling(margins, is_of_kind)
    _fit(model, features, is_of_kind)
    return Calibrated(model.coef_[0], float(model.intercept_[0]), slope, shift)


def _fit(model: "LogisticRegression", features: Counts, is_of_kind: Flags) -> None:
    """Fit ``model``, each class weighing the same: weights that scikit-learn takes longer for."""
    positive = np.count_nonzero(is_of_kind)
    sizes = {False: len(is_of_kind) - positive, True: positive}
    model.class_weight = {kind: len(is_of_kind) / (2 * size) for kind, size in sizes.items()}
    model.fit(features, is_of_kind)


def platt_scaling(margins: Floats, is_of_kind: Flags) -> tuple[float, float]:
    """Slope and shift of the sigmoid that turns margins into probabilities.

    By Newton's method with backtracking, on targets that are drawn towards one half.

    Parameters
    ----------
    margins : how far each question is from the boundary, by a model that has not seen it.
    is_of_kind : whether it is of the kind.

    References
    ----------
    Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for
    support vector machines. Machine Learning 68, 267-276.
    """
    positive = int(is_of_kind.sum())
    negative = len(is_of_kind) - positive
    target = np.where(is_of_kind, (positive + 1) / (positive + 2), 1 / (negative + 2))
    design = np.column_stack([margins, np.ones_like(margins)])
    found = np.array([0.0, np.log((positive + 1) / (negative + 1))])

    def loss(at: Floats) -> float:
        return float(np.sum(np.logaddexp(0, design @ at) - target * (design @ at)))

    for _ in range(NEWTON_STEPS):
        probability = _sigmoid(design @ found)
        gradient = design.T @ (probability - target)
        if np.abs(gradient).max() < TOLERANCE:
            break
        weight = probability * (1 - probability)
        hessian = (design * weight[:, None]).T @ design + RIDGE * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        length, before = 1.0, loss(found)
        while loss(found - length * step) > before and length > SHORTEST:
            length /= 2
        found = found - length * step
    return float(found[0]), float(found[1])


def _sigmoid(margins: Floats) -> Floats:
    from scipy.special import expit  # noqa: PLC0415

    return np.asarray(expit(margins), dtype=np.float64)


def _probability(model: Calibrated | float, features: Counts) -> Floats:
    if isinstance(model, float):
        return np.full(features.shape[0], model)
    margins = features @ model.weights + model.intercept
    return _sigmoid(model.slope * margins + model.shift)
