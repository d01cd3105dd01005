"""JSON that sources answer with: read with limits, or refused in a sentence."""

import json
from typing import NoReturn

from pydantic_core import from_json

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import whole_characters


class AnswerError(PerfAssetsError):
    """Something in an answer is not as its source documents it: what, of which issue."""


def read_json(text: str) -> object:
    """Return the content of a JSON text, with halves of characters as U+FFFD.

    Raises
    ------
    ValueError
        It is none, or has numbers that are none, or what is too long or too deep to read.
    """
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        if "\\ud" not in text.lower():
            raise
    try:
        return whole_characters(json.loads(text, parse_constant=_no_number))
    except RecursionError:
        raise ValueError("it is too deep to read") from None


def unusable_answer(host: str, subject: str, why: str) -> AnswerError:
    """Return the sentence about an answer of ``host`` on ``subject``, a project or an issue."""
    return AnswerError(
        f"{subject}: {host}'s answer cannot be used: {why}; run again later, what was stored is "
        "kept"
    )


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
