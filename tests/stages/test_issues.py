"""A refresh misses nothing: after it the tables equal a fresh load, whatever happened between."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import ceil, log
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perf_assets.base.months import months_between
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.hosts import KINDS
from perf_assets.sources.github import issues, rows
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.source import ChangePage
from perf_assets.stages.mining.incremental_state import due_cohorts, stale_cohorts
from perf_assets.stages.mining.issues import load_issues
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.storage import audited_writer
from perf_assets.storage.audit.auditing import AuditReport
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.migrations import create_tables
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import Database
from tests.effort import examples
from tests.github_stand_in import batches_of
from tests.tracker_state_machine import ELSEWHERE, LEAVES, NAME, WRITES, Life

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

FIELDS = KINDS["github"].fields_version

MONTHS = months_between("2020-01", "2020-04")


class Miner:
    """An empty warehouse beside the server of a tracker that lives on."""

    def __init__(self, server: CorpusServer, index: Path, life: Life) -> None:
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        create_tables(connection)
        self.server, self.life = server, life
        self.database = Database(connection)
        self.writer = AuditedWriter(self.database, DataDirectory(index))

    def refresh(self, reconcile_months: int | None = None, months: list[str] = MONTHS) -> int:
        """Run a refresh; how many requests it took."""
        self.server.replace([self.life.corpus()])
        before = len(self.server.requests)
        self.outcomes: list[WriteOutcome] = list(
            load_issues(self.writer, self._source(), months, reconcile_months)
        )
        return len(self.server.requests) - before

    def refresh_killed(self) -> None:
        """Run a refresh until the first of its cohorts are stored."""
        outcomes = load_issues(self.writer, self._source(), MONTHS)
        assert next(outcomes).is_written
        outcomes.close()  # type: ignore[attr-defined]

    def assert_equals_a_fresh_load(self) -> None:
        source = self._source()
        batches = batches_of(source, source.counts(MONTHS))
        for name in ("issues", "comments", "events"):
            fresh = pl.concat([getattr(batch, name) for batch in batches])
            table = "raw.issues" if name == "issues" else f"raw.issue_{name}"
            columns = ", ".join(fresh.columns)
            stored = self.database.frame(f"SELECT {columns} FROM {table}").cast(dict(fresh.schema))  # type: ignore[arg-type]
            key = [column for column in fresh.columns if column.endswith(("number", "_id"))]
            assert stored.sort(key).equals(fresh.sort(key)), name

    def differences(self) -> list[tuple[int, str, str | None]]:
        return self.database.connection.execute(
            "SELECT number, reason, moved_to FROM meta.reconciliation_differences ORDER BY ALL"
        ).fetchall()

    def _source(self) -> GitHubIssues:
        return GitHubIssues(GitHubClient(self.server.url, "t0ken"), NAME)


@pytest.fixture(scope="module")
def server() -> Iterator[CorpusServer]:
    with CorpusServer([Life().corpus()], limit=10**9) as running:
        yield running


@pytest.fixture
def miner(server: CorpusServer, tmp_path: Path) -> Miner:
    """A loaded warehouse of forty issues over the four months."""
    life = Life(1)
    for _ in range(40):
        life.now += timedelta(days=1)
        life.open()
        life.happen("comment")
    loaded = Miner(server, tmp_path, life)
    loaded.refresh()
    return loaded


@settings(
    max_examples=examples(4, 80),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 2**32),
    steps=st.lists(
        st.tuples(
            st.lists(st.sampled_from([*WRITES, *WRITES, *LEAVES]), max_size=12),
            st.sampled_from([MONTHS, MONTHS, MONTHS[:2], MONTHS[1:]]),
        ),
        min_size=2,
        max_size=4,
    ),
)
def test_after_every_refresh_of_a_random_history_the_tables_equal_a_fresh_load(
    server: CorpusServer, tmp_path: Path, seed: int, steps: list[tuple[list[str], list[str]]]
) -> None:
    """Runs over some of the months meanwhile make no difference."""
    miner = Miner(server, tmp_path, Life(seed))
    with pytest.MonkeyPatch.context() as patch:
        # Pages so small that changes are stored in several goes.
        patch.setattr(issues, "PAGE", 2)
        patch.setattr(issues, "HELD_ISSUES", 4)
        for index, (events, months) in enumerate(steps):
            for what in ["open"] * 5 * (index == 0) + events:
                miner.life.happen(what)
            miner.refresh(months=months)
            assert [outcome.failure for outcome in miner.outcomes if outcome.failure] == []
            if months == MONTHS:
                miner.assert_equals_a_fresh_load()
        miner.refresh()
        miner.assert_equals_a_fresh_load()


def counted(table: str, candidates: Sequence[tuple[pl.DataFrame, Parameters]]) -> list[AuditReport]:
    """An audit that looks at the number of rows alone."""
    for frame, parameters in candidates:
        assert parameters["source_count"] in (frame.height, None), table
    return [AuditReport(table, None, None, frame.height, {}) for frame, _ in candidates]


def test_a_full_load_and_a_refresh_cost_what_they_promise(
    server: CorpusServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most 15 requests per 1,000 issues, and 2 plus one per 100 that changed."""
    monkeypatch.setattr(audited_writer, "audit_together", counted)
    miner = Miner(server, tmp_path, ordinary(1500))
    assert miner.refresh() <= 15 * 1.5
    for changed in (1, 99, 1100):
        for number in miner.life.chance.sample(sorted(miner.life.issues), changed):
            miner.life.now += timedelta(seconds=1)
            miner.life.issues[number] |= {
                "title": f"Edited {miner.life.now}",
                "updated_at": f"{miner.life.now:%Y-%m-%dT%H:%M:%SZ}",
            }
        # One issue is listed again: it has the newest update that was stored.
        assert miner.refresh() <= 2 + ceil((changed + 1) / 100)
    miner.assert_equals_a_fresh_load()


def ordinary(count: int) -> Life:
    """Issues over the four months whose threads have a median of 3 comments, and 1 % over 40."""
    life = Life(4)
    spread = log(40 / 3) / 2.326  # the 99th percentile of a normal variable
    for number in range(1, count + 1):
        life.now += timedelta(days=120) / count
        life.open()
        moment = life.issues[number]["created_at"]
        life.comments[number] = [
            {"id": 100 * count * number + index, "issue_number": number, "user": {"login": "a"}}
            | {"body": "Any news?", "created_at": moment, "updated_at": moment}
            for index in range(round(life.chance.lognormvariate(log(3), spread)))
        ]
    return life


def test_a_refresh_notes_that_a_repository_was_archived_or_deleted(miner: Miner) -> None:
    def noted() -> list[tuple[object, ...]]:
        query = "SELECT strftime(archived_at, '%Y-%m-%d') FROM meta.archivals"
        return miner.database.connection.execute(query).fetchall()

    assert noted() == []
    miner.life.archived_at = "2020-05-01T12:00:00Z"
    assert miner.refresh() == 1
    assert noted() == [("2020-05-01",)]
    miner.life.archived_at = None
    miner.refresh()
    assert noted() == [(None,)]


def test_a_refresh_costs_one_listing_and_the_counts_of_what_changed(miner: Miner) -> None:
    assert miner.refresh() == 1
    for what in WRITES:
        miner.life.happen(what)
    assert miner.refresh() == 2
    miner.assert_equals_a_fresh_load()


def test_reports_of_a_month_stay_when_only_another_month_changed(miner: Miner) -> None:
    parameters = "FROM meta.partition_loads WHERE month <> '2020-02' ORDER BY ALL"
    before = miner.database.frame(parameters)
    miner.life.edit_one_of("2020-02")
    miner.refresh()
    assert [outcome.month for outcome in miner.outcomes if outcome.is_written] == ["2020-02"]
    assert miner.database.frame(parameters).equals(before)
    known = miner.database.loads("raw.issues", NAME)
    assert set(known["updated_at"]) == {miner.life.now}
    assert miner.refresh() == 1


def test_a_month_that_was_not_requested_is_not_known_after_a_refresh_of_others(
    miner: Miner,
) -> None:
    miner.life.edit_one_of("2020-02")
    miner.life.edit_one_of("2020-01")
    miner.refresh(months=["2020-01", "2020-03"])
    miner.refresh()
    assert [outcome.month for outcome in miner.outcomes if outcome.is_written] == ["2020-02"]
    miner.assert_equals_a_fresh_load()


def test_a_month_that_was_refused_is_not_known_for_being_looked_at(
    miner: Miner, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = miner.database.loads("raw.issues", NAME).filter(month="2020-01")
    with monkeypatch.context() as patch:
        patch.setattr(GitHubIssues, "find_removed", lambda self, numbers: [])
        miner.life.happen("comment")
        number = min(miner.life.issues)
        miner.life.issues.pop(number)
        miner.life.comments.pop(number)
        miner.refresh()
    assert [outcome.month for outcome in miner.outcomes if outcome.failure] == ["2020-01"]
    after = miner.database.loads("raw.issues", NAME).filter(month="2020-01")
    assert after["updated_at"].equals(before["updated_at"])
    miner.refresh()
    miner.assert_equals_a_fresh_load()


def test_an_issue_that_left_is_found_by_the_count_and_its_reason_kept(miner: Miner) -> None:
    before = set(miner.life.issues)
    for what in LEAVES:
        miner.life.happen(what)
    gone = before - set(miner.life.issues)
    moved = {number for number, index in miner.life.departed.items() if index}
    miner.refresh()
    miner.assert_equals_a_fresh_load()
    assert {number for number, _, _ in miner.differences()} == gone
    (transferred,) = moved
    assert (transferred, "transferred", f"{ELSEWHERE}#{transferred}") in miner.differences()
    assert sorted(reason for _, reason, _ in miner.differences()) == [
        "converted_to_a_discussion",
        "deleted",
        "transferred",
    ]
    assert miner.refresh() == 1


def test_one_that_left_is_found_though_another_came(miner: Miner) -> None:
    miner.life.happen("delete")
    miner.life.happen("transfer_in")
    miner.refresh()
    miner.assert_equals_a_fresh_load()


def test_what_changed_without_an_update_is_found_when_everything_is_read_again(
    miner: Miner,
) -> None:
    number = min(miner.life.issues)
    miner.life.comments[number].clear()
    miner.refresh()
    with pytest.raises(AssertionError, match="issues"):
        miner.assert_equals_a_fresh_load()
    miner.refresh(reconcile_months=1)
    miner.assert_equals_a_fresh_load()


def test_verification_reads_everything_within_its_months(miner: Miner) -> None:
    for issue in miner.life.issues.values():
        issue["title"] = "Edited, and nobody told"
    for _ in range(2):
        miner.refresh(reconcile_months=2)
    miner.assert_equals_a_fresh_load()


def as_an_older_version_left_it(miner: Miner) -> None:
    """Without the types of accounts, and with the logins of bots as GraphQL gives them."""
    for table in ("raw.issues", "raw.issue_comments"):
        miner.database.connection.execute(
            f"UPDATE {table} SET author = replace(author, '[bot]', ''), author_type = NULL"
        )
    miner.database.connection.execute("UPDATE raw.issues SET fields_version = NULL")


def test_what_an_older_version_did_not_ask_is_read_once(miner: Miner) -> None:
    first, second, *_ = miner.life.issues.values()
    first["user"], second["user"] = None, {"login": "ci", "type": "Bot"}
    miner.life.comments[first["number"]] = []
    for number in miner.life.comments:
        miner.life.now += timedelta(hours=1)
        for user in (None, {"login": "stale[bot]"}, {"login": "stale", "type": "User"}):
            miner.life.comment_on(number, user)
    miner.refresh()
    as_an_older_version_left_it(miner)
    assert miner.refresh() > 1
    miner.assert_equals_a_fresh_load()
    typed = miner.database.frame(
        "SELECT DISTINCT author, author_type FROM raw.issue_comments ORDER BY ALL"
    )
    assert typed.rows() == [
        ("a", "User"),
        ("stale", "User"),
        ("stale[bot]", "Bot"),
        (None, None),
    ]
    # The types of deleted accounts are missing for good, and nothing is asked for that reason.
    assert miner.refresh() == 1


def test_reading_again_goes_on_where_it_was_killed(
    miner: Miner, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_an_older_version_left_it(miner)
    months = set(stale_cohorts(miner.database.connection, NAME, FIELDS))
    assert len(months) > 2
    with monkeypatch.context() as patch:
        patch.setattr(issues, "HELD_ISSUES", 4)
        miner.refresh_killed()
    left = set(stale_cohorts(miner.database.connection, NAME, FIELDS))
    assert left < months
    assert left
    miner.refresh()
    assert {outcome.month for outcome in miner.outcomes if outcome.is_written} == left
    miner.assert_equals_a_fresh_load()
    assert stale_cohorts(miner.database.connection, NAME, FIELDS) == {}


def test_due_cohorts_are_spread_evenly_and_none_waits_too_long() -> None:
    now = datetime(2021, 7, 2, tzinfo=UTC)
    recent = {month: now - timedelta(days=3) for month in months_between("2020-01", "2020-12")}
    assert due_cohorts(recent, 6, now) == ["2020-01", "2020-02"]
    assert due_cohorts(recent, 1, now) == list(recent)
    old = dict.fromkeys(["2020-05", "2020-06", "2020-07"], datetime(2021, 1, 31, tzinfo=UTC))
    assert due_cohorts(recent | old, 6, now) == list(old)
    assert due_cohorts({}, 6, now) == []


def test_an_issue_that_the_search_loses_fails_its_month_and_stays(
    miner: Miner, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = miner.life.issues[min(miner.life.issues)]
    known = miner.database.frame("SELECT count(*) FROM raw.issues").item()
    with monkeypatch.context() as patch:
        # It is still there, but neither counted nor listed any more.
        patch.setattr(GitHubIssues, "find_removed", lambda self, numbers: [])
        miner.life.issues.pop(lost["number"])
        miner.life.comments.pop(lost["number"])
        miner.refresh()
    (failure,) = [outcome.failure for outcome in miner.outcomes if outcome.failure]
    assert "row_count_is_the_sources" in failure and "2020-01" in failure
    assert miner.database.frame("SELECT count(*) FROM raw.issues").item() == known


def test_a_comment_that_is_announced_but_not_given_fails_its_month_alone(
    miner: Miner, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (min(miner.life.issues), max(miner.life.issues)):
        issue = miner.life.issues[number]
        miner.life.now += timedelta(hours=1)
        issue |= {"title": "Edited", "updated_at": miner.life.now.strftime("%Y-%m-%dT%H:%M:%SZ")}

    def lossy(reader: object, node: dict[str, object]) -> list[dict[str, object]]:
        is_lossy = node["number"] == min(miner.life.issues)
        return [] if is_lossy else whole(reader, node)  # type: ignore[no-any-return,arg-type]

    whole = rows.RowReader.comments
    monkeypatch.setattr(rows.RowReader, "comments", lossy)
    miner.refresh()
    (failure,) = [outcome.failure for outcome in miner.outcomes if outcome.failure]
    assert "raw.issue_comments" in failure and "row_count_is_the_sources" in failure
    assert miner.database.frame("SELECT number FROM raw.issues WHERE title = 'Edited'")[
        "number"
    ].to_list() == [max(miner.life.issues)]


def test_a_count_that_lags_behind_is_asked_once_more(
    server: CorpusServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    miner = Miner(server, tmp_path, Life(3))
    for _ in range(5):
        miner.life.happen("open")
    truly = GitHubIssues.counts
    asked: list[int] = []

    def lagging(source: GitHubIssues, months: list[str]) -> dict[str, int]:
        asked.append(len(months))
        short = len(asked) == 1
        return {month: n - (short and n > 0) for month, n in truly(source, months).items()}

    monkeypatch.setattr(GitHubIssues, "counts", lagging)
    miner.refresh()
    assert [outcome.failure for outcome in miner.outcomes if outcome.failure] == []
    assert asked == [4, 1]
    miner.assert_equals_a_fresh_load()


def test_an_issue_opened_while_we_read_explains_a_count_that_lacks_it(
    server: CorpusServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    miner = Miner(server, tmp_path, Life(3))
    miner.life.open()
    known, truly = GitHubIssues.newest, GitHubIssues.counts

    def newest(source: GitHubIssues) -> ChangePage:
        page = known(source)
        miner.life.now += timedelta(hours=1)
        miner.life.open()
        server.replace([miner.life.corpus()])
        return page

    monkeypatch.setattr(GitHubIssues, "newest", newest)
    monkeypatch.setattr(
        GitHubIssues,
        "counts",
        lambda source, months: {m: min(n, 1) for m, n in truly(source, months).items()},
    )
    miner.refresh()
    assert [outcome.failure for outcome in miner.outcomes if outcome.failure] == []
    assert miner.differences() == [(2, "opened_while_we_read", None)]
