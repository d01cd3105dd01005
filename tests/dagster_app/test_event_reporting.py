"""What the UI knows after a run: everything that is stored; a refresh tells only what is news."""

import shutil
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest
import yaml

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.dagster_app.checks import DECLARED, check_results, named_rules
from perf_assets.dagster_app.dagster_internals import InstanceRef
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.execution import run_study
from perf_assets.dagster_app.instance import open_instance
from perf_assets.dagster_app.keys import asset_key
from perf_assets.dagster_app.partitions import key_of, range_tags
from perf_assets.dagster_app.run_options import refresh_tags
from perf_assets.dagster_app.settings import write_instance_config
from perf_assets.storage.partition_write import BrokenRule
from tests.support import Prepared, assert_same_tables, environment, stored_tables

pytestmark = pytest.mark.slow

EVENTS = (
    dg.DagsterEventType.ASSET_MATERIALIZATION,
    dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED,
)


@pytest.fixture
def study(small: Prepared) -> Study:
    return load_study(small.study)


@pytest.fixture(scope="session")
def reported_data_dir(once: Callable[..., Path], small: Prepared) -> Path:
    """A data directory that the plain pipeline filled and a run reported; not to be changed."""

    def fill(directory: Path) -> None:
        data_dir = DataDirectory.of(shutil.copytree(small.data_dir, directory))
        with open_instance(data_dir.dagster) as record:
            refresh(load_study(small.study), data_dir, record)

    return once("told", fill)


@pytest.fixture
def known(reported_data_dir: Path) -> Iterator[dg.DagsterInstance]:
    """What was reported to Dagster of that data directory; only to be read."""
    with open_instance(DataDirectory.of(reported_data_dir).dagster) as record:
        yield record


@pytest.fixture
def data_dir(reported_data_dir: Path, tmp_path: Path) -> DataDirectory:
    """A data directory that was reported to Dagster, to be changed."""
    return DataDirectory.of(shutil.copytree(reported_data_dir, tmp_path / "home"))


@pytest.fixture
def instance(data_dir: DataDirectory) -> Iterator[dg.DagsterInstance]:
    """What was reported to Dagster of that data directory, to be added to."""
    with open_instance(data_dir.dagster) as record:
        yield record


def refresh(
    study: Study, data_dir: DataDirectory, instance: dg.DagsterInstance, **options: bool
) -> set[str]:
    """Run, and give the tables and rules that were reported to Dagster meanwhile."""
    known = {run.run_id for run in instance.get_runs()}
    assert run_study(study, data_dir, instance=instance, **options) == []
    reported = set()
    for run in instance.get_runs():
        if run.run_id not in known:
            for event in instance.all_logs(run.run_id, of_type=set(EVENTS)):
                assert event.dagster_event is not None
                key = event.dagster_event.asset_key
                check = event.dagster_event.event_specific_data
                reported.add(".".join((key or check.asset_key).path))  # type: ignore[union-attr]
    return reported


def shown(study: Study, data_dir: DataDirectory, instance: dg.DagsterInstance) -> dict[str, Any]:
    """What the UI shows of each asset: its partitions with their sizes, and of each check."""
    graph = build_definitions(study, data_dir).resolve_asset_graph()
    found: dict[str, Any] = {}
    for key in graph.get_all_asset_keys():
        records = instance.fetch_materializations(key, limit=1000).records
        sizes: dict[str | None, Any] = {}
        for record in records:
            materialization = record.asset_materialization
            assert materialization is not None
            sizes.setdefault(
                record.partition_key,
                {
                    name: value.value
                    for name, value in materialization.metadata.items()
                    if name.endswith("row_count")
                    or name.startswith("rows of ")
                    or name in {"source_count", "loaded_at"}
                }
                | {"lineage": "dagster/column_lineage" in materialization.metadata},
            )
        found[key.to_user_string()] = sizes
    checks = list(graph.asset_check_keys)
    latest = instance.event_log_storage.get_latest_asset_check_execution_by_key(checks)
    for check in checks:
        found[str(check)] = latest[check].status if check in latest else None
    return found


@pytest.mark.usefixtures("trusting_auditor", "undrawn_report", "warehouses_are_made")
def test_what_is_stored_is_shown_however_it_was_stored(
    study: Study, reported_data_dir: Path, known: dg.DagsterInstance, tmp_path: Path
) -> None:
    """By a run of Dagster on an empty data directory, or by the plain pipeline, reported later.

    Both store the same, though the plain one began with a copy of a warehouse without rows.
    """
    reported = shown(study, DataDirectory.of(reported_data_dir), known)
    with dg.DagsterInstance.ephemeral() as other:
        fresh = DataDirectory.of(tmp_path / "fresh")
        refresh(study, fresh, other)
        made = shown(study, fresh, other)
    assert_same_tables(
        stored_tables(fresh.published), stored_tables(DataDirectory.of(reported_data_dir).published)
    )
    for sizes in (*reported.values(), *made.values()):
        if isinstance(sizes, dict):
            for size in sizes.values():
                size.pop("loaded_at", None)
    assert reported == made
    (repository,) = study.repositories
    keys = {str(key_of(repository.name, month)) for month in repository.months}
    assert set(reported["raw/issues"]) == set(reported["details/commit_metrics"]) == keys
    assert reported["marts/bug_metrics"][None]["lineage"]
    assert reported["marts/bug_metrics"][None]["dagster/row_count"] > 0
    untold = {name for name, value in reported.items() if not value and "replication" not in name}
    # People's verdicts, questions of forums and benchmark results, of which the study has none.
    left = (
        *("reviews/verdicts", "raw/question", "labels/performance_q"),
        *("raw/benchmark_results", "sources/"),
    )
    assert {name for name in untold if not name.startswith(left)} == set()


def test_an_analysis_shows_its_verdict_its_picture_and_its_table(
    study: Study, known: dg.DagsterInstance
) -> None:
    (record,) = known.fetch_materializations(asset_key("analysis.fix_incidence"), 1).records
    assert record.asset_materialization is not None
    metadata = record.asset_materialization.metadata
    (repository,) = study.repositories
    assert str(metadata["verdict"].value).startswith(f"- {repository.name}: ")
    picture = str(metadata["figure"].value)
    head, _, held = picture.partition("(data:image/svg+xml;base64,")
    assert head.startswith("![") and b64decode(held.rstrip(")")).startswith(b"<svg")
    assert len(picture) < 100_000
    assert "| --- |" in str(metadata["table"].value)
    assert metadata["rows of fix_curves"].value > 0


def test_numbers_of_the_study_are_reported_at_each_run(
    reported_data_dir: Path, known: dg.DagsterInstance
) -> None:
    (record,) = known.fetch_materializations(asset_key("marts.bug_metrics"), 1).records
    assert record.asset_materialization is not None
    metadata = record.asset_materialization.metadata
    rows = stored_tables(DataDirectory.of(reported_data_dir).warehouse)["marts.bug_metrics"].filter(
        dataset="live"
    )
    bugs = rows.filter("is_performance")
    assert metadata["bug reports"].value == rows.height
    assert metadata["performance bugs"].value == bugs.height
    share = metadata["performance bugs, percent"].value
    assert share == pytest.approx(100 * bugs.height / rows.height, abs=0.01)
    assert str(metadata["first 10 rows"].value).count("\n") == 11


@pytest.mark.exhaustive
@pytest.mark.usefixtures("trusting_auditor")
def test_a_refresh_shows_nothing_of_what_did_not_change(
    study: Study, data_dir: DataDirectory, instance: dg.DagsterInstance
) -> None:
    before = shown(study, data_dir, instance)
    assert refresh(study, data_dir, instance) == set()
    assert shown(study, data_dir, instance) == before
    everything = refresh(study, data_dir, instance, force=True)
    assert {"labels.label_kinds", "links.fix_links", "raw.issues", "marts.bug_metrics"} < everything
    after = shown(study, data_dir, instance)
    assert {name: after[name] for name in before} == before


@pytest.mark.usefixtures("trusting_auditor", "undrawn_report")
def test_a_refresh_reports_what_changed_and_what_follows_from_it(
    study: Study, data_dir: DataDirectory, instance: dg.DagsterInstance
) -> None:
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        connection.execute("UPDATE raw.issue_comments SET author = 'one person'")
        connection.execute("DELETE FROM labels.performance_labels WHERE month = '2020-02'")
    reported = refresh(study, data_dir, instance)
    assert {"labels.performance_labels", "marts.bug_metrics", "analysis.effect_sizes"} <= reported
    assert not reported & {"links.fix_links", "raw.commits", "marts.bug_lifetimes"}
    (repository,) = study.repositories
    records = instance.fetch_materializations(asset_key("labels.performance_labels"), limit=2)
    assert [record.partition_key for record in records.records] == [
        str(key_of(repository.name, month)) for month in ("2020-02", "2020-03")
    ]


@pytest.mark.exhaustive
def test_what_a_killed_run_stored_is_reported_by_the_next_run(
    study: Study, data_dir: DataDirectory, instance: dg.DagsterInstance
) -> None:
    with duckdb.connect(str(data_dir.warehouse)) as connection:
        connection.execute(
            "UPDATE meta.partition_loads SET loaded_at = now(), row_count = 99 "
            "WHERE \"table\" = 'raw.commit_files' AND month = '2020-02'"
        )
    assert "raw.commits" in refresh(study, data_dir, instance)
    (repository,) = study.repositories
    key = str(key_of(repository.name, "2020-02"))
    assert shown(study, data_dir, instance)["raw/commits"][key]["rows of commit_files"] == 99


@pytest.mark.usefixtures("trusting_auditor")
def test_what_a_person_chooses_is_done_and_reported(
    study: Study, data_dir: DataDirectory, instance: dg.DagsterInstance
) -> None:
    definitions = build_definitions(study, data_dir)
    chosen = [asset_key("marts.bug_metrics"), asset_key("marts.paper_trend")]
    ran = definitions.resolve_job_def("build_models").execute_in_process(
        instance=instance, asset_selection=chosen
    )
    assert {event.asset_key for event in ran.get_asset_materialization_events()} == set(chosen)
    checked = {one.asset_check_key.asset_key for one in ran.get_asset_check_evaluations()}
    assert checked == set(chosen)
    (repository,) = study.repositories
    tags = range_tags(repository.name, "2020-01", "2020-02")
    ran = definitions.resolve_job_def("label_and_link").execute_in_process(
        instance=instance, tags=tags, asset_selection=[asset_key("labels.performance_labels")]
    )
    reported = {
        (event.asset_key, event.partition) for event in ran.get_asset_materialization_events()
    }
    assert reported == {
        (asset_key("labels.performance_labels"), str(key_of(repository.name, month)))
        for month in ("2020-01", "2020-02")
    }


def test_the_record_that_a_run_writes_is_the_one_that_the_ui_reads(tmp_path: Path) -> None:
    @dg.asset(check_specs=[dg.AssetCheckSpec("good", asset="thing")])
    def thing():
        return dg.MaterializeResult(check_results=[dg.AssetCheckResult(passed=True)])

    directory = tmp_path / "dagster"
    with open_instance(directory) as instance:
        result = dg.materialize([thing], instance=instance)
        # While the files are still open.
        with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(directory))) as ui:
            assert len(ui.all_logs(result.run_id)) == len(instance.all_logs(result.run_id)) > 5
            key = dg.AssetCheckKey(dg.AssetKey("thing"), "good")
            latest = ui.event_log_storage.get_latest_asset_check_execution_by_key([key])
            assert latest[key].status.value == "SUCCEEDED"
            event = ui.get_latest_materialization_event(dg.AssetKey("thing"))
            assert event is not None and event.run_id == result.run_id


def test_a_storage_of_ones_own_and_other_settings_stay(tmp_path: Path) -> None:
    path = write_instance_config(tmp_path) / "dagster.yaml"
    own = {"storage": {"sqlite": {"base_dir": str(tmp_path / "elsewhere")}}, "run_retries": {}}
    path.write_text(yaml.safe_dump({**own, "telemetry": {"enabled": True}}))
    with open_instance(tmp_path) as instance:
        assert type(instance.event_log_storage).__module__.startswith("dagster.")
    assert (tmp_path / "elsewhere").is_dir()
    settings = yaml.safe_load(path.read_text())
    assert {name: settings[name] for name in own} == own
    assert settings["telemetry"] == {"enabled": False}


def test_a_run_that_has_nothing_to_do_imports_nothing_for_what_it_could_have_done(
    small: Prepared, data_dir: DataDirectory
) -> None:
    heavy = ("numpy", "scipy", "pandas", "pydriller", "lizard", "git", "statsmodels")
    script = (
        "import atexit, os, sys\n"
        "from perf_assets.cli import main\n"
        "from pathlib import Path\n"
        "from perf_assets.base.processes.child import descendants\n"
        "def tell():\n"
        f"    heavy = [name for name in {heavy} if name in sys.modules]\n"
        "    for process in descendants(os.getpid()):\n"
        "        command = Path(f'/proc/{process}/cmdline').read_text()\n"
        "        heavy += ['Great Expectations'] * ('storage.audit.process' in command)\n"
        "    print(heavy)\n"
        "atexit.register(tell)\n"
        "main()\n"
    )
    arguments = ("run", "--study", str(small.study), "--data-dir", str(data_dir.path))
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == "[]"


def test_a_refresh_is_known_by_its_tags() -> None:
    assert len(refresh_tags("a test")) == 3
    assert len(refresh_tags("a test", reconcile=True, force=True)) == 5


@pytest.mark.parametrize("is_declared", [True, False])
def test_what_a_broken_rule_quotes_is_not_rendered(*, is_declared: bool) -> None:
    rule = "keys_are_unique" if is_declared else named_rules("raw.issues")[0].name
    text = "title '[x](javascript:y) <script>z</script> ![i](http://h/i.png) | \x1b[2J'"
    (result,) = (
        one
        for one in check_results(
            {"raw.issues": [BrokenRule(rule, "a/b_c 2020-01", 1, [text], is_refused=False)]}
        )
        if not one.passed
    )
    assert result.check_name == (DECLARED if is_declared else rule)
    shown = result.metadata["examples"].value
    named = r"keys\_are\_unique, " if is_declared else ""
    assert shown == (
        rf"- {named}a/b\_c 2020-01: title '\[x\](javascript:y) &lt;script&gt;z&lt;/script&gt; "
        r"!\[i\](http\://h/i.png) \| \[2J'"
    )


def test_what_is_declared_is_one_check_of_an_asset_and_each_rule_of_a_suite_is_its_own() -> None:
    broken = {
        "raw.issues": [
            BrokenRule("number_is_in_range", "a/b 2020-01", 2, [], True),
            BrokenRule("title_is_not_blank", "a/b 2020-01", 1, [], False),
        ],
        "raw.issue_comments": [BrokenRule("keys_are_unique", "a/b 2020-02", 3, [], False)],
    }
    reported = {str(one.check_name): one for one in check_results(broken) if not one.passed}
    assert set(reported) == {DECLARED, "title_is_not_blank"}
    assert reported[DECLARED].metadata["failing_rows"].value == 5
    assert reported[DECLARED].severity is dg.AssetCheckSeverity.ERROR
    for words in ("number_is_in_range, a/b 2020-01", "issue_comments keys_are_unique, a/b 2020-02"):
        assert words in str(reported[DECLARED].description)
