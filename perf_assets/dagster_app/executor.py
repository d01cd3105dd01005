"""Executes the steps of a run in one process, the only one that writes to the data directory."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.dagster_app.dagster_internals import (
    ExecutionPlan,
    InProcessExecutor,
    PlanOrchestrationContext,
    RetryMode,
)
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.run_options import FOLLOWING, REASON
from perf_assets.storage.lock import writing
from perf_assets.storage.warehouse import kept_open

WORKER = "repository_worker"
"""The step that writes to the data directory of a worker alone."""
POOL = "warehouse"
"""Steps of this pool write to the data directory; dagster.yaml lets one of them run at a time."""
PATIENCE = 24 * 3600.0
"""Seconds to wait for another process that writes, where nobody is there to start again."""


class SingleWriterExecutor(InProcessExecutor):
    """Runs one step after another, and holds the lock of a data directory until all are done."""

    def __init__(self, place: Place) -> None:
        """Nothing is locked yet."""
        super().__init__(RetryMode.DISABLED)
        self._place = place

    def execute(
        self, plan_context: PlanOrchestrationContext, execution_plan: ExecutionPlan
    ) -> Iterator[dg.DagsterEvent]:
        """Execute the plan; PerfAssetsError when another process writes to the data directory.

        A worker has a data directory of its own, and locks that.
        """
        worker = self._place.named(WORKER)
        is_work = all(key.startswith(worker) for key in execution_plan.step_keys_to_execute)
        if is_work:
            yield from super().execute(plan_context, execution_plan)
            return
        data_dir = self._place.data_dir
        patience = PATIENCE if plan_context.run_tags.get(REASON) == FOLLOWING else 0.0
        with writing(data_dir.path, patience), kept_open(data_dir.warehouse):
            yield from super().execute(plan_context, execution_plan)


def single_writer(place: Place) -> dg.ExecutorDefinition:
    """Return the executor of every run of the UI; DuckDB has one writing process at a time."""

    @dg.executor(name="in_process")
    def in_process(context: dg.InitExecutorContext) -> SingleWriterExecutor:
        return SingleWriterExecutor(place)

    return in_process
