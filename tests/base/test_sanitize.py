"""Texts from outside, on their way to a reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from perf_assets.base.sanitize import (
    escape_text,
    for_markdown,
    shortened,
    without_controls,
)

HOSTILE = st.text(
    st.sampled_from("[]/\\x`*_<>&|!#()=-+~$:.@w1\x00\x1b\x9b\r\n\t\u202e\u2066\ud800 é😀")
    | st.characters(),
    max_size=40,
)


@given(HOSTILE)
def test_what_is_plain_is_one_line_of_visible_characters(text: str) -> None:
    shown = escape_text(text)
    assert not any(sign in shown for sign in "\x00\x1b\x9b\r\n\t\u202e\u2066\ud800\u2028")
    assert escape_text(shown) == shown
    assert len(shortened(text, 10)) <= 10
    kept = without_controls(text)
    assert [sign for sign in kept if sign < " "] == [sign for sign in text if sign in "\r\n\t"]


MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@given(HOSTILE)
def test_a_markdown_viewer_shows_a_text_as_it_is(text: str) -> None:
    shown = escape_text(text).strip()
    tokens = MARKDOWN.parse(for_markdown(text).strip())
    inline = [child for token in tokens for child in token.children or []]
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    assert {child.type for child in inline} <= {"text", "text_special"}
    assert "".join(child.content for child in inline) == shown
    row = MARKDOWN.parse(f"| a | b |\n| - | - |\n| {for_markdown(text)} | {for_markdown(text)} |")
    assert [token.type for token in row].count("td_open") == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("![x](http://y) [z](javascript:1)", r"!\[x\](http\://y) \[z\](javascript:1)"),
        ("<http://y> https://y www.y a@b.c", r"&lt;http\://y&gt; https\://y www\.y a\@b.c"),
        ("# head", r"\# head"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("a | b", r"a \| b"),
        ("`code` **bold** _it_ ~~no~~", r"\`code\` \*\*bold\*\* \_it\_ \~\~no\~\~"),
        ("&#60;b>", r"&amp;\#60;b&gt;"),
        ("a\n\n# b", r"a  \# b"),
        ("\\[x](y)", r"\\\[x\](y)"),
        ("sample-lab/tensorkit 2020-01 0.5", "sample-lab/tensorkit 2020-01 0.5"),
    ],
)
def test_no_text_is_rendered_as_markdown(text: str, shown: str) -> None:
    assert for_markdown(text) == shown
