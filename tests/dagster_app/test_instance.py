"""Dagster's record of runs, where it cannot be written."""

import sqlite3
from pathlib import Path

import dagster as dg
import pytest

from perf_assets.dagster_app.instance import open_instance


@pytest.mark.slow
def test_a_log_line_that_cannot_be_stored_fails_nothing_and_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    @dg.op
    def talk(context: dg.OpExecutionContext) -> None:
        context.log.info("a line")

    @dg.job
    def talking() -> None:
        talk()

    with open_instance(tmp_path) as instance:
        store = instance.event_log_storage.store_event

        def store_event(event: dg.EventLogEntry) -> None:
            # Of a full disk both fail: the line, and the event that says that it is missing.
            if event.dagster_event is None or "Exception while writing" in event.message:
                raise sqlite3.OperationalError("database or disk is full")
            store(event)

        monkeypatch.setattr(instance.event_log_storage, "store_event", store_event)
        quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        result = talking.execute_in_process(run_config=quiet, instance=instance)
    assert result.success
    assert capfd.readouterr().err == ""
