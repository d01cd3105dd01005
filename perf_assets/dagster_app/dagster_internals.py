"""Everything that is imported from Dagster's private modules, each with why no public name does it.

A release of Dagster may move or change any of these: read this file when its version is raised.
``tests/dagster_app/test_dagster_internals.py`` holds that no other module has such an import, and
says which of them moved. What takes long to import is imported when it is first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

# The name of the one repository of a code location, as origins of runs have it (below).
from dagster._core.definitions.repository_definition import SINGLETON_REPOSITORY_NAME

# define_asset_job returns it, and Definitions takes it; the type has no public name.
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

# dagster.Executor is public, but not what its method execute takes.
from dagster._core.execution.context.system import PlanOrchestrationContext
from dagster._core.execution.plan.plan import ExecutionPlan

# dagster.in_process_executor can be configured, but nothing can be done around all steps of a run.
from dagster._core.execution.retries import RetryMode
from dagster._core.executor.in_process import InProcessExecutor

# DagsterInstance.get opens what DAGSTER_HOME names; only a reference takes a directory, and another
# storage of events than dagster.yaml names.
from dagster._core.instance.ref import InstanceRef

# The handler by which an instance stores log lines prints what it cannot store, whatever is set.
from dagster._core.instance.types import _EventListenerLogHandler as EventListenerLogHandler
from dagster._core.log_manager import get_log_record_metadata

# Where a run belongs in the UI: execute_in_process, unlike launchers, has no parameter for it.
from dagster._core.remote_origin import (
    ManagedGrpcPythonEnvCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
)

# Tags without a public name. Runs with the first tell only the events that their steps report; tags
# with the second are not shown. Tags that Dagster documents are written out where they are used.
from dagster._core.storage.tags import EXTERNALLY_MANAGED_ASSETS_TAG, HIDDEN_TAG_PREFIX
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin

# A storage is constructed with it; dagster.yaml names any class, but its base class is private.
from dagster._serdes import ConfigurableClassData

PLAN_LOGGER = "dagster._core.execution.plan.active"
"""The logger that warns of each check of a step that yields no result; no setting stops it."""

UNCAPTURED_LOGS = {
    "module": "dagster._core.storage.noop_compute_log_manager",
    "class": "NoOpComputeLogManager",
}
"""What dagster.yaml names so that the output of steps is not captured; there is no shorter way."""

LATE = {
    # The storage of events that keeps its files open inherits from Dagster's own, to use its files.
    "SqliteEventLogStorage": "dagster._core.storage.event_log",
    # What the web server's application is made from; dagster-webserver itself has no public names.
    "WorkspaceProcessContext": "dagster._core.workspace.context",
    # The command dagster-daemon, in a process that ends lost runs first; it is not public.
    "create_dagster_daemon_cli": "dagster._daemon.cli",
}
"""The modules of the names that are imported when they are asked for: each takes 0.1 s or more."""

if TYPE_CHECKING:
    from dagster._core.storage.event_log import SqliteEventLogStorage
    from dagster._core.workspace.context import WorkspaceProcessContext
    from dagster._daemon.cli import create_dagster_daemon_cli
else:

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        """Return what ``LATE`` names."""
        if name not in LATE:
            raise AttributeError(name)
        return getattr(importlib.import_module(LATE[name]), name)


__all__ = [
    "EXTERNALLY_MANAGED_ASSETS_TAG",
    "HIDDEN_TAG_PREFIX",
    "SINGLETON_REPOSITORY_NAME",
    "ConfigurableClassData",
    "EventListenerLogHandler",
    "ExecutionPlan",
    "InProcessExecutor",
    "InstanceRef",
    "LoadableTargetOrigin",
    "ManagedGrpcPythonEnvCodeLocationOrigin",
    "PlanOrchestrationContext",
    "RemoteJobOrigin",
    "RemoteRepositoryOrigin",
    "RetryMode",
    "SqliteEventLogStorage",
    "UnresolvedAssetJobDefinition",
    "WorkspaceProcessContext",
    "create_dagster_daemon_cli",
    "get_log_record_metadata",
]
