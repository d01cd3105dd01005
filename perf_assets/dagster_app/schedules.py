"""The schedules, in UTC: each repository by month and by week, each tag set by month."""

import os
import re
from collections.abc import Callable, Iterator, Mapping

import dagster as dg

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import last_full_month
from perf_assets.base.repository_names import forum_of
from perf_assets.base.sanitize import shortened
from perf_assets.config.partitions import Subject
from perf_assets.config.study import Study
from perf_assets.dagster_app.jobs import (
    BUILD_MODELS,
    FORUM_PIPELINE,
    FULL_PIPELINE,
    MINE_REPOSITORY,
)
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.lake_maintenance_job import JOB as MAINTENANCE
from perf_assets.dagster_app.partitions import range_tags
from perf_assets.dagster_app.run_options import refresh_tags
from perf_assets.dagster_app.workers import worker_tags
from perf_assets.dagster_app.write_site_job import JOB as WRITE_SITE

SWITCH = "PERF_ASSETS_SCHEDULES"
"""The variable that says whether schedules are on unless the UI says otherwise: on or off."""

# The second day of a month, so that the last full month is over in every time zone.
MONTHLY, WEEKLY = "{minute} {hour} 2 * *", "{minute} {hour} * * 1"
DAILY = "0 12 * * *"  # those of the night are done by then
SUNDAY = "0 12 * * 0"
THIRD_DAY = "0 18 3 * *"  # of a month, whose runs of the second day are done by then
FIRST_MINUTE = 3 * 60
MINUTES_BETWEEN = 30
MINUTES_OF_A_DAY = 24 * 60

Requests = Callable[[dg.ScheduleEvaluationContext], Iterator[dg.RunRequest]]


def schedules(study: Study, place: Place) -> list[dg.ScheduleDefinition]:
    """Return the schedules of a study, half an hour after one another, so that runs seldom queue.

    They look back to the start because a refresh costs what changed, not what exists, and an old
    issue may have been closed or relabelled since. The monthly ones load the last full month too,
    and read a part of the cohorts again, so that within the study's ``reconcile_months`` all are.

    Raises
    ------
    PerfAssetsError
        The switch in the environment is neither on nor off.
    """
    subjects = [*(study.repositories if study.lake is None else ()), *study.tag_sets]
    monthly = [_monthly(place, *each) for each in enumerate(subjects)]
    if study.lake is None:
        others = [_weekly(place, *each) for each in enumerate(study.repositories)]
    else:
        others = _of_workers(place, study)
    site = _schedule(
        place,
        "monthly_site",
        WRITE_SITE,
        THIRD_DAY,
        "Write what is published as a static site.",
        status=dg.DefaultScheduleStatus.STOPPED,  # by the switch too: not every study has a site
    )
    return [*monthly, *others, site]


def _monthly(place: Place, index: int, subject: Subject) -> dg.ScheduleDefinition:
    def requests(_: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        yield dg.RunRequest(
            run_key=f"{subject.name} {subject.end}",
            tags=range_tags(subject.name, subject.start, subject.end)
            | refresh_tags("monthly schedule", reconcile=True),
        )

    return _schedule(
        place,
        f"monthly_{_slug(subject)}",
        FULL_PIPELINE if forum_of(subject.name) is None else FORUM_PIPELINE,
        _at(MONTHLY, index),
        f"Load the last full month of {subject.name}, refresh what changed before.",
        requests,
    )


def _weekly(place: Place, index: int, subject: Subject) -> dg.ScheduleDefinition:
    def requests(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        yield dg.RunRequest(
            run_key=f"{subject.name} week of {context.scheduled_execution_time:%Y-%m-%d}",
            tags=range_tags(subject.name, subject.start, subject.end)
            | refresh_tags("weekly schedule"),
        )

    return _schedule(
        place,
        f"weekly_{_slug(subject)}",
        FULL_PIPELINE,
        _at(WEEKLY, index),
        f"Refresh what changed in the months of {subject.name} that are loaded.",
        requests,
    )


def _of_workers(place: Place, study: Study) -> list[dg.ScheduleDefinition]:
    """With a lake: one schedule starts a run for each repository, and one computes once a day."""

    def runs(key: str, tags: Mapping[str, str]) -> Iterator[dg.RunRequest]:
        for repository in study.repositories:
            of = worker_tags(repository, repository.start, repository.end, "published")
            yield dg.RunRequest(
                f"{repository.name} {key}", partition_key=repository.name, tags={**of, **tags}
            )

    def monthly(_: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        yield from runs(last_full_month(), refresh_tags("monthly schedule", reconcile=True))

    def weekly(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        week = f"week of {context.scheduled_execution_time:%Y-%m-%d}"
        yield from runs(week, refresh_tags("weekly schedule"))

    def daily(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        day = f"{context.scheduled_execution_time:%Y-%m-%d}"
        yield dg.RunRequest(f"derive {day}", tags=refresh_tags("daily schedule"))

    return [
        _schedule(
            place,
            "monthly_workers",
            MINE_REPOSITORY,
            _at(MONTHLY, 0),
            "For each repository: load the last full month, refresh what changed before.",
            monthly,
        ),
        _schedule(
            place,
            "weekly_workers",
            MINE_REPOSITORY,
            _at(WEEKLY, 0),
            "For each repository: refresh what changed in the months that are loaded.",
            weekly,
        ),
        _schedule(
            place,
            "daily_derive",
            BUILD_MODELS,
            DAILY,
            "Compute and publish what follows from what workers released since.",
            daily,
        ),
        _schedule(place, "weekly_lake", MAINTENANCE, SUNDAY, "Keep the lake small."),
    ]


def _schedule(
    place: Place,
    name: str,
    job: str,
    cron: str,
    description: str,
    requests: Requests | None = None,
    status: dg.DefaultScheduleStatus | None = None,
) -> dg.ScheduleDefinition:
    return dg.ScheduleDefinition(
        name=place.named(name),
        job_name=place.named(job),
        cron_schedule=cron,
        execution_timezone="UTC",
        default_status=status or _status(),
        description=description,
        execution_fn=requests,
    )


def _slug(subject: Subject) -> str:
    return re.sub(r"\W+", "_", subject.name).lower()


def _at(cron: str, index: int) -> str:
    hour, minute = divmod((FIRST_MINUTE + index * MINUTES_BETWEEN) % MINUTES_OF_A_DAY, 60)
    return cron.format(minute=minute, hour=hour)


def _status() -> dg.DefaultScheduleStatus:
    match os.environ.get(SWITCH, "off"):
        case "on":
            return dg.DefaultScheduleStatus.RUNNING
        case "off":
            return dg.DefaultScheduleStatus.STOPPED
        case other:
            shown = shortened(other, 60)
            raise PerfAssetsError(f"{SWITCH}={shown!r} is neither on nor off: write one of them")
