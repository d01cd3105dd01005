"""The table of weights: the candidates for keywords, and which set of keywords decided."""

import polars as pl
import pytest

from perf_assets.core.questions.classification import classify, lists_of
from perf_assets.core.questions.classifier_assumptions import WORDS_PER_KIND
from perf_assets.core.questions.words import Wordlists
from tests.question_examples import FORUM, examples, questions

NUMBERS = {"program_crash": 14, "performance": 12}
LISTS = Wordlists(
    frozenset(), {"performance": ("lagging", "lags", "never"), "program_crash": ()}, "chosen"
)


def classified(lists: Wordlists, method: str = "weights"):
    known = examples(NUMBERS)
    return classify(
        pl.concat([known.questions, questions({901: "kaboom common1"})]), known, lists, method
    )


@pytest.mark.parametrize("method", ["weights", "regression"])
def test_words_are_ranked_with_their_weights_whichever_method_decides(method: str) -> None:
    rows = classified(LISTS, method).weights.filter(kind="performance")
    ranked = rows.drop_nulls("word_rank")
    assert ranked["word_rank"].to_list() == list(range(1, ranked.height + 1))
    assert ranked.height <= WORDS_PER_KIND
    assert ranked["occurrences"].is_sorted(descending=True)
    # Twelve questions of thirty words, three of their own and the title.
    total = 12 * (30 + 3 + 1)
    expected = (ranked["occurrences"] / total).to_list()
    assert ranked["weight"].to_list() == pytest.approx(expected)
    assert (rows["questions"] <= rows["occurrences"]).all()
    assert set(rows["keyword_set"]) == {"chosen"}
    assert rows["alpha"].n_unique() == rows["model_version"].n_unique() == 1


def test_keywords_stand_with_the_word_that_they_are_read_as_also_where_no_question_has_it() -> None:
    rows = classified(LISTS).weights.filter(pl.col("keywords").list.len() > 0)
    found = rows.select("kind", "word", "written_form", "keywords").sort("word").rows()
    assert found == [
        ("performance", "lag", "lagging", ["lagging", "lags"]),
        ("performance", "never", "never", ["never"]),
    ]
    never = rows.row(by_predicate=pl.col("word") == "never", named=True)
    assert (never["word_rank"], never["occurrences"], never["weight"]) == (None, 0, 0)
    assert lists_of(FORUM, Wordlists(frozenset({"a"}), {}), rows) == Wordlists(
        frozenset({"a"}), {"performance": LISTS.keywords["performance"]}, "chosen"
    )


def test_the_labels_say_which_set_of_keywords_decided() -> None:
    packaged = Wordlists(frozenset(), {"performance": ("lagging",)})
    versions = []
    for lists in (packaged, LISTS):
        found = classified(lists)
        (version,) = found.rows.filter(question_id=901)["model_version"].unique()
        assert set(found.weights["model_version"]) == {version}
        versions.append(version.rpartition("-")[0])
    assert versions == ["weights-packaged", "weights-chosen"]
    # Other keywords are another model, also where they change no decision.
    other = classified(Wordlists(frozenset(), {"performance": ("never",)}, "chosen")).weights
    assert set(other["model_version"]).isdisjoint(found.weights["model_version"])
