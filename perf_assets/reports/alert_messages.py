"""New alerts as messages: for a chat that takes webhooks, and for the check in Dagster."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from perf_assets.base.sanitize import escape_text, for_markdown
from perf_assets.reports.sql_files import rows_of
from perf_assets.storage.lake_rows import lake_rows

Alert = Mapping[str, Any]

ADDRESSES = "select number, html_url from raw.issues where repository = ? and number in ?"
GITHUB = re.compile(r"https://[\w.:-]+/[\w./-]+")


def new_alerts(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Return the alerts of which nobody said anything yet, the newest change first.

    ``issues`` are those behind it, each with its number and its address on the web (None where it
    is not known).

    Raises
    ------
    duckdb.CatalogException
        The database is of a version that knew no alerts.
    """
    alerts = rows_of(connection, "new_alerts").to_dicts()
    is_far = "raw.issues" in lake_rows(connection)
    for alert in alerts:
        numbers, rows = alert["issues"], []
        if numbers and not is_far:
            rows = connection.execute(ADDRESSES, [alert["repository"], numbers]).fetchall()
        addresses = {number: url for number, url in rows if url and GITHUB.fullmatch(url)}
        alert["issues"] = [{"number": number, "url": addresses.get(number)} for number in numbers]
    return alerts


def headline(alert: Alert) -> str:
    """Return the alert in a sentence, what changed with it named."""
    also = f"; also: {'; '.join(alert['also_changed'])}" if alert["also_changed"] else ""
    return escape_text(f"{alert['repository']}: {alert['result']}{also}")


def message(alert: Alert) -> dict[str, Any]:
    """Return the body of a message: ``text``, as Slack and what is like it take it, and ``alert``.

    A label of a stranger must neither call people nor make a link.
    """
    behind = " ".join(_link(issue, "<{url}|#{number}>") for issue in alert["issues"])
    more = alert["performance_bugs"] - len(alert["issues"])
    lines = [
        headline(alert).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
        *([f"Behind it: {behind}{f' and {more:,} more' * (more > 0)}"] if behind else []),
        f"Say what you make of it: perf-assets alerts set {alert['alert_id']} known",
    ]
    return {"text": "\n".join(lines), "alert": dict(alert)}


def as_markdown(alerts: Sequence[Alert]) -> str:
    """Return the alerts as a list, each with its identifier and links to the issues behind it."""
    return "\n".join(
        f"- **{alert['alert_id']}** {for_markdown(headline(alert))}"
        + "".join(f" {_link(issue, '[#{number}]({url})')}" for issue in alert["issues"])
        for alert in alerts
    )


def _link(issue: Mapping[str, Any], form: str) -> str:
    return form.format(**issue) if issue["url"] else f"#{issue['number']}"
