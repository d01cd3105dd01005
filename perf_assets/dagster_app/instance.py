"""Dagster's record of runs: where it is kept, how a run writes to it, and runs that did not end.

Dagster opens its SQLite files anew for each event, and has each written to the disk before it goes
on: some milliseconds for each of the hundreds of events of a run.
"""

import io
import logging
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

import dagster as dg
import sqlalchemy
from sqlalchemy.pool import StaticPool

from perf_assets.base.files import write_file
from perf_assets.base.processes import shutdown
from perf_assets.dagster_app.dagster_internals import (
    SINGLETON_REPOSITORY_NAME,
    UNCAPTURED_LOGS,
    ConfigurableClassData,
    EventListenerLogHandler,
    InstanceRef,
    LoadableTargetOrigin,
    ManagedGrpcPythonEnvCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
    SqliteEventLogStorage,
    get_log_record_metadata,
)
from perf_assets.dagster_app.settings import (
    LOCATION,
    STORAGES,
    write_instance_config,
    written_settings,
)

# What a step prints is for the terminal, which Dagster would put four processes in front of.
UNCAPTURED = {"compute_logs": UNCAPTURED_LOGS}
# So long a writer waits for another one, as in Dagster's own storage.
BUSY_SECONDS = 30
# So long a file stays open: the UI hears of events when one is closed.
OPEN_SECONDS = 1.0
NOT_ENDED = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
CANCEL_ATTEMPTS = 5
SECONDS_BETWEEN_ATTEMPTS = 0.05


class PersistentSqliteEventLog(SqliteEventLogStorage):
    """Dagster's own storage of events, in the same files, which stay open between two events.

    An event is committed before the next one, and seen by who reads the files; only when the power
    fails may the last ones be lost.
    """

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        """Keep the files in ``base_dir``, as Dagster's own storage does."""
        self._engines: dict[str, sqlalchemy.Engine] = {}
        self._opened: dict[str, float] = {}
        self._seen_tables: set[str] = set()
        self._empty = b""
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls,
        inst_data: ConfigurableClassData | None,
        config_value: Any,  # noqa: ANN401  (its own two base classes do not agree)
    ) -> "PersistentSqliteEventLog":
        """Return the settings of dagster.yaml, or of an override of it."""
        return cls(config_value["base_dir"], inst_data)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[sqlalchemy.Connection]:
        # A run that was marked as canceled must not be marked as started by what it still does.
        shutdown.block_if_stopping()
        with self._db_lock:
            engine = self._engine(shard)
            if shard not in self._initialized_dbs:
                self._make(shard, engine)
                self._initialized_dbs.add(shard)
            with engine.connect() as connection, connection.begin():
                yield connection

    def _make(self, shard: str, engine: sqlalchemy.Engine) -> None:
        """Make the file of a run, which has the same tables as that of the run before it."""
        path = Path(self.path_for_shard(shard))
        is_new = not path.exists()
        if is_new and self._empty:
            write_file(path, self._empty, is_durable=False)
            return
        self._initdb(engine)
        if is_new:
            with engine.connect() as connection:
                database = connection.connection.driver_connection
                assert isinstance(database, sqlite3.Connection)
                self._empty = database.serialize()

    def _engine(self, shard: str) -> sqlalchemy.Engine:
        now = time.monotonic()
        engine = self._engines.get(shard)
        if engine is None:
            engine = self._engines[shard] = sqlalchemy.create_engine(
                self.conn_string_for_shard(shard),
                poolclass=StaticPool,  # the lock lets one thread at a time use it
                connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
            )
            # An event is committed without waiting for the disk.
            pragma = "PRAGMA synchronous = NORMAL"
            sqlalchemy.event.listen(engine, "connect", lambda opened, _: opened.execute(pragma))
            self._opened[shard] = now
        elif now - self._opened[shard] > OPEN_SECONDS:
            engine.dispose()
            self._opened[shard] = now
        return engine

    def has_table(self, table_name: str) -> bool:
        """Return whether the index has a table, which it does not lose."""
        if table_name not in self._seen_tables and super().has_table(table_name):
            self._seen_tables.add(table_name)
        return table_name in self._seen_tables

    def _has_asset_key_col_on_connection(
        self, conn: sqlalchemy.Connection, column_name: str
    ) -> bool:
        name = f"asset_keys.{column_name}"
        if name not in self._seen_tables:
            if not super()._has_asset_key_col_on_connection(conn, column_name):
                return False
            self._seen_tables.add(name)
        return True

    def dispose(self) -> None:
        """Close what is open."""
        for engine in self._engines.values():
            engine.dispose()
        super().dispose()


def open_instance(directory: Path) -> dg.DagsterInstance:
    """Return the instance at ``directory`` for the runs of this process."""
    write_instance_config(directory)
    overrides: dict[str, Any] = dict(UNCAPTURED)
    if not STORAGES & set(written_settings(directory)):
        storage = InstanceRef.config_defaults(str(directory))["event_log_storage"]
        assert storage is not None
        overrides["event_log_storage"] = {
            "module": __name__,
            "class": PersistentSqliteEventLog.__name__,
            "config": storage.config_dict,
        }
    ref = InstanceRef.from_dir(str(directory), overrides=overrides)
    instance = _at_data_dir_in_the_ui(dg.DagsterInstance.from_ref(ref))
    handler = _SilentHandler(instance)
    handler.setLevel(logging.DEBUG)
    vars(instance)["get_event_log_handler"] = lambda: handler
    return instance


def _at_data_dir_in_the_ui(instance: dg.DagsterInstance) -> dg.DagsterInstance:
    """Return the instance, whose runs say by which job of the UI they are, as runs of the UI do.

    Else they would be on no time line, and the page of their job would say that it never ran.
    """
    target = LoadableTargetOrigin(executable_path=sys.executable, module_name=LOCATION)
    location = RemoteRepositoryOrigin(
        ManagedGrpcPythonEnvCodeLocationOrigin(target, LOCATION), SINGLETON_REPOSITORY_NAME
    )
    create = instance.create_run_for_job

    def create_run_for_job(job_def: dg.JobDefinition, **options: Any) -> dg.DagsterRun:  # noqa: ANN401
        origin = RemoteJobOrigin(location, job_def.name)
        return create(job_def, remote_job_origin=origin, **options)

    vars(instance)["create_run_for_job"] = create_run_for_job
    return instance


class _SilentHandler(EventListenerLogHandler):
    """Writes events as Dagster's own does, which prints each that it cannot write.

    What fails the run is reported once, when it ends; a missing line of a log is not reported, and
    ends nothing, least of all the thread that logs progress.
    """

    def emit(self, record: logging.LogRecord) -> None:
        try:
            with redirect_stderr(io.StringIO()):
                super().emit(record)
        except Exception:
            if get_log_record_metadata(record)["dagster_event"] is not None:
                raise


def open_runs(
    instance: dg.DagsterInstance, tag: str, value: str | None = None
) -> list[dg.DagsterRun]:
    """Return the runs with a ``tag``, with this ``value`` if one is given, that did not end."""
    runs = instance.get_runs(dg.RunsFilter(statuses=NOT_ENDED))
    return [run for run in runs if tag in run.tags and value in (None, run.tags[tag])]


def cancel_runs(instance: dg.DagsterInstance, tag: str, value: str | None = None) -> None:
    """Mark the runs of ``open_runs`` as canceled, again if a thread then marks one as started."""
    for _ in range(CANCEL_ATTEMPTS):
        for run in open_runs(instance, tag, value):
            instance.report_run_canceled(run, "The process was stopped.")
        time.sleep(SECONDS_BETWEEN_ATTEMPTS)
        if not open_runs(instance, tag, value):
            return
