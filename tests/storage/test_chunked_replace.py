"""What is stored is stored whole: a table in shares, a partition beside one that is refused."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.config.data_directory import DataDirectory
from perf_assets.engines import remote
from perf_assets.engines.remote import in_chunks
from perf_assets.schema import table_of
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.chunked_replace import replace_by_chunks, share_key
from perf_assets.storage.partition_write import PartitionWrite, StagedTable, WriteOutcome
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.effort import examples
from tests.storage.good_rows import completed

pytestmark = pytest.mark.slow

TABLE = "marts.issue_history"
EMPTY = pl.DataFrame(schema=table_of(TABLE).frame_schema)
NAMES = [f"owner/{letter}" for letter in "abcdefg"]
Held = dict[str, int]
heights = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 9))


def history(held: Held, **changes: object) -> pl.DataFrame:
    """The past of some issues of each repository."""
    rows = [
        completed(
            TABLE,
            {
                "repository": name,
                "number": number,
                "month": "2020-02",
                "opened_month": "2020-01",
                "state": "open",
                **changes,
            },
        )
        for name in sorted(held)
        for number in range(1, held[name] + 1)
    ]
    return pl.concat([EMPTY, pl.DataFrame(rows, schema=EMPTY.schema)])


def cut(rows: pl.DataFrame, size: int, batch: int = 2) -> list[pl.DataFrame]:
    """The shares of ``rows``, of which ``batch`` come at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote, "CHUNK_ROWS", size)
        return list(in_chunks(rows.iter_slices(batch), "repository", EMPTY))


def stored(database: Database) -> list[tuple[object, ...]]:
    return sorted(database.frame(f"FROM {TABLE}").rows(), key=repr)


def replaced(writer: AuditedWriter, parts: Sequence[pl.DataFrame]) -> WriteOutcome:
    return replace_by_chunks(writer, TABLE, parts, share_key(TABLE))()


@given(heights, st.integers(1, 12), st.integers(1, 5))
def test_no_repository_is_in_two_shares_and_no_row_is_lost(
    held: Held, size: int, batch: int
) -> None:
    rows = history(held)
    parts = cut(rows, size, batch)
    assert pl.concat(parts).equals(rows)
    found = [name for part in parts for name in part["repository"].unique()]
    assert sorted(found) == sorted(held)
    assert all(one.height + other.height >= size for one, other in pairwise(parts))


@pytest.mark.exhaustive
def test_in_shares_the_same_is_stored_whatever_was_there(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "warehouse.duckdb") as database:
        writer = AuditedWriter(database, DataDirectory.of(tmp_path))

        @settings(max_examples=examples(20))
        @given(heights, heights, st.integers(1, 12))
        def check(before: Held, after: Held, size: int) -> None:
            first, then = history(before), history(after, labels=["bug"])
            replaced(writer, [first])
            outcome = replaced(writer, cut(then, size))
            assert outcome.failure is None
            assert outcome.rows == {TABLE: then.height}
            assert outcome.reports[TABLE].rows == then.height
            assert outcome.is_written == bool(before or after)
            assert stored(database) == sorted(then.rows(), key=repr)
            assert not replaced(writer, cut(then, size)).is_written

        check()


def test_where_one_share_is_refused_nothing_is_replaced(tmp_path: Path) -> None:
    held = dict.fromkeys(NAMES, 3)
    with open_warehouse(tmp_path / "warehouse.duckdb") as database:
        data_dir = DataDirectory.of(tmp_path)
        writer = AuditedWriter(database, data_dir)
        replaced(writer, [history({"owner/a": 1, "owner/z": 1})])
        before = stored(database)
        good = history(held)
        wrong = good.with_columns(
            state=pl.when(pl.col("repository").is_in(["owner/c", "owner/f"]))
            .then(pl.lit("ajar"))
            .otherwise("state")
        )
        outcome = replaced(writer, cut(wrong, 3))
        assert stored(database) == before
        assert not outcome.is_written
        assert "state_is_known is broken by 6 of 21 rows" in str(outcome.failure)
        kept = data_dir.quarantine / TABLE
        assert "owner/c" in pl.read_parquet(kept / "candidate.parquet")["repository"]
        assert json.loads((kept / "report.json").read_text())["rows"] == 21
        assert replaced(writer, cut(good, 3)).failure is None
        assert len(stored(database)) == good.height


def test_a_key_that_two_shares_hold_is_refused(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "warehouse.duckdb") as database:
        writer = AuditedWriter(database, DataDirectory.of(tmp_path))
        again = history({"owner/a": 2})
        outcome = replaced(writer, [again, again])
        assert "the warehouse refused the rows" in str(outcome.failure)
        assert stored(database) == []


def test_what_the_warehouse_refuses_leaves_the_other_partitions_to_be_stored(
    tmp_path: Path,
) -> None:
    """An open issue that is fixed breaks a condition of the table, and no rule of the audit."""
    with open_warehouse(tmp_path / "warehouse.duckdb") as database:
        wrong = history({"owner/a": 1}, is_fixed=True)
        good = pl.DataFrame(
            [completed("meta.repositories", {"repository": "owner/a", "start_month": "2020-01"})],
            schema=table_of("meta.repositories").frame_schema,
        )
        offers = [
            PartitionWrite([StagedTable(TABLE, wrong)]),
            PartitionWrite([StagedTable("meta.repositories", good)]),
        ]
        refused, written = AuditedWriter(database, DataDirectory.of(tmp_path)).store(offers)
        assert "the warehouse refused the rows" in str(refused.failure)
        assert (written.failure, written.is_written) == (None, True)
        assert stored(database) == []
        assert database.frame("FROM meta.repositories").height == 1


def test_a_table_with_a_rule_about_all_rows_comes_whole() -> None:
    assert share_key("marts.issue_history") == "repository"
    assert share_key("marts.dataset_breakdown") is None
    assert share_key("marts.symptoms_by_cause") is None
