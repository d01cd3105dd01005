"""The parameters of queries: what each may be, and the sentence where a value is not that.

A parameter declares its kind before its meaning, in the comment of its line:

    count: how many fixes
    day, moment: ...
    one of category, subcategory: ...
    month of live marts.trend_monthly: ...       a month within those of the column
    first month of staging.questions: ...        a month that is not after them
    repository of meta.repositories: ...         a value of the column
    repositories of meta.repositories: ...       a pattern of LIKE that a value matches

``live`` leaves out the rows of published data. A parameter without a kind has the type of its
default. The console of the site checks ``form`` and ``check`` in the browser.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from perf_assets.base.config_files import nearest
from perf_assets.base.months import MONTH_PATTERN

PARAMETER = re.compile(
    r"^ *coalesce\(getvariable\('(?P<name>\w+)'\), (?P<default>.+)\) as (?P=name),? -- "
    r"(?P<text>.+)$",
    re.MULTILINE,
)
LITERAL = re.compile(r"'[^']*'|[\d.]+")
CHOICE = re.compile(r"one of (?P<words>[\w, ]+)")
STORED = re.compile(r"(?P<first>first )?(?P<word>\w+) of (?P<live>live )?(?P<table>\w+\.\w+)")
DAY = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
MOMENT = DAY + r"( ([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?(\+00)?)?"
FORMS = {
    "count": (r"[0-9]{1,9}", "a whole number", "write digits alone"),
    "number": (r"[0-9]{1,9}", "a whole number", "write digits alone"),
    "day": (DAY, "a day", "write it as YYYY-MM-DD"),
    "moment": (MOMENT, "a moment", "write it as YYYY-MM-DD HH:MM:SS+00"),
    "month": (MONTH_PATTERN.pattern, "a month", "write it as YYYY-MM"),
}
"""Of each kind its pattern, its noun, and how to write it."""


@dataclass(frozen=True)
class Parameter:
    """What may be chosen: its name, the SQL of its default, its kind, and what it means."""

    name: str
    default: str
    kind: str
    meaning: str

    @property
    def assignment(self) -> str:
        """``name=value`` as one would give it, with the default where that is a plain value."""
        return f"{self.name}={'VALUE' if self.literal is None else self.literal}"

    @property
    def literal(self) -> str | None:
        """The default where it is a plain value; None where it is computed from the data."""
        return self.default.strip("'") if LITERAL.fullmatch(self.default) else None

    @property
    def choices(self) -> list[str]:
        """The values that are allowed, of a parameter that declares them."""
        found = CHOICE.fullmatch(self.kind)
        return found["words"].split(", ") if found else []

    @property
    def form(self) -> tuple[str, str, str] | None:
        """The pattern of its values, their noun, and how to write them; None where all may be."""
        stored = STORED.fullmatch(self.kind)
        return FORMS.get(stored["word"] if stored else self.kind)

    @property
    def check(self) -> str | None:
        """The query whether the data have the value, once it is set; None where all may be.

        Its row is: whether they have it, the least and the greatest known value, all of them.
        """
        stored = STORED.fullmatch(self.kind)
        if stored is None:
            return None
        value, column = f"getvariable('{self.name}')", stored["word"]
        column = "repository" if column == "repositories" else column
        condition = f"bool_or({column} = {value})"
        if stored["word"] == "repositories":
            condition = f"bool_or({column} like {value})"
        elif column == "month":
            condition = f"max({column}) >= {value}"
            condition += "" if stored["first"] else f" and min({column}) <= {value}"
        if column != "month" and LITERAL.fullmatch(self.default):
            condition = f"{value} = {self.default} or {condition}"
        where = f"{column} is not null" + (" and dataset = 'live'" if stored["live"] else "")
        if column == "number":  # which counts within a repository
            where += " and repository like coalesce(getvariable('repository'), '%')"
        return (
            f"select coalesce({condition}, false) as is_there, min({column}) as least, "
            f"max({column}) as most, list(distinct {column} order by {column}) as known "
            f"from {stored['table']} where {where}"
        )

    def mistake_of_form(self, value: str) -> str | None:
        """Return the sentence that says why ``value`` cannot be one; None where it can."""
        if self.choices and value not in self.choices:
            return f"{self.name}: {value!r} is not a known value; {nearest(value, self.choices)}"
        if self.form is not None:
            pattern, noun, remedy = self.form
            if re.fullmatch(pattern, value) is None or not _is_in_calendar(value, noun):
                return f"{self.name}: {value!r} is not {noun}: {remedy}"
        return None

    def mistake_of_data(
        self, value: str, least: object, most: object, known: Sequence[object] | None
    ) -> str:
        """Return the sentence that says that the data do not have ``value``, and what they have."""
        if not known:
            return f"{self.name}: {value!r} is not in the data: they have no {self.name}"
        if self.form is not None:
            return f"{self.name}: {value} is not in the data, which have {least} to {most}"
        return f"{self.name}: {value!r} is not in the data; {nearest(value, known)}"


def _is_in_calendar(value: str, noun: str) -> bool:
    """Return False for 31 February and year 0."""
    try:
        return noun not in ("a day", "a moment") or datetime.fromisoformat(value) is not None
    except ValueError:
        return False


def parameters_of(sql: str) -> dict[str, Parameter]:
    """Return the parameters that a query declares, by name."""
    parameters = {}
    for found in PARAMETER.finditer(sql):
        kind, sign, meaning = found["text"].strip().partition(": ")
        if not sign or not (kind in FORMS or CHOICE.fullmatch(kind) or STORED.fullmatch(kind)):
            kind, meaning = "", found["text"].strip()
        parameters[found["name"]] = Parameter(found["name"], found["default"], kind, meaning)
    return parameters
