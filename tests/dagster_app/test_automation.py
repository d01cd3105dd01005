"""What is made from a month that was loaded by hand follows by itself, each part of it once."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.dagster_app.automation import SENSOR, note_opening
from perf_assets.dagster_app.checks import DECLARED
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.keys import name_of
from perf_assets.dagster_app.partitions import key_of, range_tags
from perf_assets.dagster_app.run_options import refresh_tags
from tests.support import Prepared

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

MONTH = "2020-02"
QUIET = 3
"""Looks in a row that request nothing, after which nothing will."""


@pytest.fixture
def study(small: Prepared) -> Study:
    return load_study(small.study)


class Deployment:
    """A code location with a sensor that looks when it is told to."""

    def __init__(self, study: Study, data_dir: Any, instance: dg.DagsterInstance) -> None:
        self.definitions = build_definitions(study, DataDirectory.of(data_dir))
        self.key = key_of(study.repositories[0].name, MONTH)
        self.instance = instance
        self.ran: list[list[str]] = []
        self.judged: set[dg.AssetCheckKey] = set()
        self._cursor: Any = None
        sensor = self.definitions.resolve_sensor_def(SENSOR)
        assert isinstance(sensor, dg.AutomationConditionSensorDefinition)
        self._tags = dict(sensor.run_tags or {})
        self.look()

    def run(self, job: str, **options: Any) -> None:
        ran = self.definitions.resolve_job_def(job).execute_in_process(
            instance=self.instance, **options
        )
        assert ran.success

    def look(self) -> bool:
        """Look once, and do what is requested: a run for each set of partitions, as the daemon."""
        found = dg.evaluate_automation_conditions(
            self.definitions, self.instance, cursor=self._cursor
        )
        self._cursor = found.cursor
        graph = self.definitions.resolve_asset_graph()
        runs: dict[str | None, list[dg.AssetKey]] = {}
        for result in found.results:
            subset = result.true_subset
            if subset.is_empty or not isinstance(result.key, dg.AssetKey):
                continue
            partitions: Any = [None]
            if graph.get(result.key).is_partitioned:
                partitions = found.get_requested_partitions(result.key)
            for partition in partitions:
                runs.setdefault(partition, []).append(result.key)
        job = self.definitions.resolve_implicit_global_asset_job_def()
        for partition, keys in runs.items():
            self.ran.append(sorted(map(name_of, keys)))
            ran = job.execute_in_process(
                instance=self.instance,
                asset_selection=keys,
                partition_key=partition,
                tags=self._tags,
            )
            assert ran.success
            self.judged |= {found.asset_check_key for found in ran.get_asset_check_evaluations()}
        return bool(runs)

    def settle(self) -> Counter[str]:
        """Look until nothing follows any more; return how often each asset was brought up."""
        quiet = 0
        while quiet < QUIET:
            quiet = 0 if self.look() else quiet + 1
        return Counter(name for names in self.ran for name in names)


@pytest.fixture
def deployment(study: Study, data_dir: DataDirectory) -> Iterator[Deployment]:
    with dg.DagsterInstance.ephemeral() as instance:
        note_opening(instance)
        yield Deployment(study, data_dir, instance)


def test_a_month_by_hand_brings_all_that_follows_up_to_date_once(deployment: Deployment) -> None:
    deployment.run("mine", partition_key=deployment.key)
    followed = deployment.settle()
    expected = {
        *("labels.performance_labels", "links.fix_links", "details.commit_metrics"),
        *("marts.bug_metrics", "marts.trend_monthly", "analysis.trend_tests"),
        *("published.perf_bugs", "published.report"),
    }
    assert expected <= set(followed)
    bugs = dg.AssetCheckKey(dg.AssetKey(["marts", "bug_metrics"]), DECLARED)
    assert bugs in deployment.judged
    assert set(followed.values()) == {1}
    # What is by month in one run, then what is computed whole in another.
    assert len(deployment.ran) == 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("tags", [{}, refresh_tags("monthly schedule", force=True)])
def test_nothing_follows_from_a_run_that_brings_all_along(
    deployment: Deployment, study: Study, tags: dict[str, str]
) -> None:
    months = range_tags(study.repositories[0].name, "2020-01", "2020-03")
    deployment.run("full_pipeline", tags=tags | months)
    assert not deployment.settle()


def test_nothing_follows_from_what_a_refresh_mined(deployment: Deployment, study: Study) -> None:
    """The command line has a job for each stage, and goes on by itself."""
    months = range_tags(study.repositories[0].name, "2020-01", "2020-03")
    deployment.run("mine", tags=refresh_tags("command line", force=True) | months)
    assert not deployment.settle()


def test_nothing_follows_from_nothing(deployment: Deployment) -> None:
    assert not deployment.settle()
