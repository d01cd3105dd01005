"""States of alerts, set by people and kept like verdicts."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

import duckdb
import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.analyses.alert_states import NEW, is_same, state_in_force
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.storing import append_verdicts
from perf_assets.storage.verdicts import ALERT_STATES, keep_verdicts

ALERTS = "select alert_id, repository, group_ids from marts.alerts"
MANY = 3  # identifiers named in a message


class StateSet(NamedTuple):
    """The alert as it is known now, its state before, and whether anything changed."""

    alert_id: str
    state_before: str
    is_changed: bool


def set_state(
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
    person = " ".join(person.split())
    if not person:
        raise PerfAssetsError("--by is empty: say who sets the state, as in --by Ann")
    note = None if note is None or not note.strip() else note.strip()
    keep_verdicts(writer.database, writer.data_dir)
    row = _alert(writer, alert)
    stored = writer.database.frame(f"select * from {ALERT_STATES}")
    known = state_in_force(row["group_ids"], stored)
    before = known.get("state", NEW)
    if (before, known.get("note")) == (state, note):
        return StateSet(row["alert_id"], before, is_changed=False)
    moment = datetime.now(UTC)
    content = json.dumps([row["alert_id"], state, note, person, moment.isoformat()])
    verdict = pl.DataFrame(
        {
            "rater": person,
            "alert_id": row["alert_id"],
            "repository": row["repository"],
            "state": state,
            "note": note,
            "imported_at": moment,
            "file": "perf-assets alerts set",
            "file_sha256": hashlib.sha256(content.encode()).hexdigest(),
            "line": 1,
        }
    )
    append_verdicts(writer, ALERT_STATES, verdict)
    return StateSet(row["alert_id"], before, is_changed=True)


def _alert(writer: AuditedWriter, alert: str) -> dict[str, Any]:
    """Return the row of the alert that ``alert`` identifies."""
    try:
        rows = writer.database.frame(ALERTS).to_dicts()
    except duckdb.CatalogException:
        raise PerfAssetsError(
            f"{writer.data_dir.warehouse} was made by an older perf-assets without alerts: "
            "perf-assets run computes them"
        ) from None

    def matching(is_meant: Callable[[str], bool]) -> list[dict[str, Any]]:
        return [row for row in rows if any(map(is_meant, row["group_ids"]))]

    meant = matching(lambda identifier: identifier.startswith(alert))
    if not meant and "-" in alert:
        meant = matching(partial(_is_same, alert))
    if len(meant) == 1:
        return meant[0]
    identifiers = [row["alert_id"] for row in meant or rows]
    more = f" and {len(identifiers) - MANY} more" if len(identifiers) > MANY else ""
    listed = f"{', '.join(identifiers[:MANY])}{more}"
    if meant:
        raise PerfAssetsError(
            f"{alert!r} matches several alerts: {listed}; write more of the identifier"
        )
    known = f"the alerts are {listed}" if identifiers else "no alerts exist"
    raise PerfAssetsError(f"{alert!r} is not an alert: {known}; perf-assets alerts lists them")


def _is_same(alert: str, other: str) -> bool:
    try:
        return is_same(alert, other)
    except ValueError:
        return False
