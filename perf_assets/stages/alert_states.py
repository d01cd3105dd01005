"""States of alerts and regressions, set by people and kept like verdicts."""

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import duckdb
import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.analyses.alert_states import NEW, is_same, state_in_force
from perf_assets.schema.models.files import models_by_name
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.storing import append_verdicts
from perf_assets.storage.verdicts import ALERT_STATES, REGRESSION_STATES, keep_verdicts

ALERTS = "select alert_id, repository, group_ids from marts.alerts"
REGRESSIONS = "marts.regression_states"
MANY = 3  # identifiers named in a message


class StateSet(NamedTuple):
    """What is known by ``identifier``, its state before, and whether anything changed."""

    identifier: str
    state_before: str
    is_changed: bool


def set_alert_state(
    writer: AuditedWriter, alert: str, state: str, note: str | None, person: str
) -> StateSet:
    """Store the ``state`` of an alert; former states are kept.

    ``alert`` is its identifier, a unique beginning of it, or an identifier that it had before its
    estimated month moved by two months or less. A state that the alert already has, with the same
    note, is not stored again.

    Raises
    ------
    PerfAssetsError
        No alert or several match, or no person is named.
    """
    person, note = _said(writer, person, note)
    row = _alert(writer, alert)
    known = state_in_force(row["group_ids"], writer.database.frame(f"from {ALERT_STATES}"))
    before = known.get("state", NEW)
    is_changed = (before, known.get("note")) != (state, note)
    if is_changed:
        subject = {name: row[name] for name in ("alert_id", "repository")}
        _append(writer, ALERT_STATES, subject | {"state": state}, note, person)
    return StateSet(row["alert_id"], before, is_changed)


def set_regression_state(
    writer: AuditedWriter, regression: str, state: str, note: str | None, person: str
) -> StateSet:
    """Store the ``state`` of a regression; former states are kept.

    ``regression`` is its identifier or a unique beginning of it. A state that it already has, with
    the same note, is not stored again.

    Raises
    ------
    PerfAssetsError
        No regression or several match, or no person is named.
    """
    person, note = _said(writer, person, note)
    # What was said since the table was computed counts, too.
    rows = _rows(writer, models_by_name()[REGRESSIONS].sql, "regressions")
    rows.sort(key=itemgetter("month", "regression_id"), reverse=True)
    meant = [row for row in rows if row["regression_id"].startswith(regression)]
    row = _only("regression", regression, meant, rows)
    before = row["regression_state"]
    is_changed = (before, row["state_note"]) != (state, note)
    if is_changed:
        columns = ("repository", "regression_id", "first_sha", "last_sha")
        subject = {name: row[name] for name in columns}
        _append(writer, REGRESSION_STATES, subject | {"regression_state": state}, note, person)
    return StateSet(row["regression_id"], before, is_changed)


def _said(writer: AuditedWriter, person: str, note: str | None) -> tuple[str, str | None]:
    """Return who says what, without spaces around it, when all that was said before is there."""
    person = " ".join(person.split())
    if not person:
        raise PerfAssetsError("--by is empty: say who sets the state, as in --by Ann")
    keep_verdicts(writer.database, writer.data_dir)
    return person, None if note is None or not note.strip() else note.strip()


def _append(
    writer: AuditedWriter, table: str, subject: dict[str, str], note: str | None, person: str
) -> None:
    moment = datetime.now(UTC)
    content = json.dumps([*subject.values(), note, person, moment.isoformat()])
    verdict = subject | {
        "rater": person,
        "note": note,
        "imported_at": moment,
        "file": f"perf-assets {table.partition('.')[2].partition('_')[0]}s set",
        "file_sha256": hashlib.sha256(content.encode()).hexdigest(),
        "line": 1,
    }
    append_verdicts(writer, table, pl.DataFrame([verdict]))


def _alert(writer: AuditedWriter, alert: str) -> dict[str, Any]:
    """Return the row of the alert that ``alert`` identifies."""
    rows = _rows(writer, ALERTS, "alerts")

    def matching(is_meant: Callable[[str], bool]) -> list[dict[str, Any]]:
        return [row for row in rows if any(map(is_meant, row["group_ids"]))]

    meant = matching(lambda identifier: identifier.startswith(alert))
    if not meant and "-" in alert:
        meant = matching(partial(_is_same, alert))
    return _only("alert", alert, meant, rows)


def _rows(writer: AuditedWriter, query: str, what: str) -> list[dict[str, Any]]:
    try:
        return writer.database.frame(query).to_dicts()
    except duckdb.CatalogException:
        raise PerfAssetsError(
            f"{writer.data_dir.warehouse} was made by an older perf-assets without {what}: "
            "perf-assets run computes them"
        ) from None


def _only(
    what: str, written: str, meant: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the row that is meant by what was ``written``."""
    if len(meant) == 1:
        return meant[0]
    identifiers = [row[f"{what}_id"] for row in meant or rows]
    more = f" and {len(identifiers) - MANY} more" if len(identifiers) > MANY else ""
    listed = f"{', '.join(identifiers[:MANY])}{more}"
    if meant:
        raise PerfAssetsError(
            f"{written!r} matches several {what}s: {listed}; write more of the identifier"
        )
    known = f"the {what}s are {listed}" if identifiers else f"no {what}s exist"
    article = "an" if what.startswith("a") else "a"
    raise PerfAssetsError(
        f"{written!r} is not {article} {what}: {known}; perf-assets {what}s lists them"
    )


def _is_same(alert: str, other: str) -> bool:
    try:
        return is_same(alert, other)
    except ValueError:
        return False
