"""The review workbench: what it keeps, shows harmlessly, counts and lets grow."""

import csv
import io
import re
import sqlite3
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.reviews.rater_agreement import AGREED
from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.web.review import codes
from perf_assets.web.review.agreement import disagreements, pairs, verdicts
from perf_assets.web.review.collecting import sheets
from perf_assets.web.review.rendering import diff, html, markdown, marked_text
from perf_assets.web.review.store import FILE, Answer, Key, Store, fill, now, waiting_answers
from perf_assets.web.review.subjects import CHOSEN, RANDOM

KEYS = [Key("bugs", "owner/name", str(number)) for number in range(1, 11)]
GIVEN = {
    "repository": ["owner/name"] * 2,
    "number": [1, 2],
    "title": ["Slow", "Slower"],
    "link": ["https://github.com/owner/name/issues/1"] * 2,
    "rule_version": ["a"] * 2,
}
ALLOWED = re.compile(
    r"</?(?:p|br|hr|h[1-6]|blockquote|pre|code|kbd|ul|ol|li|strong|em|b|i|s|del|ins|sub|sup|div|table"
    r'|thead|tbody|tr|th|td|details|summary|span|samp|dl|dt|dd|tt|q|var|mark)(?: align="[^"<>]*")?>'
    r'|<a(?: (?:href="(?:https?:|mailto:)?[^"<>]*"|title="[^"<>]*"|rel="[^"<>]*"))*>|</a>'
)


def answered(key: Key, rater: str, verdict: str, **cells: str) -> Answer:
    return Answer(key, rater, {"is_performance": verdict, **cells}, now())


def test_the_last_answer_is_in_force_and_none_is_overwritten(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for verdict in ("yes", "no", "unsure"):
        store.add(answered(KEYS[0], "Ann", verdict))
    store.add(answered(KEYS[1], "Ben", "yes"))
    assert [(one.rater, one.cells["is_performance"]) for one in Store(tmp_path).answers()] == [
        ("Ann", "unsure"),
        ("Ben", "yes"),
    ]
    store.add(replace(answered(KEYS[0], "Ann", "no"), cells={}))  # taken back
    assert store.answers("Ann") == []
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert connection.execute("select count(*) from answers").fetchone() == (5,)


def test_a_file_of_an_older_version_keeps_what_it_has(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for key, said in zip(KEYS, (["yes", "no"], ["yes", "", "no"], ["yes"]), strict=False):
        for verdict in said:
            one = answered(key, "Ann", verdict)
            store.add(one if verdict else replace(one, cells={}))
    secret = store.secret_of("Ann")
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.executescript(
            "drop table disclosures; drop table study; drop table collections;"
            "alter table answers drop column codebook_revision; pragma user_version = 0"
        )
    assert waiting_answers(tmp_path) == 0  # nothing was drawn
    store = Store(tmp_path)
    assert {one.codebook_revision for one in store.answers()} == {2}
    assert store.rater_of(secret) == "Ann"
    # An answer was taken back by a key; only the page that shows the label changed it.
    assert [
        (one.key, one.cells["is_performance"], one.disclosed_at is None)
        for one in store.answers("Ann", with_first=True)
    ] == [
        (KEYS[0], "yes", True),
        (KEYS[0], "no", False),
        (KEYS[1], "no", True),
        (KEYS[2], "yes", True),
    ]
    assert [one.key for one in store.answers("Ann")] == KEYS[:3]
    store.add(answered(KEYS[2], "Ann", "no"))
    assert Store(tmp_path).answers(with_first=True)[-1].disclosed_at is None  # only once


def test_an_answer_keeps_the_revision_of_the_codebook_by_which_it_was_given(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path)
    store.add(replace(answered(KEYS[0], "Ann", "yes"), codebook_revision=2))
    store.add(answered(KEYS[1], "Ann", "yes"))
    subjects = SimpleNamespace(given=lambda kind: pl.DataFrame(GIVEN))
    drawn = dict.fromkeys(KEYS, RANDOM)
    texts = sheets(subjects, store.answers(), drawn, [])  # type: ignore[arg-type]
    rows = csv.DictReader(io.StringIO(texts["Ann", "bugs"]))
    revisions = [int(row["codebook"]) for row in rows]
    assert revisions == [2, codebook().revision]


def test_answers_wait_until_they_are_collected(tmp_path: Path) -> None:
    assert waiting_answers(tmp_path) == 0
    store = Store(tmp_path)
    fill(store, KEYS[:2], RANDOM, ["Ann", "Ben"], 1, 100)
    fill(store, KEYS[2:3], CHOSEN, ["Ann"], 1, 100)
    for key in KEYS[:3]:
        store.add(answered(key, "Ann", "yes"))
    store.add(answered(KEYS[0], "Ann", "no"))
    store.add(answered(KEYS[0], "Ben", "no"))
    assert waiting_answers(tmp_path) == 3  # what was chosen is never collected
    store.note_collection(store.last_answer())
    assert waiting_answers(tmp_path) == 0
    store.add(answered(KEYS[1], "Ben", "no"))
    assert waiting_answers(tmp_path) == 1


def test_each_rater_has_a_secret_that_opens_nothing_else(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second = store.secret_of("Ann"), store.secret_of("Ben")
    assert first != second and len(first) >= 32 and store.secret_of("Ann") == first
    assert store.rater_of(first) == "Ann" and store.rater_of(second) == "Ben"
    assert store.rater_of("") is None and store.rater_of(first[:-1]) is None
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"text", b"SQLite format 3\x00" + b"\xff" * 500])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(PerfAssetsError, match="answers cannot be kept there"):
        Store(tmp_path)


def test_a_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    connect = sqlite3.connect

    def small(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.execute("pragma max_page_count = 12")
        return connection

    store.add(answered(KEYS[0], "Ann", "yes"))
    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(PerfAssetsError, match=r"could not be kept .*full.*: free the disk"):
        store.add(answered(KEYS[1], "Ann", "yes", note="n" * 100_000))
    monkeypatch.undo()
    assert [one.key for one in store.answers()] == [KEYS[0]]


@pytest.mark.parametrize(("overlap", "shared"), [(100, 10), (50, 5), (0, 0)])
def test_so_much_is_judged_by_all(tmp_path: Path, overlap: int, shared: int) -> None:
    store = Store(tmp_path)
    fill(store, KEYS, "random", ["Ann", "Ben"], 1, overlap)
    first, second = store.queue("Ann"), store.queue("Ben")
    assert len({*first} & {*second}) == shared and {*first} | {*second} == {*KEYS}
    assert overlap == 0 or first != second  # each in an order of their own
    fill(store, KEYS, "random", ["Ann", "Ben"], 2, overlap)  # a second time changes nothing there
    assert store.queue("Ann")[: len(first)] == first
    assert store.drawn() == dict.fromkeys(KEYS, "random")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](http://evil.example/x.png)",
        "[x](javascript:alert(1))",
        '<a href="javascript:alert(1)">x</a>',
        '<a href=" data:text/html,<script>alert(1)</script>">x</a>',
        "<svg onload=alert(1)><circle></svg>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
        "<p onclick=alert(1) style='position:fixed'>x</p>",
        "<form action=//evil.example><input><button>x</button></form>",
        "<iframe src=//evil.example></iframe><object data=x></object><embed src=x>",
        "<style>*{display:none}</style><link rel=stylesheet href=//evil.example>",
        "<base href=//evil.example><meta http-equiv=refresh content=0>",
        "\u202etxet\u2066",
        "<details><summary>more</summary>\n\n**bold**\n</details>",
    ],
)
def test_what_strangers_write_does_nothing(text: str) -> None:
    for made in (markdown(text, ["alert", "x"]), html(text), marked_text(text, ["alert"])):
        assert not re.search(r"<(?!/?[a-z])", made.replace("&lt;", ""))
        rest = ALLOWED.sub("", made)
        assert "<" not in rest, rest
        assert not re.search(r'href="\s*(?:javascript|data|vbscript)', made, re.IGNORECASE)
        assert not set("\u202e\u2066") & set(made)


@settings(max_examples=200)
@given(
    st.text(
        alphabet="<>/=\"'& abimgscriptonerrorhref:[]()!`*_\n\t\x00\u202e", min_size=1, max_size=60
    )
)
def test_no_text_makes_a_tag_that_is_not_allowed(text: str) -> None:
    assert "<" not in ALLOWED.sub("", markdown(text, ["a", "script"]))
    assert "<" not in ALLOWED.sub("", html(text))


def test_marks_no_keyword_within_a_character_reference() -> None:
    assert marked_text("a & b <i>", ["amp", "lt", "b"]) == "a &amp; <mark>b</mark> &lt;i&gt;"
    assert marked_text("R&D", ["&", "r&d"]) == "<mark>R&amp;D</mark>"


def test_markdown_is_as_on_github() -> None:
    made = markdown(
        "# T\n\none\ntwo\n\n| a |\n|---|\n| slow |\n\n~~x~~ ![p](https://e.example/a.png)", ["slow"]
    )
    assert "<h1>T</h1>" in made and "one<br>" in made.replace("<br />", "<br>")
    assert "<td><mark>slow</mark></td>" in made and "<s>x</s>" in made
    assert '<a href="https://e.example/a.png"' in made and "<img" not in made
    assert "No text" in markdown(None) and len(markdown("x" * 1_000_000)) < 210_000


def test_a_diff_distinguishes_lines() -> None:
    made = diff("@@ -1 +1 @@\n-<b>old\n+new\n same\n+++ file")
    assert '<span class="removed">-&lt;b&gt;old</span>' in made
    assert (
        '<span class="added">+new</span>' in made and '<span class="same">+++ file</span>' in made
    )


def test_agreement_is_before_discussion() -> None:
    first = ["yes", "yes", "no", "no", "no", "yes"]
    second = ["yes", "no", "no", "no", "yes", "yes"]
    given_answers = [
        *(answered(key, "Ann", one) for key, one in zip(KEYS, first, strict=False)),
        *(answered(key, "Ben", one) for key, one in zip(KEYS, second, strict=False)),
    ]
    (pair,) = pairs(given_answers)
    assert (pair.first, pair.second, pair.both) == ("Ann", "Ben", 6)
    assert pair.kappa.statistic == pytest.approx(1 / 3)  # 4 of 6, by chance one half
    agreed = [answered(KEYS[1], AGREED, "yes"), answered(KEYS[4], AGREED, "yes")]
    assert pairs([*given_answers, *agreed]) == [pair]
    found = disagreements([*given_answers, *agreed])
    assert [one.key for one in found] == [KEYS[1], KEYS[4]]
    assert all(one.agreed is not None for one in found)
    assert verdicts([*given_answers, *agreed])[KEYS[4]] is True
    assert KEYS[4] not in verdicts(given_answers)


def test_causes_are_compared_of_performance_bugs_alone() -> None:
    one = answered(KEYS[0], "Ann", "yes", category="Other", impact="speed")
    other = answered(KEYS[0], "Ben", "yes", category="Other", impact="memory")
    assert [found.questions for found in disagreements([one, other])] == [("impact",)]
    no = answered(KEYS[0], "Ben", "no")
    assert [found.questions for found in disagreements([one, no])] == [("is_performance",)]
    same = replace(other, cells=one.cells)
    assert disagreements([one, same]) == []
    assert len(disagreements([one, replace(same, is_to_discuss=True)])) == 1


def grown(*steps: tuple[str, str, str, str]) -> list[codes.CodeChange]:
    made: list[codes.CodeChange] = []
    for change, name, into, definition in steps:
        made.append(codes.changed("Ann", change, name, into, definition, made))
    return made


def test_the_codebook_grows_and_earlier_answers_follow() -> None:
    changes = grown(
        ("propose", "Slow launch", "", "Many small kernels"),
        ("propose", "Launch cost", "", "The same in other words"),
        ("rename", "Slow launch", "Kernel launch", ""),
        ("merge", "Launch cost", "Kernel launch", ""),
        ("split", "Graph launch", "Kernel launch", "Launches of whole graphs"),
    )
    found = codes.categories(changes)
    assert found["Kernel launch"] == "Many small kernels" and "Graph launch" in found
    assert "Slow launch" not in found and "Launch cost" not in found
    assert codes.present_name("Launch cost", changes) == "Kernel launch"
    assert codes.present_name("Slow launch", changes) == "Kernel launch"
    assert codes.study_name("Kernel launch") is None and codes.study_name("Other") == "Other"
    read = tomllib.loads(codes.as_toml(changes))
    assert [one["name"] for one in read["categories"]] == list(found)
    assert len(read["history"]) == 5
    rows = list(csv.DictReader(io.StringIO(codes.as_table({"Kernel launch": 3}, changes))))
    assert next(row for row in rows if row["category"] == "Kernel launch")["reports"] == "3"


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        (("propose", "", "", "x"), "needs a name"),
        (("propose", "other", "", "x"), "no other one has"),
        (("propose", "New", "", ""), "needs a definition"),
        (("rename", "Other", "New", ""), "only a category that raters proposed"),
        (("merge", "Own", "Nowhere", ""), "needs another category"),
        (("merge", "Own", "Own", ""), "needs another category"),
        (("burn", "Own", "", ""), "is changed by propose"),
        (("propose", "n" * 81, "", "x"), "at most 80"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused(
    step: tuple[str, str, str, str], complaint: str
) -> None:
    before = grown(("propose", "Own", "", "of ours"))
    with pytest.raises(PerfAssetsError, match=complaint):
        codes.changed("Ann", *step, before)
