"""Warehouses and lakes for tests: rows of many types, and whether two warehouses hold the same."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from perf_assets.lake import delta, pull, push, releases
from perf_assets.lake.location import Lake
from perf_assets.lake.tables import lake_tables
from perf_assets.schema import table_of
from perf_assets.storage.migrations import create
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.model_database import insert
from tests.question_rows import question
from tests.rows import Row, commit, detail, issue, load
from tests.support import Prepared

REPOSITORIES = ("owner/one", "owner/two", "Ümlaut/three")
TAG_SETS = ("stackoverflow:tensorflow", "stackoverflow:pytorch")
MONTHS = ("2020-01", "2020-02", "2020-03")

# What is stored of a month of a subject: a row of each table for each of these.
Entry = Mapping[str, Any]
State = Mapping[tuple[str, str], Sequence[Entry]]

ENTRY = {
    "title": "Slow ✓",
    "labels": ["a", None],
    "author": None,
    "share": 0.1,
    "moment": 1,
    "languages": [None, {"language": "Python", "is_test": True, "files": 1}],
}

languages = st.lists(
    st.none()
    | st.fixed_dictionaries(
        {
            "language": st.none() | st.text(max_size=4),
            "is_test": st.none() | st.booleans(),
            "files": st.none() | st.integers(-(2**63), 2**63 - 1),
            "additions": st.none() | st.integers(0, 9),
            "deletions": st.none(),
        }
    ),
    max_size=3,
)
entries = st.fixed_dictionaries(
    {
        "title": st.text(max_size=8),
        "labels": st.lists(st.none() | st.text(max_size=3), max_size=3),
        "author": st.none() | st.just(""),
        "share": st.none() | st.floats(0, 1),
        "moment": st.integers(0, 10**12),
        "languages": languages,
    }
)


@st.composite
def states(draw: st.DrawFn) -> State:
    """A warehouse: subjects, each with some months, each with some rows."""
    places = [(s, m) for s in (*REPOSITORIES, *TAG_SETS) for m in MONTHS]
    chosen = draw(st.lists(st.sampled_from(places), unique=True, max_size=8))
    return {place: draw(st.lists(entries, min_size=1, max_size=3)) for place in sorted(chosen)}


def study_with_lake(prepared: Prepared, directory: Path) -> Path:
    """Write the study of ``prepared`` with the lake ``lake`` to ``directory``; return its path."""
    text = prepared.study.read_text(encoding="utf-8")
    for key, path in (("git", prepared.corpus / "repository.git"), ("corpus", prepared.corpus)):
        text = "\n".join(
            f'{key} = "{path}"' if line.startswith(f"{key} =") else line
            for line in text.splitlines()
        )
    path = directory / "study.toml"
    path.write_text(f'{text}\n[lake]\nurl = "lake"\n', encoding="utf-8")
    return path


def memory() -> Database:
    """An empty warehouse in memory."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for table in lake_tables().values():
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {table.name.split('.')[0]}")
        create(connection, table_of(table.name))
    return Database(connection)


def fill(database: Database, state: State) -> None:
    """Let ``database`` hold ``state`` and nothing else of what a lake holds."""
    for table in lake_tables().values():
        database.connection.execute(f"DELETE FROM {table.name} {table.where}")
    for (subject, month), rows in state.items():
        for table, row in rows_of(subject, month, rows):
            insert(database.connection, table, [row])


def rows_of(subject: str, month: str, rows: Sequence[Entry]) -> list[tuple[str, Row]]:
    """The rows of a month, with their tables; keys are those of the place alone."""
    found = [("meta.partition_loads", load(month, repository=subject, row_count=len(rows)))]
    forum, _, tag_set = subject.partition(":")
    places = (*REPOSITORIES, *TAG_SETS)
    first = (places.index(subject) if subject in places else 50) * 10**6 + int(month[-2:]) * 10**4
    for number, entry in enumerate(rows, first):
        at = f"{month}-05T00:00:00Z"
        moment = {"loaded_at": f"2021-01-01T00:00:00.{entry['moment'] % 10**6:06d}Z"}
        if tag_set:
            row = question(number, at, forum=forum, tag_set=tag_set, tag_sets=[tag_set])
            found.append(("raw.questions", {**row, "title": entry["title"], **moment}))
            continue
        texts = {name: entry[name] for name in ("title", "labels", "author")}
        found += [
            ("raw.issues", issue(number, at, repository=subject, month=month, **texts, **moment)),
            ("raw.commits", commit(f"c{number}", at, 1, 2, repository=subject, month=month)),
            (
                "details.commit_metrics",
                detail(
                    f"c{number}",
                    repository=subject,
                    month=month,
                    test_share=entry["share"],
                    languages=entry["languages"],
                ),
            ),
        ]
    return found


def stored(database: Database) -> dict[str, pl.DataFrame]:
    """All rows that a lake would hold, by table, in a fixed order."""
    return {
        name: database.frame(f"SELECT {table.columns} FROM {name} {table.where} ORDER BY ALL")
        for name, table in lake_tables().items()
    }


def assert_equal(one: Database, other: Database) -> None:
    """Both hold the same rows, of the same types."""
    here, there = stored(one), stored(other)
    for name, frame in here.items():
        assert frame.schema == there[name].schema
        assert frame.columns == [column.name for column in table_of(name).columns]
        assert frame.equals(there[name]), name


def versions(lake: Lake) -> dict[str, int]:
    """How many commits each Delta table of a folder had."""
    root = Path(lake.url)
    return {
        str(log.parent.relative_to(root)): len(list(log.glob("*.json")))
        for log in root.rglob("_delta_log")
    }


def push_as_older_version(database: Database, lake: Lake, subject: str) -> None:
    """Ship ``subject`` as the version before the fingerprints of address keys did."""
    fields = [field for field in releases.SCHEMA if field.name != "address_key"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(releases, "SCHEMA", pa.schema(fields))
        push.push(database, lake, subject)


def in_processes(
    act: Callable[..., None], arguments: Sequence[tuple[Any, ...]], seconds: float = 120
) -> list[int]:
    """Call ``act`` in as many processes at once; the exit code of each, after so long at most."""
    processes = [begun(act, *each) for each in arguments]
    for process in processes:
        process.join(seconds)
    return [_ended(process) for process in processes]


def _ended(process: BaseProcess) -> int:
    if process.exitcode is None:
        process.kill()
        process.join()
    assert process.exitcode is not None
    return process.exitcode


def kill_this_process() -> None:
    """As from outside: nothing is tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)


class Moments:
    """Counts the moments between two steps of what is done to a lake, and kills at one of them."""

    def __init__(self, fatal: int | None) -> None:
        self.fatal, self.passed = fatal, 0

    def __call__(self) -> None:
        self.passed += 1
        if self.passed == self.fatal:
            kill_this_process()

    def around(self, module: Any, name: str) -> None:
        """Let there be a moment before and after each call of a function of ``module``."""
        called = getattr(module, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            self()
            result = called(*arguments, **named)
            self()
            return result

        setattr(module, name, watched)


def ship_data_dir(
    data_dir: Path, lake: Lake, subject: str, fatal: int | None, count: Path | None
) -> None:
    """Ship from the data directory of a process, which is killed at its ``fatal`` moment."""
    moments = Moments(fatal)
    moments.around(delta, "write_deltalake")
    moments.around(push, "remember")
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        push.push(database, lake, subject)
    if count is not None:
        count.write_text(str(moments.passed))


def bring_data_dir(
    data_dir: Path, lake: Lake, subjects: Sequence[str], fatal: int | None, count: Path | None
) -> None:
    """Bring to the data directory of a process, which is killed at its ``fatal`` moment."""
    moments = Moments(fatal)
    for name in ("_bring_bucket", "_insert", "_verify", "remember"):
        moments.around(pull, name)
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        pull.pull(database, lake, subjects)
    if count is not None:
        count.write_text(str(moments.passed))


def begun(act: Callable[..., None], *arguments: Any) -> BaseProcess:
    """``act`` in a process of its own, from which nothing of this one is changed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=act, args=arguments)
    process.start()
    return process
