"""The sensor that posts new alerts to a webhook, once each."""

import json
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

import dagster as dg
import duckdb

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import add_months
from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.analyses.alert_states import is_same
from perf_assets.dagster_app.keys import Place
from perf_assets.reports.alert_messages import Alert, message, new_alerts
from perf_assets.storage.warehouse import reading

WEBHOOK = "PERF_ASSETS_ALERT_WEBHOOK"
SECONDS = 10.0  # for a message
SECONDS_BETWEEN_LOOKS = 300
MOST_A_TICK = 5
"""Messages of a tick, which Dagster ends after a minute; the rest follows at the next."""

OLD_MONTHS = 6
"""When the sensor looks for the first time, changes that were over so long ago are not news."""


def alert_sensor(place: Place, seconds: float = SECONDS) -> dg.SensorDefinition:
    """Return the sensor over the published database of a study.

    What was posted stands in its cursor, by identifier; an alert whose estimated month moved, or
    that now goes by another change of the same cause, is the same. Where nobody knows whether a
    message arrived it is sent again at the next tick, so that it may come twice, and never not.
    """

    @dg.sensor(
        name=place.named("post_new_alerts"),
        minimum_interval_seconds=SECONDS_BETWEEN_LOOKS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            f"Posts each new alert once to the webhook that {WEBHOOK} in the environment names; "
            "without it nothing is posted. What could not be posted is tried again at the next "
            "tick."
        ),
    )
    def post_new_alerts(context: dg.SensorEvaluationContext) -> dg.SkipReason:
        url = os.environ.get(WEBHOOK)
        if not url:
            return dg.SkipReason(f"{WEBHOOK} is not set: nothing is posted")
        try:
            found = _alerts(place.data_dir)
        except PerfAssetsError as error:
            return dg.SkipReason(str(error))
        seen = _seen(context.cursor)
        if seen is None:
            seen = [item for alert in found if is_old(alert) for item in alert["group_ids"]]
        # Most ticks end before: HTTP takes long to import.
        from perf_assets.dagster_app.webhook import post  # noqa: PLC0415

        posted: list[str] = []
        trouble = ""
        for alert in found:
            if is_seen(alert, seen):
                continue
            if len(posted) == MOST_A_TICK:
                trouble = "; the rest follows at the next tick"
                break
            try:
                post(url, message(alert), WEBHOOK, seconds)
            except PerfAssetsError as error:
                trouble = f"; not posted, and tried again at the next tick: {error}"
                break
            seen += alert["group_ids"]
            posted.append(alert["alert_id"])
        context.update_cursor(json.dumps(sorted(set(seen))))
        return dg.SkipReason(f"posted: {', '.join(posted) or 'nothing new'}{trouble}")

    return post_new_alerts


def is_seen(alert: Alert, seen: Collection[str]) -> bool:
    """Return whether one of ``seen`` is the alert, or another change of the same cause."""
    return any(is_same(item, other) for item in alert["group_ids"] for other in seen)


def is_old(alert: Alert) -> bool:
    """Return whether the change is not news for who looks for the first time."""
    return bool(alert["month"] < add_months(alert["last_month"], -OLD_MONTHS))


def _alerts(data_dir: DataDirectory) -> Sequence[dict[str, Any]]:
    """Return the new alerts of the published database; PerfAssetsError where there is none."""
    with reading(data_dir.published) as connection:
        try:
            return new_alerts(connection)
        except duckdb.CatalogException:
            raise PerfAssetsError(
                f"{data_dir.published} was published by an older perf-assets, which knew no alerts"
            ) from None


def _seen(cursor: str | None) -> list[str] | None:
    """Return the identifiers in a cursor; None where there are none, or nobody can read them."""
    if cursor is None:
        return None
    with suppress(ValueError):
        read = json.loads(cursor)
        if isinstance(read, list) and all(isinstance(item, str) for item in read):
            return list(read)
    return None
