"""Pull requests as they are stored: the wanted ones, each until it is closed, whatever happens."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from perf_assets.base.corpus import Corpus, Record
from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, load_study
from perf_assets.stages.enrichment import pull_requests
from perf_assets.stages.enrichment.pull_requests import TABLE, load_pull_requests
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.rows import REPOSITORY, issue, label, link, sha
from tests.rows import pull_request as relation
from tests.unreliable_github import Faults, UnreliableGitHub

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

MONTHS = ("2020-01", "2020-02", "2020-03")
COLUMNS = ("pull_request", "month")


def pull(number: int, **changes: Any) -> Record:
    day = "2020-01-10T10:00:00Z"
    row = {
        "number": number,
        "title": "Mend it",
        "user": {"login": "ann"},
        "state": "closed",
        "created_at": day,
        "closed_at": day,
        "updated_at": day,
        "merged_at": day,
        "additions": number,
        "deletions": 0,
        "changed_files": 1,
        "reviews": [],
    }
    return {**row, **changes}


def corpus(*pulls: Record) -> Corpus:
    return Corpus(REPOSITORY, {}, {}, {}, {one["number"]: one for one in pulls})


def landed(number: int, month: str, work: str = "none") -> Record:
    """A commit that landed a pull request."""
    return {
        "repository": REPOSITORY,
        "sha": sha(f"landed {number} {month}"),
        "pull_request": number,
        "work": work,
        "strength": None if work == "none" else "weak",
        "signs": [],
        "probability": 0.5,
        "model_version": "x",
        "month": month,
    }


@dataclass
class Warehouse:
    """A warehouse with labels and links, beside a server of pull requests."""

    folder: Path
    server: CorpusServer

    @property
    def data_dir(self) -> DataDirectory:
        return DataDirectory.of(self.folder / "home")

    def study(self, *, is_all: bool = False) -> Study:
        file = self.folder / "study.toml"
        file.write_text(
            f'name = "test"\n[[repositories]]\nname = "{REPOSITORY}"\nstart = "2020-01"\n'
            f'git = "."\ngithub_url = "{self.server.url}"\npull_requests = {str(is_all).lower()}\n'
        )
        return load_study(file)

    @contextmanager
    def writer(self) -> Iterator[AuditedWriter]:
        with open_warehouse(self.data_dir.warehouse) as database:
            yield AuditedWriter(database, self.data_dir)

    def put(self, table: str, *rows: Record) -> None:
        with self.writer() as writer:
            insert(writer.database.connection, table, rows)

    def execute(self, statement: str) -> None:
        with self.writer() as writer:
            writer.database.connection.execute(statement)

    def forget(self) -> None:
        """Take away what was read of pull requests, as if nothing had been."""
        self.execute(f"DELETE FROM {TABLE}")
        self.execute(f"DELETE FROM meta.partition_loads WHERE \"table\" = '{TABLE}'")

    def outcomes(
        self, writer: AuditedWriter, *, is_all: bool = False, longest_wait: float = 1
    ) -> Iterator[WriteOutcome]:
        study = self.study(is_all=is_all)
        return load_pull_requests(writer, study, study.repositories[0], longest_wait)

    def load(self, *, is_all: bool = False) -> int:
        """Bring pull requests up to date; how many requests it took."""
        before = len(self.server.requests)
        with self.writer() as writer:
            outcomes = list(self.outcomes(writer, is_all=is_all))
        assert all(outcome.failure is None for outcome in outcomes)
        return len(self.server.requests) - before

    def stored(self) -> pl.DataFrame:
        with self.writer() as writer:
            return writer.database.where(TABLE, {"repository": REPOSITORY})

    def places(self) -> list[tuple[int, str]]:
        return self.stored().select(COLUMNS).sort(COLUMNS).rows()


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    with CorpusServer([corpus(*map(pull, range(10, 40)))]) as server:
        yield filled(tmp_path, server)


def filled(folder: Path, server: CorpusServer) -> Warehouse:
    """Pull requests of each kind: 10 to 17 are wanted, 20 and 21 only if all are."""
    warehouse = Warehouse(folder, server)
    warehouse.put("raw.issues", *(issue(number, "2020-01-05T00:00:00Z") for number in range(1, 6)))
    warehouse.put(
        "labels.performance_labels",
        label(1, is_performance=True),
        label(2),
        label(3, is_bug_report=False),
    )
    warehouse.put(
        "labels.performance_commits",
        landed(10, "2020-02", "optimisation"),
        landed(11, "2020-03", "fix"),
        landed(20, "2020-03"),
        landed(12, "2020-03"),
    )
    warehouse.put(
        "links.fix_links",
        {**link(1, "one"), "pull_request": 13, "month": "2020-02"},
        {**link(2, "two"), "pull_request": 14, "month": "2020-03"},
    )
    warehouse.put(
        "raw.issue_pull_requests",
        relation(1, 15),
        relation(1, 12, relation="closer"),
        relation(2, 16),
        relation(2, 17, pull_request_repository=REPOSITORY.upper()),
        relation(3, 21),
        relation(2, 30, pull_request_repository="other/repository"),
    )
    return warehouse


WANTED = [
    *((10, "2020-02"), (11, "2020-03"), (12, "2020-03"), (13, "2020-02")),
    *((14, "2020-03"), (15, "2020-01"), (16, "2020-01"), (17, "2020-01")),
]


def test_those_of_performance_work_and_bug_reports_are_read_at_one_request(
    warehouse: Warehouse,
) -> None:
    assert warehouse.load() == 1
    assert warehouse.places() == WANTED
    assert warehouse.stored().sort("pull_request")["additions"].to_list() == list(range(10, 18))
    with warehouse.writer() as writer:
        (cost,) = writer.database.frame("FROM meta.source_requests").rows(named=True)
        loads = writer.database.loads(TABLE, REPOSITORY)
    assert (cost["requests"], cost["points"]) == (1, 1)
    assert (loads["requests"].sum(), loads["points"].sum()) == (1, 1)


def test_what_is_stored_is_read_once_and_no_source_is_opened(warehouse: Warehouse) -> None:
    warehouse.load()
    before = warehouse.stored()
    warehouse.server.__exit__(None, None, None)
    try:
        assert warehouse.load() == 0
    finally:
        warehouse.server.__enter__()
    assert warehouse.stored().equals(before)


def test_one_that_was_open_is_read_again_until_it_is_closed(warehouse: Warehouse) -> None:
    still = {"state": "open", "closed_at": None, "merged_at": None}
    others = [pull(number) for number in range(10, 40) if number != 15]
    warehouse.server.replace([corpus(*others, pull(15, **still))])
    assert warehouse.load() == 1
    assert warehouse.load() == 1
    warehouse.server.replace([corpus(*others, pull(15))])
    assert warehouse.load() == 1
    row = warehouse.stored().row(by_predicate=pl.col("pull_request") == 15, named=True)
    assert row["is_merged"] and row["closed_at"] is not None
    assert warehouse.load() == 0


def test_all_that_landed_or_are_linked_are_read_if_the_study_wants_them(
    warehouse: Warehouse,
) -> None:
    warehouse.load()
    assert warehouse.load(is_all=True) == 1
    assert warehouse.places() == [*WANTED, (20, "2020-03"), (21, "2020-01")]
    assert warehouse.load() == 0
    assert warehouse.places() == WANTED


def test_a_number_that_is_no_pull_request_has_no_row_and_is_requested_once(
    warehouse: Warehouse, caplog: pytest.LogCaptureFixture
) -> None:
    warehouse.put("labels.performance_commits", landed(99, "2020-02", "fix"))
    warehouse.put("labels.performance_commits", landed(2**40, "2020-02", "fix"))
    assert warehouse.load() == 1
    assert warehouse.places() == WANTED
    (said,) = [one.getMessage() for one in caplog.records if "cannot be read" in one.getMessage()]
    assert "1 of 9 pull requests" in said and "#99" in said and "number of 99" in said
    assert warehouse.load() == 0


def test_a_row_moves_to_the_month_in_which_it_landed_at_no_request(warehouse: Warehouse) -> None:
    warehouse.load()
    before = warehouse.stored().drop("month").sort("pull_request")
    warehouse.put("labels.performance_commits", landed(15, "2020-03", "fix"))
    warehouse.execute("UPDATE links.fix_links SET month = '2020-01' WHERE pull_request = 14")
    assert warehouse.load() == 0
    moved = {15: "2020-03", 14: "2020-01"}
    assert warehouse.places() == [(one, moved.get(one, month)) for one, month in WANTED]
    assert warehouse.stored().drop("month").sort("pull_request").equals(before)


def test_what_is_no_longer_linked_leaves(warehouse: Warehouse) -> None:
    warehouse.load()
    warehouse.execute("DELETE FROM raw.issue_pull_requests WHERE pull_request = 16")
    assert warehouse.load() == 0
    assert warehouse.places() == [one for one in WANTED if one[0] != 16]


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Warehouse]:
    """More pull requests of bug reports than the bound allows."""
    numbers = range(100, 700)
    with CorpusServer([corpus(*map(pull, numbers))]) as server:
        warehouse = Warehouse(tmp_path, server)
        warehouse.put("raw.issues", *(issue(one, "2020-01-05T00:00:00Z") for one in range(1, 6)))
        warehouse.put("labels.performance_labels", label(1, is_performance=True), label(2))
        with warehouse.writer() as writer:
            rows = [relation(1 + (one > 130), one, month=MONTHS[one % 3]) for one in numbers]
            insert(writer.database.connection, "raw.issue_pull_requests", rows)
        yield warehouse


def test_two_requests_are_spent_for_a_thousand_issues_and_it_is_said_what_is_left(
    large: Warehouse, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    assert large.load() == 2
    expected = [*range(100, 131), *range(700 - (200 - 31), 700)]
    assert [number for number, _ in large.places()] == expected
    (said,) = [one.getMessage() for one in caplog.records if "bound" in one.getMessage()]
    assert said.startswith(f"{REPOSITORY}: 400 pull requests of bug reports are not read")
    assert large.load() == 0
    assert large.load(is_all=True) == 4
    assert large.stored().height == 600


def test_a_run_that_was_killed_ends_with_the_same_rows(
    large: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    large.load()
    expected = large.stored()
    large.forget()
    monkeypatch.setattr(pull_requests, "READ_AT_ONCE", 1)
    with large.writer() as writer:
        outcomes = large.outcomes(writer)
        next(outcomes)
        outcomes.close()  # type: ignore[attr-defined]
    assert 0 < large.stored().height < expected.height
    large.load()
    assert large.stored().equals(expected)


def test_where_the_rate_limit_ends_what_is_stored_stays(
    large: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    large.load()
    expected = large.stored()
    large.forget()
    monkeypatch.setattr(pull_requests, "READ_AT_ONCE", 1)
    pulls = [pull(number) for number in range(100, 700)]
    good = large.server
    with CorpusServer([corpus(*pulls)], limit=1, window=1800) as spent, large.writer() as writer:
        large.server = spent
        with pytest.raises(PerfAssetsError, match="longer than --max-wait allows"):
            list(large.outcomes(writer))
        requests = writer.database.frame("FROM meta.source_requests")["requests"].to_list()
    assert requests[-1] >= 1
    assert 0 < large.stored().height < expected.height
    large.server = good
    large.load()
    assert large.stored().equals(expected)


def test_faults_and_secondary_limits_change_no_row(large: Warehouse) -> None:
    large.load()
    expected = large.stored()
    large.forget()
    pulls = [pull(number) for number in range(100, 700)]
    faults = Faults(seed=5, rate=0.6, kinds=("secondary_limit", "bad_gateway", "resource_limits"))
    with UnreliableGitHub([corpus(*pulls)], faults=faults) as unreliable:
        large.server = unreliable
        large.load()
    assert large.stored().equals(expected)
