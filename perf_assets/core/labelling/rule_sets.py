"""The rule set `performance-2026`: evidence by what stands where in a report.

In the title any word of the vocabulary counts. In the first paragraph words of memory and of hangs
count, and of speed two different ones. The form that the reporter chose counts, as does a field
about performance that the reporter filled, and a tag of the title such as ``[Performance]:``, which
the form puts there. What stands elsewhere, as in later text and in logs, does not count, and what
is denied ("no memory leak") does not either.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from perf_assets.core.labelling.places import places_of
from perf_assets.core.labelling.vocabulary import SPEED, WORDS

PAPER, PERFORMANCE_2026 = "paper", "performance-2026"

TITLE, TITLE_PREFIX, FIRST_PARAGRAPH = "title", "title_prefix", "first_paragraph"
FORM, FORM_FIELD = "form", "form_field"
STRONG_PLACES = (TITLE, TITLE_PREFIX, FORM)
FEWEST_OF_SPEED = 2
"""Words of speed in a first paragraph: a single one is often said in passing."""

_FOUND_BY = {name: re.compile(word.pattern) for name, word in WORDS.items() if word.alone}


def evidence_by_place(
    title: str | None, body: str | None, form: Mapping[str, Any] | None, kinds: Collection[str]
) -> Iterator[tuple[str, str, bool]]:
    """Yield place, match, and whether it counts, of each sign of one of the ``kinds``.

    Parameters
    ----------
    title, body : of the report, the body without the lines of its template.
    form : the row of ``labels.report_forms``; None where the report used no form.
    kinds : those that count; ``speed``, ``memory`` and ``hang``.
    """
    places = places_of(title, body)
    if places.has_prefix and SPEED in kinds:
        yield TITLE_PREFIX, "performance", True
    if form is not None and SPEED in kinds:
        if form["is_performance_form"]:
            yield FORM, form["form_name"], True
        for field in form["performance_fields"]:
            yield FORM_FIELD, field, True
    of_title = _words_in(places.title, kinds)
    for name in of_title:
        yield TITLE, name, True
    of_paragraph = _words_in(places.first_paragraph, kinds)
    is_of_speed = sum(WORDS[name].kind == SPEED for name in of_paragraph) >= FEWEST_OF_SPEED
    counted = {name for name in of_paragraph if WORDS[name].kind != SPEED or is_of_speed}
    for name in of_paragraph:
        if name in counted:
            yield FIRST_PARAGRAPH, name, True
    for name in _words_in(f"{places.text}\n{places.log}", kinds):
        if name not in counted and name not in of_title:
            yield "body", name, False


def _words_in(text: str, kinds: Collection[str]) -> list[str]:
    return [
        name
        for name, pattern in _FOUND_BY.items()
        if WORDS[name].kind in kinds and pattern.search(text)
    ]


@cache
def version_of_words() -> str:
    """Return a digest of the words of the set."""
    return hashlib.sha256(json.dumps(WORDS).encode()).hexdigest()[:8]
