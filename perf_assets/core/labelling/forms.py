"""The issue form that a report used, and which of its fields the reporter filled.

A form is evidence by the reporter. A reporter who opens the form for performance, or writes under
"Memory usage", states what the report is about. A label is set by others, and a keyword may be part
of another matter.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import polars as pl

from perf_assets.core.labelling.form_templates import (
    Form,
    Heading,
    headings,
    normal_lines,
    read_form,
)
from perf_assets.core.markdown import without_comments
from perf_assets.schema import schema_of

LEAST_HEADINGS = 2
"""Headings that a report shares with its form; a single heading is often a coincidence."""


def report_forms(issues: pl.DataFrame, templates: pl.DataFrame) -> pl.DataFrame:
    """Return the form that each report used, if it used one.

    The candidates for a report are the latest versions of each template that were committed at or
    before the report's creation. The report used the candidate that shares most headings with it:
    at least two, or the only heading of a form. Ties go to the form whose title prefix the title
    has, then to the form with the larger share of its headings, then to the Markdown template with
    most lines in the report, then to the first path. Headings are compared without level, case and
    spaces.

    Two files with the same name of the form and the same headings are one form that was renamed:
    the file that was committed later counts. The templates do not record deleted files, so a
    report may get a form that was deleted before it. Titles are current: an edited title may lack
    the prefix.

    Parameters
    ----------
    issues : columns repository, number, title, body, created_at, month.
    templates : ``raw.issue_templates``.

    Returns
    -------
    ``labels.report_forms``, in the order of repository and number. A heading that the reporter
    deleted is an empty field. A list that shows its default choice is empty too, because the text
    does not show whether the reporter chose it.
    """
    rows: list[tuple[Any, ...]] = []
    versions = templates.sort("committed_at", "sha", "path").partition_by(
        "repository", as_dict=True
    )
    ordered = issues.sort("created_at", "number").select(
        "repository", "number", "title", "body", "created_at", "month"
    )
    for key, reports in ordered.partition_by("repository", as_dict=True).items():
        if key in versions:
            rows += _rows(reports, versions[key])
    schema = schema_of("labels.report_forms")
    return pl.DataFrame(rows, schema=schema, orient="row").sort("repository", "number")


class _History:
    """The forms of a repository at a moment that advances; versions are read when needed."""

    def __init__(self, versions: pl.DataFrame) -> None:
        columns = versions.select("committed_at", "path", "sha", "body")
        self._coming = columns.rows()[::-1]
        self._current: dict[str, Form] = {}  # in the order of their commits
        self.forms: list[Form] = []
        self.known: frozenset[str] = frozenset()  # the keys of all headings

    def advance(self, moment: datetime) -> None:
        """Move on to ``moment``, which is not before the moment of the last call."""
        changed: dict[str, tuple[str, str]] = {}
        while self._coming and self._coming[-1][0] <= moment:
            _, path, sha, body = self._coming.pop()
            changed.pop(path, None)
            changed[path] = (sha, body)
        if not changed:
            return
        for path, (sha, body) in changed.items():
            self._current.pop(path, None)
            if form := read_form(path, sha, body):
                self._current[path] = form
        self.forms = list({form.identity: form for form in self._current.values()}.values())
        self.known = frozenset(key for form in self.forms for key in form.fields)


def _rows(reports: pl.DataFrame, versions: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    history = _History(versions)
    for repository, number, title, body, created_at, month in reports.iter_rows():
        if not body or not ("#" in body or "**" in body):
            continue
        history.advance(created_at)
        lines = without_comments(body.replace("\r\n", "\n")).split("\n")
        found = list(headings(lines, history.known))
        form = _best(history.forms, {heading.key for heading in found}, title, body)
        if form is not None:
            yield (repository, number, *_values(form, title, lines, found), month)


def _best(forms: list[Form], keys: set[str], title: str, body: str) -> Form | None:
    ranked: dict[tuple[int, bool, float], list[Form]] = {}
    for form in forms:
        matched = len(keys & form.fields.keys())
        if matched >= min(LEAST_HEADINGS, len(form.fields)):
            rank = (matched, form.begins(title), matched / len(form.fields))
            ranked.setdefault(rank, []).append(form)
    if not ranked:
        return None
    best = ranked[max(ranked)]
    lines = normal_lines(body) if len(best) > 1 else frozenset[str]()
    return min(best, key=lambda form: (-len(form.lines & lines), form.path))


def _values(form: Form, title: str, lines: list[str], found: list[Heading]) -> tuple[Any, ...]:
    """Return the values of a row between its number and its month."""
    answered: set[str] = set()
    about: set[str] = set()
    for key, begin, end in _sections(form, found, len(lines)):
        if form.fields[key].has_answer(lines[begin:end]):
            answered.add(key)
            if form.fields[key].is_about_performance(lines[begin:end]):
                about.add(key)
    filled = [field.label for key, field in form.fields.items() if key in answered]
    return (
        form.path,
        form.name,
        form.sha,
        len({heading.key for heading in found} & form.fields.keys()),
        len(form.fields),
        form.title if form.begins(title) else None,
        filled,
        [field.label for key, field in form.fields.items() if key not in answered],
        form.is_performance,
        [field.label for key, field in form.fields.items() if key in about],
    )


def _sections(form: Form, found: list[Heading], end: int) -> Iterator[tuple[str, int, int]]:
    """Yield key, first line and end of the section below each heading of the form.

    A section ends at the next heading of the form, or at one of another form that is not deeper.
    """
    key, begin, level = "", 0, 0
    for heading in found:
        is_field = heading.key in form.fields
        if key and (is_field or heading.level <= level):
            yield key, begin, heading.line
            key = ""
        if is_field:
            key, begin, level = heading.key, heading.line + 1, heading.level
    if key:
        yield key, begin, end
