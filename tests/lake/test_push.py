"""What is shipped is what is brought, row by row; what did not change is not shipped."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from hypothesis import given, settings

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.lake.contents import subjects_in
from perf_assets.lake.location import Lake
from perf_assets.lake.pull import pull, restore, subjects_of
from perf_assets.lake.push import push
from perf_assets.lake.snapshots import released
from perf_assets.storage.warehouse import Database
from tests.effort import examples
from tests.lakes import (
    ENTRY,
    REPOSITORIES,
    TAG_SETS,
    State,
    assert_equal,
    fill,
    memory,
    states,
    stored,
    versions,
)

pytestmark = pytest.mark.slow

ONE, TWO = REPOSITORIES[:2]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake.of(str(tmp_path / "a lake"))


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Database]:
    database = memory()
    yield database
    database.connection.close()


@pytest.fixture(scope="module")
def other() -> Iterator[Database]:
    database = memory()
    yield database
    database.connection.close()


@pytest.fixture(autouse=True)
def empty(data_dir: Database, other: Database) -> Iterator[None]:
    yield
    for database in (data_dir, other):
        fill(database, {})
        database.connection.execute("DELETE FROM meta.build_state")


def changed(title: str) -> dict[str, object]:
    return {**ENTRY, "title": title}


def ship_all(database: Database, lake: Lake, *subjects: str) -> dict[str, tuple[str, ...]]:
    """Ship these subjects; the months that were released, by subject, where any were."""
    shipped = [push(database, lake, subject) for subject in subjects]
    return {one.subject: one.months for one in shipped if one.commits}


def different(one: State, other: State) -> dict[str, tuple[str, ...]]:
    places = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    return {
        subject: tuple(month for each, month in places if each == subject) for subject, _ in places
    }


@settings(max_examples=examples(2))
@given(first=states(), second=states())
def test_a_warehouse_is_what_was_shipped_with_all_types_and_only_changes_are_shipped(
    data_dir: Database, other: Database, first: State, second: State
) -> None:
    data_dir.connection.execute("DELETE FROM meta.build_state")
    other.connection.execute("DELETE FROM meta.build_state")
    fill(other, {})
    everyone = (*REPOSITORIES, *TAG_SETS)
    with tempfile.TemporaryDirectory() as directory:
        lake = Lake.of(f"{directory}/lake")
        before: State = {}
        for state in (first, second):
            fill(data_dir, state)
            assert ship_all(data_dir, lake, *everyone) == different(before, state)
            commits = versions(lake)
            assert ship_all(data_dir, lake, *everyone) == {}
            assert versions(lake) == commits
            brought = pull(other, lake, everyone)
            assert_equal(data_dir, other)
            assert brought.months + brought.removed == len(
                [key for months in different(before, state).values() for key in months]
            )
            before = state
        assert pull(other, lake, everyone).months == 0


def test_only_the_tables_that_changed_are_shipped(data_dir: Database, lake: Lake) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY], (ONE, "2020-02"): [ENTRY]})
    push(data_dir, lake, ONE)
    fill(data_dir, {(ONE, "2020-01"): [ENTRY], (ONE, "2020-02"): [changed("Quick")]})

    shipped = push(data_dir, lake, ONE)

    assert (shipped.months, shipped.tables, shipped.rows) == (("2020-02",), 1, 1)
    assert shipped.commits == 2
    assert 0 < shipped.bytes < 20_000


def test_a_snapshot_shows_which_rows_of_the_files_count(data_dir: Database, lake: Lake) -> None:
    for title in ("first", "second"):
        fill(data_dir, {(ONE, "2020-01"): [changed(title)], (TWO, "2020-01"): [ENTRY]})
        ship_all(data_dir, lake, ONE, TWO)

    snapshot = released(lake, ["raw.issues", "raw.questions"])

    issues = snapshot.tables["raw.issues"]
    data_dir.connection.register("counting", issues.releases)
    titles = data_dir.connection.sql(
        f"SELECT title FROM read_parquet({list(issues.files)!r}) "
        "SEMI JOIN counting USING (lake_subject, lake_month, lake_release) ORDER BY 1"
    ).fetchall()
    data_dir.connection.unregister("counting")
    assert titles == [("Slow ✓",), ("second",)]
    assert issues.rows == 2
    assert snapshot.tables["raw.questions"].files == ()
    assert snapshot.tables.keys() == {"raw.issues", "raw.questions"}


def test_subjects_that_are_not_requested_leave_or_stay(
    data_dir: Database, other: Database, lake: Lake
) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY], (TWO, "2020-01"): [ENTRY]})
    ship_all(data_dir, lake, ONE, TWO)
    pull(other, lake, [ONE, TWO])

    assert pull(other, lake, [ONE], only=False).removed == 0
    assert subjects_in(other) == [ONE, TWO]
    assert pull(other, lake, [ONE]).removed == 1
    assert subjects_in(other) == [ONE]
    assert subjects_of(lake) == [ONE, TWO]


def test_some_tables_are_brought_without_the_others(
    data_dir: Database, other: Database, lake: Lake
) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY]})
    push(data_dir, lake, ONE)

    pull(other, lake, [ONE], ["raw.issues", "marts.bug_metrics"])

    rows = {name: frame.height for name, frame in stored(other).items() if frame.height}
    assert rows == {"raw.issues": 1}


def test_a_question_moves_from_one_tag_set_to_the_other(
    data_dir: Database, other: Database, lake: Lake
) -> None:
    one, two = TAG_SETS
    fill(data_dir, {(one, "2020-01"): [ENTRY]})
    ship_all(data_dir, lake, one, two)
    pull(other, lake, [one, two])
    data_dir.connection.execute("UPDATE raw.questions SET tag_set = 'pytorch'")
    ship_all(data_dir, lake, one, two)

    pull(other, lake, [one, two])

    assert_equal(data_dir, other)
    assert stored(other)["raw.questions"]["tag_set"].to_list() == ["pytorch"]


def test_a_lost_data_directory_is_restored_and_one_that_goes_on_keeps_what_it_mined(
    data_dir: Database, other: Database, lake: Lake
) -> None:
    assert restore(other, lake, ONE) is None  # no lake yet
    fill(data_dir, {(ONE, "2020-01"): [ENTRY], (TWO, "2020-01"): [ENTRY]})
    ship_all(data_dir, lake, ONE, TWO)

    assert restore(other, lake, "owner/unknown") is None
    restored = restore(other, lake, ONE)
    assert restored is not None and restored.months == 1
    assert restore(other, lake, ONE) is None
    fill(other, {(ONE, "2020-02"): [ENTRY]})  # mined since, and not shipped yet
    assert restore(other, lake, ONE) is None

    assert push(other, lake, ONE).months == ("2020-01", "2020-02")


def test_a_writer_that_missed_the_newest_release_does_not_undo_it(
    data_dir: Database, other: Database, lake: Lake
) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY]})
    push(data_dir, lake, ONE)
    restore(other, lake, ONE)
    fill(other, {(ONE, "2020-01"): [changed("newer")]})
    push(other, lake, ONE)
    fill(data_dir, {(ONE, "2020-01"): [changed("of one that slept")]})

    with pytest.raises(TransientError, match=r"another worker released it .* run again"):
        push(data_dir, lake, ONE)

    assert restore(data_dir, lake, ONE) is not None
    assert_equal(data_dir, other)


def test_a_data_directory_that_was_made_elsewhere_does_not_undo_what_is_released(
    data_dir: Database, other: Database, lake: Lake
) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY]})
    fill(other, {(ONE, "2020-01"): [ENTRY]})
    push(data_dir, lake, ONE)

    assert push(other, lake, ONE).commits == 0  # the same rows: it goes on from them
    fill(other, {(ONE, "2020-01"): [changed("more")]})
    assert push(other, lake, ONE).commits == 2


def written_anew(lake: Lake, name: str, change: Callable[[pa.Table], pa.Table]) -> None:
    """Let the Delta table ``name`` be as if another version had written it."""
    key = lake.table(name)
    rows = pa.table(QueryBuilder().register("t", DeltaTable(key)).execute("SELECT * FROM t"))
    shutil.rmtree(key)
    write_deltalake(key, change(rows), partition_by=["lake_bucket"])


def test_a_column_that_is_new_is_added_to_the_lake(
    data_dir: Database, other: Database, lake: Lake
) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY]})
    push(data_dir, lake, ONE)
    written_anew(lake, "raw.issues", lambda rows: rows.drop(["author"]))
    pull(other, lake, [ONE])
    assert_equal(data_dir, other)

    fill(data_dir, {(ONE, "2020-01"): [ENTRY], (ONE, "2020-02"): [{**ENTRY, "author": "Ann"}]})
    assert push(data_dir, lake, ONE).months == ("2020-02",)
    pull(other, lake, [ONE])

    assert_equal(data_dir, other)


def test_a_column_of_another_type_is_refused(data_dir: Database, lake: Lake) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY]})
    push(data_dir, lake, ONE)
    written_anew(
        lake,
        "raw.issues",
        lambda rows: rows.set_column(
            rows.column_names.index("number"), "number", rows["number"].cast(pa.string())
        ),
    )
    fill(data_dir, {(ONE, "2020-01"): [changed("new")]})

    with pytest.raises(PerfAssetsError, match=r"raw.issues.number has another type there"):
        push(data_dir, lake, ONE)


def test_a_lake_of_a_newer_format_is_refused(data_dir: Database, lake: Lake) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY]})
    push(data_dir, lake, ONE)
    table = DeltaTable(lake.table("lake.releases"))
    table.alter.set_table_description('{"perf_assets_lake": 999, "buckets": 64}')

    for act in (lambda: push(data_dir, lake, ONE), lambda: pull(data_dir, lake, [ONE])):
        with pytest.raises(PerfAssetsError, match=r"newer perf-assets .format 999"):
            act()


def test_rows_that_are_not_as_they_were_released_are_not_brought(
    data_dir: Database, other: Database, lake: Lake
) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY]})
    push(data_dir, lake, ONE)
    with_more = [pa.array(["another"])]
    written_anew(
        lake,
        "raw.issues",
        lambda rows: rows.set_column(
            rows.column_names.index("title"), "title", pa.chunked_array(with_more)
        ),
    )

    with pytest.raises(TransientError, match=r"raw.issues of owner/one 2020-01 is not as it was"):
        pull(other, lake, [ONE])

    assert all(frame.is_empty() for frame in stored(other).values())


def test_rows_that_are_gone_are_noticed(data_dir: Database, lake: Lake) -> None:
    fill(data_dir, {(ONE, "2020-01"): [ENTRY]})
    push(data_dir, lake, ONE)
    written_anew(lake, "raw.issues", lambda rows: rows.slice(0, 0))

    with pytest.raises(TransientError, match=r"rows of raw.issues are not those"):
        released(lake)


def test_a_folder_that_is_not_a_lake_is_refused_in_one_sentence(
    data_dir: Database, tmp_path: Path
) -> None:
    with pytest.raises(PerfAssetsError, match="there is no lake yet"):
        pull(data_dir, Lake.of(str(tmp_path / "nothing")), [ONE])
    write_deltalake(str(tmp_path / "x" / "lake" / "releases"), pa.table({"a": [1]}))
    with pytest.raises(PerfAssetsError, match="something else than a lake"):
        pull(data_dir, Lake.of(str(tmp_path / "x")), [ONE])


@pytest.mark.parametrize(
    "url",
    ["", "relative", "gs://a/b", "file://host/x", "s3://", "s3://key:secret@bucket/x", "/a/50%"],
)
def test_an_address_that_is_none_is_refused_without_its_secrets(url: str) -> None:
    with pytest.raises(PerfAssetsError) as caught:
        Lake.of(url)
    assert "secret" not in str(caught.value).replace("AWS_SECRET", "")


def test_addresses_of_folders_and_buckets() -> None:
    assert Lake.of("file:///a%20b/").url == Lake.of("/a b").url == "/a b"
    assert Lake.of("s3://bucket/a/b/").url == "s3://bucket/a/b"
