"""The users' side in Dagster: partitions by tag set and month, jobs and a schedule of their own."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.execution import run_study
from perf_assets.dagster_app.keys import asset_key
from perf_assets.dagster_app.partitions import key_of, partitions_of, range_tags
from perf_assets.storage.warehouse import open_warehouse
from tests.forum_places import planned, written

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

STUDY = """name = "asked"
[[forums]]
name = "stackoverflow"
tags = { tensorkit = ["tensorkit", "tensorkit-lite"], gradlib = ["gradlib"] }
start = "2020-01"
end = "2020-03"
dump = "forum"
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    written(tmp_path / "forum", planned(40))
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return load_study(tmp_path / "study.toml")


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


def test_partitions_are_the_months_of_every_tag_set(study) -> None:
    keys = partitions_of(study.tag_sets).get_partition_keys()
    assert len(keys) == 2 * 3
    assert "2020-01-01|stackoverflow:gradlib" in keys


def test_a_study_of_forums_alone_has_their_jobs_and_schedule_alone(study, tmp_path) -> None:
    definitions = build_definitions(study, DataDirectory.of(tmp_path / "home"))
    names = {job.name for job in definitions.resolve_all_job_defs()}
    assert {"ingest_questions", "forum_pipeline", "build_models"} <= names
    assert not {"full_pipeline", "mine", "label_and_link"} & names
    schedules = [schedule.name for schedule in definitions.schedules or ()]
    assert schedules == [
        "monthly_stackoverflow_tensorkit",
        "monthly_stackoverflow_gradlib",
        "monthly_site",
    ]


@pytest.mark.exhaustive
def test_the_schedule_asks_for_every_tag_set_and_what_it_asks_for_is_reported(
    study, tmp_path, instance
) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    definitions = build_definitions(study, data_dir)
    requests = []
    for tag_set in ("tensorkit", "gradlib"):
        schedule = definitions.resolve_schedule_def(f"monthly_stackoverflow_{tag_set}")
        context = dg.build_schedule_context(instance=instance)
        requests += schedule.evaluate_tick(context).run_requests or []
    tags = [range_tags(tag_set.name, "2020-01", "2020-03") for tag_set in study.tag_sets]
    assert [
        {**request.tags, **expected} for request, expected in zip(requests, tags, strict=True)
    ] == [request.tags for request in requests]
    job = definitions.resolve_job_def("forum_pipeline")
    for request in requests:
        assert job.execute_in_process(instance=instance, tags=dict(request.tags)).success
    partitions = instance.get_materialized_partitions(asset_key("labels.performance_questions"))
    expected = {key_of(one.name, month) for one in study.tag_sets for month in one.months}
    assert partitions == {str(key) for key in expected}
    assert data_dir.published.is_file()


def test_one_tag_set_can_be_run_by_its_name(study, tmp_path) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    one = ["stackoverflow:tensorkit"]
    assert run_study(study, data_dir, one, "2020-02", "2020-02", until="labels") == []
    with open_warehouse(data_dir.warehouse) as database:
        found = database.frame("SELECT DISTINCT tag_set, month FROM raw.questions")
    assert found.rows() == [("tensorkit", "2020-02")]
