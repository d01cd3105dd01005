"""The asset graph in Dagster: loads, describes itself, and runs partition by partition."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, Until, load_study
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.jobs import jobs_of
from perf_assets.dagster_app.partitions import by_subject, key_of, partitions_of
from perf_assets.stages.steps import repository_steps
from tests.support import Prepared, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

SLUG = "sample_lab_tensorkit"
GROUPS = (
    "sources",
    "raw",
    "replication",
    "reviews",
    "labels",
    "links",
    "details",
    "staging",
    "marts",
    "analysis",
    "published",
)


@pytest.fixture
def data_dir(tmp_path: Path) -> DataDirectory:
    return DataDirectory.of(tmp_path / "home")


@pytest.fixture
def study(small: Prepared) -> Study:
    return load_study(small.study)


def test_every_asset_says_what_it_is(study: Study, data_dir: DataDirectory) -> None:
    graph = build_definitions(study, data_dir).resolve_asset_graph()
    keys = graph.get_all_asset_keys()
    assert set(GROUPS) == {graph.get(key).group_name for key in keys}
    for key in keys:
        node = graph.get(key)
        assert node.description, key
        assert node.kinds, key
        assert node.owners == ["team:sample"], key
        if "duckdb" in node.kinds and node.group_name != "published":
            schema = node.metadata.get("dagster/column_schema") or node.metadata["columns"]
            assert getattr(schema, "schema", schema).columns, key
        if node.group_name != "sources":
            links = node.metadata["dagster/code_references"].code_references
            assert all(Path(link.file_path).is_file() for link in links)
    assert 100 < len(graph.asset_check_keys) < 200


def test_the_ui_waits_for_no_library_that_only_work_needs() -> None:
    heavy = ("github", "requests", "numpy", "scipy", "pandas", "great_expectations")
    script = (
        "import sys, perf_assets.definitions\n"
        f"print([name for name in {heavy} if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_the_groups_run_one_way(study: Study, data_dir: DataDirectory) -> None:
    """Collapsed in the UI they are a line from the sources to what is published, not circles."""
    graph = build_definitions(study, data_dir).resolve_asset_graph()
    keys = graph.get_all_asset_keys()
    assert len(keys) <= 57
    assert sum(len(graph.get(key).parent_keys) for key in keys) < 99
    arrows = {
        (graph.get(parent).group_name, graph.get(key).group_name)
        for key in graph.get_all_asset_keys()
        for parent in graph.get(key).parent_keys
    }
    backwards = [(one, other) for one, other in arrows if GROUPS.index(one) > GROUPS.index(other)]
    assert backwards == []


def test_without_the_close_look_its_asset_is_in_no_graph_and_no_job(
    study: Study, data_dir: DataDirectory
) -> None:
    without = build_definitions(study.as_far_as("links"), data_dir)
    nodes = without.resolve_asset_graph()
    assert "details" not in {nodes.get(key).group_name for key in nodes.materializable_asset_keys}
    for job, step in (("label_and_link", "fix_links"), ("full_pipeline", "models_and_statistics")):
        steps = {node.name for node in without.resolve_job_def(job).nodes}
        assert step in steps and "fix_details" not in steps
    job = build_definitions(study, data_dir).resolve_job_def("label_and_link")
    steps = {node.name for node in job.nodes}
    assert "fix_details" in steps


@pytest.mark.parametrize("until", ["labels", "published"])
def test_the_jobs_of_a_run_have_its_steps(
    study: Study, data_dir: DataDirectory, until: Until
) -> None:
    """Jobs run one after the other; within one, Dagster follows the inputs of each step."""
    definitions = build_definitions(study, data_dir)
    (repository,) = study.repositories
    jobs = [definitions.resolve_job_def(name) for name in jobs_of(repository, until)]
    ran = [{node.name for node in job.nodes} - {"label_kinds"} for job in jobs]
    steps = [step.name for step in repository_steps(study, until)]
    mined = len(ran[0])
    assert ran == [{*steps[:mined]}, {*steps[mined:]}]


def test_a_single_partition_can_be_materialized_by_hand(
    study: Study, data_dir: DataDirectory
) -> None:
    definitions = build_definitions(study, data_dir)
    name = study.repositories[0].name
    with dg.DagsterInstance.ephemeral() as instance:
        for job in ("mine", "label_and_link"):
            ran = definitions.resolve_job_def(job).execute_in_process(
                instance=instance, partition_key=key_of(name, "2020-02")
            )
            assert ran.success
        records = instance.fetch_materializations(dg.AssetKey(["raw", "issues"]), limit=10).records
    assert [record.partition_key for record in records] == [str(key_of(name, "2020-02"))]
    issues = stored_tables(data_dir.warehouse)["raw.issues"]
    assert set(issues["month"]) == {"2020-02"}
    metadata = records[0].asset_materialization.metadata
    assert metadata["dagster/partition_row_count"].value == issues.height
    assert metadata["source_count"].value == issues.height
    # One look, one count, one page.
    assert metadata["requests"].value == 3
    assert metadata["points"].value >= 3


@pytest.mark.exhaustive
def test_the_monthly_schedule_runs_everything_up_to_the_last_month(
    study: Study, data_dir: DataDirectory
) -> None:
    definitions = build_definitions(study, data_dir)
    schedule = definitions.resolve_schedule_def(f"monthly_{SLUG}")
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_schedule_context(instance=instance)
        requests = schedule.evaluate_tick(context).run_requests
        assert requests is not None and len(requests) == 1
        (repository,) = study.repositories
        tags = {"repository": repository.name, "months": "2020-01 to 2020-03"}
        assert tags.items() <= requests[0].tags.items()
        ran = definitions.resolve_job_def("full_pipeline").execute_in_process(
            instance=instance, tags=dict(requests[0].tags)
        )
    assert ran.success
    tables = stored_tables(data_dir.warehouse)
    assert set(tables["meta.partition_loads"]["month"]) == {"2020-01", "2020-02", "2020-03"}
    assert tables["marts.trend_monthly"].height == 1
    assert data_dir.published.is_file() and data_dir.report.is_file()


def test_partitions_are_the_months_of_every_repository(tmp_path: Path) -> None:
    text = 'name = "two"\n' + "".join(
        f'[[repositories]]\nname = "{name}"\nstart = "{start}"\nend = "{end}"\n'
        for name, start, end in (("a/a", "2020-01", "2020-03"), ("b/b", "2019-11", "2020-01"))
    )
    (tmp_path / "study.toml").write_text(text)
    study = load_study(tmp_path / "study.toml")
    keys = partitions_of(study.repositories).get_partition_keys()
    assert len(keys) == 2 * 5
    found = by_subject(study.repositories, keys)
    months = {repository.name: its for repository, its in found}
    assert months == {
        "a/a": ["2020-01", "2020-02", "2020-03"],
        "b/b": ["2019-11", "2019-12", "2020-01"],
    }
