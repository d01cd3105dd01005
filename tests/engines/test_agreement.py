"""DuckDB and Spark make the same rows of the same texts, in the same types."""

import random
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import duckdb
import polars as pl
import pytest

from perf_assets.base.paths import models_dir
from perf_assets.engines.spark import Source, SparkEngine
from perf_assets.schema import table_of
from perf_assets.schema.models.ddl import AS_OF_MACRO, AS_OF_PARAMETER, create_as_of_macro
from perf_assets.schema.models.files import load_models
from tests.any_rows import any_rows
from tests.effort import SEEDS, some
from tests.engines.databases import of_rows, rows_of
from tests.engines.servers import spark, spark_data_dir

pytestmark = pytest.mark.slow

MODELS = {model.name: model for model in load_models()}
SOURCES = sorted({name for one in MODELS.values() for name in one.upstream} - {*MODELS})
HEIGHTS = {"hostile": 200, "empty": 0}

Rows = Mapping[str, pl.DataFrame]
Both = tuple[duckdb.DuckDBPyConnection, SparkEngine]


def given(kind: str, seed: int = 1) -> Rows:
    chance = random.Random(seed)
    return {name: any_rows(name, chance, HEIGHTS[kind]) for name in SOURCES}


def engine_of(url: str, scratch: Path, rows: Rows) -> SparkEngine:
    engine = SparkEngine(url, scratch.as_uri())
    engine.bind(Source(name, rows=frame.to_arrow()) for name, frame in rows.items())
    return engine


def assert_same(database: duckdb.DuckDBPyConnection, engine: SparkEngine, name: str) -> None:
    made = engine.fetch(name)
    assert made.schema == table_of(name).frame_schema
    assert made.rows() == rows_of(database, name).rows(), name


@pytest.fixture(scope="session", params=some(*HEIGHTS))
def both(
    request: pytest.FixtureRequest, sail_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    """The same rows in DuckDB and in Sail."""
    rows = given(request.param)
    with closing(engine_of(sail_url, tmp_path_factory.mktemp("scratch"), rows)) as engine:
        yield of_rows(rows), engine


@pytest.mark.parametrize("name", MODELS)
def test_both_engines_make_the_same_rows(both: Both, name: str) -> None:
    assert_same(*both, name)


@pytest.mark.parametrize("month", ["2019-08", "2020-06"])
def test_the_past_is_the_same_on_both_engines(both: Both, month: str) -> None:
    database, engine = both
    create_as_of_macro(database)
    text = (models_dir() / "bug_reports_as_of.sql").read_text(encoding="utf-8")
    made = engine.query(text, {AS_OF_PARAMETER: month}).rows()
    wanted = database.execute(f"SELECT * FROM {AS_OF_MACRO}('{month}')").fetchall()
    assert sorted(made, key=repr) == sorted(wanted, key=repr)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2, 2 + SEEDS))
def test_both_engines_agree_on_other_rows_too(sail_url: str, tmp_path: Path, seed: int) -> None:
    rows = given("hostile", seed)
    database = of_rows(rows)
    with closing(engine_of(sail_url, tmp_path, rows)) as engine:
        for name in MODELS:
            assert_same(database, engine, name)


@pytest.mark.exhaustive
def test_apache_spark_makes_the_same_rows(tmp_path: Path) -> None:
    data_dir = spark_data_dir()
    if data_dir is None:
        pytest.skip("no Apache Spark: set SPARK_HOME or PERF_ASSETS_SPARK_PYTHON, with Java 17")
    with spark(data_dir) as server:
        for kind in HEIGHTS:
            rows = given(kind)
            database = of_rows(rows)
            with closing(engine_of(server.url, tmp_path / kind, rows)) as engine:
                for name in MODELS:
                    assert_same(database, engine, name)
