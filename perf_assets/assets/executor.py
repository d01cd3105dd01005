"""How the steps of a run are executed: in one process, the only one that writes to the home."""

from collections.abc import Iterator

import dagster as dg
from dagster._core.execution.context.system import PlanOrchestrationContext
from dagster._core.execution.plan.plan import ExecutionPlan
from dagster._core.execution.retries import RetryMode
from dagster._core.executor.in_process import InProcessExecutor

from perf_assets.storage.home import Home
from perf_assets.storage.lock import writing
from perf_assets.storage.warehouse import kept_open

WORKER = "repository_worker"
"""The step that writes to the home of a worker alone."""
POOL = "warehouse"
"""Steps of this pool write to the home; what dagster.yaml says of pools lets one run at a time."""


class SingleWriterExecutor(InProcessExecutor):
    """Runs the steps one after the other, and holds the lock of a home until all are done."""

    def __init__(self, home: Home) -> None:
        """Nothing is locked yet."""
        super().__init__(RetryMode.DISABLED)
        self._home = home

    def execute(
        self, plan_context: PlanOrchestrationContext, execution_plan: ExecutionPlan
    ) -> Iterator[dg.DagsterEvent]:
        """Execute the plan; PerfAssetsError when another process writes to the home.

        A worker has a home of its own, and locks that.
        """
        is_work = all(key.startswith(WORKER) for key in execution_plan.step_keys_to_execute)
        if is_work:
            yield from super().execute(plan_context, execution_plan)
            return
        with writing(self._home.path), kept_open(self._home.warehouse):
            yield from super().execute(plan_context, execution_plan)


def single_writer(home: Home) -> dg.ExecutorDefinition:
    """The executor of every run of the UI; DuckDB has one writing process at a time."""

    @dg.executor(name="in_process")
    def in_process(context: dg.InitExecutorContext) -> SingleWriterExecutor:
        return SingleWriterExecutor(home)

    return in_process
