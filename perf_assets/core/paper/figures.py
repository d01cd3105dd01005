"""A figure of a paper, the data it is reproduced from, and the verdict on it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, TypeAlias

import polars as pl

from perf_assets.base.months import is_month
from perf_assets.core.analyses.group_samples import POOLED

PaperTables: TypeAlias = Mapping[str, Any]
"""The content of the file of published values; its tables are those of the paper."""

DATASET = "replication"
LIVE = "live"
BUGS, PROBLEMS, CHALLENGES = "performance_bugs", "performance_problems", "challenges"
"""The studies, by what they are of: Makkouk et al. (ICSME 2022), Cao et al. (ESEC/FSE 2022), Zhang
et al. (ISSRE 2019)."""

REPOSITORIES = ("pytorch/pytorch", "tensorflow/tensorflow")
"""The two frameworks: what the paper gives for both needs the data of both."""

LOWEST_TRUSTED_NUMBER = 100
"""Table II leaves out issues of lower numbers: template text mentions them."""

DAY = re.compile(r"\d{4}-\d\d-\d\d")
READINGS = ("negligible", "small", "medium", "large")
"""What an effect size is called, the smallest first."""

ROUNDING = 1e-9
"""A float next to a decimal boundary may miss it by that much."""


@dataclass(frozen=True)
class Figure:
    """A figure of a paper: where it is, whose, of what, the value as printed, and the study."""

    name: str
    location: str
    repository: str
    quantity: str
    text: str
    study: str = BUGS

    @property
    def value(self) -> Decimal:
        """The printed value as a number; of a claim (``p < 0.005``) the bound.

        Of a day its number, counted from 1970-01-01, of a month that counted from year 0, of a word
        its location among :data:`READINGS`.
        """
        if DAY.fullmatch(self.text):
            return Decimal(days_of(date.fromisoformat(self.text)))
        if is_month(self.text):
            return Decimal(number_of_month(self.text))
        if self.text in READINGS:
            return Decimal(READINGS.index(self.text))
        return Decimal(self.text.removeprefix("p < ").removeprefix("p = ").replace(",", ""))

    @property
    def dataset(self) -> str:
        """What it is compared with: published data, or, where there are none, what was loaded."""
        return LIVE if self.study == CHALLENGES else DATASET

    @property
    def is_claim(self) -> bool:
        """Whether the paper gives a bound instead of a value."""
        return self.text.startswith("p < ")


@dataclass(frozen=True)
class Data:
    """What the published data give, dataset ``replication`` alone.

    ``bugs`` is ``marts.bug_metrics``, ``trend`` is ``marts.paper_trend``, ``taxonomy`` is
    ``replication.taxonomy``.
    """

    bugs: pl.DataFrame
    trend: pl.DataFrame
    taxonomy: pl.DataFrame

    @property
    def verified_issues(self) -> pl.DataFrame:
        """The issues of the taxonomy, each once."""
        return self.taxonomy.select("repository", "number").unique()

    def verified(self, bugs: pl.DataFrame) -> pl.DataFrame:
        """The performance bugs of ``bugs`` that the authors verified by hand."""
        return bugs.filter("is_performance").join(
            self.verified_issues, on=["repository", "number"], how="semi"
        )

    def of(self, repository: str) -> pl.DataFrame:
        """The bug reports of one repository, or of all of them."""
        if repository == POOLED:
            return self.bugs
        return self.bugs.filter(pl.col("repository") == repository)

    def gap(self, repository: str) -> str | None:
        """Why a figure of ``repository`` cannot be had from these data, if it cannot."""
        return self._gap(repository, self.bugs, "bug reports")

    def taxonomy_gap(self) -> str | None:
        """Why a figure of the taxonomy cannot be had, if it cannot."""
        return self._gap(POOLED, self.taxonomy, "taxonomy")

    def _gap(self, repository: str, rows: pl.DataFrame, what: str) -> str | None:
        repositories = REPOSITORIES if repository == POOLED else (repository,)
        loaded = set(rows.get_column("repository"))
        missing = [name for name in repositories if name not in loaded]
        return f"the loaded data have no {what} of {' and '.join(missing)}" if missing else None


def of_cause(taxonomy: pl.DataFrame, entry: PaperTables) -> pl.DataFrame:
    """The rows of the root cause that ``entry`` names: a category, or one of its sub-categories."""
    rows = taxonomy.filter(category=entry["category"])
    return rows.filter(subcategory=entry["subcategory"]) if "subcategory" in entry else rows


def cause_of(entry: PaperTables) -> str:
    """The root cause that ``entry`` names."""
    return ": ".join(entry[key] for key in ("category", "subcategory") if key in entry)


def number_of(text: str) -> int:
    """A printed count, such as ``16,284``."""
    return int(text.replace(",", ""))


def days_of(day: date) -> int:
    """The number of a day, counted from 1970-01-01."""
    return (day - date(1970, 1, 1)).days


def number_of_month(month: str) -> int:
    """The number of a month, counted from the first of year 0."""
    return 12 * int(month[:4]) + int(month[5:]) - 1


def month_of_number(number: int) -> str:
    """The month that has ``number``, see :func:`number_of_month`."""
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


def verdict_of(figure: Figure, reproduced: float) -> str:
    """``exact``, ``within_rounding`` or ``differs``: see :func:`paper_comparison`.

    Examples
    --------
    >>> verdict_of(Figure("p", "RQ1", "pytorch/pytorch", "p-value", "0.004678"), 0.0046776533)
    'within_rounding'
    """
    if figure.is_claim:
        return "exact" if reproduced < float(figure.value) else "differs"
    exponent = figure.value.as_tuple().exponent
    assert isinstance(exponent, int)
    difference = abs(Decimal(reproduced) - figure.value)
    if difference == 0:
        return "exact"
    half_a_digit = Decimal(10) ** exponent / 2
    is_rounding = difference <= half_a_digit * (1 + Decimal(ROUNDING))
    return "within_rounding" if is_rounding else "differs"


def comparison_row(
    figure: Figure,
    reproduced: float | None,
    *,
    gap: str | None,
    reason: str | None = None,
    note: str | None = None,
    behind: str | None = None,
) -> tuple[object, ...]:
    """A row of the comparison: ``reason`` where it differs, ``note`` where it does not.

    ``behind`` says how the counts differ that the value is made of, where they do: the value then
    coincides at most.
    """
    if gap is None and reproduced is None:
        gap = "the loaded data have no such value"
    verdict, remark = "not_derivable", gap
    value = difference = None
    if gap is None and reproduced is not None:
        value = float(reproduced)
        verdict = verdict_of(figure, value)
        difference = None if figure.is_claim else value - float(figure.value)
        if verdict != "differs" and behind is not None:
            verdict = "coincides"
        remark = {"differs": reason or "no reason found", "coincides": behind}.get(verdict, note)
    return (
        figure.dataset,
        figure.study,
        figure.name,
        figure.location,
        figure.repository,
        figure.quantity,
        figure.text,
        float(figure.value),
        value,
        difference,
        verdict,
        remark,
    )
