"""What turns red when a month is missing: by the calendar, and by what is stored."""

from collections.abc import Iterator
from datetime import timedelta

import dagster as dg

from perf_assets.config.study import Study
from perf_assets.dagster_app.keys import asset_key, name_of
from perf_assets.schema.models.asset_graph import PUBLISHED, REPORT
from perf_assets.storage.audited_writer import AuditedWriter

# The monthly schedules start on the second day; by noon of the fourth a month should be there.
DEADLINE, SINCE_THE_FIRST = "0 12 4 * *", timedelta(days=3, hours=12)
MINED = ("raw.issues", "raw.commits")
QUESTIONS = "raw.questions"
EACH_MONTH = (*MINED, "marts.trend_monthly", PUBLISHED, REPORT)
COMPLETE = "every_month_is_loaded"
MOST = 12
"""Months named for each repository or tag set."""


def fresh_each_month(spec: dg.AssetSpec, study: Study) -> dg.AssetSpec:
    """Return the asset; if the study goes on, with the deadline for the last full month."""
    goes_on = {
        *(EACH_MONTH if any(repository.last is None for repository in study.repositories) else ()),
        *([QUESTIONS] if any(tag_set.last is None for tag_set in study.tag_sets) else ()),
    }
    if name_of(spec.key) not in goes_on:
        return spec
    policy = dg.FreshnessPolicy.cron(DEADLINE, SINCE_THE_FIRST, "UTC")
    return spec.replace_attributes(freshness_policy=policy)


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
    expected = [
        *((one, table) for one in study.repositories for table in MINED),
        *((tag_set, QUESTIONS) for tag_set in study.tag_sets),
    ]
    for subject, table in expected:
        months = stored.get((subject.name, table), set())
        if found := [month for month in subject.months if month not in months]:
            yield f"{table} of {subject.name}", found
