"""Texts that are worst for a regular expression, and how long it takes on them.

They follow from the parsed pattern: beginnings of what it matches and members of its character
classes, repeated, with an end that it may not match.
"""

import dataclasses
import itertools
import re
import signal
import time
from collections.abc import Iterable, Iterator
from re import _constants as opcodes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from tests.regular_expressions import SCANNING, Use

MOST_SAMPLES, MOST_UNITS, MOST_CHARACTERS, MOST_MIXED = 24, 10, 6, 120
MOST_SECONDS = 0.2  # a short text that takes longer is the one to look at


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A text of any length on which a pattern may have to try again.

    It is ``head``, then ``unit`` repeated, then ``second`` repeated as often, then ``end``.
    """

    head: str
    unit: str
    second: str
    end: str

    def text(self, length: int) -> str:
        """Return the text of about ``length`` characters."""
        size = length // 2 if self.second else length
        parts = (part * (size // len(part)) for part in (self.unit, self.second) if part)
        return "".join((self.head, *parts, self.end))


def recipes(pattern: re.Pattern[Any]) -> list[Recipe]:
    """Return the recipes of texts that may be worst for a pattern, a few hundred at most."""
    source = pattern.pattern
    if isinstance(source, bytes):
        source = source.decode("latin-1")
    parsed = parser.parse(source, pattern.flags & ~re.UNICODE & ~re.DEBUG)
    samples = [text for text in dict.fromkeys(_samples(parsed, {})) if text]
    cuts = {text[:end] for text in samples for end in range(1, len(text) + 1)}
    units = [*_some(samples, MOST_UNITS), *_some(sorted(cuts), 2 * MOST_UNITS)]
    heads = _some(units, MOST_UNITS)
    characters = _some(_characters(parsed), MOST_CHARACTERS)
    characters = list(dict.fromkeys([*characters, *" \na"]))
    ends = ["", "\0", "\n!", *_some(_literals(parsed), 3)]
    repeated = [Recipe("", unit, "", end) for unit in units for end in ("", "\0", ends[-1])]
    repeated += [Recipe("", unit, "", end) for unit in characters for end in ends]
    found: list[Recipe] = []
    for end in ("\0", ends[-1]):
        for head, character in itertools.product(heads, characters):
            found += [
                Recipe(head, character, "", end),
                Recipe("", head + character, "", end),
                Recipe("", head, character, end),
            ]
        for first, second in itertools.permutations(characters, 2):
            found += [Recipe("", first + second, "", end), Recipe(first, second, first, end)]
    return list(dict.fromkeys([*repeated, *_some(found, MOST_MIXED)]))


def _some(values: Iterable[Any], most: int) -> list[Any]:
    """Return at most ``most`` different values, evenly chosen."""
    found = list(dict.fromkeys(values))
    return (
        found
        if len(found) <= most
        else [found[place * len(found) // most] for place in range(most)]
    )


def text_for(pattern: re.Pattern[Any], recipe: Recipe, length: int) -> Any:
    """Return the text of a recipe, of the type that a pattern is applied to."""
    text = recipe.text(length)
    return text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text


def _samples(parsed: Iterable[Any], groups: dict[int, str]) -> list[str]:
    """Return some short texts that a parsed pattern matches, but for assertions."""
    found = [""]
    for part in parsed:
        found = [before + after for after in _samples_of(part, groups) for before in found][
            :MOST_SAMPLES
        ]
    return found


def _samples_of(part: Any, groups: dict[int, str]) -> list[str]:
    code, value = part
    if code is opcodes.LITERAL:
        return [chr(value)]
    if code in {opcodes.IN, opcodes.NOT_LITERAL, opcodes.ANY}:
        return list(_members(part))[:2] or ["x"]
    if code is opcodes.BRANCH:
        return list(itertools.chain.from_iterable(_samples(one, groups)[:3] for one in value[1]))
    if code is opcodes.SUBPATTERN:
        inner = _samples(value[3], groups)
        groups[value[0]] = inner[0] if inner else ""
        return inner
    if code is opcodes.ATOMIC_GROUP:
        return _samples(value, groups)
    if code in {opcodes.MAX_REPEAT, opcodes.MIN_REPEAT, opcodes.POSSESSIVE_REPEAT}:
        least, most, inner = value
        each = _samples(inner, groups)[:4]
        least_text = [one * least for one in each]
        more = [one * min(int(most), least + 1) for one in each]
        return [*more, *least_text]
    if code is opcodes.GROUPREF:
        return [groups.get(value, "")]
    return [""]


def _characters(parsed: Iterable[Any]) -> Iterator[str]:
    """Yield characters that a parsed pattern has, and some of each of its classes."""
    for code, value in parsed:
        if code is opcodes.LITERAL:
            yield chr(value)
        elif code in {opcodes.IN, opcodes.NOT_LITERAL, opcodes.ANY}:
            yield from _members((code, value))
        elif code is opcodes.BRANCH:
            for one in value[1]:
                yield from _characters(one)
        elif code is opcodes.SUBPATTERN:
            yield from _characters(value[3])
        elif code is opcodes.ATOMIC_GROUP:
            yield from _characters(value)
        elif code in {opcodes.MAX_REPEAT, opcodes.MIN_REPEAT, opcodes.POSSESSIVE_REPEAT}:
            yield from _characters(value[2])
        elif code in {opcodes.ASSERT, opcodes.ASSERT_NOT}:
            yield from _characters(value[1])


def _literals(parsed: Iterable[Any]) -> Iterator[str]:
    """Yield the single characters that a parsed pattern requires somewhere."""
    for code, value in parsed:
        if code is opcodes.LITERAL:
            yield chr(value)
        elif code is opcodes.SUBPATTERN:
            yield from _literals(value[3])
        elif code in {opcodes.MAX_REPEAT, opcodes.MIN_REPEAT, opcodes.POSSESSIVE_REPEAT}:
            yield from _literals(value[2])


def _members(part: Any) -> Iterator[str]:
    """Yield up to three characters that one element of a pattern matches."""
    code, value = part
    if code is opcodes.ANY:
        yield from "x "
        return
    if code is opcodes.NOT_LITERAL:
        yield "y" if value == ord("x") else "x"
        return
    test = re.compile(_class_source(value))
    yield from itertools.islice((one for one in "a1_ \n-.,:/\"'`#<(=\0" if test.match(one)), 3)
    for kind, content in value:
        if kind is opcodes.LITERAL and value[0][0] is not opcodes.NEGATE:
            yield chr(content)


def _class_source(members: Any) -> str:
    categories = {
        opcodes.CATEGORY_DIGIT: r"\d",
        opcodes.CATEGORY_NOT_DIGIT: r"\D",
        opcodes.CATEGORY_SPACE: r"\s",
        opcodes.CATEGORY_NOT_SPACE: r"\S",
        opcodes.CATEGORY_WORD: r"\w",
        opcodes.CATEGORY_NOT_WORD: r"\W",
    }
    source = ""
    for kind, content in members:
        if kind is opcodes.NEGATE:
            source += "^"
        elif kind is opcodes.LITERAL:
            source += re.escape(chr(content)) if content else r"\0"
        elif kind is opcodes.RANGE:
            source += "-".join(re.escape(chr(end)) if end else r"\0" for end in content)
        else:
            source += categories[content]
    return f"[{source}]"


def seconds(use: Use, recipe: Recipe, length: int, limit: float) -> float:
    """Return the CPU seconds of this thread that all methods of a pattern take on a text.

    They are ``limit`` where they would be more, by the CPU time of the process.
    """
    text = text_for(use.pattern, recipe, length)

    def stop(*_: object) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    start = time.thread_time()
    try:
        if use.methods & SCANNING:
            for _ in use.pattern.finditer(text):
                pass
        if "match" in use.methods:
            use.pattern.match(text)
        if "fullmatch" in use.methods:
            use.pattern.fullmatch(text)
        return time.thread_time() - start
    except _OutOfTimeError:
        return limit
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class _OutOfTimeError(Exception):
    """A pattern takes longer than the limit."""


def slowest_recipes(use: Use, length: int, number: int) -> list[Recipe]:
    """Return the recipes of texts of ``length`` that take longest, ``number`` of them."""
    timed = []
    for recipe in recipes(use.pattern):
        taken = seconds(use, recipe, length, MOST_SECONDS)
        if taken >= MOST_SECONDS:
            return [recipe]
        timed.append((taken, recipe))
    return [recipe for _, recipe in sorted(timed, key=lambda one: one[0])[-number:]]
