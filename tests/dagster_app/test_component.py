"""A study that is mounted in other people's Dagster: by dg, beside their own assets."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

import perf_assets
from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.study import load_study
from perf_assets.dagster_app.component import Mounting, StudyComponent
from perf_assets.dagster_app.definitions import Parts
from tests.dagster_answers import dagster_answer
from tests.paths import ROOT
from tests.ports import free_port
from tests.support import Prepared, environment, stored_tables

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent
SECONDS = 120.0  # on a machine that is busy with other tests
ASSETS = "{ assetNodes { assetKey { path } } }"
STUDY = {"name": "mine", "repositories": [{"name": "a/b", "start": "2024-01", "end": "2024-03"}]}
THEIRS = """\
import dagster as dg


@dg.asset(deps=[dg.AssetKey(["one", "marts", "trend_monthly"])])
def our_dashboard() -> None: ...
"""


def dg_run(*arguments: str | Path, at: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / "dg", *map(str, arguments)],
        cwd=at,
        env=environment(**{"DAGSTER_HOME": str(at), **changes}),
        capture_output=True,
        text=True,
        timeout=SECONDS * 5,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project as create-dagster makes it, importable without being installed."""
    subprocess.run(
        [BIN / "create-dagster", "project", "shop", "--no-uv-sync"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=SECONDS,
    )
    root = tmp_path / "shop"
    (root / "dagster.yaml").write_text("telemetry: {enabled: false}\nnux: {enabled: false}\n")
    return root


def mounted(attributes: dict[str, Any]) -> StudyComponent:
    return StudyComponent.from_attributes_dict(attributes=attributes)


def test_a_new_project_mounts_studies_beside_its_own_assets(
    project: Path, small: Prepared, tmp_path: Path
) -> None:
    variables = {"PYTHONPATH": str(project / "src"), "PERF_ASSETS_DATA_DIR": str(tmp_path / "data")}
    made = dg_run(
        *("scaffold", "defs", "perf_assets.StudyComponent", "one"), at=project, **variables
    )
    assert made.returncode == 0, made.stderr
    path = project / "src/shop/defs/one/defs.yaml"
    assert yaml.safe_load(path.read_text())["attributes"] == {"study": "sample"}
    path.write_text(path.read_text().replace("sample", str(small.study)))
    shutil.copytree(path.parent, path.parent.with_name("two"))
    (project / "src/shop/defs/dashboard.py").write_text(THEIRS)
    checked = dg_run("check", "yaml", at=project, **variables)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    listed = json.loads(dg_run("list", "defs", "--json", at=project, **variables).stdout)
    keys = {asset["asset_key"] for asset in listed["assets"]}
    assert {"one/raw/issues", "two/published/report", "our_dashboard"} <= keys
    assert {"one_mine", "two_mine"} <= {job["name"] for job in listed["jobs"]}

    # The executor of that deployment runs steps beside each other: each waits for its turn.
    months = "2020-02-01|sample-lab/tensorkit...2020-03-01|sample-lab/tensorkit"
    ran = dg_run(
        *("launch", "--job", "one_mine", "--partition-range", months),
        at=project,
        **variables,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    tables = stored_tables(tmp_path / "data/one/warehouse.duckdb")
    assert set(tables["raw.issues"]["month"]) == {"2020-02", "2020-03"}
    assert not (tmp_path / "data/two/warehouse.duckdb").exists()
    with dg.DagsterInstance.from_config(str(project)) as instance:
        key = dg.AssetKey(["one", "raw", "issues"])
        assert len(instance.get_materialized_partitions(key)) == 2


def test_dg_works_in_the_clone(small: Prepared, tmp_path: Path) -> None:
    variables = {
        "PERF_ASSETS_STUDY": str(small.study),
        "PERF_ASSETS_DATA_DIR": str(tmp_path / "home"),
        "DAGSTER_HOME": str(tmp_path),
    }
    (tmp_path / "dagster.yaml").write_text("telemetry: {enabled: false}\n")

    def run(*arguments: str) -> str:
        ran = dg_run(*arguments, at=ROOT, **variables)
        assert ran.returncode == 0, ran.stdout[-1000:] + ran.stderr[-2000:]
        return ran.stdout

    assert "loaded successfully" in run("check", "defs")
    assets = json.loads(run("list", "defs", "--json"))["assets"]
    assert "raw/issues" in {asset["asset_key"] for asset in assets}
    run("launch", "--job", "mine", "--partition", "2020-02-01|sample-lab/tensorkit")
    issues = stored_tables(tmp_path / "home/warehouse.duckdb")["raw.issues"]
    assert set(issues["month"]) == {"2020-02"}

    port = free_port()
    with subprocess.Popen(
        [BIN / "dg", "dev", "--port", str(port)],
        cwd=ROOT,
        env=environment(**variables),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as served:
        try:
            assert "published" in assets_at(port)
        finally:
            served.send_signal(signal.SIGINT)  # by Ctrl-C it ends what it had started, too
            served.wait(SECONDS)


def assets_at(port: int) -> str:
    """What the UI has of assets, when it is there."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            found = dagster_answer(f"http://127.0.0.1:{port}", ASSETS, SECONDS)
            if "published" in str(found) or time.monotonic() > until:
                return str(found)
        except OSError:
            assert time.monotonic() < until
        time.sleep(0.2)


def test_what_comes_along_can_be_switched_off(small: Prepared, tmp_path: Path) -> None:
    component = StudyComponent(small.study, tmp_path / "home")

    def names(parts: Parts) -> tuple[int, set[str], int]:
        definitions = StudyComponent(small.study, tmp_path / "home", None, parts).definitions("x")
        graph = definitions.resolve_asset_graph()
        started = {each.name for each in (definitions.schedules or ())}
        started |= {each.name for each in (definitions.sensors or ())}
        return len(graph.asset_check_keys), started, len(list(definitions.jobs or ()))

    checks, started, jobs = names(component.parts)
    assert checks > 100 and jobs > 5
    assert {"x_bring_along", "x_retry_passing_faults", "x_weekly_sample_lab_tensorkit"} <= started
    assert names(Parts(checks=False))[0] == 0
    assert names(Parts(schedules=False))[1] == {name for name in started if "ly_" not in name}
    assert names(Parts(sensors=False))[1] == {name for name in started if "ly_" in name}
    assert names(Parts(jobs=False))[1:] == ({"x_bring_along", "x_post_new_alerts"}, 0)


def test_its_attributes_are_a_study_with_the_same_messages(tmp_path: Path) -> None:
    for wrong in (
        {**STUDY, "repositoris": []},
        {**STUDY, "repositories": [{"name": "a b", "start": "2024-01"}]},
        {**STUDY, "repositories": [{"name": "a/b", "start": "2024-13"}]},
        {"name": "mine"},
    ):
        with pytest.raises(PerfAssetsError) as of_component:
            mounted(wrong)
        path = tmp_path / "study.toml"
        path.write_text(toml_of(wrong))
        with pytest.raises(PerfAssetsError) as of_file:
            load_study(path)
        message = str(of_file.value).removeprefix(f"{path}")
        assert str(of_component.value).endswith(message), (of_component.value, message)


def toml_of(study: dict[str, Any]) -> str:
    import tomlkit  # noqa: PLC0415

    return tomlkit.dumps(study)


def test_a_file_of_a_study_stands_in_place_of_its_keys(tmp_path: Path) -> None:
    with pytest.raises(PerfAssetsError, match=r"leave it out, or name"):
        mounted({**STUDY, "study": "sample"})
    (tmp_path / "study.toml").write_text(toml_of(STUDY))
    of_file = mounted({"study": str(tmp_path / "study.toml"), "data_dir": str(tmp_path / "a")})
    of_keys = mounted({**STUDY, "data_dir": str(tmp_path / "b")})
    first, second = (
        component.definitions("x").resolve_asset_graph().get_all_asset_keys()
        for component in (of_file, of_keys)
    )
    assert first == second
    with pytest.raises(PerfAssetsError, match="key_prefix"):
        of_keys.definitions("a-b")


def test_attributes_may_name_variables_of_the_deployment(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PLACE", str(tmp_path / "kept"))
    switched = {"data_dir": "{{ env.PLACE }}", "jobs": "{{ env.PLACE == '' }}"}
    component = mounted({**STUDY, **switched})
    assert component.data_dir == str(tmp_path / "kept") and not component.parts.jobs
    with pytest.raises(PerfAssetsError, match="sensors: "):
        mounted({**STUDY, "sensors": "{{ env.PLACE }}"})


def test_editors_are_told_the_keys_of_a_study() -> None:
    properties = Mounting.model_json_schema()["properties"]
    assert {"repositories", "rule_set", "lake", "key_prefix"} <= properties.keys()


def test_the_package_offers_the_component_and_waits_for_it_when_it_is_asked() -> None:
    assert perf_assets.StudyComponent is StudyComponent and "StudyComponent" in dir(perf_assets)
    with pytest.raises(AttributeError, match="Componentt"):
        _ = perf_assets.Componentt
    code = "import sys, perf_assets; sys.exit('dagster' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
