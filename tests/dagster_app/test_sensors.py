"""What failed for a passing reason is started again, three times; what people must mend is not."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.dagster_app import sensors
from perf_assets.dagster_app.event_reporting import failure
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.partitions import range_tags
from perf_assets.dagster_app.run_options import COMMAND_LINE, REASON, refresh_tags
from perf_assets.dagster_app.sensors import WAITS, retrying

TAGS = {**range_tags("a/b", "2020-01", "2020-03"), **refresh_tags("monthly schedule")}


@dg.asset
def mined(context: dg.AssetExecutionContext) -> None:
    raise failure("it did not work", context.run_tags["kind"])


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


def fail(instance: dg.DagsterInstance, kind: str, **tags: str) -> str:
    job = dg.Definitions(assets=[mined], jobs=[dg.define_asset_job("mine", [mined])])
    ran = job.resolve_job_def("mine").execute_in_process(
        instance=instance, raise_on_error=False, tags={**TAGS, "kind": kind, **tags}
    )
    assert not ran.success
    return ran.run_id


def tick(instance: dg.DagsterInstance, monkeypatch: Any, after: timedelta) -> Any:
    class Later(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) + after

    monkeypatch.setattr(sensors, "datetime", Later)
    sensor = retrying([dg.define_asset_job("mine", [mined])], Place(DataDirectory(Path())))
    with dg.build_sensor_context(instance=instance) as context:
        return sensor.evaluate_tick(context)


def test_a_passing_fault_is_started_again_in_its_time(instance, monkeypatch) -> None:
    root = fail(instance, "passing")
    early = tick(instance, monkeypatch, WAITS[0] - timedelta(minutes=1))
    assert early.run_requests == [] and root[:8] in early.skip_message
    (request,) = tick(instance, monkeypatch, WAITS[0]).run_requests
    assert request.job_name == "mine" and request.run_key == f"retry 1 of {root}"
    options = {name: value for name, value in TAGS.items() if name != REASON}
    assert options.items() <= request.tags.items()
    assert request.tags[REASON] == f"retry 1 of {root[:8]}"


@pytest.mark.slow
def test_after_three_retries_it_is_left_to_people(instance, monkeypatch) -> None:
    for tries in ("1", "2", "3"):
        fail(instance, "passing", **{sensors.RETRY: tries})
    requests = tick(instance, monkeypatch, timedelta(hours=20)).run_requests
    assert sorted(request.tags[sensors.RETRY] for request in requests) == ["2", "3"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["audit", "user"])
def test_what_people_must_mend_is_left_to_them(instance, monkeypatch, kind: str) -> None:
    fail(instance, kind)
    assert tick(instance, monkeypatch, timedelta(hours=20)).run_requests == []


def test_a_run_of_the_command_line_is_left_to_who_started_it(instance, monkeypatch) -> None:
    fail(instance, "passing", **{REASON: COMMAND_LINE})
    assert tick(instance, monkeypatch, timedelta(hours=20)).run_requests == []


def test_a_run_whose_process_was_lost_is_started_again(instance, monkeypatch) -> None:
    job = dg.Definitions(assets=[mined], jobs=[dg.define_asset_job("mine", [mined])])
    run = instance.create_run_for_job(job.resolve_job_def("mine"), tags=TAGS)
    instance.report_run_failed(run, "The process was killed.")
    (request,) = tick(instance, monkeypatch, WAITS[0]).run_requests
    assert request.run_key == f"retry 1 of {run.run_id}"
