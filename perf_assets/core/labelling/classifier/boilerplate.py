"""Lines that a project's templates and tools put into reports are not signs of performance."""

import re

import polars as pl

from perf_assets.core.labelling.boilerplate import read_bodies
from perf_assets.core.labelling.vocabulary import WORDS, pattern_of

SIGN = re.compile(pattern_of(WORDS.values()))


def has_sign(text: str) -> bool:
    """Return whether any word of the vocabulary is in ``text``."""
    return SIGN.search(text.casefold()) is not None


def without_boilerplate(issues: pl.DataFrame, templates: pl.DataFrame) -> pl.DataFrame:
    """Return the issues, their bodies without the lines of boilerplate that hold a sign of
    performance.

    What is boilerplate is decided as for the rule: from templates and issues up to the month of the
    issue, never from what comes later. A field of a form loses its name and keeps what was filled
    in; a box that was ticked stays.

    Parameters
    ----------
    issues : columns number, body, author, month: all cohorts up to the last one requested.
    templates : as for :func:`~perf_assets.core.labelling.labels.label_issues`.
    """

    boilerplate, bodies = read_bodies(issues, templates, has_sign, has_sign)
    changed = []
    for number, body, month in issues.select("number", "body", "month").iter_rows():
        for line in bodies[number]:
            kept, reason = boilerplate.strip(line, month)
            if reason is not None:
                body = body.replace(line.text, kept)  # noqa: PLW2901
        changed.append(body)
    return issues.with_columns(body=pl.Series(changed, dtype=pl.String))
