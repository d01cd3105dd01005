"""Projects against each other: a difference of mix is none, one beyond it stays."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from perf_assets.core.analyses.projects import METRICS, pooled_effects, project_comparisons
from perf_assets.schema import schema_of

BUGS = {
    **dict.fromkeys(("dataset", "repository", "author_association"), pl.String),
    "number": pl.Int64,
    "opened_at": pl.Datetime("us", "UTC"),
    "is_fixed": pl.Boolean,
    "is_performance": pl.Boolean,
    **dict.fromkeys((name for name in METRICS if name != "is_performance"), pl.Float64),
}
NO_AREAS = pl.DataFrame(schema=schema_of("marts.bug_areas"))


def bugs(
    repository: str, years: list[int], hours: list[float], **changes: object
) -> list[dict[str, object]]:
    return [
        {
            "dataset": "live",
            "repository": repository,
            "number": number,
            "opened_at": datetime(year, 5, 1, tzinfo=UTC),
            "author_association": "NONE",
            "is_fixed": True,
            "is_performance": number % 4 == 0,
            "fix_time_days": hour,
            "fix_size": 10.0,
            "hours_to_first_comment": hour,
            "hours_to_first_member_comment": None,
            "comments": 1.0,
            **changes,
        }
        for number, (year, hour) in enumerate(zip(years, hours, strict=True), 1)
    ]


def found(rows: list[dict[str, object]], areas: pl.DataFrame = NO_AREAS) -> pl.DataFrame:
    table = project_comparisons(pl.DataFrame(rows, schema=BUGS), areas)
    assert table.schema == schema_of("analysis.project_comparisons")
    return table


def test_a_difference_that_is_only_one_of_years_goes_among_those_alike() -> None:
    chance = np.random.default_rng(1)
    early, late = chance.normal(10, 1, 200), chance.normal(100, 1, 200)
    one = bugs("a/a", [2015] * 180 + [2020] * 20, [*early[:180], *late[:20]])
    two = bugs("b/b", [2015] * 20 + [2020] * 180, [*early[180:], *late[20:]])
    row = found(one + two).row(
        by_predicate=pl.col("metric") == "hours_to_first_comment", named=True
    )
    assert row["cliffs_delta"] < -0.6
    assert row["p_value"] < 1e-6
    assert abs(row["adjusted_cliffs_delta"]) < 0.3
    assert row["adjusted_cliffs_delta_low"] < 0 < row["adjusted_cliffs_delta_high"]
    assert row["adjusted_p_value_holm"] > 0.05
    assert (row["strata"], row["n_matched_first"], row["n_matched_second"]) == (2, 200, 200)


def test_what_is_in_no_group_with_both_is_left_out_and_a_difference_beyond_the_mix_stays() -> None:
    one = bugs("a/a", [2015] * 30 + [2016] * 30, [1.0 + index for index in range(60)])
    two = bugs("b/b", [2016] * 30, [200.0 + index for index in range(30)])
    row = found(one + two).row(by_predicate=pl.col("metric") == "fix_time_days", named=True)
    assert (row["n_first"], row["n_matched_first"], row["n_matched_second"]) == (60, 30, 30)
    assert row["adjusted_cliffs_delta"] == -1
    assert row["adjusted_p_value_holm"] < 0.001


def test_reporters_of_unknown_association_are_like_none_whose_association_is_known() -> None:
    one = bugs("a/a", [2015] * 30, [1.0 + index for index in range(30)], author_association=None)
    two = bugs("b/b", [2015] * 30, [2.0 + index for index in range(30)], author_association="NONE")
    assert found(one + two)["strata"].to_list() == [0] * len(METRICS)


def test_of_the_share_of_performance_bugs_it_is_the_difference_of_shares() -> None:
    one = bugs("a/a", [2015] * 40, [1.0] * 40, is_performance=True)
    one[:10] = [{**row, "is_performance": False} for row in one[:10]]
    two = bugs("b/b", [2015] * 40, [1.0] * 40)
    row = found(one + two).row(by_predicate=pl.col("metric") == "is_performance", named=True)
    assert (row["level_first"], row["level_second"]) == (0.75, 0.25)
    assert row["cliffs_delta"] == pytest.approx(0.5)
    assert row["adjusted_cliffs_delta"] == pytest.approx(0.5)


def test_an_area_is_held_against_the_rest_of_its_repository_that_has_an_area() -> None:
    rows = bugs("a/a", [2015] * 40, [1.0] * 20 + [9.0] * 20)
    areas = pl.DataFrame(
        [
            {"dataset": "live", "repository": "a/a", "number": number, "area": area}
            for number in range(1, 41)
            for area in (["nn"] if number <= 20 else ["io"] if number <= 39 else ["unknown"])
        ],
        schema=schema_of("marts.bug_areas"),
    )
    table = found(rows, areas).filter(metric="hours_to_first_comment")
    assert table.select("first", "second", "n_first", "n_second", "cliffs_delta").rows() == [
        ("io", "rest", 19, 20, 1.0),
        ("nn", "rest", 20, 19, -1.0),
    ]


def test_too_few_are_counted_and_not_compared() -> None:
    table = found(bugs("a/a", [2015] * 5, [1.0] * 5) + bugs("b/b", [2015] * 9, [1.0] * 9))
    assert table["is_too_few"].all()
    assert table["cliffs_delta"].is_null().all()
    assert found([]).is_empty()


def test_of_many_repositories_the_ten_largest_are_compared() -> None:
    rows = [
        row
        for index in range(12)
        for row in bugs(f"a/r{index:02}", [2015] * (index + 6), [1.0] * (index + 6))
    ]
    table = found(rows)
    assert table.height == 45 * len(METRICS)
    assert not {"a/r00", "a/r01"} & {*table["first"], *table["second"]}


def test_repositories_are_pooled_as_studies_of_their_own() -> None:
    effects = pl.DataFrame(
        [
            {
                "dataset": "live",
                "repository": repository,
                "metric": "comments",
                "cliffs_delta": delta,
                "cliffs_delta_low": delta - 0.1,
                "cliffs_delta_high": delta + 0.1,
            }
            for repository, delta in (("a", 0.1), ("b", 0.2), ("c", 0.6), ("pooled", 0.9))
        ],
        schema=schema_of("analysis.effect_sizes"),
    )
    table = pooled_effects(effects)
    assert table.schema == schema_of("analysis.pooled_effects")
    (row,) = table.rows(named=True)
    assert (row["n"], row["cliffs_delta"]) == (3, pytest.approx(0.3, abs=0.01))
    assert row["cliffs_delta_low"] < 0 < row["heterogeneity_p_value"] < 0.001 < row["i_squared"]
    assert -1 <= row["prediction_low"] < row["cliffs_delta_low"]
    assert pooled_effects(effects.filter(pl.col("repository") < "b")).is_empty()
