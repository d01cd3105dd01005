"""The baseline classifier is scikit-learn's, calibrated as scikit-learn calibrates it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from perf_assets.core.questions.classifier_assumptions import DEFAULTS, Variant
from perf_assets.core.questions.regression import learn_regression, platt_scaling


@pytest.mark.parametrize("seed", range(6))
def test_probabilities_are_those_of_scikit_learn(seed: int) -> None:
    chance = np.random.default_rng(seed)
    counts = sparse.csr_matrix(chance.poisson(0.3, (90, 40)).astype(float))
    truth = (counts[:, :2].toarray() + chance.normal(0, 0.5, (90, 2))) > 0.7
    learned = learn_regression(counts, truth, DEFAULTS["regression"])
    features = learned.weighting.transform(counts[:, learned.columns])
    for kind, is_of_kind in enumerate(truth.T):
        model = LogisticRegression(class_weight="balanced", solver="liblinear", random_state=0)
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        theirs = CalibratedClassifierCV(model, cv=folds, ensemble=False).fit(features, is_of_kind)
        assert learned.scores(counts)[:, kind] == pytest.approx(
            theirs.predict_proba(features)[:, 1], abs=2e-4
        )


def test_each_set_of_examples_has_a_model_of_its_own() -> None:
    chance = np.random.default_rng(0)
    counts = sparse.csr_matrix(chance.poisson(0.3, (60, 20)).astype(float))
    more = counts.copy()
    more.data += 1
    truth = chance.random((60, 2)) < 0.4
    first, again, of_others, of_more = (
        learn_regression(of, labels, variant).scores(counts)
        for of, labels, variant in [
            (counts, truth, DEFAULTS["regression"]),
            (counts.copy(), truth.copy(), Variant("regression", takes_highest=False)),
            (counts, ~truth, DEFAULTS["regression"]),
            (more, truth, DEFAULTS["regression"]),
        ]
    )
    assert np.array_equal(first, again)
    assert not np.allclose(first, of_others) and not np.allclose(first, of_more)


@pytest.mark.parametrize(
    "margins", [[0.0] * 6, [-1e6, -1e6, -1e6, 1e6, 1e6, 1e6], [1, 2, 3, 4, 5, 6]]
)
def test_a_sigmoid_is_found_for_any_margins(margins: list[float]) -> None:
    is_of_kind = np.array([False, False, False, True, True, True])
    slope, shift = platt_scaling(np.array(margins, dtype=float), is_of_kind)
    assert np.isfinite([slope, shift]).all() and slope >= -1e-9
