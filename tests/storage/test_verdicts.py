"""What people judged is kept twice, and whatever happens to one place is mended from the other."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.publishing import publish
from perf_assets.storage.verdicts import QUESTIONS, TABLE, keep_rows, keep_verdicts, read_log
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.question_rows import question_verdict
from tests.rows import verdict

pytestmark = pytest.mark.slow


def judged(data_dir: DataDirectory, *numbers: int, sheet: str = "a") -> None:
    """Let Ann judge issues, straight in the warehouse."""
    with open_warehouse(data_dir.warehouse) as database:
        ((last,),) = database.connection.execute(
            "SELECT coalesce(max(verdict_id), 0) FROM reviews.verdicts"
        ).fetchall()
        for index, number in enumerate(numbers, start=1):
            row = verdict(last + index, "Ann", number, "yes")
            row |= {"file": f"{sheet}.csv", "file_sha256": sheet * 64, "line": index + 1}
            insert(database.connection, "reviews.verdicts", [{"imported_at": "2026-01-01"} | row])


def kept(data_dir: DataDirectory) -> int:
    with open_warehouse(data_dir.warehouse) as database:
        return keep_verdicts(database, data_dir)


def stored(data_dir: DataDirectory) -> pl.DataFrame:
    with open_warehouse(data_dir.warehouse) as database:
        return database.frame("FROM reviews.verdicts ORDER BY verdict_id")


@pytest.fixture
def data_dir(tmp_path: Path) -> DataDirectory:
    return DataDirectory.of(tmp_path)


def test_an_import_is_a_line_and_lines_are_only_added(data_dir: DataDirectory) -> None:
    judged(data_dir, 1, 2)
    assert kept(data_dir) == 0
    first = data_dir.verdicts.read_bytes()
    assert [len(json.loads(line)["verdicts"]) for line in first.splitlines()] == [2]
    assert kept(data_dir) == 0
    assert data_dir.verdicts.read_bytes() == first
    judged(data_dir, 3, sheet="b")
    kept(data_dir)
    assert data_dir.verdicts.read_bytes().startswith(first)
    assert read_log(data_dir.verdicts).rows[TABLE].sort("verdict_id").equals(stored(data_dir))


def test_verdicts_on_questions_are_kept_in_the_same_file(data_dir: DataDirectory) -> None:
    judged(data_dir, 1)
    kept(data_dir)
    before = data_dir.verdicts.read_bytes()
    row = question_verdict(1, "Ann", 7, kinds=["installation", "performance"])
    with open_warehouse(data_dir.warehouse) as database:
        insert(database.connection, QUESTIONS, [row])
    assert kept(data_dir) == 0
    assert data_dir.verdicts.read_bytes().startswith(before)
    with open_warehouse(data_dir.warehouse) as database:
        written = database.frame(f"FROM {QUESTIONS}")
    assert read_log(data_dir.verdicts).rows[QUESTIONS].equals(written)
    data_dir.warehouse.unlink()
    assert kept(data_dir) == 2
    with open_warehouse(data_dir.warehouse) as database:
        assert database.frame(f"FROM {QUESTIONS}").equals(written)
    assert stored(data_dir)["number"].to_list() == [1]


def test_a_warehouse_that_was_deleted_has_them_again(data_dir: DataDirectory) -> None:
    judged(data_dir, 1, 2)
    kept(data_dir)
    before = stored(data_dir)
    data_dir.warehouse.unlink()
    assert kept(data_dir) == 2
    assert stored(data_dir).equals(before)


def test_nothing_is_published_that_lacks_what_was_published(data_dir: DataDirectory) -> None:
    judged(data_dir, 1, 2)
    publish(data_dir)
    with open_warehouse(data_dir.warehouse) as database:
        database.connection.execute("DELETE FROM reviews.verdicts")
    data_dir.verdicts.unlink()
    assert not publish(data_dir)  # as they are there again, it is what is published already
    assert stored(data_dir)["number"].to_list() == [1, 2]
    assert read_log(data_dir.verdicts).rows[TABLE].height == 2


def test_verdicts_of_two_data_directories_get_numbers_in_the_order_of_their_import(
    data_dir: DataDirectory,
) -> None:
    judged(data_dir, 1, 2)
    kept(data_dir)
    data_dir.warehouse.unlink()
    with open_warehouse(data_dir.warehouse) as database:
        later = verdict(1, "Ann", 1, "no") | {"imported_at": "2026-02-01"}
        later |= {"file": "b.csv", "file_sha256": "b" * 64, "line": 2}
        insert(database.connection, "reviews.verdicts", [later])
    assert kept(data_dir) == 2
    found = stored(data_dir)
    assert found.select("verdict_id", "number", "verdict").rows() == [
        (1, 1, "yes"),
        (2, 2, "yes"),
        (3, 1, "no"),
    ]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, pl.DataFrame]:
    """A file of two imports, and the verdicts it holds."""
    data_dir = DataDirectory.of(tmp_path_factory.mktemp("written"))
    judged(data_dir, 1, 2)
    kept(data_dir)
    judged(data_dir, 3, sheet="b")
    kept(data_dir)
    return data_dir.verdicts.read_bytes(), stored(data_dir)


@given(share=st.floats(0, 1, exclude_max=True))
def test_a_line_that_was_cut_by_a_kill_is_written_again(
    tmp_path_factory: pytest.TempPathFactory, written: tuple[bytes, pl.DataFrame], share: float
) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.jsonl"
    content, rows = written
    first = content.index(b"\n") + 1
    path.write_bytes(content[: first + int(share * (len(content) - first))])
    keep_rows(path, {TABLE: rows})
    assert path.read_bytes() == content


@given(index=st.integers(0, 10_000), byte=st.binary(min_size=1, max_size=1))
def test_a_changed_byte_is_noticed_and_no_verdict_is_taken_for_another(
    tmp_path_factory: pytest.TempPathFactory,
    written: tuple[bytes, pl.DataFrame],
    index: int,
    byte: bytes,
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.jsonl"
    content, rows = written
    changed = bytearray(content)
    changed[index % len(changed)] = byte[0]
    path.write_bytes(changed)
    found = read_log(path)
    rows_found = found.rows[TABLE]
    assert rows_found.join(rows, on=rows_found.columns, how="anti", nulls_equal=True).is_empty()
    assert found.damaged or rows_found.height == rows.height
    keep_rows(path, {TABLE: rows})
    again = read_log(path).rows[TABLE]
    assert rows.join(again, on=rows.columns, how="anti", nulls_equal=True).is_empty()
