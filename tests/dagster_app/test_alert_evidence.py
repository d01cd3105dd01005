"""The check of new alerts names them, links the issues behind them, and shows the picture."""

import shutil
from pathlib import Path
from shlex import quote

import dagster as dg
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.dagster_app.assets import ALERTS, NAMED, RULE, with_evidence
from perf_assets.dagster_app.checks import check_key, check_specs
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.rows import REPOSITORY
from tests.storage.good_rows import GOOD, completed

pytestmark = pytest.mark.slow
KEY = check_key(ALERTS, RULE)


def result(*, passed: bool, name: str = RULE) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(passed=passed, asset_key=KEY.asset_key, check_name=name)


def test_new_alerts_are_named_with_their_evidence(laid: Path, tmp_path: Path) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    shutil.copytree(laid, data_dir.path, dirs_exist_ok=True)
    row = completed("marts.alerts", GOOD["marts.alerts"][0]) | {
        "repository": REPOSITORY,
        "state": "new",
        "state_by": None,
        "issues": [7],
        "performance_bugs": 1,
        "result": "share of *performance* bugs rose",
    }
    months = [f"20{year}-03" for year in range(10, 10 + NAMED + 2)]
    identifiers = [f"a0123456789-{month}" for month in months]
    with open_warehouse(data_dir.warehouse) as database:
        rows = [
            {**row, "alert_id": one, "group_ids": [one], "month": month, "first_month": "2009-01"}
            for one, month in zip(identifiers, months, strict=True)
        ]
        insert(database.connection, ALERTS, rows)
        url = f"https://github.com/{REPOSITORY}/issues/7"
        issue = completed("raw.issues", GOOD["raw.issues"][0]) | {"number": 7, "html_url": url}
        insert(database.connection, "raw.issues", [issue | {"repository": REPOSITORY}])
        writer = AuditedWriter(database, data_dir)
        found = with_evidence(writer, result(passed=False))
        assert with_evidence(writer, result(passed=True)).metadata == {}
        other = with_evidence(writer, result(passed=False, name="rows_are_as_declared"))
        assert other.metadata == {} and other.description is None
    assert found.severity == dg.AssetCheckSeverity.WARN and not found.passed
    assert str(found.description).count(f"{REPOSITORY}: share of *performance* bugs rose") == NAMED
    start, _, command = str(found.description).partition(". Set the state of the first: ")
    assert start.endswith("; and 2 more")
    directory = quote(str(data_dir.path))
    assert command == f"perf-assets alerts set {identifiers[-1]} known --data-dir {directory}"
    commands = str(found.metadata["commands"].value).splitlines()
    assert commands[1] == command and len(commands) == NAMED + 2
    assert found.metadata["new_alerts"].value == NAMED + 2
    listed = str(found.metadata["alerts"].value).splitlines()
    assert listed[0].startswith(f"- **{identifiers[-1]}** {REPOSITORY}: share of \\*performance\\*")
    assert listed[0].endswith(f"[#7]({url})")
    assert "data:image/svg+xml" in str(found.metadata["figure"].value)


def test_the_check_is_one_of_the_asset_and_blocks_nothing() -> None:
    (spec,) = (one for one in check_specs([ALERTS]) if one.key == KEY)
    assert not spec.blocking and "does not block" in str(spec.description)
