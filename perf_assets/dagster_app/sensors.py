"""The sensor that starts again what failed for a reason that passes; the rest is for people."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg

from perf_assets.dagster_app.dagster_internals import (
    EXTERNALLY_MANAGED_ASSETS_TAG,
    UnresolvedAssetJobDefinition,
)
from perf_assets.dagster_app.jobs import MINE_REPOSITORY
from perf_assets.dagster_app.keys import Place, name_of
from perf_assets.dagster_app.partitions import (
    HOST,
    MONTHS,
    PARTITION_TAG,
    RANGE_END_TAG,
    RANGE_START_TAG,
    REPOSITORY,
    TAG_SET,
)
from perf_assets.dagster_app.run_options import COMMAND_LINE, OURS, REASON

WAITS = (timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))
"""How long after a failure the first, second and third retry start."""
SECONDS_BETWEEN_LOOKS = 60
LONGEST_AGO = timedelta(days=1)
PARENT_RUN_ID_TAG = "dagster/parent_run_id"
ROOT_RUN_ID_TAG = "dagster/root_run_id"
RETRY = f"{OURS}retry"
MINED = {"raw.issues", "raw.commits"}  # a worker's run has both
KEPT = frozenset(
    (
        *(EXTERNALLY_MANAGED_ASSETS_TAG, RANGE_START_TAG, RANGE_END_TAG),
        *(REPOSITORY, TAG_SET, MONTHS, HOST),
    )
)


def retrying(jobs: Sequence[UnresolvedAssetJobDefinition], place: Place) -> dg.SensorDefinition:
    """Return the sensor over runs of ``jobs``.

    Runs that a person started by the command line, or on the page of an asset, are left to them.
    """
    names = {job.name for job in jobs}
    worker = place.named(MINE_REPOSITORY)

    @dg.sensor(
        name=place.named("retry_passing_faults"),
        jobs=list(jobs),
        minimum_interval_seconds=SECONDS_BETWEEN_LOOKS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Starts a job again that failed because of the network, a rate limit, a data "
            "directory in use or "
            "a process that was lost: 5 minutes, 30 minutes and 2 hours after it failed. Refused "
            "audits and mistakes in the study are left to people."
        ),
    )
    def retry_passing_faults(
        context: dg.SensorEvaluationContext,
    ) -> Iterator[dg.RunRequest | dg.SkipReason]:
        now = datetime.now(UTC)
        failed = dg.RunsFilter(
            statuses=[dg.DagsterRunStatus.FAILURE], updated_after=now - LONGEST_AGO
        )
        waiting = []
        for record in context.instance.get_run_records(failed):
            run = record.dagster_run
            tries = int(run.tags.get(RETRY, "0"))
            job = job_of(run, names, worker)
            if job is None or tries >= len(WAITS) or not is_passing(context.instance, run):
                continue
            again = datetime.fromtimestamp(record.end_time or 0, UTC) + WAITS[tries]
            if now >= again:
                yield _again(run, job, tries + 1)
            else:
                waiting.append(f"{run.job_name} {run.run_id[:8]} at {again:%H:%M} UTC")
        if waiting:
            yield dg.SkipReason(f"to be started again: {', '.join(waiting)}")

    return retry_passing_faults


def is_passing(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """Return whether a failed ``run`` may well succeed when it is started again as it was."""
    if run.tags.get(REASON) == COMMAND_LINE:
        return False
    kinds = set()
    for event in instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
        assert event.dagster_event is not None
        data = event.dagster_event.step_failure_data.user_failure_data
        kinds.add("unknown" if data is None else data.metadata["kind"].value)
    return kinds <= {"passing"}


def job_of(run: dg.DagsterRun, names: Collection[str], worker: str = MINE_REPOSITORY) -> str | None:
    """Return the job that does again what ``run`` did; ``None`` where that is left to people.

    A worker's run does all of its repository, also as a part of a backfill, which by then may have
    ended without it.
    """
    selected = {name_of(key) for key in run.asset_selection or ()}
    if worker in names and PARTITION_TAG in run.tags and selected >= MINED:
        return worker
    return run.job_name if run.job_name in names else None


def _again(run: dg.DagsterRun, job: str, tries: int) -> dg.RunRequest:
    root = run.tags.get(ROOT_RUN_ID_TAG, run.run_id)
    return dg.RunRequest(
        run_key=f"retry {tries} of {root}",
        job_name=job,
        partition_key=run.tags.get(PARTITION_TAG),
        run_config=run.run_config,
        tags={
            # The options of the run, without what Dagster gave to it.
            **{
                name: value
                for name, value in run.tags.items()
                if name in KEPT or name.startswith(OURS)
            },
            RETRY: str(tries),
            REASON: f"retry {tries} of {root[:8]}",
            ROOT_RUN_ID_TAG: root,
            PARENT_RUN_ID_TAG: run.run_id,
        },
    )
