"""What follows by itself: an asset is brought up to date when what it is made from was, by hand.

The command line and the schedules bring everything along in the run that mines, so that their runs
are left out. A backfill of a month does not: here its labels, links and details follow, and when
all of these rest, the models, the database and the report, each of them once.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

import dagster as dg

from perf_assets.dagster_app.keys import Assets, Place, asset_key, name_of
from perf_assets.dagster_app.run_options import FOLLOWING, REASON, REFRESH_TAG
from perf_assets.schema.models.asset_graph import REPLICATION_REPORT

SENSOR = "bring_along"
LEFT = ("raw", "replication", "reviews", "sources")
"""Groups that are not made from others: they are mined, downloaded or judged."""

Condition = dg.AutomationCondition[Any]
on = dg.AutomationCondition
UPDATED = on.any_deps_match(
    (on.newly_updated() & ~on.all_new_updates_have_run_tags(tag_keys={REFRESH_TAG}))
    | on.will_be_requested()
).with_label("updated_by_hand")
DUE = UPDATED.since_last_handled() & ~on.in_progress() & ~on.any_deps_in_progress()
RESTLESS = on.in_progress() | on.newly_requested() | on.newly_updated()


def conditions(assets: Assets, place: Place, *, with_workers: bool) -> Mapping[str, Condition]:
    """Return the condition of each asset that follows; ``assets`` have no prefix yet.

    A worker's run has all that is by month.
    What is computed whole waits until no partition of anything is in progress, or changed since
    the last look: else a month's labels would have it computed twice.
    """
    specs = {
        name_of(spec.key): spec
        for asset in assets
        if isinstance(asset, dg.AssetsDefinition)
        for spec in asset.specs
    }
    partitioned = {name for name, spec in specs.items() if spec.partitions_def is not None}
    if not partitioned:
        return {}
    restless = [on.asset_matches(place.key(name), RESTLESS) for name in sorted(partitioned)]
    rest: Condition = ~reduce(or_, restless)
    found: dict[str, Condition] = {}
    for name, spec in specs.items():
        inputs = {name_of(dep.asset_key) for dep in spec.deps} & specs.keys()
        if not inputs or name.partition(".")[0] in LEFT or name == REPLICATION_REPORT:
            continue
        if name not in partitioned:
            found[name] = DUE & rest if inputs & partitioned else DUE
        elif not with_workers:
            found[name] = DUE
    return found


def following_sensor(
    names: Iterable[str], checks: Sequence[dg.AssetChecksDefinition], place: Place
) -> dg.AutomationConditionSensorDefinition:
    """Return the sensor that looks every half minute whether an asset or check is due."""
    assets = dg.AssetSelection.assets(*map(place.key, names))
    return dg.AutomationConditionSensorDefinition(
        place.named(SENSOR),
        target=assets | dg.AssetSelection.checks(*checks),
        run_tags={REASON: FOLLOWING},
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Brings along what is made from an asset that was materialized by hand, as in a "
            "backfill: labels, links and details of the month, then models, database and report. "
            "And judges on the fourth of a month whether the last one is there."
        ),
    )


def note_opening(instance: dg.DagsterInstance) -> None:
    """Give an empty record a first event.

    By a look at a record without any, Dagster would not tell later which runs are refreshes.
    """
    source = asset_key("sources.git")
    if source not in instance.all_asset_keys():
        instance.report_runless_asset_event(dg.AssetObservation(source))
