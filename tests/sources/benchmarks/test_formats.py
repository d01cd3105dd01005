"""Files of benchmark results: what each format says, and what damage to a file costs."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.sources.benchmarks import asv, github_action, pytest_benchmark, table
from perf_assets.sources.benchmarks.results import Results, UnusableError
from tests import benchmark_files as made

WHEN = datetime(2020, 1, 26, 0, 53, 20, tzinfo=UTC)
Reader = Callable[[bytes], Results]


def read_asv(content: bytes) -> Results:
    return asv.read_results(content, {})


def rows(results: Results, *columns: str) -> list[tuple[Any, ...]]:
    return pl.concat(results.frames).select(columns).rows() if results.frames else []


def test_asv_gives_a_result_for_each_combination_of_parameters() -> None:
    content = made.asv(
        {
            "bench.Sum.time_sum": made.asv_row(
                [1.0, 2.0, None, float("nan")], [["'a'", "'b'"], ["[1, [2]]", "3"]]
            ),
            "bench.Many.track_size": made.asv_row(7),
            "bench.Many.mem_all": None,
            "bench.Many.peakmem_all": made.asv_row(None),
        }
    )
    results = asv.read_results(content, {"bench.Many.track_size": "items"})
    assert rows(results, "benchmark", "benchmark_parameters", "measured_value", "unit") == [
        ("bench.Sum.time_sum", "'a', [1, [2]]", 1.0, "seconds"),
        ("bench.Sum.time_sum", "'a', 3", 2.0, "seconds"),
        ("bench.Many.track_size", "", 7.0, "items"),
    ]
    assert rows(results, "machine", "environment", "sha", "committed_at", "samples")[0] == (
        *("i7", "virtualenv-py3.9", made.SHAS[0], WHEN, 5),
    )
    assert rows(results, "lower_limit", "upper_limit")[0] == (0.9, 1.1)
    assert results.unusable.total() == 4


def test_asv_of_version_one_has_values_and_records() -> None:
    stats = [{"ci_99": [0.5, 1.5], "repeat": 4}, None]
    content = made.asv_first(
        {
            "b.time_one": 2.5,
            "b.time_none": None,
            "b.time_two": {"result": [1.0, 2.0], "params": [["1", "2"]], "stats": stats},
        }
    )
    results = read_asv(content)
    columns = ("benchmark", "benchmark_parameters", "measured_value", "lower_limit", "samples")
    assert rows(results, *columns, "benchmark_version") == [
        ("b.time_one", "", 2.5, None, None, "v0"),
        ("b.time_two", "1", 1.0, 0.5, 4, "v0"),
        ("b.time_two", "2", 2.0, None, None, "v0"),
    ]


def test_units_are_those_that_names_do_not_tell() -> None:
    content = b'{"b.track_size": {"unit": "items"}, "b.time_sum": {"unit": "s"}, "version": 2}'
    assert asv.read_units(content) == {"b.track_size": "items"}
    assert asv.read_units(b'{"b.track') == {}


def test_the_action_says_which_way_is_better_and_a_range() -> None:
    benches = [
        {"name": "a", "value": 10, "unit": "ns/iter", "range": "± 2"},
        {"name": "b", "value": 10.0, "unit": "ops/sec", "range": "±1.5%"},
        {"name": "c", "value": "10", "unit": "s"},
        {"value": 1},
    ]
    results = github_action.read_results(made.action((made.SHAS[0], benches)))
    columns = ("benchmark", "environment", "lower_limit", "upper_limit", "is_higher_better")
    assert rows(results, *columns) == [
        ("a", "Speed", 8.0, 12.0, False),
        ("b", "Speed", 9.85, 10.15, True),
    ]
    assert results.unusable.total() == 2


def test_pytest_benchmark_gives_the_median_between_the_quartiles() -> None:
    results = pytest_benchmark.read_results(made.pytest_benchmark())
    columns = ("benchmark", "benchmark_parameters", "measured_value", "lower_limit", "samples")
    assert rows(results, *columns, "environment") == [
        (
            *("tests/test_speed.py::test_sum", "size=[5, [1, 2]], kind=dense", 0.2, 0.1, 7),
            "CPython 3.12.1",
        )
    ]
    changed = pytest_benchmark.read_results(made.pytest_benchmark(dirty=True))
    assert (rows(changed), changed.unusable.total()) == ([], 1)


def test_a_csv_file_is_read_by_its_header() -> None:
    results = table.read_results(made.CSV)
    columns = ("benchmark", "measured_value", "unit", "is_higher_better", "upper_limit", "month")
    assert rows(results, *columns) == [("rows", 120.5, "rows/s", True, 130.0, "2020-01")]
    assert results.unusable.total() == 1
    with pytest.raises(UnusableError, match="the header lacks sha, committed_at, value, unit"):
        table.read_results(b"benchmark,commit\nx,y\n")


@pytest.mark.parametrize("sha", ["abc", "", "A" * 40, None])
def test_results_of_a_shortened_hash_are_left_out(sha: str | None) -> None:
    content = made.asv({"b.time_sum": made.asv_row(1.0)}, commit_hash=sha)
    results = read_asv(content)
    assert (rows(results), results.unusable.total()) == ([], 1)


@pytest.mark.parametrize("date", [-1, None, "2020", 10**18, 1e12])
def test_results_without_a_time_that_can_be_are_left_out(date: Any) -> None:
    results = read_asv(made.asv({"b.time_sum": made.asv_row(1.0)}, date=date))
    assert (rows(results), results.unusable.total()) == ([], 1)


GOOD = {
    "asv": (made.asv({"b.time_sum": made.asv_row([1.0, 2.0], [["1", "2"]])}), read_asv),
    "asv 1": (made.asv_first({"b.time_sum": {"result": [1.0], "params": []}}), read_asv),
    "action": (
        made.action((made.SHAS[0], [{"name": "a", "value": 1, "unit": "s", "range": "± 1"}])),
        github_action.read_results,
    ),
    "pytest": (made.pytest_benchmark(), pytest_benchmark.read_results),
    "csv": (made.CSV, table.read_results),
}


@pytest.mark.parametrize(("content", "read"), GOOD.values(), ids=GOOD)
@given(data=st.data())
def test_a_damaged_file_costs_its_results_and_no_more(
    content: bytes, read: Reader, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(content)))
    kind = data.draw(st.sampled_from(["cut", "byte", "inserted"]))
    extra = data.draw(
        st.binary(min_size=1, max_size=4) | st.sampled_from([b"null", b"[[", b"1e999"])
    )
    damaged = {
        "cut": content[:at],
        "byte": content[:at] + extra + content[at + len(extra) :],
        "inserted": content[:at] + extra + content[at:],
    }[kind]
    try:
        results = read(damaged)
    except UnusableError:
        return
    for value, lower, upper, unit in rows(
        results, "measured_value", "lower_limit", "upper_limit", "unit"
    ):
        assert abs(value) < float("inf")
        assert (lower is None) == (upper is None)
        assert lower is None or lower <= value <= upper
        assert unit is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    keys=st.dictionaries(
        st.sampled_from(["results", "commit_hash", "date", "params", "result_columns", "env_name"]),
        JSON,
    ),
    record=JSON,
    version=st.sampled_from([1, 2]),
)
def test_asv_files_of_any_shape_give_results_or_a_sentence(
    keys: dict[str, Any], record: Any, version: int
) -> None:
    content = made.asv({"b.time_sum": record}, **{"version": version, **keys})
    try:
        results = read_asv(content)
    except UnusableError as error:
        assert str(error)
    else:
        assert all(frame.height < 10 for frame in results.frames)
