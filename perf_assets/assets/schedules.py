"""The schedule: once a month, everything that is new or changed, then the figures."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.assets.asking import refresh_tags
from perf_assets.assets.partitions import range_tags
from perf_assets.study import Study

# The second day of a month, so that the last full month is over in every time zone.
SECOND_DAY_AT_THREE = "0 3 2 * *"


def monthly_refresh(study: Study, job_name: str) -> dg.ScheduleDefinition:
    """One run per repository that loads the last full month and refreshes the months before it.

    It looks back to the start because a refresh costs what changed, not what exists,
    and an old issue may have been closed or relabelled since. Each run also reads a part of the
    cohorts again, so that within the study's ``verify_months`` all of them are.
    """

    @dg.schedule(
        name="monthly_refresh",
        job_name=job_name,
        cron_schedule=SECOND_DAY_AT_THREE,
        execution_timezone="UTC",
        description="Load the last full month of each repository, refresh what changed before.",
    )
    def refresh(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        for repository in study.repositories:
            yield dg.RunRequest(
                run_key=f"{repository.name} {repository.end}",
                tags={
                    **range_tags(repository.name, repository.start, repository.end),
                    **refresh_tags(verify=True),
                },
            )

    return refresh
