"""Checks that fail when a month is missing: the newest by the calendar, any by what is stored."""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from perf_assets.base.months import end_of, last_full_month
from perf_assets.config.forums import TagSet
from perf_assets.config.partitions import Subject
from perf_assets.config.study import Study
from perf_assets.dagster_app.keys import Place, asset_key
from perf_assets.dagster_app.partitions import key_of
from perf_assets.schema.models.asset_graph import PUBLISHED
from perf_assets.storage.audited_writer import AuditedWriter

# The monthly schedules start on the second day; by noon of the fourth a month should be there.
DEADLINE = "0 12 4 * *"
MINED = ("raw.issues", "raw.commits")
QUESTIONS = "raw.questions"
NEWEST = "newest_month_is_loaded"
COMPLETE = "every_month_is_loaded"
MOST = 12
"""Months named for each repository or tag set."""


def newest_month_checks(study: Study, place: Place) -> list[dg.AssetChecksDefinition]:
    """Return the checks of what is mined that its newest month is there; none if the study is over.

    Dagster's own freshness is of an asset, whose newest event may be of an old month. A check is
    judged on the fourth of a month, and again by what is loaded after one that failed. It reads
    Dagster's record alone, so that it runs beside a run that writes.
    """
    subjects = {
        place.key(table): going_on
        for table, of_table in _mined(study)
        if (going_on := [each for each in of_table if each.last is None and each.months])
    }
    if not subjects:
        return []
    on: Any = dg.AutomationCondition  # its types keep conditions of checks and of assets apart
    again = (on.check_failed() | on.missing()) & on.any_deps_updated()
    condition = (on.cron_tick_passed(DEADLINE, "UTC") | again).since_last_handled()

    @dg.multi_asset_check(
        name=place.named(NEWEST),
        specs=[
            dg.AssetCheckSpec(
                NEWEST,
                asset=key,
                description="The last full month of each repository or tag set is loaded.",
                automation_condition=condition & ~on.in_progress() & ~on.any_deps_in_progress(),
            )
            for key in subjects
        ],
        can_subset=True,
    )
    def newest_months(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
        for chosen in context.selected_asset_check_keys:
            key = chosen.asset_key
            missing = _without_newest(context.instance, key, subjects[key], study)
            yield dg.AssetCheckResult(
                passed=not missing,
                asset_key=key,
                check_name=NEWEST,
                description=f"{last_full_month()} is missing: {', '.join(missing[:MOST])}"
                if missing
                else None,
                metadata={"missing": len(missing)},
            )

    return [newest_months]


def _without_newest(
    instance: dg.DagsterInstance, key: dg.AssetKey, subjects: Sequence[Subject], study: Study
) -> list[str]:
    """Return the names of those ``subjects`` whose last full month was not reported, sorted."""
    loaded = instance.get_materialized_partitions(key)

    def has_newest(subject: Subject) -> bool:
        if study.lake is None or isinstance(subject, TagSet):
            return str(key_of(subject.name, subject.end)) in loaded
        # A worker's run brings all months of its repository up to date.
        chosen = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[subject.name])
        records = instance.fetch_materializations(chosen, limit=1).records
        return bool(records) and records[0].timestamp >= end_of(subject.end).timestamp()

    return sorted(subject.name for subject in subjects if not has_newest(subject))


def completeness_check() -> dg.AssetCheckSpec:
    """Return the check that fails as long as a month of the study is not loaded."""
    return dg.AssetCheckSpec(
        COMPLETE,
        asset=asset_key(PUBLISHED),
        description=(
            "Every month of the study is loaded, of each repository and tag set. (does "
            "not block: what is there is published)"
        ),
    )


def check_completeness(study: Study, writer: AuditedWriter) -> dg.AssetCheckResult:
    """Return whether every month is loaded, and which are not."""
    missing = dict(_missing(study, writer))
    months = sum(map(len, missing.values()))
    listed = "; ".join(
        f"{name}: {', '.join(found[-MOST:])}" + (" and earlier ones" if len(found) > MOST else "")
        for name, found in missing.items()
    )
    return dg.AssetCheckResult(
        passed=not missing,
        asset_key=asset_key(PUBLISHED),
        check_name=COMPLETE,
        description=f"not loaded: {listed}" if missing else None,
        metadata={"months missing": months},
    )


def _missing(study: Study, writer: AuditedWriter) -> Iterator[tuple[str, list[str]]]:
    rows = writer.database.frame(
        'SELECT repository, "table", month FROM meta.partition_loads WHERE is_stored'
    )
    stored: dict[tuple[str, str], set[str]] = {}
    for repository, table, month in rows.iter_rows():
        stored.setdefault((repository, table), set()).add(month)
    for table, subjects in _mined(study):
        for subject in subjects:
            months = stored.get((subject.name, table), set())
            if found := [month for month in subject.months if month not in months]:
                yield f"{table} of {subject.name}", found


def _mined(study: Study) -> list[tuple[str, Sequence[Subject]]]:
    """Return what is mined by month, each with the repositories or tag sets that it is of."""
    return [*((table, study.repositories) for table in MINED), (QUESTIONS, study.tag_sets)]
