"""Bytes are read as Python reads them."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.files.decoding import decoded, decoded_notebook
from perf_assets.lint.findings import Unreadable


@pytest.mark.parametrize(
    "content",
    [
        b"x = 'a'",
        "x = 'é'".encode(),
        b"\xef\xbb\xbfx = 'a'",
        b"\xef\xbb\xbf# coding: utf-8\nx = 'a'",
        "# -*- coding: latin-1 -*-\nx = 'é'".encode("latin-1"),
        "#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nx = 'ж'".encode("cp1251"),
        "# coding: euc-jp\nx = '日本'".encode("euc-jp"),
        b"x = 1\r\ny = '''a\r\nb'''\rz = 3",
        b"",
    ],
)
def test_a_text_is_what_python_reads(content: bytes) -> None:
    assert ast.dump(ast.parse(decoded(content))) == ast.dump(ast.parse(content))
    assert "\r" not in decoded(content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x = 1\ny = '\xe9'", "line 2 is not utf-8"),
        (b"# coding: klingon\nx = 1", "klingon"),
        (b"# coding: rot13\nk = 1", "rot13"),
        (b"# coding: hex\n00", "hex"),
        (b"\xef\xbb\xbf# coding: latin-1\nx = 1", "encoding problem"),
        (b"# coding: ascii\nx = '\xe9'", "line 2 is not ascii"),
        (b"\xff\xfex\x00 \x00=\x00", "encoding declaration"),
        (b"# coding: " + b"x" * 4000, "unknown encoding"),
    ],
)
def test_what_python_cannot_read_is_reported(content: bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=words) as caught:
        decoded(content)
    assert caught.value.reason == "encoding"
    assert len(str(caught.value)) <= 80


def test_a_notebook_is_utf_8() -> None:
    assert decoded_notebook(b'\xef\xbb\xbf{"a": "\xc3\xa9"}') == '{"a": "é"}'
    with pytest.raises(Unreadable, match="line 2 is not utf-8"):
        decoded_notebook(b'{"a":\n"\xe9"}')


@given(st.binary(max_size=60))
def test_bytes_are_text_or_refused_and_nothing_else(content: bytes) -> None:
    try:
        text = decoded(content)
    except Unreadable as error:
        assert error.reason == "encoding"
    else:
        assert "\r" not in text
