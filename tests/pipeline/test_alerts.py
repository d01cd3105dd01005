"""A change that is planted in a corpus comes out of the whole pipeline as the one alert."""

import json
from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.reports.monthly.growth import read_growths
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.generator.changes import PlantedChange
from perf_assets.storage.warehouse import open_warehouse
from tests.plain_pipeline import run_pipeline

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

MONTH = "2021-10"
SIZES = {"seed": 4, "issues": 900, "months": 36, "commits": 60, "comments": 1500}


def test_a_planted_change_is_the_one_alert_with_the_planted_levels(tmp_path: Path) -> None:
    change = PlantedChange("opened_share", MONTH, 0.5)
    corpus = generate(tmp_path / "corpus", **SIZES, changes=[change])
    planted = json.loads((corpus.truth / "changes.json").read_text())
    assert planted == [{"series": "opened_share", "month": MONTH, "size": 0.5}]
    data_dir = DataDirectory.of(tmp_path / "home")
    # How large fixes are is not a series.
    assert run_pipeline(load_study(corpus.study), data_dir, until="links") == []
    with open_warehouse(data_dir.warehouse) as database:
        found = database.frame("FROM marts.alerts").to_dicts()
    (alert,) = found
    assert alert["area"] is None and len(alert["also_changed"]) > 1
    assert (alert["series"], alert["month"], alert["direction"]) == ("opened_share", MONTH, "up")
    truth = pl.read_csv(corpus.truth / "trend_monthly.csv")
    for level, n, first, last in (
        ("level_before", "n_before", alert["first_month"], "2021-09"),
        ("level_after", "n_after", MONTH, alert["last_month"]),
    ):
        months = truth.filter(pl.col("month").is_between(pl.lit(first), pl.lit(last)))
        assert alert[n] == months["opened_total"].sum()
        share = months["opened_performance"].sum() / months["opened_total"].sum()
        assert alert[level] == pytest.approx(share)
    bugs = pl.read_csv(corpus.truth / "bug_metrics.csv").filter("is_performance")
    behind = bugs.filter(pl.col("month") >= MONTH)["number"].sort()
    assert alert["issues"] == behind.head(20).to_list()
    assert alert["performance_bugs"] == len(behind)


@pytest.mark.parametrize(("series", "is_marked"), [("labeller", True), ("opened_share", False)])
def test_a_rise_that_the_labelling_makes_is_marked(
    tmp_path: Path, series: str, *, is_marked: bool
) -> None:
    change = PlantedChange(series, MONTH, 0.3)
    corpus = generate(tmp_path / "corpus", **SIZES, changes=[change])
    data_dir = DataDirectory.of(tmp_path / "home")
    assert run_pipeline(load_study(corpus.study), data_dir, until="links") == []
    with open_warehouse(data_dir.warehouse) as database:
        (growth,) = read_growths(database.connection)
        odds = dict(
            database.connection.sql(
                "SELECT variant, odds_ratio_per_year FROM analysis.trend_variants"
            ).fetchall()
        )
    assert growth.sentence.startswith("Performance bugs have become a larger share")
    assert ("the automation triage[bot] began to label" in growth.sentence) is is_marked
    if is_marked:  # what the bot adds is no part of the trend within the periods
        assert odds["within_periods"] < 0.95 * odds["all"]


def test_answers_that_come_later_are_planted_too(tmp_path: Path) -> None:
    change = PlantedChange("hours_to_first_comment", MONTH, 30.0)
    with_change = generate(tmp_path / "with", **SIZES, changes=[change])
    without = generate(tmp_path / "without", **SIZES)
    metrics, plain = (
        pl.read_csv(corpus.truth / "bug_metrics.csv").select(
            "number", "month", "is_performance", "hours_to_first_comment"
        )
        for corpus in (with_change, without)
    )
    before = pl.col("month") < MONTH
    assert metrics.filter(before).equals(plain.filter(before))
    hours = [rows.filter(~before)["hours_to_first_comment"].median() for rows in (metrics, plain)]
    assert hours[0] > 5 * hours[1]  # type: ignore[operator]
    assert metrics.drop("hours_to_first_comment").equals(plain.drop("hours_to_first_comment"))


def test_what_cannot_be_planted_is_refused(tmp_path: Path) -> None:
    for series, month in (("opened_share", "1999-01"), ("backlog_growth", "2020-01")):
        with pytest.raises(PerfAssetsError, match="cannot be planted"):
            generate(tmp_path / "corpus", **SIZES, changes=[PlantedChange(series, month, 0.5)])
