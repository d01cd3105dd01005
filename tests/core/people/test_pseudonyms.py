"""Pseudonyms: the same for the same person, everywhere, and nothing of who it was is left."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.people.pseudonyms import DOMAIN, PREFIX, Known, Pseudonyms, ordinary_words

KNOWN = Known(
    logins=frozenset({"t-abe", "okuta", "slow", "user-1"}),
    names=frozenset({"Seiya Tokui", "_329_", "okuta"}),
    kept=frozenset({"chainer", "stale[bot]"}),
    ordinary=frozenset({"slow"}),
)
PEOPLE = Pseudonyms(b"key", KNOWN)
OKUTA = PEOPLE.login("okuta")
ABE = PEOPLE.login("t-abe")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ask OKUTA or @okuta, okuta-san", f"ask {OKUTA} or @{OKUTA}, {OKUTA}-san"),
        ("fix-t-abe-2 in /home/t-abe/x", f"fix-{ABE}-2 in /home/{ABE}/x"),
        ("Merge pull request #1 from okuta/slow", f"Merge pull request #1 from {OKUTA}/slow"),
        ("https://github.com/okuta/x", f"https://github.com/{OKUTA}/x"),
        ("a slow loop, @slow says", f"a slow loop, @{PEOPLE.login('slow')} says"),
        ("thanks @somebody", f"thanks @{PEOPLE.login('somebody')}"),
        (
            "Co-authored-by: Seiya Tokui <a.b@c.org>",
            f"Co-authored-by: {PEOPLE.name('Seiya Tokui')} <{PEOPLE.address('a.b@c.org')}>",
        ),
        ("by _329_", f"by {PEOPLE.name('_329_')}"),
        ("see /users/12/jane-doe", f"see /users/12/{PEOPLE.text('/users/12/jane-doe')[10:]}"),
    ],
)
def test_people_in_texts_become_their_pseudonyms(text: str, expected: str) -> None:
    assert PEOPLE.text(text) == expected
    assert PEOPLE.text(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "chainer/chainer#12, chainer is slow",
        "@tf.function\n@jit\n@jit(nopython=True)\ndef f(): ...",
        "A @ B and a@b",
        "https://github.com/chainer/chainer/issues/1 and github.com/issues/2",
        "chainerokuta",
    ],
)
def test_what_is_no_person_stays(text: str) -> None:
    assert PEOPLE.text(text) == text


def test_columns_of_people_have_the_pseudonyms_of_texts() -> None:
    assert PEOPLE.value("author", "Okuta") == OKUTA
    assert PEOPLE.value("author_name", "okuta") == OKUTA
    assert PEOPLE.value("body", "okuta") == OKUTA
    assert PEOPLE.value("actor", "stale[bot]") == "stale[bot]"
    assert PEOPLE.value("actor", "okuta[bot]") == f"{OKUTA}[bot]"
    assert PEOPLE.value("rater", "Seiya Tokui") == PEOPLE.name("Seiya Tokui")
    assert PEOPLE.value("author_email", "a@b.c").endswith(f"@{DOMAIN}")
    hashed = "0" * 32
    assert PEOPLE.value("account", hashed) == PEOPLE.value("author_email", hashed) != hashed


def test_who_is_a_number_in_a_forum_is_another_number() -> None:
    # The asker's own comments are known by it: models tell numbers from names of who is gone.
    assert PEOPLE.value("owner", "123").isdigit()
    assert PEOPLE.value("owner", "123") == PEOPLE.value("owner", "123") != "123"
    assert PEOPLE.value("owner", "user123").startswith(PREFIX)


def test_another_key_gives_other_pseudonyms() -> None:
    assert Pseudonyms(b"other", KNOWN).login("okuta") != OKUTA


def test_missing_values_stay_missing() -> None:
    for column in ("body", "author", "sha"):
        values = pl.Series([None, "okuta"], dtype=pl.String)
        assert PEOPLE.values(column, values)[0] is None


LOGINS = st.from_regex(r"[a-z][a-z0-9]{2,10}(-[a-z0-9]{1,5})?", fullmatch=True)
GLUE = st.sampled_from([" ", "\n", ", ", " @", "(", "/", ": ", '"', " from ", "<", "_"])


@given(logins=st.sets(LOGINS, min_size=1, max_size=5), data=st.data())
def test_no_login_is_left_in_any_text(logins: set[str], data: st.DataObject) -> None:
    words = st.sampled_from(sorted(logins)) | st.text("xyz0", max_size=4)
    pieces = data.draw(st.lists(st.tuples(words, GLUE), max_size=12))
    text = "".join(word + glue for word, glue in pieces)
    people = Pseudonyms(b"key", Known(frozenset(logins)))
    found = people.text(text).casefold()
    left = [part for part in found.replace("_", " ").split() if part.strip(',@(/:"<') in logins]
    assert left == []
    assert people.text(people.text(text)) == people.text(text)


def test_words_of_texts_are_told_from_logins() -> None:
    texts = ["it is slow"] * 9 + ["from okuta/fix: okuta did it"] * 5 + ["@mitmul and mitmul"] * 4
    found = ordinary_words(
        {"slow", "okuta", "mitmul", "io", "123", "gpu", "functions", "seldom"},
        [*texts, "seldom seen"],
        Counter({"okuta": 1, "slow": 2}),
        ["gpu usage"],
        ["chainer/functions/a.py", "chainer/functions/b.py", "x/functions.py", "docs/okuta.md"],
    )
    assert found == {"slow", "io", "123", "gpu", "functions"}
