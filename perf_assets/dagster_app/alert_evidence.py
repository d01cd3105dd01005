"""The check of new alerts: which they are, since when, the issues behind them, and the picture."""

import dagster as dg

from perf_assets.dagster_app.keys import check_key
from perf_assets.dagster_app.runtime_metadata import figure_of
from perf_assets.reports.alert_messages import as_markdown, headline, new_alerts
from perf_assets.storage.audited_writer import AuditedWriter

ALERTS, RULE = "marts.alerts", "no_alert_is_new"
NAMED = 5
"""Alerts named in the check; the table and perf-assets alerts have all."""


def with_evidence(writer: AuditedWriter, result: dg.AssetCheckResult) -> dg.AssetCheckResult:
    """Return ``result``, where it is that of new alerts, with what a person needs to judge them."""
    key = check_key(ALERTS, RULE)
    if result.passed or (result.asset_key, result.check_name) != (key.asset_key, key.name):
        return result
    connection = writer.database.connection
    found = new_alerts(connection)
    more = f"; and {len(found) - NAMED} more" if len(found) > NAMED else ""
    picture = figure_of(connection, ALERTS).get("figure")
    return dg.AssetCheckResult(
        passed=False,
        asset_key=key.asset_key,
        check_name=key.name,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{'; '.join(headline(alert) for alert in found[:NAMED])}{more}",
        metadata={
            "new_alerts": len(found),
            "repositories": ", ".join(sorted({alert["repository"] for alert in found})),
            "alerts": dg.MetadataValue.md(as_markdown(found[:NAMED])),
            **({"figure": picture} if picture is not None else {}),
        },
    )
