"""Whether what is mined is fresh: by its newest month, whatever else was loaded since."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from perf_assets.base.months import add_months, last_full_month, start_of
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.dagster_app.automation import SENSOR
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.freshness import NEWEST
from perf_assets.dagster_app.keys import asset_key
from perf_assets.dagster_app.partitions import key_of

pytestmark = pytest.mark.slow

ISSUES = asset_key("raw.issues")
LAKE = '[lake]\nurl = "lake"\n'


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


def definitions_of(tmp_path: Path, more: str = "", *, goes_on: bool = True) -> dg.Definitions:
    start = add_months(last_full_month(), -3)
    ends = ('end = "2020-03"\n', "" if goes_on else 'end = "2020-03"\n')
    text = 'name = "two"\n' + "".join(
        f'[[repositories]]\nname = "{name}"\nstart = "{start if not end else "2020-01"}"\n{end}'
        for name, end in zip(("a/a", "b/b"), ends, strict=True)
    )
    (tmp_path / "study.toml").write_text(text + more)
    return build_definitions(
        load_study(tmp_path / "study.toml"), DataDirectory.of(tmp_path / "home")
    )


def judged(definitions: dg.Definitions, instance: dg.DagsterInstance) -> dg.AssetCheckEvaluation:
    ran = dg.materialize(
        list(definitions.asset_checks or ()),
        instance=instance,
        selection=dg.AssetSelection.checks(dg.AssetCheckKey(ISSUES, NEWEST)),
    )
    (evaluation,) = ran.get_asset_check_evaluations()
    return evaluation


def load(instance: dg.DagsterInstance, partition: str) -> None:
    instance.report_runless_asset_event(dg.AssetMaterialization(ISSUES, partition=partition))


def test_an_old_month_does_not_make_it_fresh(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    definitions = definitions_of(tmp_path)
    newest = last_full_month()
    load(instance, str(key_of("b/b", add_months(newest, -1))))
    late = judged(definitions, instance)
    assert not late.passed and late.description == f"{newest} is missing: b/b"
    load(instance, str(key_of("b/b", newest)))
    assert judged(definitions, instance).passed


def test_with_workers_the_last_run_of_a_repository_counts(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    definitions = definitions_of(tmp_path, LAKE)
    assert not judged(definitions, instance).passed
    load(instance, "b/b")
    assert judged(definitions, instance).passed


def test_it_is_judged_on_the_fourth_and_again_by_what_is_loaded_then(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    definitions = definitions_of(tmp_path)
    fourth = start_of(add_months(datetime.now(UTC).strftime("%Y-%m"), 1)) + timedelta(days=3)
    key = dg.AssetCheckKey(ISSUES, NEWEST)

    def requested(after: timedelta, cursor: object) -> tuple[bool, object]:
        found = dg.evaluate_automation_conditions(
            definitions,
            instance,
            asset_selection=dg.AssetSelection.checks(key),
            evaluation_time=fourth + after,
            cursor=cursor,  # type: ignore[arg-type]
        )
        return found.total_requested == 1, found.cursor

    load(instance, str(key_of("b/b", add_months(last_full_month(), -2))))
    early, cursor = requested(timedelta(hours=11), None)
    due, cursor = requested(timedelta(hours=13), cursor)
    assert (early, due) == (False, True)
    assert not judged(definitions, instance).passed
    quiet, cursor = requested(timedelta(hours=14), cursor)
    load(instance, str(key_of("b/b", last_full_month())))
    again, _ = requested(timedelta(hours=15), cursor)
    assert (quiet, again) == (False, True)


def test_the_sensor_and_no_job_judges_it_and_nothing_is_late_in_a_study_that_has_ended(
    tmp_path: Path,
) -> None:
    definitions = definitions_of(tmp_path)
    job = definitions.resolve_job_def("mine")
    sensor = definitions.resolve_sensor_def(SENSOR)
    assert isinstance(sensor, dg.AutomationConditionSensorDefinition)
    chosen = sensor.asset_selection.resolve_checks(definitions.resolve_asset_graph())
    assert dg.AssetCheckKey(ISSUES, NEWEST) in chosen
    assert NEWEST not in {node.name for node in job.nodes}
    assert not definitions_of(tmp_path, goes_on=False).asset_checks
