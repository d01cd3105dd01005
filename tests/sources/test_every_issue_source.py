"""What every source of issues holds, whichever host it reads: tried against its stand-in."""

from collections.abc import Iterator
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perf_assets.base.corpus import Corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import months_between
from perf_assets.base.retry import RetryPolicy
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.hosts import KINDS
from perf_assets.sources import rest_client
from perf_assets.sources.issues.batches import IssueBatch, joined
from perf_assets.sources.issues.opening import StoredMonths, host_of, open_issue_source
from perf_assets.stages.mining.issues import load_issues
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.migrations import create_tables
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import Database
from tests import loading_process
from tests.effort import IS_THOROUGH, examples
from tests.issue_hosts import HOSTS, Host, all_hosts, unreliable
from tests.support import VALIDATING
from tests.tracker_state_machine import LEAVES, WRITES, Life

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor", "without_pauses")]

MONTHS = months_between("2020-01", "2020-04")
TABLES = {
    "issues": "raw.issues",
    "comments": "raw.issue_comments",
    "events": "raw.issue_events",
    "pull_requests": "raw.issue_pull_requests",
}
SEEDS = 50 if IS_THOROUGH else 2
KILLS = 20 if IS_THOROUGH else 1
each_host = pytest.mark.parametrize("host", all_hosts(), ids=list(HOSTS))


@pytest.fixture(scope="module")
def without_pauses() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RetryPolicy, "pause", lambda *_: 0.001)
        patch.setattr(rest_client, "SHORTEST_PAUSE", 0.001)
        yield


class Miner:
    """An empty warehouse beside the stand-in of a host."""

    def __init__(self, host: Host, server: LoopbackServer, life: Life, directory: Path) -> None:
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        create_tables(connection)
        self.host, self.server, self.life = host, server, life
        self.database = Database(connection)
        self.writer = AuditedWriter(self.database, DataDirectory(directory))

    def refresh(self, months: list[str] = MONTHS, stop_after: int | None = None) -> None:
        """Bring ``months`` up to date; or stop after so many cohorts were stored."""
        corpus = self.life.corpus()
        self.server.replace([corpus])  # type: ignore[attr-defined]
        repository = self.host.repository(corpus, self.server.url)
        self.outcomes: list[WriteOutcome] = []
        with open_issue_source(repository) as source:
            outcomes = load_issues(self.writer, source, months)
            for outcome in outcomes:
                self.outcomes.append(outcome)
                if len(self.outcomes) == stop_after:
                    outcomes.close()  # type: ignore[attr-defined]
                    return
        assert [outcome.failure for outcome in self.outcomes if outcome.failure] == []

    def differences(self) -> set[tuple[int, str, str | None]]:
        rows = self.database.connection.execute(
            "SELECT number, reason, moved_to FROM meta.reconciliation_differences"
        )
        return set(rows.fetchall())


def read(host: Host, corpus: Corpus, url: str, months: list[str] = MONTHS) -> IssueBatch:
    """What a fresh load reads."""
    with open_issue_source(host.repository(corpus, url)) as source:
        found = [batch for _, batch in source.cohorts(source.counts(months))]
    batches = [batch for batch in found if isinstance(batch, IssueBatch)]
    assert len(batches) == len(found), found
    return joined(batches)


def assert_equal(database: Database, fresh: IssueBatch) -> None:
    for part, table in TABLES.items():
        expected: pl.DataFrame = getattr(fresh, part)
        columns = ", ".join(expected.columns)
        stored = database.frame(f"SELECT {columns} FROM {table}").cast(dict(expected.schema))  # type: ignore[arg-type]
        key = [name for name in expected.columns if expected.schema[name] != pl.List(pl.String)]
        assert stored.sort(key).equals(expected.sort(key)), part


def lived(seed: int, events: int = 60) -> Life:
    """A tracker in which much has happened, over the four months."""
    life = Life(seed)
    for index in range(events):
        life.now += timedelta(days=118) / events
        life.happen("open" if index % 3 == 0 else life.chance.choice(WRITES))
    return life


@each_host
@settings(
    max_examples=examples(3, 30),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 2**32),
    steps=st.lists(
        st.tuples(
            st.lists(st.sampled_from([*WRITES, *WRITES, *LEAVES]), max_size=12),
            st.sampled_from([MONTHS, MONTHS, MONTHS[:2]]),
            st.sampled_from([None, None, 1]),
        ),
        min_size=2,
        max_size=4,
    ),
)
def test_a_refresh_equals_a_fresh_load_whatever_happened_between(
    host: Host, tmp_path: Path, seed: int, steps: list[Any]
) -> None:
    """Also where runs are stopped in the middle, or are about some of the months."""
    life = lived(seed, 20)
    with host.server([life.corpus()]) as server, pytest.MonkeyPatch.context() as patch:
        for size in host.small_pages:
            patch.setattr(*size)
        miner = Miner(host, server, life, tmp_path)
        for events, months, stop_after in steps:
            for what in events:
                life.happen(what)
            miner.refresh(months, stop_after)
        miner.refresh()
        assert_equal(miner.database, read(host, life.corpus(), server.url))


@each_host
def test_an_issue_that_left_is_named_with_what_became_of_it(host: Host, tmp_path: Path) -> None:
    life = lived(1)
    with host.server([life.corpus()]) as server:
        miner = Miner(host, server, life, tmp_path)
        miner.refresh()
        before = set(life.issues)
        life.now += timedelta(hours=1)
        life.delete()
        life.transfer()
        miner.refresh()
        left = before - set(life.issues)
        moved = {
            (number, "transferred", host.prefix + place)
            for number, place in life.departed.items()
            if place is not None
        }
        deleted = {(number, "deleted", None) for number in left - life.departed.keys()}
        assert miner.differences() == moved | deleted
        assert len(moved) == len(deleted) == 1
        assert_equal(miner.database, read(host, life.corpus(), server.url))


@each_host
@pytest.mark.parametrize("seed", range(SEEDS))
def test_whatever_goes_wrong_with_answers_the_rows_are_right_or_a_sentence_says_why(
    host: Host, seed: int
) -> None:
    corpus = lived(seed).corpus()
    with host.server([corpus]) as server:
        expected = read(host, corpus, server.url)
    with unreliable(host.server([corpus]), seed) as server:
        try:
            found = read(host, corpus, server.url)
        except PerfAssetsError as error:
            assert "\n" not in str(error)
            return
    for part, frame in vars(expected).items():
        assert getattr(found, part).equals(frame), part


@each_host
@pytest.mark.parametrize("seed", range(KILLS))
def test_a_load_that_is_killed_goes_on_where_it_was(host: Host, tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    corpus = lived(seed, 200).corpus()
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.loading_process", VALIDATING])
    with host.server([corpus]) as server:
        repository = host.repository(corpus, server.url)
        arguments = (repository.model_dump(mode="json", exclude_unset=True), tmp_path, MONTHS)
        process = context.Process(target=loading_process.load_from, args=arguments, daemon=True)
        process.start()
        reached = chance.randrange(20)
        while process.is_alive() and len(server.requests) < reached:
            sleep(0.002)
        process.kill()
        process.join()
        again = context.Process(target=loading_process.load_from, args=arguments, daemon=True)
        again.start()
        again.join()
        assert again.exitcode == 0
        with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            assert_equal(Database(connection), read(host, corpus, server.url))


@each_host
def test_texts_of_strangers_are_stored_as_they_are(host: Host) -> None:
    life = lived(3, 6)
    hostile = ["\x1b[2J\x1b]0;own\x07", "'; DROP TABLE raw.issues; --", "<script>", "é" * 50_000]
    for number, text in zip(sorted(life.issues), hostile, strict=False):
        life.issues[number] |= {"title": f"t {text[:80]}", "body": text}
    with host.server([life.corpus()]) as server:
        found = read(host, life.corpus(), server.url).issues
    told = dict(found.select("number", "body").iter_rows())
    for number, text in zip(sorted(life.issues), hostile, strict=False):
        assert told[number] == text


@each_host
def test_the_counts_are_those_of_the_tracker(host: Host) -> None:
    life = lived(4)
    with (
        host.server([life.corpus()]) as server,
        open_issue_source(host.repository(life.corpus(), server.url)) as source,
    ):
        counts = source.counts(MONTHS)
    opened = [issue["created_at"][:7] for issue in life.issues.values()]
    assert counts == {month: opened.count(month) for month in MONTHS}


@each_host
def test_the_doctor_says_what_a_run_would_read(host: Host) -> None:
    life = lived(5)
    said: list[str] = []
    with host.server([life.corpus()]) as server:
        repository = host.repository(life.corpus(), server.url, end="2020-04")
        theirs = host_of(host.source)
        stored = StoredMonths({}, MONTHS, 0)
        assert theirs.examine([repository], lambda _: stored, said.append)
        assert theirs.out_of_reach([repository]) == {}
    count = sum(issue["created_at"][:7] in MONTHS for issue in life.issues.values())
    assert any(f"{count} issues" in sentence for sentence in said), said


@each_host
def test_what_a_kind_of_host_is_said_to_lack_stays_null(host: Host) -> None:
    corpus = lived(6).corpus()
    with host.server([corpus]) as server:
        issues = read(host, corpus, server.url).issues
    lacks = KINDS[host.source].lacks
    assert issues.select(lacks).null_count().row(0) == (issues.height,) * len(lacks)


def test_every_kind_of_host_is_tried_here() -> None:
    assert set(HOSTS) == set(KINDS)
