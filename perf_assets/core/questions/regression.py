"""The baseline classifier of questions: one logistic regression for each kind, on TF-IDF."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from perf_assets.core.questions.choices import Variant
from perf_assets.core.questions.words import Counts

if TYPE_CHECKING:  # importing it takes a second or two
    from sklearn.feature_extraction.text import TfidfTransformer

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

FEWEST_QUESTIONS_WITH_A_WORD = 2
CALIBRATION_FOLDS = 3


class Classifier(Protocol):
    """Tells how probable it is that a question is not of a kind, and that it is."""

    def predict_proba(self, features: Counts) -> Floats:
        """Questions by the two."""


@dataclass(frozen=True)
class Regression:
    """What was learned: the words that count, how they are weighted, and a model for each kind.

    models : of a kind with too few examples the share of them, for every question.
    """

    variant: Variant
    columns: NDArray[np.int64]
    weighting: "TfidfTransformer"
    models: tuple[Classifier | float, ...]

    def scores(self, counts: Counts) -> Floats:
        """Questions by kinds: the calibrated probability."""
        features = self.weighting.transform(counts[:, self.columns])
        return np.column_stack([_probability(model, features) for model in self.models])

    def decide(self, scores: Floats) -> Flags:
        """The kinds of at least one half, or the most probable of all where there is none."""
        decided = scores >= 0.5
        if self.variant.takes_highest:
            undecided = ~decided.any(axis=1)
            decided[undecided, scores[undecided].argmax(axis=1)] = True
        return decided


def learn_regression(counts: Counts, truth: Flags, variant: Variant) -> Regression:
    """One regression for each kind against the rest, learned from questions of known kinds.

    Words and pairs of words that two questions or more have, by logarithmic term frequency and
    inverse document frequency; L2 penalty, classes weighted by their size; probabilities by Platt's
    sigmoid over three folds. A kind with fewer examples, or other questions, than folds gets its
    share as the probability of every question.

    References
    ----------
    Platt, J. (1999). Probabilistic outputs for support vector machines and comparisons to
    regularized likelihood methods. Advances in Large Margin Classifiers, 61-74.
    """
    from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  (scikit-learn brings it)

    columns = np.flatnonzero(counts.getnnz(axis=0) >= FEWEST_QUESTIONS_WITH_A_WORD)
    weighting = TfidfTransformer(sublinear_tf=True)
    features = weighting.fit_transform(counts[:, columns])
    # Threads that wait for each other take several times as long as one for so little to compute.
    with threadpool_limits(1):
        models = tuple(_learned(features, is_of_kind) for is_of_kind in truth.T)
    return Regression(variant, columns, weighting, models)


def _learned(features: Counts, is_of_kind: Flags) -> Classifier | float:
    from sklearn.calibration import CalibratedClassifierCV  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415

    positive = int(is_of_kind.sum())
    if min(positive, len(is_of_kind) - positive) < CALIBRATION_FOLDS or not features.shape[1]:
        return positive / len(is_of_kind)
    model = LogisticRegression(class_weight="balanced", solver="liblinear", random_state=0)
    folds = StratifiedKFold(CALIBRATION_FOLDS, shuffle=True, random_state=0)
    calibrated = CalibratedClassifierCV(model, cv=folds, ensemble=False, n_jobs=1)
    learned: Classifier = calibrated.fit(features, is_of_kind)
    return learned


def _probability(model: Classifier | float, features: Counts) -> Floats:
    if isinstance(model, float):
        return np.full(features.shape[0], model)
    return np.asarray(model.predict_proba(features)[:, 1], dtype=np.float64)
