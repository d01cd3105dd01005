"""The stemmed keyword rule of the study of performance problems, in its two readings."""

import re
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from perf_assets.core.labelling.stems import (
    AS_MEANT,
    AS_PUBLISHED,
    MEANT,
    PUBLISHED,
    READINGS,
    STEMS,
    StemMatcher,
    label_questions,
    stems_of_issues,
)
from perf_assets.schema import schema_of

PORTER = PorterStemmer()
NO_TEMPLATES = pl.DataFrame(
    schema={
        "sha": pl.String,
        "path": pl.String,
        "committed_at": pl.Datetime("us", "UTC"),
        "body": pl.String,
        "month": pl.String,
    }
)
# Forms of the words that the entries are stems of, words near them, and what is not a word of a
# text.
FORMS = (
    "hang hangs hanging hanged hung slow slowly slows slowing slower slowest very vary fast faster "
    "fastest speed speeds speeding speedup oom OOM throughput throughputs efficient efficiently "
    "efficiency inefficient overhead overheads gpu GPUs utilization utilize util utilised extreme "
    "extremely take takes taking taken took long longer run runs running runner cpu ram memory "
    "memories memorize leak leaks leaking time times timing timed per second seconds try tries "
    "trying tried slowi perform performs performance performing issue issues die dying tying the a "
    "memory_leak 3x I'm"
)
# What Porter's algorithm takes from words, or puts there.
SUFFIXES = (
    "s es ies sses ied ed eed ing y ly e i ational tional enci anci ence ance izer bli ble abli "
    "able alli al entli ent eli ousli ous ization ize ation ator ate alism iveness ive fulness ful "
    "ousness aliti iviti biliti fulli logi icate ative alize iciti ical ic ness er est ible ant "
    "ement ment ion ou ism iti ll"
)
STEMMED = sorted({stem for entry in STEMS.all_entries for stem in entry.split()})
built = st.builds(
    lambda stem, length, *ends: stem[:length] + "".join(ends),
    st.sampled_from(STEMMED),
    st.integers(2, 12),
    *[st.sampled_from(["", *SUFFIXES.split()])] * 3,
)
words = (
    st.sampled_from(FORMS.split()) | built | st.text("abeghilmnoprstuvy", min_size=1, max_size=9)
)
texts = st.lists(st.tuples(words, st.sampled_from([" ", "-", ", ", ". ", "\n"]))).map(
    lambda parts: "".join(word + end for word, end in parts)
)


def by_the_book(text: str, reading: str) -> list[str]:
    """Stem every word and look up every stem and pair, as the study's file says it."""
    stems = [PORTER.stem(word) for word in re.findall(r"\w+", text)]
    grams = {*stems, *(f"{one} {other}" for one, other in pairwise(stems))}
    return [entry for entry in STEMS.entries(reading) if entry in grams]


def matched(text: str, reading: str = AS_MEANT) -> list[str]:
    matcher = StemMatcher()
    return matcher.matches(matcher.found(text), reading)


def question(number: int, title: str, text: str) -> dict[str, object]:
    return {
        "forum": "stackoverflow",
        "question_id": number,
        "tag_set": "tensorflow",
        "title": title,
        "text": text,
        "month": "2020-01",
    }


def issue(number: int, title: str, body: str | None, **changes: object) -> dict[str, object]:
    row = {"repository": "owner/name", "number": number, "title": title, "body": body}
    return {**row, "author": f"user{number}", "labels": [], "month": "2020-01", **changes}


@given(texts)
def test_what_is_found_is_what_stemming_every_word_finds(text: str) -> None:
    for reading in READINGS:
        assert matched(text, reading) == by_the_book(text, reading)


@given(texts)
def test_nothing_is_missed_by_looking_for_parts_first(text: str) -> None:
    matcher = StemMatcher()
    assert matcher.may_hold_any(text) or not matcher.found(text)


def test_the_set_has_eleven_stems_and_thirteen_pairs() -> None:
    assert [len([e for e in PUBLISHED if len(e.split()) == size]) for size in (1, 2)] == [11, 13]
    assert len(set(PUBLISHED)) == 24


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("It hangs", ["hang"]),
        ("hanging forever", ["hang"]),
        ("This is very slow!", ["veri slow"]),
        ("slowly tries", ["slowli", "slowli tri"]),
        ("It runs slower; it takes longer", ["slower", "take longer"]),
        ("taking long, running slow", ["run slow", "take long"]),
        ("Memory-leaks on a GPU", ["memori leak"]),
        ("GPU utilization at 3 %", ["gpu util"]),
        ("images per second", ["per second"]),
        ("performance issues", ["perform issu"]),
        ("efficiently: OOM", ["oom", "effici"]),
        ("memory_leak(); gpu of leak memory", []),
        ("inefficient, fast, slow, long", []),
    ],
)
def test_words_are_found_by_their_stems(text: str, entries: list[str]) -> None:
    assert matched(text) == entries


def test_three_entries_never_match_as_they_were_published() -> None:
    """Their own texts, and those of every form of their words, are found by the other reading."""
    for text in ("it hangs hang hanging", "very slow", "slowly trying, slow try"):
        assert not set(matched(text, AS_PUBLISHED)) & MEANT.keys()
        assert set(matched(text, AS_MEANT)) & set(MEANT.values())
    assert matched("slowi try", AS_PUBLISHED) == ["slowi tri"]


def test_a_question_says_which_entries_it_has_and_where() -> None:
    found = label_questions(
        pl.DataFrame(
            [
                question(3, "Keras hangs", "It is very slow."),
                question(2, "How to save a model", "faster than GPU\nRAM"),
                question(1, "Shapes do not match", "slow"),
                question(4, "", ""),
            ]
        )
    )
    assert found.schema == schema_of("labels.performance_questions")
    columns = ("question_id", "matched_stems", "matched_stems_as_published", "matched_in")
    assert found.select(columns).rows() == [
        (1, [], [], []),
        (2, ["faster", "gpu ram"], ["faster", "gpu ram"], ["text"]),
        (3, ["hang", "veri slow"], [], ["title", "text"]),
        (4, [], [], []),
    ]
    assert found["is_performance"].to_list() == [False, True, True, False]
    assert found["is_performance_as_published"].to_list() == [False, True, False, False]


def test_no_questions_give_no_rows() -> None:
    nothing = pl.DataFrame([question(1, "", "")]).clear()
    assert label_questions(nothing).schema == schema_of("labels.performance_questions")


def test_of_an_issue_the_same_is_left_out_as_for_keywords() -> None:
    form = "Does training take longer than before?"
    rows = [
        issue(1, "It hangs", None),
        issue(2, "Crash", "```\nvery slow\n```\n<!-- memory leak -->\nfine"),
        issue(3, "Crash", f"{form}\nGPU RAM is full"),
        issue(4, "Crash", "memory\nleak"),
        *(issue(number, "Crash", form) for number in range(10, 15)),
    ]
    found = stems_of_issues(pl.DataFrame(rows), NO_TEMPLATES)
    assert found.schema == schema_of("labels.keyword_stems")
    assert found.select("number", "matched_stems", "matched_stems_as_published").rows() == [
        (1, ["hang"], []),
        (3, ["gpu ram"], ["gpu ram"]),
    ]


def test_the_version_names_the_set() -> None:
    assert re.fullmatch(r"[0-9a-f]{8}", STEMS.version)
    assert type(STEMS)(meant={}).version != STEMS.version
