"""What the study's text leaves open of its classifier, decided here, and only here.

Zhang, Gao, Ma, Lyu and Kim, An Empirical Study of Common Challenges in Developing Deep Learning
Applications (ISSRE 2019), give the weight of a word in a kind, its frequency over that of all words
of the kind, and that keywords, which two people chose from the 200 most frequent words of each
kind, get more, alpha. How words are read from a text, which keywords were chosen and how scores
become decisions the text leaves open. For each of these there is a choice here, and variants that
choose otherwise, whose precision, recall and F1 ``analysis.question_kind_quality`` has beside those
of the choice: so the cost of each choice is visible.

=========================  ==============================================  ====================
open question              choice                                          variant
=========================  ==============================================  ====================
which texts                title and text, code left out                   with code
words that all texts have  left out; question words and negations stay     with stop words
forms of a word            Porter's stem                                   words as written
a word that comes twice    counts once                                     each occurrence
words with a weight        all                                             200 most frequent
keywords                   those that the study file names, else           without keywords
                           ``wordlists.toml``; alpha by cross-validation
from score to decision     the highest score, all kinds that share it      near the highest
=========================  ==============================================  ====================

Alpha is the one of :data:`ALPHAS` with the best macro F1 in a cross-validation within what the
classifier learns from, the smaller one of equals. The weights of a kind add up to 1, so that values
near 0 matter.

The code that the study's authors publish (github.com/tianyi-zhang/deep-learning-stack-overflow)
departs from their text: it gives weights to the 200 most frequent words of a kind alone, divides
them by their Euclidean norm, counts each occurrence, adds an alpha of 0.2, and passes over keywords
that are none of the 200. The variant "as its code weighs" does so, on words read as here.

The baseline reads words and pairs of neighbouring words in the same way; a question is of each kind
whose probability is at least one half, and of the most probable one where none is.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Method: TypeAlias = Literal["weights", "regression"]
"""The paper's classifier, or the baseline."""

KindMethod: TypeAlias = Literal["better", "weights", "regression"]
"""Which method decides: the one with the higher macro F1 in order of time, or always the same."""

KINDS = (
    "program_crash",
    "model_migration_and_deployment",
    "implementation",
    "training_anomaly",
    "comprehension",
    "installation",
    "performance",
)
"""The seven kinds of questions of the study; a question may be of several."""

PEOPLE = "people"
"""How a question was decided that a person classified."""

WORDS_PER_KIND = 200
"""The most frequent words of a kind, from which people choose its keywords."""

ALPHA_OF_CODE = 0.2
"""What a keyword adds in the code that the study's authors publish, by default."""

ALPHAS = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)

FEWEST_PER_KIND = 10
"""A kind of which fewer questions were classified by people is not learned: in five folds fewer
than two would be left to test it by."""

FEWEST_KINDS = 2
"""With fewer kinds to tell apart nothing is classified."""

MARGIN = 1e-9
"""Scores are sums of fractions: those that differ by less, as a share of the highest, are equal."""


@dataclass(frozen=True)
class Variant:
    """A method with all its choices.

    has_stop_words, has_code, is_stemmed : how words are read.
    counts_each : whether a word that comes twice counts twice (weights).
    words : how many words of a kind have a weight, the most frequent; None for all (weights).
    is_euclidean : whether weights are divided by their Euclidean norm, not by their sum (weights).
    has_keywords : whether keywords get more (weights).
    has_foreign_keywords : whether also those do that are none of the words of the kind (weights).
    alpha : how much more; None finds it by cross-validation (weights).
    near : share of the highest score from which on a kind is assigned (weights).
    takes_highest : whether the most probable kind is assigned where none is probable (regression).
    """

    method: Method
    name: str = "default"
    has_stop_words: bool = False
    is_stemmed: bool = True
    has_code: bool = False
    counts_each: bool = False
    words: int | None = None
    is_euclidean: bool = False
    has_keywords: bool = True
    has_foreign_keywords: bool = True
    alpha: float | None = None
    near: float = 1.0
    takes_highest: bool = True

    @property
    def learning(self) -> "Variant":
        """The variant that learns the same: this one, but for how probabilities are decided on."""
        return replace(self, name="", takes_highest=True)


DEFAULTS: dict[Method, Variant] = {
    "weights": Variant("weights"),
    "regression": Variant("regression"),
}
"""The variant of each method that decides."""

VARIANTS = (
    DEFAULTS["weights"],
    Variant("weights", "with code", has_code=True),
    Variant("weights", "with stop words", has_stop_words=True),
    Variant("weights", "words as written", is_stemmed=False),
    Variant("weights", "each occurrence", counts_each=True),
    Variant("weights", "200 most frequent words", words=WORDS_PER_KIND),
    Variant("weights", "without keywords", has_keywords=False),
    Variant(
        "weights",
        "as its code weighs",
        counts_each=True,
        words=WORDS_PER_KIND,
        is_euclidean=True,
        has_foreign_keywords=False,
        alpha=ALPHA_OF_CODE,
    ),
    Variant("weights", "near the highest", near=0.9),
    DEFAULTS["regression"],
    Variant("regression", "with code", has_code=True),
    Variant("regression", "one half or none", takes_highest=False),
)
"""All that are measured."""
