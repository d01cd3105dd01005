"""Marts and statistics of tables that lie elsewhere are those of one warehouse, to the digit."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.engines.remote import RemoteTables
from perf_assets.engines.spark import RELEASE, Source, SparkEngine
from perf_assets.schema import declared
from perf_assets.schema.models.dependencies import analyses
from perf_assets.schema.models.files import load_models
from perf_assets.stages.transform.derivation import derive
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.support import Prepared, assert_same_tables, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

OF_THE_STUDY = {"labels.label_kinds", "labels.question_kinds"}
SHIPPED = sorted(
    name
    for name, table in declared().items()
    if table.schema_name in ("raw", "labels", "links", "details") and name not in OF_THE_STUDY
)
MARTS = sorted(model.name for model in load_models() if not model.table.is_view)


def shipped(database: Database, name: str, folder: Path) -> Source:
    """The rows of a table as a lake has them: beside those that count, some of an older release."""
    rows = database.connection.sql(f"FROM {name}").to_arrow_table().replace_schema_metadata(None)
    for column, value in zip(RELEASE, ("somebody/something", "2020-01", "second"), strict=True):
        rows = rows.append_column(column, pa.array([value] * rows.num_rows, pa.string()))
    index = rows.schema.names.index("lake_release")
    old = pa.array(["first"] * rows.num_rows, pa.string())
    path = folder / f"{name}.parquet"
    pq.write_table(pa.concat_tables([rows, rows.set_column(index, "lake_release", old)]), path)
    counts = pa.table([["somebody/something"], ["2020-01"], ["second"]], names=[*RELEASE])
    return Source(name, files=[path.as_uri()], releases=counts)


@pytest.fixture
def apart(small: Prepared, tmp_path: Path) -> Path:
    """A data directory whose big tables lie elsewhere, and of which nothing is computed yet."""
    data_dir = shutil.copytree(small.data_dir, tmp_path / "home")
    lake = tmp_path / "lake"
    lake.mkdir()
    return data_dir


@pytest.fixture
def elsewhere(apart: Path, sail_url: str, tmp_path: Path) -> Iterator[RemoteTables]:
    with open_warehouse(apart / "warehouse.duckdb") as database:
        sources = [shipped(database, name, tmp_path / "lake") for name in SHIPPED]
        models = {model.name for model in load_models()}
        read = {name for model in load_models() for name in model.upstream} - models
        sources += [
            Source(name, rows=database.frame(f"FROM {name}").to_arrow())
            for name in read - {*SHIPPED}
        ]
        for name in (*SHIPPED, *MARTS, *analyses(), "meta.build_state"):
            database.connection.execute(f"DELETE FROM {name}")
    with closing(SparkEngine(sail_url, (tmp_path / "scratch").as_uri())) as engine:
        engine.bind(sources)
        yield RemoteTables(engine, dict.fromkeys(SHIPPED, "as shipped"))


def test_what_lies_elsewhere_makes_the_tables_that_one_warehouse_makes(
    small: Prepared, apart: Path, elsewhere: RemoteTables
) -> None:
    with open_warehouse(apart / "warehouse.duckdb") as database:
        writer = AuditedWriter(database, DataDirectory.of(apart))
        made = {one.table: one.outcome for one in derive(writer, remote=elsewhere) if one.is_new}
        assert {*MARTS, *analyses()} <= made.keys()
        assert [one.failure for one in made.values() if one is not None and one.failure] == []

        again = [one.table for one in derive(writer, remote=elsewhere) if one.is_new]
        assert again == []

        held = {**elsewhere.fingerprints, "raw.issue_comments": "as shipped later"}
        later = [
            one.table
            for one in derive(writer, remote=RemoteTables(elsewhere.engine, held))
            if one.is_new
        ]
        assert "marts.bug_metrics" in later
        assert "marts.issue_history" not in later
    names = {*MARTS, *analyses()}
    whole = stored_tables(small.data_dir / "warehouse.duckdb")
    parts = stored_tables(apart / "warehouse.duckdb")
    assert_same_tables(
        {name: whole[name] for name in sorted(names)},
        {name: parts[name] for name in sorted(names)},
    )
