"""Boilerplate: lines that a repository's templates and tools put into issues, found from the data.

A line is boilerplate for the cohort of month M when its normal form

- is a line of an issue template committed to the repository before the end of M, or
- has at least ``MIN_WORDS`` words and stands in issues of at least ``MIN_AUTHORS`` authors among
  the cohorts of the ``WINDOW_MONTHS`` months that end with M.

The part of a line up to its first colon counts as a line of its own, so that a form field is
recognised whatever was filled in. Nothing later than M is looked at: a decision once made stays.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import polars as pl

from perf_assets.base.months import add_months
from perf_assets.core.markdown import is_ticked, normal_form, visible_lines

MIN_WORDS = 4
MIN_AUTHORS = 5
WINDOW_MONTHS = 12


@dataclass(frozen=True)
class Line:
    """A line of an issue body: its text, its whole normal form, and that of its form field."""

    text: str
    whole: str
    field: str | None

    @classmethod
    def of(cls, text: str) -> "Line":
        """Read ``text``; ``field`` is the part up to the first colon, where text follows it."""
        whole = normal_form(text)
        head, colon, tail = whole.partition(":")
        return cls(text, whole, head.rstrip() + ":" if colon and tail.strip() else None)


class Boilerplate:
    """Decides for one repository which lines are boilerplate at a month, and says why."""

    def __init__(self) -> None:
        """Start without templates and issues."""
        self._templates: dict[str, tuple[str, str]] = {}  # the first month and origin of a line
        self._uses: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._decided: dict[tuple[str, str], str | None] = {}

    def add_template(self, body: str, month: str, origin: str) -> None:
        """Register a version of an issue template, oldest first."""
        for text in body.splitlines():
            line = Line.of(text)
            for unit in filter(None, (line.whole, line.field)):
                self._templates.setdefault(unit, (month, origin))

    def add_issue(self, lines: Iterable[Line], month: str, author: str) -> None:
        """Register the lines of an issue, cohort by cohort in the order of their months."""
        for line in lines:
            for unit in filter(None, (line.whole, line.field)):
                if len(unit.split()) >= MIN_WORDS:
                    self._uses[unit].append((month, author))

    def strip(self, line: Line, month: str) -> tuple[str, str | None]:
        """Return what is left of ``line`` at ``month``, and why the rest went, if it did."""
        if is_ticked(line.text):
            return line.text, None
        reason = self.reason(line.whole, month)
        if reason is not None:
            return "", reason
        if line.field is not None:
            reason = self.reason(line.field, month)
            if reason is not None:
                return line.text.partition(":")[2], reason
        return line.text, None

    def reason(self, unit: str, month: str) -> str | None:
        """Return why ``unit`` is boilerplate at ``month``; None when it is not."""
        key = (unit, month)
        if key not in self._decided:
            self._decided[key] = self._decide(unit, month)
        return self._decided[key]

    def _decide(self, unit: str, month: str) -> str | None:
        committed, origin = self._templates.get(unit, (None, ""))
        if committed is not None and committed <= month:
            return f"template {origin}"
        uses = self._uses.get(unit, [])
        first = bisect_left(uses, (add_months(month, 1 - WINDOW_MONTHS), ""))
        last = bisect_right(uses, (add_months(month, 1), ""))
        authors = {author for _, author in uses[first:last]}
        if len(authors) >= MIN_AUTHORS:
            return f"repeated by {len(authors)} authors in {WINDOW_MONTHS} months"
        return None


def read_bodies(
    issues: pl.DataFrame,
    templates: pl.DataFrame,
    may_be_relevant: Callable[[str], bool],
    is_relevant: Callable[[str], bool],
) -> tuple[Boilerplate, dict[int, list[Line]]]:
    """Return what a rule on texts has to look at: the relevant lines of each issue, and the
    boilerplate.

    Parameters
    ----------
    issues : columns number, body, author, month: all cohorts up to the last one requested.
    templates : columns sha, path, committed_at, body, month: versions of issue templates.
    may_be_relevant, is_relevant : whether a body can have a line that changes a decision, and
        whether a line does; the first only saves time.

    Returns
    -------
    The boilerplate among those lines, and by number of the issue its relevant lines: visible ones,
    of which the boilerplate is not stripped yet.
    """
    boilerplate = Boilerplate()
    for template in templates.sort("committed_at", "sha", "path").iter_rows(named=True):
        origin = f"{template['path']} at {template['sha'][:7]}"
        boilerplate.add_template(template["body"], template["month"], origin)
    bodies: dict[int, list[Line]] = {}
    read = issues.sort("month", "number").select("number", "body", "author", "month")
    for number, body, author, month in read.iter_rows():
        lines = visible_lines(body) if body and may_be_relevant(body) else []
        bodies[number] = [Line.of(line) for line in lines if is_relevant(line)]
        boilerplate.add_issue(
            (line for line in bodies[number] if not is_ticked(line.text)),
            month,
            # Deleted accounts look alike: each such issue is a person of its own.
            author or f"#{number}",
        )
    return boilerplate, bodies
