"""Forgetting: logins, addresses, names and mentions; nothing of others; one name everywhere."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.people.addresses import hashed_address
from perf_assets.core.people.forgetting import Forgotten
from tests.effort import examples

KEY = b"key"
ADA = Forgotten(KEY).adding("Ada-L", ["ada@x.org"], ["Ada Lovelace"])
STAND_IN = ADA.login("ada-l")


def test_a_login_becomes_one_name_whatever_its_case() -> None:
    assert STAND_IN.startswith("forgotten-")
    assert ADA.login("ADA-L") == STAND_IN
    assert ADA.login("ada") == "ada"
    assert Forgotten(b"other").adding("ada-l").login("ada-l") != STAND_IN


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Thanks @ada-l, and @Ada-L!", f"Thanks @{STAND_IN}, and @{STAND_IN}!"),
        ("See https://github.com/ada-l/fork", f"See https://github.com/{STAND_IN}/fork"),
        ("Merge pull request #5 from ada-l/topic", f"Merge pull request #5 from {STAND_IN}/topic"),
        ("@ada-lovelace and x@ada-l.org", "@ada-lovelace and x@ada-l.org"),
        ("the ada-l algorithm", "the ada-l algorithm"),
        ("@ada-l's", f"@{STAND_IN}'s"),
        ("_by @ada-l_", f"_by @{STAND_IN}_"),
        ("git@github.com:ada-l/fork.git", f"git@github.com:{STAND_IN}/fork.git"),
        (
            "https://raw.githubusercontent.com/Ada-L/fork/x.py",
            f"https://raw.githubusercontent.com/{STAND_IN}/fork/x.py",
        ),
        ("12+ada-l@users.noreply.github.com", STAND_IN),
    ],
)
def test_mentions_are_replaced_and_nothing_else(text: str, left: str) -> None:
    assert ADA.text(text) == left


def test_addresses_in_texts_go_with_the_name_before_them() -> None:
    text = "Fix\n\nCo-authored-by: Ada Lovelace <Ada@x.org>\nSigned-off-by: Bo <bo@x.org>"
    left = ADA.text(text)
    assert "Lovelace" not in left
    assert "ada@x.org" not in left.lower()
    assert left.startswith("Fix\n\nCo-authored-by:")
    assert left.endswith("Signed-off-by: Bo <bo@x.org>")
    assert "ada@x.org" not in ADA.text("write to ada@x.org, please")


def test_rows_lose_the_person_and_keep_their_number_and_everybody_else() -> None:
    stored = hashed_address("ada@x.org", KEY)
    rows = pl.DataFrame(
        {
            "author_email": [stored, "other", None],
            "author_login": [None, None, "ada-l"],
            "author_name": ["Ada Lovelace", "Ada Lovelace", "A. L."],
            "message": ["plain", "by @ada-l", None],
            "labels": [["@ada-l"], [], ["ada-l"]],
            "additions": [1, 2, 3],
        }
    )
    left = ADA.frame(rows)
    assert left["author_name"].to_list() == [None, "Ada Lovelace", None]
    assert left["author_email"].to_list() == [ADA.email(stored), "other", None]
    assert left["author_login"].to_list() == [None, None, STAND_IN]
    assert left["message"].to_list() == ["plain", f"by @{STAND_IN}", None]
    assert left["labels"].to_list() == [[f"@{STAND_IN}"], [], ["ada-l"]]
    assert left["additions"].to_list() == [1, 2, 3]
    assert left.schema == rows.schema
    assert ADA.frame(left).equals(left)


def test_names_go_where_no_address_is_known() -> None:
    rows = pl.DataFrame({"author_name": ["ada lovelace", "Bo"]})
    assert ADA.frame(rows)["author_name"].to_list() == [None, "Bo"]


@given(st.text(alphabet="ab@-. <>/:com\n", max_size=60))
@settings(max_examples=examples(60))
def test_texts_of_others_stay_and_none_is_left(text: str) -> None:
    nobody = Forgotten(KEY).adding("zzz")
    assert nobody.text(text) == text
    somebody = Forgotten(KEY).adding("a", ["b@a.com"])
    assert somebody.text(somebody.text(text)) == somebody.text(text)
    assert "b@a.com " not in f"{somebody.text(f'x b@a.com {text}')} "[:9]
