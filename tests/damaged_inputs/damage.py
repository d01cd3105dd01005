"""Damaged and hostile inputs made of valid ones: of bytes, of text, of values, by chance alone.

Everything is a function of what is valid and of one source of chance, so a seed makes the same
input again, as long as nothing is changed here.
"""

import codecs
import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

Way = tuple[str | int, ...]

HUGE = "x" * 70_000
NUMBERS = (
    *(-1, 0, 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**40),
    *(1.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"), float("-inf")),
)
TEXTS = (
    *("", " ", "\x00", "a\x00b", "\ufeff", "\n", "\r\n", "\x1b[2J", "\u202e", "\u2028", "\ud800"),
    *("x\udc80", "\ufffd", "\U0001f468\u200d\U0001f469", "..", "/", "../../x", "-x", "~", "~x"),
    *("%00", "%s", "{}", "[/x]", "'; DROP TABLE raw.issues; --", "$(id)", "=1+1", "NaN", "null"),
    *("0000-00-00", "0000-01", "9999-12", "10000-01", "2020-13", "9999-12-31T23:59:59-14:00"),
    *("0001-01-01T00:00:00+14:00", "99999999999999999999", "-1", "1e999", "0x10", "\u0661"),
    *("file:///etc/passwd", "http://[", "https://user:word@host/", "s3://", "sc://x:99999999"),
    *("x" * 300, HUGE, "é" * 255, "/".join(["x"] * 3000), "9" * 5000),
)
OTHERS: tuple[object, ...] = (True, False, None, [], {}, [None], [[[]]], {"": None}, [{}])
# What means something to one of the formats, or to whoever reads it.
TOKENS = (
    *(b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", codecs.BOM_UTF8, b"\xed\xa0\x80", b"\xc0\x80"),
    *(b'"', b"'", b"\\", b"\\ud800", b"\\u0000", b"\n", b"\r", b"\r\n", b",", b";", b"\t", b"="),
    *(b"[" * 3000, b"{" * 3000, b"]", b"}", b"[[", b"#", b"<", b">", b"<!ENTITY x 'y'>", b"&x;"),
    *(b"]]>", b"<?xml version='1.0' encoding='utf-7'?>", b"-->", b"NaN", b"Infinity", b"-", b"0x"),
    *(b"9" * 5000, b"1e999999999", b"99999999999999999999", b"1.7976931348623157e309", b"null"),
    *(b"a=" + b"{a=" * 500, b"a." * 3000 + b"a=1", b'{"a":' * 3000, b"(" * 500, b"\x1a", b"\x0c"),
)
LITERAL = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|\b(?:true|false|null)\b')


def damaged(valid: bytes, chance: random.Random) -> bytes:
    """``valid`` with one to a few mistakes in its bytes, or in its encoding."""
    if chance.random() < 0.06:
        return encoded_otherwise(valid, chance)
    content = bytearray(valid)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        chance.choice(BYTE_MISTAKES)(content, chance)
    return bytes(content)


def text_damaged(valid: bytes, chance: random.Random) -> bytes:
    """``valid`` with mistakes where they get furthest: in the values of a text of any format."""
    content = valid
    for _ in range(chance.choice((1, 1, 2, 4))):
        content = _literal_replaced(content, chance)
    return content if chance.random() < 0.7 else damaged(content, chance)


def encoded_otherwise(valid: bytes, chance: random.Random) -> bytes:
    """``valid``, a text, in another encoding, or with marks of one."""
    text = valid.decode("utf-8", "surrogateescape")
    name = chance.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "cp1252", "utf-8-sig", "cp500"))
    return text.encode(name, "replace")


def spoilt(value: object, chance: random.Random) -> Any:
    """A copy of ``value``, as JSON or TOML have it, with one to a few parts of it changed."""
    whole = {"": copy.deepcopy(value)}
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        _spoil(whole, chance)
    return whole[""]


def hostile(old: object, chance: random.Random) -> object:
    """Something to stand where ``old`` stood."""
    if isinstance(old, list) and old and chance.random() < 0.3:
        return chance.choice((old * 2, old[::-1], [*old, None], old[:1], {"0": old}, old * 400))
    if isinstance(old, str) and chance.random() < 0.3:
        position = chance.randrange(len(old) + 1)
        return old[:position] + chance.choice(TEXTS) + old[position:]
    if isinstance(old, int) and not isinstance(old, bool) and chance.random() < 0.5:
        return chance.choice((*NUMBERS, old + 1, -old, str(old), float(old) if old < 1e9 else 0.5))
    if chance.random() < 0.05:
        return nested(chance.choice((10, 60, 200)), chance)
    return chance.choice((*TEXTS, *NUMBERS, *OTHERS))


def nested(depth: int, chance: random.Random) -> object:
    """A value so many levels deep."""
    value: object = None
    for _ in range(depth):
        value = [value] if chance.random() < 0.5 else {"x": value}
    return value


def json_of(value: object, chance: random.Random) -> bytes:
    """``value`` as JSON, now and then with a key twice, or with text as it is."""
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.1 and text.startswith("{"):
        text = text[:-1] + chance.choice((", ", "")) + text[1:]
    return text.encode("utf-8", "surrogatepass")


def toml_of(table: object) -> bytes:
    """``table`` as TOML: its own keys, tables within it as inline ones."""
    if not isinstance(table, dict):
        return _toml_value(table).encode("utf-8", "surrogatepass")
    lines = (f"{_toml_key(key)} = {_toml_value(value)}\n" for key, value in table.items())
    return "".join(lines).encode("utf-8", "surrogatepass")


def ways(value: object, way: Way = ()) -> Iterator[Way]:
    """The ways to the parts of a value, the outer ones first."""
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    for key, inner in pairs:
        yield (*way, key)
        if len(way) < 12:
            yield from ways(inner, (*way, key))


def _spoil(whole: dict[str, Any], chance: random.Random) -> None:
    *parents, last = chance.choice(list(ways(whole)) or [("",)])
    holder: Any = whole
    for part in parents:
        holder = holder[part]
    kind = chance.random()
    if kind < 0.12 and parents:
        del holder[last]
    elif kind < 0.2 and isinstance(holder, dict) and parents:
        holder[chance.choice((*TEXTS, str(last) + "s"))] = holder.pop(last)
    elif isinstance(holder, (dict, list)) and (last in holder or isinstance(last, int)):
        old = holder[last]  # type: ignore[index]
        holder[last] = copy.deepcopy(hostile(old, chance))  # type: ignore[index]


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _toml_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        pairs = (f"{_toml_key(key)} = {_toml_value(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, int | float):
        return repr(value)
    return '""' if value is None else json.dumps(str(value), ensure_ascii=False)


def _literal_replaced(content: bytes, chance: random.Random) -> bytes:
    literals = list(LITERAL.finditer(content))
    if not literals:
        return damaged(content, chance)
    found = chance.choice(literals)
    quoted = json_of(hostile(found[0].decode("utf-8", "replace").strip('"'), chance), chance)
    return content[: found.start()] + quoted + content[found.end() :]


def _position(content: bytearray, chance: random.Random) -> int:
    return chance.randrange(len(content) + 1)


def _flip(content: bytearray, chance: random.Random) -> None:
    if content:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def _set(content: bytearray, chance: random.Random) -> None:
    if content:
        content[chance.randrange(len(content))] = chance.choice(
            (0, 1, 0x7F, 0x80, 0xFF, 0x22, 0x5B)
        )


def _cut(content: bytearray, chance: random.Random) -> None:
    del content[_position(content, chance) :]


def _take_out(content: bytearray, chance: random.Random) -> None:
    position = _position(content, chance)
    del content[position : position + chance.choice((1, 2, 8, 100, 5000))]


def _insert(content: bytearray, chance: random.Random) -> None:
    position = _position(content, chance)
    content[position:position] = chance.choice(TOKENS)


def _repeat(content: bytearray, chance: random.Random) -> None:
    position = _position(content, chance)
    part = bytes(content[position : position + chance.choice((1, 10, 300))])
    other = chance.choice((position, _position(content, chance)))
    content[other:other] = part * chance.choice((1, 2, 30))


def _blank(content: bytearray, chance: random.Random) -> None:
    position = _position(content, chance)
    length = min(chance.choice((1, 8, 512, 4096)), len(content) - position)
    content[position : position + length] = bytes(length)


def _line_gone(content: bytearray, chance: random.Random) -> None:
    lines = bytes(content).splitlines(keepends=True)
    if lines:
        position = chance.randrange(len(lines))
        other = chance.randrange(len(lines))
        lines[position : position + 1] = chance.choice(([], [lines[other]], [lines[position]] * 2))
        content[:] = b"".join(lines)


BYTE_MISTAKES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    *(_flip, _flip, _set, _cut, _take_out, _insert, _insert, _repeat, _blank, _line_gone),
)
