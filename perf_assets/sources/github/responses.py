"""What GitHub's answers must look like: what is taken from one goes through :func:`checked`."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from perf_assets.base.config_files import reason
from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.sources.github.gaps import Flaw, Way, at, innermost_entry
from perf_assets.sources.github.issue_types import TAGS
from perf_assets.sources.json_answers import AnswerError, unusable_answer
from perf_assets.sources.scalars import LARGEST

Shape = TypeVar("Shape")


def checked(
    shape: type[Shape],
    data: object,
    subject: str,
    numbers: Mapping[str, int],
    hide: Callable[[str], str] = str,
) -> Shape:
    """Return ``data``, from an answer about ``subject``, in its ``shape``.

    ``numbers`` are the issues that parts of the data belong to, by key, where it does not say so.
    ``hide`` takes what is secret out of a sentence.

    Raises
    ------
    AnswerError
        The first thing that is off, in one sentence: repository#number, field, reason and value.
    """
    try:
        return cast(Shape, _adapter(cast(Hashable, shape)).validate_python(data))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    number, why = _why(data, first, numbers, hide)
    raise unusable(subject if number is None else f"{subject}#{number}", why)


def _why(
    data: object, error: ErrorDetails, numbers: Mapping[str, int], hide: Callable[[str], str]
) -> tuple[int | None, str]:
    """Return the number of the issue that an error is in, and field, reason and value."""
    number, field = _location(data, error["loc"], numbers)
    shown = "" if error["type"] == "missing" else f" ({_shown(error['input'], hide)})"
    return number, hide(escape_text(f"{field}: {reason(error)}")) + shown


def usable(
    shape: type[Shape],
    data: Any,  # noqa: ANN401
    subject: str,
    numbers: Mapping[str, int],
    hide: Callable[[str], str] = str,
) -> tuple[Shape, list[Flaw]]:
    """Return ``data`` in its ``shape``, and what is not usable in it.

    What is off costs the innermost entry of a list that holds it: that entry is null then.

    Raises
    ------
    AnswerError
        As :func:`checked`, for what is off outside of lists.
    """
    flaws: list[Flaw] = []
    while True:
        try:
            return cast(Shape, _adapter(cast(Hashable, shape)).validate_python(data)), flaws
        except ValidationError as error:
            errors = error.errors(include_url=False)
        found: dict[Way, Flaw] = {}
        for error_entry in errors:
            entry = innermost_entry(_way(data, error_entry["loc"]))
            if entry is None or at(data, entry) is None:
                checked(shape, data, subject, numbers, hide)
            elif entry not in found:
                found[entry] = Flaw(entry, "unusable", _why(data, error_entry, numbers, hide)[1])
        for entry, flaw in sorted(found.items(), key=lambda pair: len(pair[0])):
            held, holder = at(data, entry), at(data, entry[:-1])
            if holder is not None:  # else it was part of another one
                flaws.append(replace(flaw, entry=held if isinstance(held, dict) else {}))
                holder[entry[-1]] = None


def _way(data: object, location: Sequence[int | str]) -> Way:
    """Return ``location`` without the names of types, and without a key that is missing."""
    way: list[int | str] = []
    for part in location:
        try:
            data = data[part]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            continue
        way.append(part)
    return tuple(way)


def unusable(subject: str, why: str) -> AnswerError:
    """Return the sentence about an answer on ``subject``: a repository, or an issue of it."""
    return unusable_answer("GitHub", subject, why)


@cache
def _adapter(shape: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(shape)  # type: ignore[arg-type]


def _location(
    data: object, location: Sequence[int | str], numbers: Mapping[str, int]
) -> tuple[int | None, str]:
    """Return the issue that ``location`` is in, if it is in one, and the way from there."""
    number, start = None, 0
    found: Any = data
    for depth, part in enumerate(location, 1):
        try:
            found = found[part]
        except (KeyError, IndexError, TypeError):
            break  # what is missing, or the name of a type
        if part in numbers:
            number, start = numbers[str(part)], depth
        elif number is None and isinstance(part, int) and isinstance(found, dict):
            candidate = found.get("number")
            if isinstance(candidate, int) and 0 < candidate <= LARGEST:
                number, start = candidate, depth
    parts = [part for part in location[start:] if part not in TAGS]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return number, field.removeprefix(".") or "data"


def _shown(value: object, hide: Callable[[str], str]) -> str:
    if value is None:
        return "null"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = escape_text(value) if isinstance(value, str) else repr(value)
    return shortened(repr(hide(text)) if isinstance(value, str) else text, 60)
