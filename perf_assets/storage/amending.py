"""Amending: rows join and leave what is stored of many partitions, audited together in a few goes.

An audit costs about the same for ten rows as for ten thousand, and a handful of new commits or of
changed issues may touch dozens of months. New rows that keep every rule together, and those about
their partition each on its own, are rows with which the audit of each whole partition would find
nothing: the stored ones passed it before. Wherever that cannot be shown, the whole partition is
left to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import duckdb
import polars as pl

from perf_assets.months import end_of, start_of
from perf_assets.storage.audit import ROW_COUNT, audit
from perf_assets.storage.gate import Candidate, Gate, Outcome, Provenance, stamped
from perf_assets.storage.suites import Rule, load_suite
from perf_assets.storage.validation import validate
from perf_assets.storage.warehouse import Load


@dataclass(frozen=True)
class Amendment:
    """What becomes of a month's partitions of one or several tables, whose rows are good so far.

    candidates : the rows that join; ``source_count`` and parameters are about these alone.
    leaving : what the rows that leave have in the column ``key`` (sha, or number of the issue).
    staying : how many rows of each table stay.
    """

    month: str
    candidates: Sequence[Candidate]
    key: str
    leaving: Sequence[object]
    staying: Mapping[str, int]
    provenance: Provenance


class _MiscountError(Exception):
    """What is stored is not what was thought to be."""


def amend(gate: Gate, repository: str, amendments: Sequence[Amendment]) -> list[Outcome]:
    """Make the amendments that are clean, all in one transaction; an outcome for each of them.

    A month without an outcome has to be stored whole: a rule is broken there, or the warehouse
    holds other rows than expected.
    """
    clean = _clean(repository, amendments)
    try:
        with gate.database.transaction():
            _write(gate, repository, clean)
    except (_MiscountError, duckdb.ConstraintException):
        return []
    return [
        Outcome(
            repository,
            amendment.month,
            {one.table: load.row_count for one, load in _loads(repository, amendment)},
            is_written=bool(amendment.leaving or any(x.rows.height for x in amendment.candidates)),
        )
        for amendment in clean
    ]


def _clean(repository: str, amendments: Sequence[Amendment]) -> list[Amendment]:
    """The amendments whose rows break no rule."""
    apart = [one for one in amendments if _is_of_its_month(repository, one)]
    unclean: set[str] = set()
    for candidates in zip(*(amendment.candidates for amendment in apart), strict=True):
        unclean |= _months_with_findings(repository, candidates, [one.month for one in apart])
    return [amendment for amendment in apart if amendment.month not in unclean]


def _months_with_findings(
    repository: str, candidates: Sequence[Candidate], months: Sequence[str]
) -> set[str]:
    """The months in which a row breaks a rule, from one audit of all of them."""
    table, rows = candidates[0].table, pl.concat([one.rows for one in candidates])
    counts = [one.source_count for one in candidates if one.source_count is not None]
    told: dict[str, object] = {
        "repository": repository,
        "month": list(months),
        "month_start": start_of(min(months)),
        "month_end": end_of(max(months)),
        "source_count": sum(counts) if counts else None,
    }
    for name in candidates[0].parameters:
        told[name] = {value for one in candidates for value in _values(one, name)}
    report = audit(table, rows, told)
    # A rule that most rows keep is kept for sure only where all that join keep it.
    results = report.results.values()
    names = {result.rule for result in results if result.problem or result.failing_rows}
    suite = load_suite(table)
    broken = [rule for rule in suite.rules if rule.name in names]
    if any(rule.parameters for rule in broken):
        return set(months)
    findings = validate(suite, broken, rows, {}).values() if broken else ()
    places = [finding.rows for finding in findings]
    return {
        month
        for found in places
        for month in (months if found is None else rows["month"].gather(list(found)))
    }


def _is_of_its_month(repository: str, amendment: Amendment) -> bool:
    """Whether the rows keep the rules that speak of their partition, which differ by month."""
    month = amendment.month
    return all(
        _holds(
            rule,
            one.rows,
            {
                **{name: _values(one, name) for name in one.parameters},
                "repository": [repository],
                "month": [month],
                "month_start": start_of(month),
                "month_end": end_of(month),
                "source_count": one.source_count,
            },
        )
        for one in amendment.candidates
        for rule in load_suite(one.table).rules
        if rule.parameters
    )


def _holds(rule: Rule, rows: pl.DataFrame, told: Mapping[str, object]) -> bool:
    """Whether ``rows`` keep ``rule``; False where that is not known here."""
    given = {argument: told.get(name) for argument, name in rule.parameters.items()}
    if rule.type == ROW_COUNT:
        return rows.height == given["value"]
    column = rows[rule.kwargs["column"]].drop_nulls()
    if rule.type == "expect_column_values_to_be_in_set":
        allowed = given["value_set"]
        return isinstance(allowed, (list, set)) and set(column) <= set(allowed)
    if rule.type == "expect_column_values_to_be_between":
        low, high = given.get("min_value"), given.get("max_value")
        return (low is None or bool((column >= low).all())) and (
            high is None or bool((column < high).all())
        )
    return False


def _values(candidate: Candidate, name: str) -> set[object]:
    values = candidate.parameters[name]
    return set(values) if isinstance(values, (list, set)) else {values}


def _write(gate: Gate, repository: str, amendments: Sequence[Amendment]) -> None:
    """Write the rows, count each partition and record its load; call it inside a transaction."""
    tables = [one.table for one in amendments[0].candidates] if amendments else []
    leaving = [value for amendment in amendments for value in amendment.leaving]
    for place, table in enumerate(tables):
        if leaving:
            gate.database.connection.execute(
                f"DELETE FROM {table} "
                f"WHERE repository = ? AND list_contains(?, {amendments[0].key})",
                [repository, leaving],
            )
        joining = pl.concat([amendment.candidates[place].rows for amendment in amendments])
        stored = gate.database.frame(f"FROM {table} LIMIT 0")
        gate.database.append(table, stamped(joining, stored))
    loads = [load for amendment in amendments for _, load in _loads(repository, amendment)]
    counts = {table: _counts(gate, table, repository) for table in tables}
    if any(counts[load.table].get(load.month, 0) != load.row_count for load in loads):
        raise _MiscountError
    gate.database.record_loaded(loads)


def _counts(gate: Gate, table: str, repository: str) -> dict[str, int]:
    counted = gate.database.frame(
        f"SELECT month, count(*) FROM {table} WHERE repository = ? GROUP BY month", [repository]
    )
    return dict(counted.iter_rows())


def _loads(repository: str, amendment: Amendment) -> Iterator[tuple[Candidate, Load]]:
    """What is known of each partition once the rows have joined it."""
    provenance = amendment.provenance
    for place, one in enumerate(amendment.candidates):
        before, count = amendment.staying[one.table], one.source_count
        yield (
            one,
            Load(
                repository,
                amendment.month,
                one.table,
                before + one.rows.height,
                None if count is None else before + count,
                # What the source was asked is charged to the first table, once.
                requests=provenance.requests * (place == 0),
                points=provenance.points * (place == 0),
                watermark=provenance.watermark,
            ),
        )
