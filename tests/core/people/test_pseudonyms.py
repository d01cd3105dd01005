"""Pseudonyms: the same for the same person, everywhere, and nothing of who it was is left."""

import html
import re
import time
import unicodedata
from collections import Counter
from urllib.parse import quote, unquote

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.people.common_words import common_phrases, ordinary_words
from perf_assets.core.people.pseudonyms import (
    DOMAIN,
    PREFIX,
    SHEET,
    Known,
    Pseudonyms,
)

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
def test_names_that_are_not_people_stay(text: str) -> None:
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


def test_an_account_number_of_a_forum_becomes_another_number() -> None:
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


ESCAPED = {
    "percent": lambda sign: f"%{ord(sign):02X}",
    "percent in small letters": lambda sign: f"%{ord(sign):02x}",
    "percent twice": lambda sign: f"%25{ord(sign):02X}",
    "reference": lambda sign: f"&#{ord(sign)};",
    "reference by hexadecimal digits": lambda sign: f"&#x{ord(sign):x};",
    "reference twice": lambda sign: f"&amp;#{ord(sign)};",
    "backslash": lambda sign: f"\\u{ord(sign):04x}",
    "backslash twice": lambda sign: f"\\\\u{ord(sign):04X}",
    "backslash and two digits": lambda sign: f"\\x{ord(sign):02x}",
}


def unescaped(text: str) -> str:
    """Return the text after all decoders of the library, until nothing changes."""
    last = ""
    while text != last:
        last = text
        text = html.unescape(unquote(text))
        text = re.sub(r"\\+(?:u(\w{4})|x(\w\w))", lambda m: chr(int(m[1] or m[2], 16)), text)
    return text


@given(
    login=LOGINS,
    before=st.text(" @/:,=", min_size=1, max_size=3),
    after=st.text(" /&,", max_size=2),
    way=st.sampled_from(sorted(ESCAPED)),
    is_login_escaped=st.booleans(),
)
def test_no_login_is_left_in_any_encoding(
    login: str, before: str, after: str, way: str, is_login_escaped: bool
) -> None:
    encode = ESCAPED[way]
    name = "".join(map(encode, login)) if is_login_escaped else login
    text = "".join(("q", *map(encode, before), name, *map(encode, after)))
    people = Pseudonyms(b"key", Known(frozenset({login})))
    assert unescaped(text) == f"q{before}{login}{after}"
    assert unescaped(people.text(text)) == f"q{before}{people.login(login)}{after}"
    assert people.text(people.text(text)) == people.text(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"failed:\nokuta wrote\r\n\tOkuta", rf"failed:\n{OKUTA} wrote\r\n\t{OKUTA}"),
        (r"\\nokuta", rf"\\n{OKUTA}"),
        ("\x1b[31mokuta\x1b[0m", f"\x1b[31m{OKUTA}\x1b[0m"),
        (r"\x1b[31mokuta", rf"\x1b[31m{OKUTA}"),
        ("&commat;okuta", f"&commat;{OKUTA}"),
        ("&lt;okuta&gt; &amp;okuta;", f"&lt;{OKUTA}&gt; &amp;{OKUTA};"),
        ("issues?q=is%3Aopen+author%3Aslow", f"issues?q=is%3Aopen+author%3A{PEOPLE.login('slow')}"),
        ("https%3A%2F%2Fgithub.com%2Fokuta%2Fx", f"https%3A%2F%2Fgithub.com%2F{OKUTA}%2Fx"),
        ("fix%2Dt%2Dabe%2D2", f"fix%2D{ABE}%2D2"),
        (r"\nSeiya Tokui", rf"\n{PEOPLE.name('Seiya Tokui')}"),
        ("%3ASeiya%2520Tokui", f"%3A{PEOPLE.name('Seiya Tokui')}"),
    ],
)
def test_people_are_replaced_beside_escapes(text: str, expected: str) -> None:
    assert PEOPLE.text(text) == expected
    assert PEOPLE.text(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        r"C:\data\nokuta.txt and D:\work\tokuta",
        r"\textokuta \notokuta xnokuta",
        "%C3%A9okuta and %61okuta",
        "100%slow &slow; a%20slow%20loop",
        "50% of 3 & 4 %s %d %2 &x &#; \\",
    ],
)
def test_escapes_beside_other_words_stay(text: str) -> None:
    assert PEOPLE.text(text) == text


def test_letter_of_an_escape_may_begin_a_login() -> None:
    people = Pseudonyms(b"key", Known(frozenset({"nick", "ick"})))
    assert people.text(r"\nick") == rf"\{people.login('nick')}"
    assert people.text(r"\tick") == rf"\t{people.login('ick')}"


MENTIONED = (
    *("Müller", "José", "Nguyễn", "Łukasz", "Ægir", "Иосиф", "Йосиф-2", "Σωκράτης", "Հայկ"),
    *("שָׁלוֹם", "مُحَمَّد", "नमस्ते", "สมชาย", "田中太郎", "김철수", "がくと", "ｏｋｕｔａ"),
)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize("at", ["@", "＠", "&#64;", "%40", r"\u0040"])
@pytest.mark.parametrize("name", MENTIONED)
def test_a_mention_is_replaced_whole_in_any_script(name: str, at: str, form: str) -> None:
    mention = at + unicodedata.normalize(form, name)
    assert PEOPLE.text(f"thanks {mention}, bye") == f"thanks {at}{PEOPLE.login(name)}, bye"


@pytest.mark.parametrize("name", ["José", "Müller"])
def test_a_mention_may_be_percent_encoded_whole(name: str) -> None:
    for form in ("NFC", "NFD"):
        encoded = quote(unicodedata.normalize(form, name))
        assert PEOPLE.text(f"%40{encoded}%20said") == f"%40{PEOPLE.login(name)}%20said"


@pytest.mark.parametrize("after", ["さん", "님", "ครับ", "👍", "!"])
def test_a_login_ends_before_a_script_without_spaces(after: str) -> None:
    assert PEOPLE.text(f"@okuta{after}") == f"@{OKUTA}{after}"
    assert PEOPLE.text(f"ください@stranger{after}").startswith("ください@person-")


def test_logins_of_other_scripts_are_replaced_in_either_normal_form() -> None:
    people = Pseudonyms(b"key", Known(frozenset({"йосиф", "nguyễn"})))
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, "Йосиф (Nguyễn)")
        assert people.text(text) == f"{people.login('йосиф')} ({people.login('nguyễn')})"


def test_a_login_in_a_name_of_code_is_replaced() -> None:
    assert PEOPLE.text("@with_okuta(okuta)") == f"@with_{OKUTA}({OKUTA})"
    assert PEOPLE.text("@tf.function @jit(nopython)") == "@tf.function @jit(nopython)"


@pytest.mark.parametrize("before", ["@", "github.com/"])
def test_a_name_longer_than_any_login_is_one_person(before: str) -> None:
    name = f"{'a' * 38}-0"
    replaced = PEOPLE.text(f"{before}{name} ")
    assert replaced == f"{before}{PEOPLE.login(name)} "
    assert PEOPLE.text(replaced) == replaced


def test_words_of_texts_are_distinguished_from_logins() -> None:
    texts = ["it is slow"] * 9 + ["from okuta/fix: okuta did it"] * 5 + ["@mitmul and mitmul"] * 4
    found = ordinary_words(
        {"slow", "okuta", "mitmul", "io", "123", "gpu", "functions", "seldom"},
        [*texts, "seldom seen"],
        Counter({"okuta": 1, "slow": 2}),
        ["gpu usage"],
        ["chainer/functions/a.py", "chainer/functions/b.py", "x/functions.py", "docs/okuta.md"],
        {"slow"},
    )
    assert found == {"slow", "io", "123", "gpu", "functions"}


def test_a_name_that_is_often_thanked_and_is_not_a_word_is_a_person() -> None:
    texts = ["thanks to abcteo"] * 9 + ["hits of the cache"] * 40
    assert ordinary_words({"abcteo", "hits"}, texts, Counter(abcteo=1), [], []) == {"hits"}


NAMES = ("Ada Lovelace", "José García", "Sergey O'Brien", "Jiang,Zhoulong", "Li Na", "Łukasz")
IDEOGRAMS = ("田中太郎", "李明", "中西 健")
BY_NAME = Pseudonyms(
    b"key",
    Known(
        frozenset({"foo_bar", "łukasz", "jane-doe"}),
        frozenset({*NAMES, *IDEOGRAMS}),
        frozenset({"chainer"}),
    ),
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ADA LOVELACE, ", "Ada Lovelace"),
        ("ada_lovelace", "Ada Lovelace"),
        ("ada.lovelace", "Ada Lovelace"),
        ("Lovelace, Ada", "Ada Lovelace"),
        ("Ada\nLovelace's", "Ada Lovelace"),
        ("Ada%20Lovelace", "Ada Lovelace"),
        ("AdaLovelace", "Ada Lovelace"),
        ("www.linkedin.com/in/ada-lovelace-12", "Ada Lovelace"),
        ("JOSÉ GARCÍA", "José García"),
        (unicodedata.normalize("NFD", "José García"), "José García"),
        ("Jose Garcia", "José García"),
        ("Jos&eacute; Garc&#237;a", "José García"),
        ("Sergey O&#39;Brien", "Sergey O'Brien"),
        ("Sergey O’Brien", "Sergey O'Brien"),
        ("Zhoulong Jiang", "Jiang,Zhoulong"),
        ("Li Na", "Li Na"),
        ("ŁUKASZ", "Łukasz"),
        ("田中太郎さん", "田中太郎"),
        ("李明", "李明"),
        ("中西健", "中西 健"),
    ],
)
def test_a_name_is_found_in_each_way_to_write_it(text: str, name: str) -> None:
    found = BY_NAME.text(f"by {text}.")
    assert BY_NAME.name(name) in found
    parts = {part.casefold() for part in re.findall(r"\w{2,}", name)}
    assert not parts & {part.casefold() for part in re.findall(r"\w{2,}", found)}


@pytest.mark.parametrize(
    "text",
    [
        "/home/stranger/x.py",
        "C:\\Users\\stranger\\x.py",
        "@stranger\nCould you?",
        "stranger@laptop:~/src$ make",
        "Signed-off-by: Stranger <a@b.org>",
        "Reviewed By: stranger, other",
        "Mrs Stranger <a@b.org> wrote",
        "https://stranger.github.io/x",
        "https://api.github.com/repos/stranger/x",
        "https://gitlab.com/stranger/x",
        "https://colab.research.google.com/github/stranger/x",
        "see stranger/fork#12",
        "see stranger_octo/fork#12",
        "stranger [at] example.org",
        "stranger%40example.org",
        "stranger&#64;example.org",
        "stranger@sub.example.co.uk.",
        "https://stackoverflow.com/users/12345/stranger",
        "https://stackoverflow.com/users/12345",
        "https://avatars.githubusercontent.com/u/12345?v=4",
        '<row OwnerUserId="12345" OwnerDisplayName="stranger',
        "@foo_bar",
        "foo_bar's",
    ],
)
def test_people_whom_no_table_knows_are_found_where_texts_name_them(text: str) -> None:
    found = BY_NAME.text(text)
    assert not re.search(r"stranger|foo|bar|12345|example|\bb\.org", found.casefold())
    assert BY_NAME.text(found) == found


@pytest.mark.parametrize(
    "text",
    [
        "/home/runner/work, root@1a2b3c:/workspace# and C:\\Users\\Public\\x",
        "Caused by: java.lang.Error\nFixed by: #12, used by: nobody",
        "git@github.com:chainer/chainer.git",
        "pip install chainer@1.2.3",
        "https://example.org/home/about",
        "  @cached\n  def f(self): ...",
        "adalovelace2 and Garcíá",
    ],
)
def test_machines_versions_and_code_stay(text: str) -> None:
    assert BY_NAME.text(text) == text


def test_names_that_are_phrases_too_are_changed_as_written_alone() -> None:
    names = {"Deep Learning", "Ada Lovelace"}
    texts = [pl.Series(["deep learning is slow"] * 9 + ["ada lovelace"] * 9 + ["Deep Learning"])]
    found = common_phrases(names, texts, Counter(), {"deep", "learning"})
    assert found == {"Deep Learning"}
    people = Pseudonyms(b"key", Known(frozenset(), frozenset(names), phrases=found))
    assert people.text("deep learning") == "deep learning"
    assert "Deep" not in people.text("by Deep Learning")


def test_columns_of_forks_and_sheets_name_nobody() -> None:
    assert BY_NAME.value("pull_request_repository", "chainer/x") == "chainer/x"
    assert BY_NAME.value("closer_repository", "ada/x") == f"{BY_NAME.login('ada')}/x"
    assert re.fullmatch(r"person-\w{12}\.csv", BY_NAME.value(SHEET, "sheet of ada.csv"))
    assert BY_NAME.value("owner", "Ada Lovelace") == BY_NAME.text("Ada Lovelace")


HOSTILE = (
    *(
        "%",
        "%25",
        "%3A",
        "%C3",
        "&amp;",
        "&#",
        "&a",
        "\\",
        "\\n",
        "\\u",
        '"c:\\n',
        "\x1b[",
        "@é",
        "é\u0301",
    ),
    *("@a-", "@_", "＠", "%40a", "+author:", "&#64;ada "),
)


@pytest.mark.parametrize(
    "text",
    ["x@" + "y-" * 30_000, "a'" * 30_000 + "@b", "Ab " * 20_000 + "<@", "Ada " * 15_000]
    + [unit * (60_000 // len(unit)) for unit in HOSTILE],
)
def test_hostile_texts_take_no_longer_than_others(text: str) -> None:
    began = time.process_time()
    BY_NAME.text(text)
    assert time.process_time() - began < 5
