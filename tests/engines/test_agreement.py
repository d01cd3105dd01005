"""DuckDB and Spark make the same rows of the same texts, in the same types."""

import random
from collections.abc import Callable, Iterator, Mapping

import duckdb
import polars as pl
import pytest

from perf_assets.engines.spark import Source, SparkEngine
from perf_assets.sql_models.files import load_models
from perf_assets.tables import table_of
from tests.any_rows import any_rows
from tests.engines.databases import of_rows, rows_of

MODELS = {model.name: model for model in load_models()}
SOURCES = sorted({name for one in MODELS.values() for name in one.upstream} - {*MODELS})
HEIGHT = 200

Rows = Mapping[str, pl.DataFrame]


def hostile(seed: int) -> Rows:
    chance = random.Random(seed)
    return {name: any_rows(name, chance, HEIGHT) for name in SOURCES}


def empty() -> Rows:
    return {name: any_rows(name, random.Random(0), 0) for name in SOURCES}


GIVEN: Mapping[str, Callable[[], Rows]] = {"hostile": lambda: hostile(1), "empty": empty}


@pytest.fixture(scope="session", params=GIVEN)
def both(
    request: pytest.FixtureRequest, sail_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[duckdb.DuckDBPyConnection, SparkEngine]]:
    """The same rows in DuckDB and in Sail."""
    rows = GIVEN[request.param]()
    scratch = tmp_path_factory.mktemp("scratch")
    engine = SparkEngine(sail_url, scratch.as_uri())
    engine.bind(Source(name, rows=frame.to_arrow()) for name, frame in rows.items())
    yield of_rows(rows), engine
    engine.close()


@pytest.mark.parametrize("name", MODELS)
def test_both_engines_make_the_same_rows(
    both: tuple[duckdb.DuckDBPyConnection, SparkEngine], name: str
) -> None:
    database, engine = both
    made = engine.fetch(name)
    assert made.schema == table_of(name).frame_schema
    assert made.rows() == rows_of(database, name).rows()
