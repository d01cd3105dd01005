"""The study's classifier: weights of words, keywords, and ties that give several kinds."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.questions.classifier_assumptions import (
    DEFAULTS,
    VARIANTS,
    WORDS_PER_KIND,
    Variant,
)
from perf_assets.core.questions.examples import Reader
from perf_assets.core.questions.keyword_weight_classifier import (
    decide,
    keyword_table,
    learn_keyword_weights,
)
from perf_assets.core.questions.words import Wordlists, count_words, vocabulary_of, words_of
from tests.question_examples import examples, questions

WEIGHTS = DEFAULTS["weights"]
NO_LISTS = Wordlists(frozenset(), {})


def learned(texts: list[list[str]], truth: list[list[bool]], variant: Variant = WEIGHTS, **more):
    vocabulary = vocabulary_of(texts)
    keywords = np.zeros((len(vocabulary), len(truth[0])))
    model = learn_keyword_weights(
        count_words(texts, vocabulary), np.array(truth), keywords, variant, more.get("alpha", 0.0)
    )
    return vocabulary, model


def test_a_weight_is_the_share_of_the_word_among_the_words_of_its_kind() -> None:
    texts = [["slow", "slow", "gpu"], ["crash", "gpu"]]
    vocabulary, model = learned(texts, [[True, False], [False, True]])
    weights = dict(zip(vocabulary, model.words.tolist(), strict=True))
    assert weights == {
        "slow": [pytest.approx(2 / 3), 0],
        "gpu": [pytest.approx(1 / 3), 0.5],
        "crash": [0, 0.5],
    }


def test_every_word_of_a_kind_has_a_weight_and_they_add_up_to_one() -> None:
    rare = [f"rare{number:03}" for number in range(300)]
    vocabulary, model = learned([[*rare, "often", "often"]], [[True]])
    weights = dict(zip(vocabulary, model.words[:, 0].tolist(), strict=True))
    assert set(weights.values()) == {1 / 302, 2 / 302}
    assert sum(weights.values()) == pytest.approx(1)


def test_a_variant_gives_weights_to_the_most_frequent_words_alone() -> None:
    rare = [f"rare{number:03}" for number in range(300)]
    cut = Variant("weights", words=WORDS_PER_KIND)
    vocabulary, model = learned([[*rare, "often", "often"]], [[True]], cut)
    weights = dict(zip(vocabulary, model.words[:, 0].tolist(), strict=True))
    assert sum(value > 0 for value in weights.values()) == WORDS_PER_KIND
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["often"] == pytest.approx(2 / 201)
    # Of words that are equally frequent, the first by the alphabet.
    assert weights["rare198"] > 0 == weights["rare199"]


def test_the_published_code_divides_by_the_norm_and_passes_over_keywords_of_other_words() -> None:
    (variant,) = [one for one in VARIANTS if one.name == "as its code weighs"]
    vocabulary = ["crash", "foreign", "gpu", "slow"]
    counts = count_words([["slow"] * 4 + ["gpu"] * 3, ["crash"]], vocabulary)
    keywords = np.zeros((4, 2))
    keywords[[1, 3], 0] = 1.0
    truth = np.array([[True, False], [False, True]])
    model = learn_keyword_weights(counts, truth, keywords, variant)
    assert model.words.tolist() == [[0, 1], [0, 0], [0.6, 0], [0.8, 0]]
    scores = model.scores(count_words([["slow", "slow"], ["foreign"]], vocabulary))
    assert scores[:, 0].tolist() == [pytest.approx(2 * 0.8 + 0.2), 0]


def test_a_word_counts_once_unless_each_occurrence_counts() -> None:
    texts = [["slow", "gpu"], ["crash", "gpu"]]
    truth = [[True, False], [False, True]]
    for counts_each, expected in ((False, 0.5), (True, 1.5)):
        vocabulary, model = learned(texts, truth, Variant("weights", counts_each=counts_each))
        scores = model.scores(count_words([["slow", "slow", "slow"]], vocabulary))
        assert scores.tolist() == [[expected, 0.0]]


def test_a_keyword_adds_alpha_even_where_no_example_has_it() -> None:
    lists = Wordlists(frozenset(), {"performance": ("Slower",), "program_crash": ("crash",)})
    vocabulary = vocabulary_of([["gpu"]], ["slower", "crash"])
    kinds = ("performance", "program_crash")
    keywords = keyword_table(vocabulary, kinds, lists, WEIGHTS)
    counts = count_words([["gpu"], ["gpu"]], vocabulary)
    truth = np.array([[True, False], [False, True]])
    model = learn_keyword_weights(counts, truth, keywords, WEIGHTS, 0.25)
    found = model.scores(count_words([["gpu", "slower", "slower"]], vocabulary))
    assert found.tolist() == [[1.25, 1.0]]


def test_ties_give_several_kinds_and_no_score_gives_none() -> None:
    scores = np.array([[0.1 + 0.2, 0.3, 0.29], [0.0, 0.0, 0.0], [0.0, 0.0, 0.4]])
    assert decide(scores).tolist() == [
        [True, True, False],
        [False, False, False],
        [False, False, True],
    ]
    assert decide(scores, 0.9).tolist()[0] == [True, True, True]


def test_alpha_is_found_within_what_is_learned_from() -> None:
    # The planted words alone decide, and are the keywords: with them every question is right.
    known = examples({"program_crash": 30, "performance": 30}, clarity=1)
    lists = Wordlists(
        frozenset(),
        {
            "program_crash": ("kaboom", "burst", "exploding"),
            "performance": ("sluggish", "lagging", "crawl"),
        },
    )
    with_keywords = Reader.of(known, lists, WEIGHTS).learn()
    assert with_keywords.alpha > 0
    assert Reader.of(known, NO_LISTS, WEIGHTS).learn().alpha == 0
    without = Variant("weights", has_keywords=False)
    assert Reader.of(known, lists, without).learn().alpha == 0


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_a_question_with_every_word_of_a_kind_is_of_that_kind(seed: int) -> None:
    known = examples({"program_crash": 12, "installation": 15, "performance": 11}, seed)
    reader = Reader.of(known, NO_LISTS, WEIGHTS)
    model = reader.learn()
    for place, kind in enumerate(known.kinds):
        words = [
            word
            for word, weight in zip(reader.vocabulary, model.words[:, place], strict=True)
            if weight
        ]
        counts = count_words([words], reader.vocabulary)
        assert model.decide(model.scores(counts))[0, place], kind


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_the_order_of_words_changes_nothing(random) -> None:
    known = examples({"program_crash": 12, "performance": 11})
    reader = Reader.of(known, NO_LISTS, WEIGHTS)
    model = reader.learn()
    words = known.questions["text"][0].split()
    before = model.scores(reader.count(questions({1: " ".join(words)})))
    random.shuffle(words)
    assert (model.scores(reader.count(questions({1: " ".join(words)}))) == before).all()


def test_words_are_read_without_case_numbers_and_stop_words() -> None:
    lists = frozenset({"the", "is"})
    text = "Why is the GPU's training SLOWER in v2, 10x (x_1)?"
    assert words_of(text, WEIGHTS, lists) == ["whi", "gpu", "train", "slower", "in", "v2", "x_1"]
    plain = Variant("weights", is_stemmed=False, has_stop_words=True)
    assert words_of("Why is it training?", plain, lists) == ["why", "is", "it", "training"]


def test_code_is_read_where_the_variant_has_it() -> None:
    rows = {"question_id": [1], "title": ["Title"], "text": ["text"], "code": ["run()"]}
    question = pl.DataFrame(rows)
    known = examples({"program_crash": 12, "performance": 11})
    for has_code, number in ((False, 0), (True, 1)):
        variant = Variant("weights", has_code=has_code)
        reader = Reader.of(known, Wordlists(frozenset(), {"performance": ("run",)}), variant)
        column = reader.vocabulary.index("run")
        assert reader.count(question)[0, column] == number
