"""The audit of candidates: every rule of their table's suite, and which rows of which break it.

Great Expectations takes about as long for ten rows as for ten thousand. So the candidates of many
partitions are judged together, each rule once, and the verdict is split by partition: it is the one
that each partition would have been given alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import polars as pl

from perf_assets.base.sanitize import escape_text
from perf_assets.schema import Table
from perf_assets.storage.audit.batch_validation import validate_partitions
from perf_assets.storage.audit.great_expectations import Finding
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audit.rules import CRITICAL, MISSING, MONTH_OF, UNIQUE, Rule
from perf_assets.storage.audit.suites import Suite, load_suite

EXAMPLES = 3
TEXT_LENGTH = 80

FEW_ROWS = 10
"""Rows of any partition that may be set aside; of a large one, a share."""
MOST_OF_ROWS = 0.05


@dataclass(frozen=True)
class RuleResult:
    """What one rule found in one candidate.

    ``failing_rows`` counts the rows that break it; of a rule about the number of rows, how many
    are missing or too many; of another rule about the whole candidate, all its rows. ``examples``
    are up to three failing rows as text. ``severity`` is critical whenever the rule could not be
    checked. ``to_set_aside`` are the rows, by index, that a breach costs; ``None`` where it costs
    all of them.
    """

    rule: str
    severity: str
    success: bool
    note: str
    partition: str
    failing_rows: int = 0
    rows: int = 0
    examples: tuple[str, ...] = ()
    problem: str | None = None
    to_set_aside: tuple[int, ...] | None = None

    def sentence(self) -> str:
        """Offer, rule, number of rows and examples, or that the rule holds."""
        where = f"{self.partition}: " if self.partition else ""
        return where + self.breach() if not self.success else f"{where}{self.rule} holds"

    def breach(self) -> str:
        """Return how the rule is broken, without the partition."""
        if self.problem is not None:
            return f"{self.rule} could not be checked ({self.problem})"
        shown = f" ({'; '.join(self.examples)})" if self.examples else ""
        return f"{self.rule} is broken by {self.failing_rows} of {self.rows} rows{shown}"


@dataclass(frozen=True)
class AuditReport:
    """The audit of one candidate of ``table``; ``results`` by the names of the rules.

    ``repository`` and ``month`` are ``None`` for a table that is computed whole.
    """

    table: str
    repository: str | None
    month: str | None
    rows: int
    results: Mapping[str, RuleResult]

    @property
    def failures(self) -> list[RuleResult]:
        """The broken critical rules; rows that break one are not stored."""
        return self._broken(CRITICAL)

    @property
    def warnings(self) -> list[RuleResult]:
        """The broken rules that real data may break; they are reported and stop nothing."""
        return self._broken("warning")

    @cached_property
    def set_aside(self) -> tuple[int, ...]:
        """The rows, by index, that are left out so that the others can be stored.

        They break a critical rule about rows, and are few: at most ``FEW_ROWS``, or a share of
        ``MOST_OF_ROWS``. Where more do, or another critical rule is broken, all are refused.
        """
        rows = self.costs or {}
        return tuple(sorted(rows)) if len(rows) <= may_be_set_aside(self.rows) else ()

    @cached_property
    def costs(self) -> dict[int, list[str]] | None:
        """The rows, by index, that break critical rules, with these; None where all are refused."""
        broken: dict[int, list[str]] = {}
        for result in self.failures:
            if result.to_set_aside is None:
                return None
            for row in result.to_set_aside:
                broken.setdefault(row, []).append(result.rule)
        return broken

    @property
    def ok(self) -> bool:
        """Return whether the rows may be stored, but for those that are set aside."""
        return not self.failures or bool(self.set_aside)

    def sentence(self) -> str:
        """Table, partition, and each broken rule with its number of rows and three examples.

        Critical rules if any is broken, else warnings. That rows are set aside is said first.
        """
        partition = _partition(self.repository, self.month)
        where = f"{self.table} of {partition}" if partition else self.table
        broken = self.failures or self.warnings
        if not broken:
            return f"{where}: all {len(self.results)} rules hold for {self.rows} rows"
        breaches = ", and ".join(result.breach() for result in broken)
        if self.set_aside:
            share = len(self.set_aside) / self.rows
            breaches = (
                f"{len(self.set_aside)} of {self.rows} rows set aside ({share:.2%}): {breaches}"
            )
        return f"{where}: {breaches}"

    def with_breaches(
        self, rows: pl.DataFrame, found: Mapping[int, Sequence[str]]
    ) -> "AuditReport":
        """Return the report with the database's conditions that ``rows`` break, by index."""
        suite = load_suite(self.table)
        may_go = may_set_aside(suite.table)
        results = dict(self.results)
        for reason in sorted({reason for reasons in found.values() for reason in reasons}):
            broken = [row for row, reasons in sorted(found.items()) if reason in reasons]
            results[reason] = RuleResult(
                rule=reason,
                severity=CRITICAL,
                success=False,
                note="The database refuses such a row.",
                partition=_partition(self.repository, self.month),
                failing_rows=len(broken),
                rows=self.rows,
                examples=tuple(_example(suite, (), rows, row) for row in broken[:EXAMPLES]),
                to_set_aside=tuple(broken) if may_go else None,
            )
        return replace(self, results=results)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON can hold it."""
        return {
            "table": self.table,
            "repository": self.repository,
            "month": self.month,
            "rows": self.rows,
            "ok": self.ok,
            "sentence": self.sentence(),
            "results": [
                {name: value for name, value in vars(result).items() if name != "to_set_aside"}
                for result in self.results.values()
            ],
        }

    def _broken(self, severity: str) -> list[RuleResult]:
        return [
            result
            for result in self.results.values()
            if not result.success and result.severity == severity
        ]


def may_be_set_aside(rows: int) -> int:
    """Return how many of so many rows may be set aside."""
    return max(FEW_ROWS, int(rows * MOST_OF_ROWS))


def audit(table: str, candidate: pl.DataFrame, parameters: Parameters) -> AuditReport:
    """Check the rows that want to become a partition of ``table`` (or all of it)."""
    return audit_together(table, [(candidate, parameters)])[0]


def audit_together(
    table: str, candidates: Sequence[tuple[pl.DataFrame, Parameters]]
) -> list[AuditReport]:
    """Check the rows that want to become partitions of ``table``.

    Parameters
    ----------
    candidates : the rows of each partition, columns as the table's, and the parameters of its
        rules.

    Returns
    -------
    A report for each, with a result for every rule. Of a candidate without rows only the number of
    rows is checked.

    Raises
    ------
    PerfAssetsError
        The suite is malformed; names file and rule.
    """
    suite = load_suite(table)
    verdicts = validate_partitions(suite, candidates)
    return [
        _report(suite, frame, parameters, verdict)
        for (frame, parameters), verdict in zip(candidates, verdicts, strict=True)
    ]


def joined(reports: Sequence[AuditReport]) -> AuditReport:
    """Return one report on all rows of a candidate, from those on each of its parts."""
    first = reports[0]
    starts = [0, *accumulate(report.rows for report in reports)]
    results = {
        name: _joined([report.results[name] for report in reports], starts)
        for name in first.results
    }
    return replace(first, rows=sum(report.rows for report in reports), results=results)


def _joined(results: Sequence[RuleResult], starts: Sequence[int]) -> RuleResult:
    """Return what one rule found in all parts, which begin at the rows ``starts``."""
    broken = [result for result in results if not result.success]
    costs = [
        None if one.to_set_aside is None else [start + row for row in one.to_set_aside]
        for one, start in zip(results, starts, strict=False)
        if not one.success
    ]
    is_whole = any(rows is None for rows in costs)
    examples = [example for rule_result in broken for example in rule_result.examples]
    return replace(
        next(
            (rule_result for rule_result in broken if rule_result.problem is not None),
            [*broken, *results][0],
        ),
        failing_rows=sum(rule_result.failing_rows for rule_result in broken),
        rows=sum(result.rows for result in results),
        examples=tuple(examples[:EXAMPLES]),
        to_set_aside=None if is_whole else tuple(row for rows in costs for row in rows or ()),
    )


def _report(
    suite: Suite,
    candidate: pl.DataFrame,
    parameters: Parameters,
    verdicts: Mapping[str, Finding],
) -> AuditReport:
    repository, month = parameters.get("repository"), parameters.get("month")
    partition = _partition(repository, month)
    results = {
        rule.name: _result(suite, rule, verdicts[rule.name], candidate, partition)
        for rule in suite.rules
    }
    return AuditReport(suite.table.name, repository, month, candidate.height, results)


def _result(
    suite: Suite, rule: Rule, verdict: Finding, candidate: pl.DataFrame, partition: str
) -> RuleResult:
    failing, examples = 0, []
    to_set_aside: tuple[int, ...] | None = None
    if not verdict.success and verdict.problem is None:
        if verdict.rows is not None:
            failing = len(verdict.rows)
            if cost_of(suite.table, rule) == "the row":
                to_set_aside = tuple(_to_set_aside(rule, candidate, verdict.rows))
            spoken_of = (*rule.columns, *rule.condition_columns)
            examples = [
                _example(suite, spoken_of, candidate, row) for row in verdict.rows[:EXAMPLES]
            ]
        elif verdict.expected_rows is not None:
            failing = abs(candidate.height - verdict.expected_rows)
            examples = [f"{candidate.height} instead of {verdict.expected_rows}"]
        else:
            failing = candidate.height
            examples = [f"{', '.join(rule.columns)}: {_text(verdict.observed)}"]
    return RuleResult(
        rule=rule.name,
        severity=rule.severity if verdict.problem is None else CRITICAL,
        success=verdict.success,
        note=rule.note,
        partition=partition,
        failing_rows=failing,
        rows=candidate.height,
        examples=tuple(examples),
        problem=verdict.problem,
        to_set_aside=to_set_aside,
    )


Cost = Literal["nothing", "the row", "the partition", "the table"]


def cost_of(table: Table, rule: Rule) -> Cost:
    """Return what a breach of ``rule`` costs: the rows that break it, or what they are a part of.

    What people judged, published data and our own bookkeeping is stored whole or not at all. Of
    what is computed a series would have a hole, and a key that stands twice is our mistake.
    """
    if rule.severity != CRITICAL:
        return "nothing"
    is_our_mistake = rule.type == UNIQUE and not table.partitioned
    if rule.is_about_rows and may_set_aside(table) and not is_our_mistake:
        return "the row"
    return "the partition" if table.partitioned else "the table"


def may_set_aside(table: Table) -> bool:
    """Return whether a few rows of ``table`` may be left out, and the others stored."""
    return table.partitioned or (table.is_made_anew and not table.is_series)


def _to_set_aside(rule: Rule, candidate: pl.DataFrame, rows: Sequence[int]) -> Iterator[int]:
    """Yield those of the failing ``rows`` that go: of rows with one key, all but the first."""
    if rule.type != UNIQUE:
        yield from rows
        return
    in_order = sorted(rows)
    key = pl.struct(rule.columns)
    is_first = candidate[in_order].select(key.is_first_distinct()).to_series()
    yield from (row for row, stays in zip(in_order, is_first, strict=True) if not stays)


def _example(suite: Suite, columns: Sequence[str], candidate: pl.DataFrame, row: int) -> str:
    """Return one failing row: its key, then what the rule speaks of."""
    spoken_of = [name.removeprefix(MONTH_OF) for name in columns]
    if MISSING in spoken_of:
        spoken_of = [
            column.name
            for column in suite.table.columns
            if not column.nullable
            and column.name in candidate.columns
            and candidate[row, column.name] is None
        ]
    key = suite.table.key
    if suite.table.partitioned:  # its partition has been named
        key = ("number", *(name for name in key if name not in suite.table.parts))
    shown = [name for name in dict.fromkeys((*key, *spoken_of)) if name in candidate.columns]
    return ", ".join(f"{name} {_text(candidate[row, name])}" for name in shown)


def _text(value: object) -> str:
    if value is None:
        return "missing"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, pl.Series):
        value = ", ".join(str(entry) for entry in value)
    text = repr(value) if isinstance(value, str) else escape_text(value)
    return text if len(text) <= TEXT_LENGTH else f"{text[: TEXT_LENGTH - 1]}…"


def _partition(repository: str | None, month: str | None) -> str:
    return " ".join(name for name in (repository, month) if name)
