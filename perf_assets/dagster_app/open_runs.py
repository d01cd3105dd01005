"""Runs whose process is gone or about to be: how they are found and marked in Dagster's record."""

import time

import dagster as dg

LOOKS = 5
SECONDS_BETWEEN = 0.05
NOT_ENDED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def open_runs(
    instance: dg.DagsterInstance, tag: str, value: str | None = None
) -> list[dg.DagsterRun]:
    """Return the runs with a ``tag``, with this ``value`` if one is given, that did not end."""
    found = instance.get_runs(dg.RunsFilter(statuses=NOT_ENDED))
    return [run for run in found if tag in run.tags and value in (None, run.tags[tag])]


def cancel_runs(instance: dg.DagsterInstance, tag: str, value: str | None = None) -> None:
    """Mark them as canceled; again where a thread, in the midst of it, marked one as started."""
    for _ in range(LOOKS):
        for run in open_runs(instance, tag, value):
            instance.report_run_canceled(run, "The process was stopped.")
        time.sleep(SECONDS_BETWEEN)
        if not open_runs(instance, tag, value):
            return
