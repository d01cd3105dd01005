"""The warehouse file: what an older version left is brought to the shape that this one writes."""

from pathlib import Path

from perf_assets.storage.warehouse import FORMAT, open_warehouse
from tests.model_database import insert
from tests.rows import issue, link, load


def test_a_warehouse_of_an_older_format_keeps_what_fits_and_forgets_the_loads_of_the_rest(
    tmp_path: Path,
) -> None:
    path = tmp_path / "warehouse.duckdb"
    with open_warehouse(path) as database:
        insert(database.connection, "raw.issues", [issue(7, "2020-01-05")])
        insert(database.connection, "links.fix_links", [link(7, "fix")])
        loads = [load("2020-01", table) for table in ("raw.issues", "links.fix_links")]
        insert(database.connection, "meta.partition_loads", loads)
        database.connection.execute("ALTER TABLE links.fix_links DROP COLUMN branch")
        database.connection.execute("ALTER TABLE raw.issues DROP COLUMN events")
        database.connection.execute("UPDATE meta.format SET version = ?", [FORMAT - 1])
    with open_warehouse(path) as database:
        assert database.frame("SELECT number, events FROM raw.issues").rows() == [(7, None)]
        assert database.frame("SELECT branch FROM links.fix_links").is_empty()
        kept = database.frame('SELECT "table" FROM meta.partition_loads')
        assert kept.rows() == [("raw.issues",)]
        assert database.frame("SELECT max(version) FROM meta.format").item() == FORMAT
