"""How good the classifiers are: measures against scikit-learn, intervals, and the better one."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from perf_assets.core.questions.classifier_assumptions import VARIANTS
from perf_assets.core.questions.examples import f1_in_time
from perf_assets.core.questions.quality import question_kind_quality
from perf_assets.core.questions.scoring import estimate, macro_f1, measured, resampled, with_limits
from perf_assets.core.questions.words import Wordlists
from perf_assets.schema import schema_of
from tests.question_examples import FORUM, examples, labelled

LISTS = Wordlists(frozenset(), {})
METHODS = pl.DataFrame(
    {"forum": [FORUM, FORUM], "method": ["people", "regression"]},
)
PACKAGED = schema_of("labels.question_word_weights").to_frame()
flags = st.lists(st.tuples(*[st.booleans()] * 6), min_size=2, max_size=30)


@settings(deadline=None)
@given(flags)
def test_measures_are_those_of_scikit_learn(rows) -> None:
    given_rows = np.array(rows)
    truth, decided = given_rows[:, :3], given_rows[:, 3:]
    truth[0] = True  # each kind is there
    found = measured(truth, decided)[0]
    for average, mine in ((None, found[:-1]), ("macro", found[-1])):
        theirs = precision_recall_fscore_support(truth, decided, average=average, zero_division=0)
        np.testing.assert_allclose(mine.T, np.array(theirs[:3], dtype=float))
    assert macro_f1(truth, decided) == pytest.approx(found[-1, 2])


def test_a_kind_that_is_neither_there_nor_found_is_left_out_of_the_mean() -> None:
    truth = np.array([[True, False], [False, False]])
    found = measured(truth, truth)[0]
    assert found[0].tolist() == [1, 1, 1] == found[2].tolist()
    assert np.isnan(found[1]).all()
    assert macro_f1(truth[:, 1:], truth[:, 1:]) == 0


@given(st.integers(0, 5))
def test_a_sample_is_measured_as_its_questions_repeated(seed: int) -> None:
    random = np.random.default_rng(seed)
    truth, decided = random.random((2, 12, 3)) < 0.5
    samples = resampled(12, 4, seed)
    assert samples.sum(axis=1).tolist() == [12] * 4
    for place, weights in enumerate(samples.astype(int)):
        chosen = np.repeat(np.arange(12), weights)
        alone = measured(truth[chosen], decided[chosen])[0]
        np.testing.assert_allclose(measured(truth, decided, samples)[place], alone)


def test_an_interval_holds_its_estimate() -> None:
    found = estimate(0.9, np.linspace(0, 0.8, 101), 0.95)
    assert (found.value, found.high) == (0.9, 0.9)
    assert found.low == pytest.approx(0.02)
    assert estimate(np.nan, np.array([0.5]), 0.95).value is None
    assert estimate(0.5, np.array([np.nan]), 0.95).low is None


def test_bootstrap_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(0)
    held = 0
    for trial in range(60):
        truth = random.random((150, 1)) < 0.4
        decided = np.where(random.random((150, 1)) < 0.8, truth, ~truth)
        whole, samples = with_limits(truth, decided, resampled(150, 400, trial))
        recall = estimate(whole[0, 1], samples[:, 0, 1], 0.95)
        held += recall.low <= 0.8 <= recall.high
    assert held >= 52


@pytest.fixture(scope="module")
def found() -> pl.DataFrame:
    rows = labelled({"program_crash": 24, "installation": 20, "performance": 16}, clarity=1)
    return question_kind_quality(LISTS, rows, METHODS, PACKAGED)


def test_each_variant_is_measured_in_both_splits_by_kind_and_as_a_mean(found) -> None:
    groups = found.group_by("method", "variant", "split").agg("kind", "n", "support")
    assert groups.height == 2 * len(VARIANTS)
    for _, _, split, kinds, n, support in groups.iter_rows():
        assert kinds == ["program_crash", "installation", "performance", "macro"]
        assert set(n) == {60 if split == "stratified" else 30}
        assert support[-1] == sum(support[:-1]) == n[0]


def test_the_rows_of_a_mean_are_means_and_the_criterion_is_one_of_them(found) -> None:
    for (_, _, _), rows in found.group_by("method", "variant", "split"):
        kinds, macro = rows.filter(pl.col("kind") != "macro"), rows.filter(kind="macro")
        for measure in ("precision", "recall", "f1"):
            assert macro[measure][0] == pytest.approx(kinds[measure].mean())
    known = examples({"program_crash": 24, "installation": 20, "performance": 16}, clarity=1)
    in_time = found.filter(kind="macro", split="time_ordered", variant="default")
    assert dict(in_time.select("method", "f1").iter_rows()) == f1_in_time(known, LISTS)


def test_the_chosen_method_and_the_difference_of_both_are_reported(found) -> None:
    chosen = found.filter("is_chosen")
    assert set(chosen.select("method", "variant").iter_rows()) == {("regression", "default")}
    assert found.filter("is_default")["f1_difference"].null_count() == 0
    others = found.filter(~pl.col("is_default"))
    assert others["f1_difference"].null_count() == others.height
    macro = found.filter("is_default", kind="macro", split="stratified").sort("method")
    (one, other), (f1, f1_other) = macro["f1_difference"], macro["f1"]
    assert one == pytest.approx(-other) == pytest.approx(f1 - f1_other)
    assert macro["result"][0].startswith(f"F1 {f1:.2f} [")
    assert " against weights [" in macro["result"][0]


def test_too_few_examples_are_not_measured() -> None:
    rows = labelled({"program_crash": 24, "performance": 9})
    assert question_kind_quality(LISTS, rows, METHODS, PACKAGED).is_empty()
    assert question_kind_quality(LISTS, rows.clear(), METHODS.clear(), PACKAGED).is_empty()


def test_the_same_examples_give_the_same_table_to_the_last_digit(found) -> None:
    rows = labelled({"program_crash": 24, "installation": 20, "performance": 16}, clarity=1)
    mixed = rows.sample(fraction=1.0, shuffle=True, seed=5)
    assert question_kind_quality(LISTS, mixed, METHODS, PACKAGED).equals(found)


def test_the_keywords_that_were_chosen_are_measured_and_not_the_packaged_ones() -> None:
    # Words of all texts: as keywords of one kind they can only mislead.
    misleading = Wordlists(frozenset(), {"performance": tuple(f"common{n}" for n in range(200))})
    rows = labelled({"program_crash": 24, "performance": 16}, clarity=1)
    row = {"forum": FORUM, "kind": "performance", "word": "sluggish", "keywords": ["sluggish"]}
    chosen = pl.DataFrame([{**row, "keyword_set": "chosen"}], PACKAGED.schema)
    measured_by = {
        name: question_kind_quality(misleading, rows, METHODS, weights)
        .filter(method="weights", variant="as its code weighs", kind="macro")
        .get_column("f1")
        .to_list()
        for name, weights in (("packaged", PACKAGED), ("chosen", chosen))
    }
    assert all(
        mine > theirs
        for mine, theirs in zip(measured_by["chosen"], measured_by["packaged"], strict=True)
    )
