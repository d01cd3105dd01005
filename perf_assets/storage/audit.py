"""The audit of one candidate: every rule of its table's suite, and which rows break it."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from perf_assets.errors import PerfAssetsError
from perf_assets.months import end_of, start_of
from perf_assets.storage.suites import Rule, Suite, load_suite
from perf_assets.storage.validation import Finding, validate

__all__ = ["AuditReport", "RuleResult", "audit", "load_suite", "quarantine"]

EXAMPLES = 3
TEXT_LENGTH = 80
ROW_COUNT = "expect_table_row_count_to_equal"


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
        """Partition, rule, number of rows and examples, or that the rule holds."""
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
        """The broken rules that real data may break; they are told and stop nothing."""
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


def audit(table: str, candidate: pl.DataFrame, parameters: Mapping[str, object]) -> AuditReport:
    """Check the rows that want to become a partition of ``table`` (or all of it).

    Parameters
    ----------
    candidate : the rows, columns as the table's.
    parameters : what the suite must be told (see ``Rule.parameters``), by name: repository and
        month of the partition, source_count, issue_numbers, commit_shas. month_start and month_end
        follow from the month. A rule that lacks one (or has it as ``None``) fails: it could not
        be checked.

    Returns
    -------
    The report, with a result for every rule. Of a candidate without rows only the number of rows
    is checked.

    Raises
    ------
    PerfAssetsError
        The suite is missing or malformed; names file and rule.
    """
    suite = load_suite(table)
    told = _told(suite, candidate, parameters)
    findings: dict[str, Finding] = {}
    checkable = []
    for rule in suite.rules:
        lacking = sorted(set(rule.parameters.values()) - told.keys())
        if lacking:
            findings[rule.name] = Finding(False, problem=f"{', '.join(lacking)} is not known")
        elif candidate.is_empty():
            findings[rule.name] = _finding_of_nothing(rule, told)
        else:
            checkable.append(rule)
    if checkable:
        findings |= validate(suite, checkable, candidate, told)
    repository, month = (
        str(value) if (value := parameters.get(name)) is not None else None
        for name in ("repository", "month")
    )
    partition = _partition(repository, month)
    results = {
        rule.name: _result(suite, rule, findings[rule.name], candidate, told, partition)
        for rule in suite.rules
    }
    return AuditReport(table, repository, month, candidate.height, results)


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


def _told(
    suite: Suite, candidate: pl.DataFrame, parameters: Mapping[str, object]
) -> dict[str, object]:
    """The parameters that have a value, in the form in which rules take them."""
    told = {name: value for name, value in parameters.items() if value is not None}
    if isinstance(month := told.get("month"), str):
        told |= {"month_start": start_of(month), "month_end": end_of(month)}
    for name, columns in _allowed_in(suite).items():
        if name in told:
            told[name] = _occurring(told[name], candidate, columns)
    return told


def _allowed_in(suite: Suite) -> dict[str, list[str]]:
    """The parameters that are sets of allowed values, and for which columns."""
    columns: dict[str, list[str]] = {}
    for rule in suite.rules:
        if "value_set" in rule.parameters:
            columns.setdefault(rule.parameters["value_set"], []).extend(rule.columns)
    return columns


def _occurring(allowed: object, candidate: pl.DataFrame, columns: Sequence[str]) -> list[object]:
    """The allowed values that occur: as good as all of them, and Great Expectations copies few."""
    known = set(allowed) if isinstance(allowed, (list, tuple, set, frozenset)) else {allowed}
    present = [name for name in columns if name in candidate.columns]
    values = dict.fromkeys(value for name in present for value in candidate[name].unique())
    return [value for value in values if value in known]


def _finding_of_nothing(rule: Rule, told: Mapping[str, object]) -> Finding:
    if rule.type != ROW_COUNT:
        return Finding(True)
    return Finding(_wanted_rows(rule, told) == 0, observed=0)


def _wanted_rows(rule: Rule, told: Mapping[str, object]) -> int:
    name = rule.parameters.get("value")
    return int(str(told[name])) if name is not None else int(rule.kwargs["value"])


def _result(
    suite: Suite,
    rule: Rule,
    finding: Finding,
    candidate: pl.DataFrame,
    told: Mapping[str, object],
    partition: str,
) -> RuleResult:
    failing, examples = 0, []
    if not finding.success and finding.problem is None:
        if finding.rows is not None:
            failing = len(finding.rows)
            examples = [_example(suite, rule, candidate, row) for row in finding.rows[:EXAMPLES]]
        elif rule.type == ROW_COUNT:
            wanted = _wanted_rows(rule, told)
            failing = abs(candidate.height - wanted)
            examples = [f"{candidate.height} instead of {wanted}"]
        else:
            failing = candidate.height
            examples = [f"{', '.join(rule.columns)}: {_text(finding.observed)}"]
    return RuleResult(
        rule=rule.name,
        severity=rule.severity if finding.problem is None else "critical",
        success=finding.success,
        note=rule.note,
        partition=partition,
        failing_rows=failing,
        rows=candidate.height,
        examples=tuple(examples),
        problem=finding.problem,
    )


def _example(suite: Suite, rule: Rule, candidate: pl.DataFrame, row: int) -> str:
    """One failing row: its key, then what the rule speaks of."""
    spoken_of = dict.fromkeys((*suite.key, *rule.columns, *rule.condition_columns))
    shown = [name for name in spoken_of if name in candidate.columns]
    return ", ".join(f"{name} {_text(candidate[row, name])}" for name in shown)


def _text(value: object) -> str:
    if value is None:
        return "missing"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, pl.Series):
        value = ", ".join(str(entry) for entry in value)
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= TEXT_LENGTH else f"{text[: TEXT_LENGTH - 1]}…"


def _partition(repository: str | None, month: str | None) -> str:
    return " ".join(name for name in (repository, month) if name)
