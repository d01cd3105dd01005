"""Long texts are read in linear time, and to the right result."""

import time
from collections.abc import Callable

import pytest

from perf_assets.core.languages import code_lines
from perf_assets.core.markdown import is_ticked, normal_form, visible_lines
from perf_assets.core.people.forgetting import Forgotten
from perf_assets.core.people.mailmap import Mailmap
from perf_assets.core.posts import text_and_code

TIMES, LENGTH, MOST_RATIO, FLOOR = 16, 4_000, 64, 0.05  # quadratic: 256 times as long

READERS: dict[str, Callable[[str], object]] = {
    "visible_lines": visible_lines,
    "is_ticked": is_ticked,
    "normal_form": normal_form,
    "text_and_code": text_and_code,
    "code_lines": lambda text: code_lines("a.py", text),
    "forgotten": Forgotten(b"key").text,
    "mailmap": Mailmap.parse,
}
UNITS = (
    *("<!--\n", "<!---->", "a<!---->", "```a<!---->`", "<!-- ->", "<!<!---->--", "<a ", '<a b="'),
    *("\n", " ", " \n", "<", ">", "`", "```\n", "~", "a", "a1", "_", "@", "a@", "(", "[", "{"),
    *("#", "'", "\\", "- ", "+", "1.", "&", "a.b"),
)


def seconds(read: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    read(text)
    return time.thread_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_reads_repeated_parts_in_linear_time(name: str) -> None:
    read = READERS[name]
    slow = {}
    for unit in UNITS:
        short, long = (unit * (size // len(unit)) for size in (LENGTH, TIMES * LENGTH))
        if seconds(read, long) > FLOOR:  # a pause of the interpreter counts too
            taken = min(seconds(read, long) for _ in range(3))
            ratio = taken / min(seconds(read, short) for _ in range(5))
            if ratio > MOST_RATIO:
                slow[unit] = ratio
    assert slow == {}


def test_lines_of_comments_without_an_end_are_text() -> None:
    assert visible_lines("<!--\n" * 13_000 + "slow") == ["<!--"] * 13_000 + ["slow"]


def test_comments_of_one_line_are_left_out() -> None:
    assert visible_lines("a<!-- ` -->" * 10_000 + "b\nc") == ["a" * 10_000 + "b", "c"]


def test_what_remains_beside_a_comment_may_open_a_comment_or_a_fence() -> None:
    assert visible_lines("<!<!-- x -->-- y -->z") == ["z"]
    assert visible_lines("``<!-- x -->`\ncode\n```\ntext") == ["text"]
    assert visible_lines("```a<!-- ` -->\ncode\n```\ntext") == ["text"]


def test_a_number_of_60000_digits_is_a_line_of_code() -> None:
    number = "0x" + "a1" * 30_000
    assert code_lines("k.py", f"K = {number}\n\n# {number}\nlimit = 1\n") == {1, 4}


def test_tags_and_comments_without_an_end_are_text() -> None:
    assert text_and_code("<p>a</p>" + "<b " * 3) == ("a\n<b <b <b", None)
    assert text_and_code("a <!-- <b> c") == ("a <!-- <b> c", None)


@pytest.mark.parametrize("text", ["<![x]>", "a <![ > b", "<![a-b[>"])
def test_sections_of_no_known_kind_are_text(text: str) -> None:
    assert text_and_code(f"<p>why</p>{text}") == (f"why\n{text}", None)


def test_addresses_within_words_are_replaced() -> None:
    forgotten = Forgotten(b"key").adding("ann", ["ann@example.org"])
    hidden = forgotten.email("ann@example.org")
    long = "x" * 60_000
    assert forgotten.text(f"{long} @bob ann@example.org {long}") == f"{long} @bob {hidden} {long}"
