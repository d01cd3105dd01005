"""Which kinds each question gets: those that people said, or those of the better method."""

import numpy as np
import polars as pl
import pytest

from perf_assets.core.questions.classification import classify
from perf_assets.core.questions.classifier_assumptions import DEFAULTS, KINDS
from perf_assets.core.questions.examples import examples_of, f1_in_time
from perf_assets.core.questions.regression import learn_regression
from perf_assets.core.questions.scoring import folds_in_time, stratified_folds
from perf_assets.core.questions.words import Wordlists, count_words, vocabulary_of
from perf_assets.schema import schema_of
from tests.question_examples import examples, labelled, questions

LISTS = Wordlists(frozenset(), {})
NUMBERS = {"program_crash": 14, "installation": 14, "performance": 14}


def all_questions(known, new: dict[int, str]) -> pl.DataFrame:
    return pl.concat([known.questions, questions(new)])


NEW = {
    901: "it is sluggish and lagging, a crawl common1",
    902: "kaboom burst exploding common2",
    903: "apt setup wheelhouse common3",
}


@pytest.mark.parametrize("method", ["better", "weights", "regression"])
def test_planted_kinds_are_found_and_what_people_said_stays(method) -> None:
    known = examples(NUMBERS)
    found = classify(all_questions(known, NEW), known, LISTS, method)
    assert found.rows.schema == schema_of("labels.question_kinds")
    decided = found.rows.filter(pl.col("question_id") > 900)
    assigned = decided.filter("is_assigned").select("question_id", "kind").rows()
    assert assigned == [(901, "performance"), (902, "program_crash"), (903, "installation")]
    # Of kinds that nobody gave there is nothing to say.
    assert decided.height == 3 * 3
    assert set(decided["method"]) == {found.method}
    given = found.rows.filter(pl.col("question_id") < 900)
    assert given.height == 7 * 42
    assert set(given["method"]) == {"people"}
    as_said = dict(given.filter("is_assigned").select("question_id", "kind").iter_rows())
    expected = labelled(NUMBERS).select("question_id", "kind")
    assert as_said == dict(expected.iter_rows())
    assert set(found.f1) == (set(DEFAULTS) if method == "better" else set())


def test_the_better_method_in_order_of_time_decides() -> None:
    known = examples(NUMBERS, clarity=1)
    f1 = f1_in_time(known, LISTS)
    found = classify(all_questions(known, NEW), known, LISTS)
    assert found.f1 == f1
    assert f1[found.method] == max(f1.values())


@pytest.mark.parametrize("method", ["weights", "regression"])
def test_the_order_of_rows_and_a_second_run_change_nothing(method) -> None:
    rows = labelled(NUMBERS, clarity=1)
    known = next(examples_of(rows))
    unlabelled = all_questions(known, NEW)
    expected = classify(unlabelled, known, LISTS, method).rows
    mixed = next(examples_of(rows.sample(fraction=1.0, shuffle=True, seed=3)))
    again = classify(
        unlabelled.sample(fraction=1.0, shuffle=True, seed=4), mixed, LISTS, method
    ).rows
    assert again.equals(expected)


def test_the_version_shows_what_was_learned_from() -> None:
    known, other = examples(NUMBERS), examples(NUMBERS, seed=1)
    versions = {
        classify(all_questions(one, NEW), one, LISTS, method).rows.filter(question_id=901)[
            "model_version"
        ][0]
        for one in (known, other)
        for method in ("weights", "regression")
    }
    assert len(versions) == 4


def test_a_kind_with_few_examples_is_not_learned_and_stays_what_people_said() -> None:
    known = examples({**NUMBERS, "performance": 9})
    assert known.kinds == ("program_crash", "installation")
    assert known.are_enough
    found = classify(all_questions(known, NEW), known, LISTS, "weights").rows
    assert set(found.filter(question_id=901)["kind"]) == {"program_crash", "installation"}
    given = found.filter("is_assigned", method="people")["kind"].value_counts()
    assert dict(given.iter_rows())["performance"] == 9
    assert not examples({"performance": 50, "installation": 9}).are_enough


def test_a_question_of_two_kinds_is_an_example_of_both() -> None:
    rows = labelled(NUMBERS)
    also = rows.filter(kind="performance").with_columns(kind=pl.lit("installation"))
    (known,) = examples_of(pl.concat([rows, also]))
    assert known.truth.sum(axis=0).tolist() == [14, 28, 14]
    assert known.questions.height == 42
    assert [kind for kind in KINDS if kind in known.kinds] == list(known.kinds)


def test_forums_learn_from_their_own_questions() -> None:
    rows = pl.concat([labelled(NUMBERS), labelled(NUMBERS, forum="datascience")])
    assert [one.forum for one in examples_of(rows)] == ["datascience", "stackoverflow"]


# What is learned from, and tested by


def test_stratified_folds_test_each_question_once_with_the_same_shares() -> None:
    truth = np.array([[True, False]] * 30 + [[False, True]] * 10 + [[True, True]] * 10)
    folds = list(stratified_folds(truth, 5, 7))
    assert sorted(index for _, testing in folds for index in testing) == list(range(50))
    for learning, testing in folds:
        assert sorted([*learning, *testing]) == list(range(50))
        # The rarer kind goes first: 20 questions of it, 30 of the other alone.
        assert truth[testing, 1].sum() == 4
        assert len(testing) == 10
    shuffled = list(stratified_folds(truth, 5, 8))
    assert any((a[1] != b[1]).any() for a, b in zip(folds, shuffled, strict=True))


def test_in_order_of_time_each_question_is_tested_by_earlier_ones() -> None:
    folds = list(folds_in_time(21))
    assert [index for _, testing in folds for index in testing] == list(range(10, 21))
    for learning, testing in folds:
        assert learning.tolist() == list(range(testing[0]))
    assert list(folds_in_time(1)) == []


# The baseline


def test_a_kind_that_hardly_has_examples_gets_its_share_as_probability() -> None:
    texts = [["slow", "gpu"]] * 10 + [["crash", "gpu"]] * 10
    vocabulary = vocabulary_of(texts)
    truth = np.array([[index < 10, index < 2] for index in range(20)])
    counts = count_words(texts, vocabulary)
    model = learn_regression(counts, truth, DEFAULTS["regression"])
    scores = model.scores(counts)
    assert set(scores[:, 1]) == {0.1}
    assert scores[:10, 0].min() > 0.5 > scores[10:, 0].max()
    assert model.decide(scores)[:, 0].tolist() == [True] * 10 + [False] * 10


def test_a_question_gets_every_probable_kind_or_else_the_most_probable() -> None:
    texts = [["slow"], ["slow"], ["crash"], ["crash"]]
    counts = count_words(texts, vocabulary_of(texts))
    model = learn_regression(counts, np.ones((4, 3), dtype=bool), DEFAULTS["regression"])
    scores = np.array([[0.6, 0.5, 0.1], [0.2, 0.4, 0.3]])
    assert model.decide(scores).tolist() == [[True, True, False], [False, True, False]]
