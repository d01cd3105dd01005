"""Words of questions: how they are read from texts, and counted."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from perf_assets.core.libraries import porter_stemmer
from perf_assets.core.questions.classifier_assumptions import Variant

if TYPE_CHECKING:  # importing it takes a while
    from scipy import sparse

Counts: TypeAlias = "sparse.csr_matrix"
"""A row for each question, a column for each word, how often it is there."""

KeywordSet: TypeAlias = Literal["packaged", "chosen"]

WORD = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]")
REMEMBERED = 200_000


@dataclass(frozen=True)
class Wordlists:
    """Words that stand in every text, and the keywords of each kind.

    keyword_set : whose keywords they are: ``packaged``, or ``chosen`` by the study's people.
    """

    stop_words: frozenset[str]
    keywords: Mapping[str, tuple[str, ...]]
    keyword_set: KeywordSet = "packaged"


def words_of(text: str, variant: Variant, stop_words: frozenset[str]) -> list[str]:
    """Return the words of ``text`` in order: two characters or more, the first a letter."""
    words = WORD.findall(text.casefold())
    if not variant.has_stop_words:
        words = [word for word in words if word not in stop_words]
    return [_stem(word) for word in words] if variant.is_stemmed else words


def question_words(
    questions: pl.DataFrame, variant: Variant, stop_words: frozenset[str]
) -> list[list[str]]:
    """Return the words of each question (title, text, code), and pairs where they count."""
    columns = ("title", "text", "code") if variant.has_code else ("title", "text")
    texts = questions.select(pl.concat_str(columns, separator="\n", ignore_nulls=True)).to_series()
    words_of_all = [words_of(text, variant, stop_words) for text in texts]
    if variant.method == "weights":
        return words_of_all
    return [[*words, *map(" ".join, pairwise(words))] for words in words_of_all]


def written_forms(
    questions: pl.DataFrame, variant: Variant, stop_words: frozenset[str]
) -> dict[str, str]:
    """Return how each word is written most often, of equals the first by the alphabet."""
    plain = replace(variant, is_stemmed=False)
    counted = Counter(
        word for words in question_words(questions, plain, stop_words) for word in words
    )
    forms: dict[str, str] = {}
    for word in sorted(counted, key=lambda word: (-counted[word], word)):
        forms.setdefault(_stem(word) if variant.is_stemmed else word, word)
    return forms


def vocabulary_of(found: Iterable[Iterable[str]], more: Iterable[str] = ()) -> list[str]:
    """Return all the words, and ``more``, each once, sorted."""
    return sorted({word for words in found for word in words} | set(more))


def count_words(found: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> Counts:
    """Return how often each question has each word of ``vocabulary``, ignoring other words."""
    from scipy import sparse  # noqa: PLC0415

    columns_by_word = {word: column for column, word in enumerate(vocabulary)}
    starts, columns, counts = [0], [], []
    for words in found:
        counted = Counter(columns_by_word[word] for word in words if word in columns_by_word)
        columns += sorted(counted)
        counts += [counted[column] for column in sorted(counted)]
        starts.append(len(columns))
    parts = (np.array(counts, dtype=np.float64), np.array(columns, dtype=np.int64), starts)
    return sparse.csr_matrix(parts, shape=(len(found), len(vocabulary)))


@lru_cache(REMEMBERED)
def _stem(word: str) -> str:
    return str(porter_stemmer().stem(word))
