"""Validation of documents that people write (YAML, TOML, JSON), with one sentence per mistake."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Strict, TypeAdapter, ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, shortened

Checked = TypeVar("Checked")

# Messages that replace those of pydantic where these are unclear to a user.
REASONS = {
    "missing": "this key is missing",
    "model_type": "a table of keys and values is needed here",
    "dict_type": "a table of keys and values is needed here",
    "string_type": "a text is needed here",
    "list_type": "a list is needed here",
    "tuple_type": "a list is needed here",
    "int_type": "a whole number is needed here",
    "bool_type": "true or false is needed here",
    "union_tag_invalid": "the kind of this value is unknown",
    "union_tag_not_found": "the key that names the kind is missing",
}


CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
LONGEST = 1000  # characters
MOST_NAMED = 12  # candidates in a sentence


def _stripped(value: str) -> str:
    if CONTROL.search(value) or len(value) > LONGEST:
        raise ValueError(
            f"a text of at most {LONGEST:,} characters without control characters is needed here"
        )
    return value.strip()


def _filled(value: str) -> str:
    if not value:
        raise ValueError("a text that is not blank is needed here")
    return value


# A list in a document; the formats have no tuples.
Entry = TypeVar("Entry")
Many = Annotated[tuple[Entry, ...], Strict(strict=False)]
Distinct = Annotated[Many[Entry], AfterValidator(lambda entries: tuple(dict.fromkeys(entries)))]
"""A list whose repeated entries are dropped."""
TextOrBlank = Annotated[str, AfterValidator(_stripped)]
Text = Annotated[TextOrBlank, AfterValidator(_filled)]


class SensitiveValueError(ValueError):
    """A mistake in a value that must not be shown, as it may hold a secret."""


class StrictModel(BaseModel):
    """A document or a part of it, with known keys only and values as written."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def validate(
    shape: type[Checked],
    content: object,
    origin: Path | str,
    context: Mapping[str, Any] | None = None,
) -> Checked:
    """Return ``content``, read from ``origin``, as ``shape``; its validators see ``context``.

    Raises
    ------
    PerfAssetsError
        The first mistake, with origin, key, reason and value, and the nearest known key or value.
    """
    try:
        value: Checked = _adapter(shape).validate_python(  # type: ignore[arg-type]
            content, context=context
        )
        return value
    except ValidationError as error:
        raise PerfAssetsError(f"{origin}: {escape_text(_sentence(error, shape))}") from None


@cache
def _adapter(shape: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(shape)  # type: ignore[arg-type]


def nearest(word: object, candidates: Iterable[object]) -> str:
    """Return ``did you mean X?`` if a candidate is like ``word``, else the first candidates.

    Of candidates such as ``marts.bug_metrics``, ``bug_metrics`` is like one too.
    """
    words = [str(entry) for entry in candidates]
    tails = {entry.rpartition(".")[2]: entry for entry in reversed(words)}
    match = get_close_matches(str(word), words, 1) or get_close_matches(str(word), tails, 1)
    if match:
        return f"did you mean {tails.get(match[0], match[0])}?"
    more = len(words) - MOST_NAMED
    named = ", ".join(words[:MOST_NAMED])
    return f"known are {named}" + (f" and {more:,} more" if more > 0 else "")


def _sentence(error: ValidationError, shape: object) -> str:
    entries = error.errors(include_url=False)
    # A key that is misspelt is unknown, and missing under its right name.
    first = next((entry for entry in entries if entry["type"] == "extra_forbidden"), entries[0])
    location = first["loc"]
    if first["type"] == "extra_forbidden":
        hint = nearest(location[-1], _keys(shape, location[:-1]))
        return f"{_path(location)}: unknown key; {hint}"
    where = f"{_path(location)}: " if location else ""
    if first["type"] == "missing" and isinstance(first["input"], Mapping):
        keys = _keys(shape, location[:-1])
        unknown = [str(key) for key in first["input"] if key not in keys]
        alike = get_close_matches(str(location[-1]), unknown, 1)
        return f"{where}{reason(first)}{f'; is {alike[0]} it?' if alike else ''}"
    is_secret = isinstance(first.get("ctx", {}).get("error"), SensitiveValueError)
    # A whole table may hold a secret in another of its keys, an address before its @.
    is_shown = location and not is_secret and not isinstance(first["input"], Mapping)
    shown, words = _shown(first["input"]) if is_shown else "", reason(first)
    if shown and words.startswith("this is "):
        return f"{where}{shown} {words.removeprefix('this ')}"
    return f"{where}{words}{f' ({shown})' if shown else ''}"


def reason(error: Mapping[str, Any]) -> str:
    """Return the reason why pydantic refuses a value, in words for users."""
    if error["type"] == "literal_error":
        allowed = str(error["ctx"]["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
        return f"this is not a known value; {nearest(error['input'], allowed)}"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    words = str(error["msg"])
    return REASONS.get(error["type"], words[0].lower() + words[1:])


def _path(location: Iterable[int | str]) -> str:
    """Return a path such as ``repositories[2].name``; entries of lists are counted from 1."""
    text = ""
    for part in location:
        # A key may be an address by mistake, with a secret before its @.
        key = str(part).rpartition("@")[2]
        text += f"[{part + 1}]" if isinstance(part, int) else f".{shortened(key, 60)}"
    return text.removeprefix(".")


def _keys(shape: object, parents: Iterable[int | str]) -> list[str]:
    """Return the keys that the part of ``shape`` at ``parents`` has."""
    for part in parents:
        fields = getattr(shape, "model_fields", {})
        named = (field for name, field in fields.items() if part in (name, field.alias))
        shape = _document_in(getattr(next(named, None), "annotation", shape))
    fields = getattr(_document_in(shape), "model_fields", {})
    return [field.alias or name for name, field in fields.items()]


def _document_in(annotation: object) -> object:
    """Return the document in a type such as ``dict[str, X]`` or ``tuple[X, ...] | None``."""
    for inner in getattr(annotation, "__args__", ()):
        found = _document_in(inner)
        if hasattr(found, "model_fields"):
            return found
    return annotation


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python does not print a number of thousands of digits.
        return "a number that is too long to show"
    return shortened(text, 60) if "@" not in text else ""
