"""The schedule: once a month, everything that is new or changed, then the figures."""

from collections.abc import Iterator, Sequence

import dagster as dg

from perf_assets.assets.asking import refresh_tags
from perf_assets.assets.jobs import EVERY_QUESTION, EVERYTHING
from perf_assets.assets.partitions import range_tags
from perf_assets.partitions import Subject
from perf_assets.study import Study

# The second day of a month, so that the last full month is over in every time zone.
SECOND_DAY_AT_THREE = "0 3 2 * *"


SECOND_DAY_AT_FIVE = "0 5 2 * *"


def monthly_refresh(study: Study) -> list[dg.ScheduleDefinition]:
    """One run per repository, and per tag set, that loads the last full month and refreshes others.

    It looks back to the start because a refresh costs what changed, not what exists,
    and an old issue may have been closed or relabelled since. Each run also reads a part of the
    cohorts again, so that within the study's ``verify_months`` all of them are.
    """
    return [
        *(
            [_monthly("monthly_refresh", EVERYTHING, SECOND_DAY_AT_THREE, study.repositories)]
            if study.repositories
            else ()
        ),
        *(
            [_monthly("monthly_questions", EVERY_QUESTION, SECOND_DAY_AT_FIVE, study.tag_sets)]
            if study.forums
            else ()
        ),
    ]


def _monthly(
    name: str, job_name: str, cron: str, subjects: Sequence[Subject]
) -> dg.ScheduleDefinition:
    @dg.schedule(
        name=name,
        job_name=job_name,
        cron_schedule=cron,
        execution_timezone="UTC",
        description="Load the last full month of each, refresh what changed before.",
    )
    def refresh(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        for subject in subjects:
            yield dg.RunRequest(
                run_key=f"{subject.name} {subject.end}",
                tags={
                    **range_tags(subject.name, subject.start, subject.end),
                    **refresh_tags(verify=True),
                },
            )

    return refresh
