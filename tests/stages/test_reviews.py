"""The store of verdicts: added to, never changed."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.stages.reviewing import import_sheet
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.model_database import insert
from tests.review_sheets import YES, sheet
from tests.rows import issue, label, repository

pytestmark = pytest.mark.slow


@pytest.fixture
def writer(empty_data_dir: DataDirectory) -> Iterator[AuditedWriter]:
    with open_warehouse(empty_data_dir.warehouse) as database:
        insert(database.connection, "meta.repositories", [repository()])
        insert(database.connection, "raw.issues", [issue(n, "2020-01-05") for n in range(1, 20)])
        insert(database.connection, "labels.performance_labels", [label(n) for n in range(1, 20)])
        yield AuditedWriter(database, empty_data_dir)


def stored(database: Database) -> pl.DataFrame:
    return database.frame("SELECT * FROM reviews.verdicts ORDER BY verdict_id")


def test_verdicts_are_added_and_never_changed(writer: AuditedWriter, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"

    def imported(rater: str, *answers: str) -> tuple[int, int, int]:
        path.write_text(sheet(*({"is_performance": word} for word in answers)))
        before = stored(writer.database)
        outcome = import_sheet(writer, path, rater)
        assert stored(writer.database).head(before.height).equals(before)
        return outcome.added, outcome.superseding, outcome.unchanged

    assert imported("Ann", "yes", "no", "") == (2, 0, 0)
    assert imported("Bob", "yes", "no", "") == (2, 0, 0)
    assert imported("Ann", "yes", "yes", "unsure") == (1, 1, 1)
    # The first sheet by mistake again: what was said since stays in force.
    assert imported("Ann", "yes", "no", "") == (0, 0, 2)
    # Back to the first opinion on purpose, in a sheet that is new.
    assert imported("Ann", "yes", "no", "unsure") == (0, 1, 2)
    log = stored(writer.database)
    assert log["verdict_id"].to_list() == list(range(1, 8))
    assert log["rater"].to_list() == ["Ann", "Ann", "Bob", "Bob", "Ann", "Ann", "Ann"]
    assert log.filter(rater="Ann", number=2)["verdict"].to_list() == ["no", "yes", "no"]
    assert log["file"].unique().to_list() == ["sheet.csv"]


def test_a_sheet_with_one_mistake_leaves_everything_as_it_was(
    writer: AuditedWriter, tmp_path: Path
) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(sheet(YES, {**YES, "category": "Bad luck"}))
    with pytest.raises(PerfAssetsError, match="line 3, column category: 'Bad luck' is unknown"):
        import_sheet(writer, path, "Ann")
    assert stored(writer.database).is_empty()


@pytest.mark.parametrize("rater", ["", "  ", "Consensus", "=cmd|x", "a" * 101, "Ann, Bob"])
def test_a_rater_needs_a_name(writer: AuditedWriter, tmp_path: Path, rater: str) -> None:
    with pytest.raises(PerfAssetsError, match="is not a rater's name"):
        import_sheet(writer, tmp_path / "sheet.csv", rater)
