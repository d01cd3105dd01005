"""The stemmed keyword rule: which questions, and which issues, speak of performance.

The rule of Cao et al., Understanding Performance Problems in Deep Learning Systems (ESEC/FSE 2022):
words are stemmed by Porter's algorithm, and a text speaks of performance when one of 11 stems or 13
pairs of neighbouring stems is in it. The set is that of the study's published file
``empirical_study/keywords_set.txt``.

What the study leaves open is decided here. A word is a run of letters, digits and underscores, so
that ``memory_leak`` is the name of something and ``memory-leak`` two words. Two words are
neighbours whatever stands between them but words, line ends included, as tools that count n-grams
have it; of issues, whose lines end where their authors ended them, only within a line.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import polars as pl

from perf_assets.core.labelling.boilerplate import read_bodies
from perf_assets.core.libraries import porter_stemmer
from perf_assets.schema import schema_of
from perf_assets.schema.types import TEXTS

PUBLISHED = (
    *("hangs", "slowli", "slower", "slowest", "faster", "fastest", "speed", "oom", "throughput"),
    *("effici", "overhead", "gpu util", "extrem slow", "take longer", "run slow", "very slow"),
    *("cpu ram", "gpu ram", "memori leak", "cpu time", "per second", "slowi tri", "take long"),
    "perform issu",
)
"""The set letter by letter."""

MEANT = {
    # Porter's stem of hang, hangs and hanging is hang; no English word has the stem hangs.
    "hangs": "hang",
    # Porter turns the y of very into i; the entry has one word stemmed and the other not.
    "very slow": "veri slow",
    # slowi is not a stem of a word; one letter more makes it that of slowly. Whatever holds this
    # pair holds slowli too, so that this reading widens nothing.
    "slowi tri": "slowli tri",
}
"""The entries that no text of words can match, each with what was evidently meant."""

WORD = re.compile(r"\w+")
# The algorithm takes letters from the end of a word, or puts others there; of the letters that the
# stems of the set end in it puts only i (for y) and e. What is left without these, the words have.
PUT_THERE = "ie"
AS_PUBLISHED, AS_MEANT = "as_published", "as_meant"
READINGS = (AS_PUBLISHED, AS_MEANT)


@dataclass(frozen=True)
class StemRules:
    """A set of stems and pairs of stems, in two readings.

    published : the entries letter by letter.
    meant : those that are evidently slips, with what they are read as.
    """

    published: tuple[str, ...] = PUBLISHED
    meant: Mapping[str, str] = field(default_factory=lambda: MEANT)

    @cached_property
    def version(self) -> str:
        """Return a digest of the entries, e.g. ``3f2a9c0b``."""
        digest = hashlib.sha256(json.dumps([self.published, sorted(self.meant.items())]).encode())
        return digest.hexdigest()[:8]

    def entries(self, reading: str) -> tuple[str, ...]:
        """Return the entries in a reading, in their published order."""
        if reading == AS_PUBLISHED:
            return self.published
        return tuple(self.meant.get(entry, entry) for entry in self.published)

    @cached_property
    def all_entries(self) -> tuple[str, ...]:
        """The entries of both readings, each once."""
        return tuple(dict.fromkeys(e for reading in READINGS for e in self.entries(reading)))


STEMS = StemRules()
"""The published set and its two readings."""


class _Stems(dict[str, str | None]):
    """Words and their stems; None for words whose stem no entry has."""

    def __init__(self, stems: Iterable[str]) -> None:
        super().__init__()
        self._stems = frozenset(stems)
        self._beginnings = tuple(_beginning(stem) for stem in self._stems)
        self._stem = porter_stemmer().stem

    def __missing__(self, word: str) -> str | None:
        stem = self._stem(word) if word.startswith(self._beginnings) else None
        self[word] = stem if stem in self._stems else None
        return self[word]


class StemMatcher:
    """Finds the entries of both readings in texts; a word is stemmed once."""

    def __init__(self, rules: StemRules = STEMS) -> None:
        """Look for the entries of ``rules``."""
        grams = [tuple(entry.split()) for entry in rules.all_entries]
        self._singles = frozenset(gram[0] for gram in grams if len(gram) == 1)
        self._pairs = frozenset(gram for gram in grams if len(gram) == 2)
        self._firsts = frozenset(pair[0] for pair in self._pairs)
        singles = [_beginning(stem) for stem in self._singles]
        self._beginnings = sorted(tuple(map(_beginning, pair)) for pair in self._pairs)
        pairs = [rf"{first}\w*\W+{second}" for first, second in self._beginnings]
        self._single = re.compile(rf"\b(?:{'|'.join(sorted(singles))})")
        self._sign = re.compile(rf"\b(?:{'|'.join(sorted([*singles, *pairs]))})")
        self._readings = {reading: rules.entries(reading) for reading in READINGS}
        self._stems = _Stems(stem for gram in grams for stem in gram)

    def found(self, text: str) -> set[str]:
        """Return the entries that are in ``text``."""
        lowered = text.lower()
        if self._sign.search(lowered) is None:
            return set()
        stems = list(map(self._stems.__getitem__, WORD.findall(lowered)))
        present = set(stems)
        found = set(self._singles & present)
        if not self._firsts.isdisjoint(present):
            found.update(" ".join(pair) for pair in self._pairs & set(pairwise(stems)))
        return found

    def may_hold_any(self, text: str) -> bool:
        """Return whether words of an entry may be in ``text``, wherever: cheap, and never a miss.

        The second word of a pair may follow only when what stands between is left out.
        """
        lowered = text.lower()
        return self._single.search(lowered) is not None or any(
            first in lowered and second in lowered for first, second in self._beginnings
        )

    def matches(self, found: set[str], reading: str) -> list[str]:
        """Return those of the entries ``found`` that a reading has, in its order."""
        return [entry for entry in self._readings[reading] if entry in found] if found else []


def _beginning(stem: str) -> str:
    """Return what every word begins with that has this ``stem``."""
    return stem.rstrip(PUT_THERE)


def label_questions(questions: pl.DataFrame, rules: StemRules = STEMS) -> pl.DataFrame:
    """Return which questions are about performance, by the stems in their titles and texts.

    Parameters
    ----------
    questions : columns forum, question_id, tag_set, title, text (without blocks of code), month.
    rules : the set of stems.

    Returns
    -------
    ``labels.performance_questions``, one row per question, in the order of ``question_id``.
    """
    matcher = StemMatcher(rules)
    ordered = questions.sort("forum", "question_id")
    titles, texts = (
        [matcher.found(text or "") for text in ordered.get_column(name)]
        for name in ("title", "text")
    )
    both = [title | text for title, text in zip(titles, texts, strict=True)]
    meant, published = (
        pl.Series([matcher.matches(found, reading) for found in both], dtype=TEXTS)
        for reading in (AS_MEANT, AS_PUBLISHED)
    )
    matched_in = [
        [name for name, found in (("title", title), ("text", text)) if found]
        for title, text in zip(titles, texts, strict=True)
    ]
    return ordered.with_columns(
        is_performance=meant.list.len() > 0,
        matched_stems=meant,
        is_performance_as_published=published.list.len() > 0,
        matched_stems_as_published=published,
        matched_in=pl.Series(matched_in, dtype=TEXTS),
        rule_version=pl.lit(rules.version),
    ).select(
        pl.col(name).cast(kind) for name, kind in schema_of("labels.performance_questions").items()
    )


def stems_of_issues(
    issues: pl.DataFrame, templates: pl.DataFrame, rules: StemRules = STEMS
) -> pl.DataFrame:
    """Return the stems in titles and bodies of issues, of which the same is left out as for
    keywords.

    Fenced code, HTML comments and boilerplate (``perf_assets.core.labelling.boilerplate``) are no
    words of the issue's author.

    Parameters
    ----------
    issues, templates : as for ``perf_assets.core.labelling.labels.label_issues``.
    rules : the set of stems.

    Returns
    -------
    ``labels.keyword_stems``, a row for each issue in which a stem was found, in the order of
    ``number``.
    """
    matcher = StemMatcher(rules)
    boilerplate, bodies = read_bodies(
        issues, templates, matcher.may_hold_any, lambda line: bool(matcher.found(line))
    )
    columns = ("repository", "number", "title", "month")
    rows = []
    for repository, number, title, month in issues.select(columns).sort("number").iter_rows():
        found = matcher.found(title or "")
        for line in bodies[number]:
            found |= matcher.found(boilerplate.strip(line, month)[0])
        if found:
            meant, published = (matcher.matches(found, text) for text in (AS_MEANT, AS_PUBLISHED))
            rows.append((repository, number, meant, published, rules.version, month))
    return pl.DataFrame(rows, schema=schema_of("labels.keyword_stems"), orient="row")
