"""What a person says of an alert is stored once, found again, and never lost."""

import json
import shutil
from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.stages.alert_states import set_alert_state
from perf_assets.stages.transform.derivation import derive
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.backups import write_backup
from perf_assets.storage.restoring import restore
from perf_assets.storage.verdicts import (
    ALERT_STATES,
    REGRESSION_STATES,
    keep_verdicts,
    read_log,
)
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.rows import REPOSITORY
from tests.storage.good_rows import ALERT, GOOD, completed
from tests.support import Prepared, perf_assets

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

OTHER = "a9876543210-2021-03"


@pytest.fixture
def data_dir(laid: Path, tmp_path: Path) -> DataDirectory:
    """A data directory with two alerts, one of which goes by two names."""
    path = tmp_path / "home"
    shutil.copytree(laid, path)
    found = DataDirectory.of(path)
    row = completed("marts.alerts", GOOD["marts.alerts"][0]) | {"repository": REPOSITORY}
    rows = [
        {**row, "alert_id": ALERT, "group_ids": [ALERT, "a5555555555-2021-04"]},
        {**row, "alert_id": OTHER, "group_ids": [OTHER]},
    ]
    with open_warehouse(found.warehouse) as database:
        insert(database.connection, "marts.alerts", rows)
    return found


def states(data_dir: DataDirectory) -> list[tuple[str, ...]]:
    with open_warehouse(data_dir.warehouse) as database:
        query = f"select alert_id, state, rater, note from {ALERT_STATES} order by verdict_id"
        return database.frame(query).rows()


def say(data_dir: DataDirectory, alert: str, state: str, note: str | None = None) -> object:
    with open_warehouse(data_dir.warehouse) as database:
        return set_alert_state(AuditedWriter(database, data_dir), alert, state, note, " Ann  B. ")


@pytest.mark.parametrize(
    "alert", [ALERT, ALERT[:6], "a5555555555-2021-04", ALERT[:-1] + "5", ALERT[:-1] + "1"]
)
def test_an_alert_is_known_by_its_names_their_beginnings_and_months_near_it(
    data_dir: DataDirectory, alert: str
) -> None:
    assert say(data_dir, alert, "known", " why ") == (ALERT, "new", True)
    assert states(data_dir) == [(ALERT, "known", "Ann B.", "why")]


def test_the_same_again_adds_nothing_and_another_is_added(data_dir: DataDirectory) -> None:
    say(data_dir, ALERT, "known")
    assert say(data_dir, ALERT, "known") == (ALERT, "known", False)
    assert say(data_dir, ALERT, "known", "why") == (ALERT, "known", True)
    assert say(data_dir, OTHER, "wont_fix") == (OTHER, "new", True)
    assert say(data_dir, ALERT, "resolved") == (ALERT, "known", True)
    assert [state for _, state, *_ in states(data_dir)] == [
        "known",
        "known",
        "wont_fix",
        "resolved",
    ]


@pytest.mark.parametrize(
    ("alert", "reason"),
    [
        ("a", "matches several alerts: .*; write more of the identifier"),
        ("b", f"is not an alert: the alerts are {ALERT}"),
        (ALERT[:-1] + "9", "is not an alert"),
        ("a0123456789-2021-xx", "is not an alert"),
        ("-", "is not an alert"),
        ("", "matches several"),
        ("x'; drop table reviews.alert_states; --", "is not an alert"),
    ],
)
def test_what_is_not_an_alert_is_refused_with_those_that_are(
    data_dir: DataDirectory, alert: str, reason: str
) -> None:
    with pytest.raises(PerfAssetsError, match=reason):
        say(data_dir, alert, "known")
    assert states(data_dir) == []


def test_each_statement_names_its_source(data_dir: DataDirectory) -> None:
    with (
        open_warehouse(data_dir.warehouse) as database,
        pytest.raises(PerfAssetsError, match="--by is empty"),
    ):
        set_alert_state(AuditedWriter(database, data_dir), ALERT, "known", None, "  ")


def test_without_any_alert_that_is_said(data_dir: DataDirectory) -> None:
    with open_warehouse(data_dir.warehouse) as database:
        database.connection.execute("DELETE FROM marts.alerts")
    with pytest.raises(PerfAssetsError, match="no alerts exist"):
        say(data_dir, ALERT, "known")


def test_a_warehouse_that_knows_no_alerts_yet_is_said_so(data_dir: DataDirectory) -> None:
    with open_warehouse(data_dir.warehouse) as database:
        database.connection.execute("DROP TABLE marts.alerts; DROP TABLE reviews.alert_states")
    with pytest.raises(PerfAssetsError, match="perf-assets run computes them"):
        say(data_dir, ALERT, "known")


def test_a_data_directory_of_before_gains_the_tables_when_it_runs(data_dir: DataDirectory) -> None:
    with open_warehouse(data_dir.warehouse) as database:
        database.connection.execute("DROP TABLE marts.alerts; DROP TABLE reviews.alert_states")
        database.connection.execute("DELETE FROM meta.build_state")
        writer = AuditedWriter(database, data_dir)
        assert [one.is_new for one in derive(writer, {"marts.alerts"})] == [True]
        for table in ("marts.alerts", ALERT_STATES):
            assert database.frame(f"FROM {table}").is_empty()


def test_states_come_back_from_the_log_and_from_a_backup(
    data_dir: DataDirectory, tmp_path: Path
) -> None:
    say(data_dir, ALERT, "wont_fix", "by design")
    said = states(data_dir)
    assert read_log(data_dir.verdicts).rows[ALERT_STATES].height == 1
    with open_warehouse(data_dir.warehouse) as database:
        database.connection.execute("DELETE FROM reviews.alert_states")
        assert keep_verdicts(database, data_dir) == 1
    assert states(data_dir) == said
    write_backup(data_dir, tmp_path / "backup.zip")
    elsewhere = DataDirectory.of(tmp_path / "elsewhere")
    restore(elsewhere, tmp_path / "backup.zip")
    assert states(elsewhere) == said


@pytest.mark.usefixtures("undrawn_report")
def test_the_command_lists_sets_and_keeps_over_the_next_run(
    sampled: Prepared, tmp_path: Path
) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    shutil.copytree(sampled.data_dir, data_dir.path, dirs_exist_ok=True)
    options = ("--data-dir", data_dir.path)
    listed = perf_assets("alerts", *options)
    assert listed.returncode == 0 and "share of performance bugs" in listed.stdout
    with open_warehouse(data_dir.warehouse) as database:
        ((alert,),) = database.frame("select alert_id from marts.alerts").rows()
    done = perf_assets("alerts", *options, "set", alert, "resolved", "--by", "Ann")
    assert done.stdout.endswith(f"{alert}: resolved, before new\n"), done.stderr
    assert "No alert is open" in perf_assets("alerts", *options).stdout
    everything = perf_assets("alerts", *options, "--all", "--json")
    (row,) = json.loads(everything.stdout)["alerts"]
    assert (row["state"], row["state_by"]) == ("resolved", "Ann")
    refused = perf_assets("alerts", "set", "b", "known", *options)
    assert refused.returncode == 2 and "'b' is not an alert" in refused.stderr
    assert perf_assets("alerts", *options, "set", alert, "fixed").returncode == 2


@pytest.mark.usefixtures("undrawn_report")
def test_the_command_accepts_a_level_and_lists_the_regression_no_more(
    sampled: Prepared, tmp_path: Path
) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    shutil.copytree(sampled.data_dir, data_dir.path, dirs_exist_ok=True)
    options = ("--data-dir", data_dir.path)
    listed = perf_assets("regressions", "--since", "2020-01", *options)
    assert listed.returncode == 1
    regression = listed.stdout.split()[0]
    said = (regression[:5], "intended", "--note", "checks its input", "--by", "Ann")
    done = perf_assets("regressions", *options, "set", *said)
    assert done.stdout.endswith(f"{regression}: intended, before new\n"), done.stderr
    again = perf_assets("regressions", *options, "set", *said)
    assert again.stdout.endswith(f"{regression}: intended already; nothing changed\n")
    accepted = perf_assets("regressions", "--since", "2020-01", *options)
    assert accepted.returncode == 0 and regression not in accepted.stdout
    everything = perf_assets("regressions", "--since", "2020-01", "--all", "--json", *options)
    (row,) = json.loads(everything.stdout)["regressions"]
    assert (row["regression_state"], row["state_by"]) == ("intended", "Ann")
    assert read_log(data_dir.verdicts).rows[REGRESSION_STATES].height == 1
    refused = perf_assets("regressions", "set", "b", "known", *options)
    assert refused.returncode == 2 and "'b' is not a regression" in refused.stderr
