"""The audit of candidates: every rule of their table's suite, and which rows of which break it.

Great Expectations takes about as long for ten rows as for ten thousand. So the candidates of many
partitions are judged together, each rule once, and the verdict is split by partition: it is the one
that each partition would have been given alone.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from perf_assets.errors import PerfAssetsError
from perf_assets.sanitize import escape_text
from perf_assets.storage.audit.batch_validation import RuleOutcome, validate_partitions
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audit.rules import MISSING, MONTH_OF, Rule
from perf_assets.storage.audit.suites import Suite, load_suite

EXAMPLES = 3
TEXT_LENGTH = 80


@dataclass(frozen=True)
class RuleResult:
    """What one rule found in one candidate.

    ``failing_rows`` counts the rows that break it; of a rule about the number of rows, how many
    are missing or too many; of another rule about the whole candidate, all its rows. ``examples``
    are up to three failing rows as text. ``severity`` is critical whenever the rule could not be
    checked.
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

    def sentence(self) -> str:
        """Offer, rule, number of rows and examples, or that the rule holds."""
        where = f"{self.partition}: " if self.partition else ""
        return where + self.breach() if not self.success else f"{where}{self.rule} holds"

    def breach(self) -> str:
        """How the rule is broken, without the partition."""
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
        return self._broken("critical")

    @property
    def warnings(self) -> list[RuleResult]:
        """The broken rules that real data may break; they are reported and stop nothing."""
        return self._broken("warning")

    @property
    def ok(self) -> bool:
        """Whether no critical rule is broken."""
        return not self.failures

    def sentence(self) -> str:
        """Table, partition, and each broken rule with its number of rows and three examples.

        Critical rules if any is broken, else warnings.
        """
        partition = _partition(self.repository, self.month)
        where = f"{self.table} of {partition}" if partition else self.table
        broken = self.failures or self.warnings
        if not broken:
            return f"{where}: all {len(self.results)} rules hold for {self.rows} rows"
        return f"{where}: " + ", and ".join(result.breach() for result in broken)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        return {
            "table": self.table,
            "repository": self.repository,
            "month": self.month,
            "rows": self.rows,
            "ok": self.ok,
            "sentence": self.sentence(),
            "results": [vars(result) for result in self.results.values()],
        }

    def _broken(self, severity: str) -> list[RuleResult]:
        return [
            result
            for result in self.results.values()
            if not result.success and result.severity == severity
        ]


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
    """One report on all rows of a candidate, from those on each of its parts."""
    first = reports[0]
    results = {
        name: _joined([report.results[name] for report in reports]) for name in first.results
    }
    return replace(first, rows=sum(report.rows for report in reports), results=results)


def quarantine(report: AuditReport, candidate: pl.DataFrame, directory: Path) -> Path:
    """Keep a refused candidate, as ``candidate.parquet``, with its ``report.json``.

    Each file is replaced as a whole. Returns ``directory``, which is made where it is missing.

    Raises
    ------
    PerfAssetsError
        The files cannot be written.
    """
    parquet = io.BytesIO()
    candidate.write_parquet(parquet)
    text = json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n"
    files = {"candidate.parquet": parquet.getvalue(), "report.json": text.encode()}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            unfinished = directory / f"{name}.tmp"
            unfinished.write_bytes(content)
            unfinished.replace(directory / name)
    except OSError as error:
        raise PerfAssetsError(
            f"{directory}: what failed its audit cannot be kept there: {error.strerror}"
        ) from None
    return directory


def _joined(results: Sequence[RuleResult]) -> RuleResult:
    """What one rule found in all parts of a candidate."""
    broken = [one for one in results if not one.success]
    examples = [example for one in broken for example in one.examples]
    return replace(
        next((one for one in broken if one.problem is not None), [*broken, *results][0]),
        failing_rows=sum(one.failing_rows for one in broken),
        rows=sum(one.rows for one in results),
        examples=tuple(examples[:EXAMPLES]),
    )


def _report(
    suite: Suite,
    candidate: pl.DataFrame,
    parameters: Parameters,
    verdicts: Mapping[str, RuleOutcome],
) -> AuditReport:
    repository, month = parameters.get("repository"), parameters.get("month")
    partition = _partition(repository, month)
    results = {
        rule.name: _result(suite, rule, verdicts[rule.name], candidate, partition)
        for rule in suite.rules
    }
    return AuditReport(suite.table.name, repository, month, candidate.height, results)


def _result(
    suite: Suite, rule: Rule, verdict: RuleOutcome, candidate: pl.DataFrame, partition: str
) -> RuleResult:
    failing, examples = 0, []
    if not verdict.success and verdict.problem is None:
        if verdict.rows is not None:
            failing = len(verdict.rows)
            examples = [_example(suite, rule, candidate, row) for row in verdict.rows[:EXAMPLES]]
        elif verdict.expected_rows is not None:
            failing = abs(candidate.height - verdict.expected_rows)
            examples = [f"{candidate.height} instead of {verdict.expected_rows}"]
        else:
            failing = candidate.height
            examples = [f"{', '.join(rule.columns)}: {_text(verdict.observed)}"]
    return RuleResult(
        rule=rule.name,
        severity=rule.severity if verdict.problem is None else "critical",
        success=verdict.success,
        note=rule.note,
        partition=partition,
        failing_rows=failing,
        rows=candidate.height,
        examples=tuple(examples),
        problem=verdict.problem,
    )


def _example(suite: Suite, rule: Rule, candidate: pl.DataFrame, row: int) -> str:
    """One failing row: its key, then what the rule speaks of."""
    spoken_of = [name.removeprefix(MONTH_OF) for name in (*rule.columns, *rule.condition_columns)]
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
