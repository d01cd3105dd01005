"""The text of a Python file from its bytes, as Python itself would read them."""

from __future__ import annotations

import codecs
import tokenize

from perf_assets.lint.findings import Unreadable

_SHOWN = 60  # characters of what Python says of an encoding, which may quote the file


def decoded(content: bytes) -> str:
    r"""Return the text of a module, its lines ended by ``\n``.

    The encoding is that of the byte order mark or of the comment in one of the first two lines
    (PEP 263), else UTF-8.

    Raises
    ------
    Unreadable
        With the reason ``encoding``: Python knows no such encoding, or the bytes are none of it.
    """
    lines = iter(content[:4096].splitlines(keepends=True))
    try:
        name, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    except SyntaxError as error:
        raise Unreadable("encoding", str(error.msg)[:_SHOWN]) from None
    return with_plain_lines(_text(content, name))


def decoded_notebook(content: bytes) -> str:
    """Return the text of a notebook, which is JSON in UTF-8, with or without a byte order mark.

    Raises
    ------
    Unreadable
        With the reason ``encoding``: the bytes are not UTF-8.
    """
    return _text(content, "utf-8-sig")


def with_plain_lines(text: str) -> str:
    r"""``text`` with its lines ended by ``\n`` alone, as Python's parser counts them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _text(content: bytes, name: str) -> str:
    try:
        # Some codecs turn bytes into bytes, which decode() refuses.
        return content.decode(name)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable("encoding", f"line {line} is not {_shown(name)}") from None
    except (LookupError, UnicodeError, ValueError) as error:
        raise Unreadable("encoding", str(error)[:_SHOWN]) from None


def _shown(name: str) -> str:
    return codecs.lookup(name).name.removesuffix("-sig")
