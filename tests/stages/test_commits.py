"""Loading commits: whatever a repository does between two loads, the tables are a fresh load's."""

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perf_assets.stages.mining.commits
from perf_assets.base.months import months_between
from perf_assets.base.processes.progress import current
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.reports.status import read_status, status_text
from perf_assets.sources.git import changes, history, pydriller_mining
from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.history import list_branch_commits
from perf_assets.stages.mining.commits import (
    DEFAULT_BRANCH,
    OTHER_BRANCHES,
    load_commits,
    mine_commits,
)
from perf_assets.storage import audited_writer as gates
from perf_assets.storage.audit.auditing import audit_together
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
)
from perf_assets.storage.warehouse import open_warehouse
from tests.effort import examples
from tests.git_repositories import FILE, Made, git, make
from tests.support import assert_same_tables, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

REPOSITORY = "owner/name"
JANUARY, FEBRUARY, MARCH = 1_483_228_800, 1_485_907_200, 1_488_326_400
MONTHS = months_between("2016-12", "2017-04")
TABLES = (*DEFAULT_BRANCH, *OTHER_BRANCHES)


def at(seconds: int) -> str:
    return f"{seconds} +0000"


def one_file(text: bytes) -> dict[bytes, tuple[str, bytes]]:
    return {b"a": (FILE, text)}


@contextmanager
def opened(data_dir: Path):
    """The audited writer of the warehouse of ``data_dir``."""
    data_dir.mkdir(exist_ok=True)
    directory = DataDirectory.of(data_dir)
    with open_warehouse(directory.warehouse) as database:
        yield AuditedWriter(database, directory)


def load(source: Path, data_dir: Path, months=MONTHS) -> list:
    """Bring the clone in ``data_dir`` and its tables up to date; the outcomes."""
    with opened(data_dir) as writer:
        clone = update_clone(str(source), writer.data_dir.clone(REPOSITORY))
        return list(load_commits(writer, clone, REPOSITORY, months))


def rows(data_dir: Path, query: str) -> list[tuple]:
    with opened(data_dir) as writer:
        return writer.database.frame(query).rows()


def assert_as_fresh(source: Path, folder: Path, data_dir: Path) -> None:
    """The tables of ``data_dir`` are those of a load into a new data directory."""
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        load(source, Path(fresh))
        assert_same_tables(
            *(stored_tables(DataDirectory.of(each).warehouse) for each in (data_dir, Path(fresh)))
        )


@pytest.fixture
def source(tmp_path):
    return tmp_path / "source.git"


@pytest.fixture
def data_dir(tmp_path):
    return tmp_path / "home"


def test_a_refresh_mines_only_what_is_new_and_leaves_the_tables_of_a_fresh_load(
    source, data_dir, tmp_path, monkeypatch
):
    history = [
        Made(one_file(b"1\n"), when=at(JANUARY)),
        Made(one_file(b"2\n"), [0], when=at(FEBRUARY)),
        Made(one_file(b"3\n"), [1], when=at(MARCH)),
        Made(one_file(b"4\n") | {b"ISSUE_TEMPLATE.md": (FILE, b"Hi\n")}, [2], when=at(FEBRUARY)),
        Made(one_file(b"5\n"), [3], when=at(MARCH)),
    ]
    shas = make(source, history)
    git(source, "update-ref", "refs/heads/main", shas[2])
    assert len(load(source, data_dir)) == 2 * len(MONTHS)
    git(source, "update-ref", "refs/heads/main", shas[4])
    mined = []
    read = changes.read_changes
    monkeypatch.setattr(
        "perf_assets.sources.git.mining.read_changes",
        lambda clone, shas: mined.extend(shas) or read(clone, shas),
    )
    assert [outcome.month for outcome in load(source, data_dir)] == ["2017-02", "2017-03"]
    assert mined == [shas[3], shas[4]]
    assert_as_fresh(source, tmp_path, data_dir)
    assert load(source, data_dir) == []


def test_a_commit_that_git_could_not_read_is_read_once_the_source_has_its_object(
    source, data_dir, tmp_path
):
    history = [
        Made(one_file(b"%d\n" % n), [n - 1] if n else [], when=at(when))
        for n, when in enumerate((JANUARY, FEBRUARY, MARCH))
    ]
    shas = make(source, history)
    blob = git(source, "rev-parse", f"{shas[1]}:a")
    kept, lost = tmp_path / "kept", source / "objects" / blob[:2] / blob[2:]
    shutil.move(lost, kept)
    assert all(outcome.failure is None for outcome in load(source, data_dir))
    unread = "SELECT sha, unreadable FROM raw.commits WHERE changed_files IS NULL ORDER BY month"
    reason = f"git cannot read object {blob}"
    assert rows(data_dir, unread) == [(shas[1], reason), (shas[2], reason)]
    assert load(source, data_dir) == []
    shutil.move(kept, lost)
    with opened(data_dir) as writer:
        repository = Repository(name=REPOSITORY, start="2016-12", git=str(source))
        outcomes = list(mine_commits(writer, repository, MONTHS))
    assert [outcome.month for outcome in outcomes] == ["2017-02", "2017-03"]
    assert rows(data_dir, unread) == []
    assert_as_fresh(source, tmp_path, data_dir)


def test_a_handful_of_audits_is_enough_for_any_number_of_months(source, data_dir, monkeypatch):
    history = [
        Made(one_file(b"%d\n" % n), [n - 1] if n else [], when=at(JANUARY + n * 86_400 * 15))
        for n in range(8)
    ]
    make(source, history)
    audits = []

    def counting(table, candidates):
        audits.append((table, sum(rows.height for rows, _ in candidates)))
        return audit_together(table, candidates)

    monkeypatch.setattr(gates, "audit_together", counting)
    outcomes = load(source, data_dir)
    assert {outcome.failure for outcome in outcomes} == {None}
    assert audits == [
        ("raw.commits", 8),
        ("raw.commit_files", 8),
        ("raw.issue_templates", 0),
        ("raw.branch_commits", 0),
    ]


@pytest.mark.audited
def test_a_warning_is_recorded_for_the_month_that_has_it(source, data_dir, tmp_path):
    """The author's clock is ahead of the committer's, which is a warning."""
    make(source, [Made(one_file(b"%d\n" % n), when=at(JANUARY + n)) for n in range(2)])
    parent = git(source, "rev-parse", "main")
    tree = git(source, "rev-parse", "main^{tree}")
    for committed in (FEBRUARY, MARCH, MARCH + 9):
        raw = (
            f"tree {tree}\nparent {parent}\nauthor A <a@b> {MARCH} +0000\n"
            f"committer A <a@b> {committed} +0000\n\nm\n"
        )
        parent = git(source, "hash-object", "-t", "commit", "-w", "--stdin", stdin=raw.encode())
        git(source, "update-ref", "refs/heads/main", parent)
        load(source, data_dir)
        assert_as_fresh(source, tmp_path, data_dir)
    found = rows(data_dir, "SELECT month, rule, failing_rows FROM meta.audit_findings")
    assert found == [("2017-02", "authored_not_after_committed", 1)]
    # More commits join the month: its audit finds the same row again.
    tip = git(source, "rev-parse", "main")
    raw = f"tree {tree}\nparent {tip}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> {FEBRUARY + 5} "
    late = git(
        source, "hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{raw}+0000\n\nm\n".encode()
    )
    git(source, "update-ref", "refs/heads/main", late)
    load(source, data_dir)
    assert_as_fresh(source, tmp_path, data_dir)


def offer(partition: str, digit: str, **changes) -> PartitionWrite:
    """A good row for the month ``partition`` of raw.branch_commits, but for ``changes``."""
    late = changes.pop("late", 0)
    row = {
        "repository": REPOSITORY,
        "branch": "work",
        "sha": digit * 40,
        "parents": [],
        "author_name": "A",
        "message": "m",
        "is_merge": False,
        "additions": 0,
        "deletions": 0,
        "changed_files": 0,
        "unreadable": None,
        "month": partition,
        **changes,
    }
    when = pl.lit(f"{partition}-01").str.to_datetime("%Y-%m-%d", time_unit="us", time_zone="UTC")
    frame = pl.DataFrame(
        [row], schema_overrides={"parents": pl.List(pl.String), "unreadable": pl.String}
    )
    frame = frame.with_columns(authored_at=when, committed_at=when + pl.duration(days=late))
    candidate = StagedTable("raw.branch_commits", frame, {"least_readable_share": 1.0}, 1)
    return PartitionWrite(
        [candidate], REPOSITORY, partition, Provenance(PartitionState(fingerprint="2-x"))
    )


@pytest.mark.audited
@pytest.mark.parametrize(
    ("commits", "lost", "is_stored"),
    [(14, 7, True), (14, 8, False), (5, 5, True), (6, 6, False), (1, 1, True)],
)
def test_a_month_of_which_git_cannot_read_most_commits_is_not_stored(
    source, data_dir, commits, lost, is_stored
):
    history = [Made(one_file(b"0"), when=at(JANUARY))]
    history += [Made(one_file(b"%d" % n), [0], when=at(FEBRUARY)) for n in range(1, commits + 1)]
    for number, made in enumerate(history[1:]):
        made.branch = f"b{number}"
    make(source, history)
    for number in range(1, lost + 1):
        blob = git(source, "hash-object", "--stdin", stdin=b"%d" % number)
        (source / "objects" / blob[:2] / blob[2:]).unlink()
    outcomes = {outcome.month: outcome for outcome in load(source, data_dir) if outcome.failure}
    assert ("2017-02" in outcomes) is not is_stored
    stored = rows(data_dir, "SELECT sha FROM raw.branch_commits WHERE month = '2017-02'")
    assert len(stored) == (commits if is_stored else 0)
    if not is_stored:
        assert "most_commits_are_readable" in outcomes["2017-02"].failure


@pytest.mark.audited
@pytest.mark.parametrize(
    ("broken", "is_refused"),
    [
        ({"month": "2017-02"}, True),  # of another month, whose rows are judged at once
        ({"repository": "owner/other"}, True),
        ({"late": 40}, False),  # committed in another month of those
        ({"sha": "short"}, False),
        ({"additions": 1}, False),
    ],
    ids=str,
)
def test_a_row_that_breaks_a_rule_costs_itself_or_its_own_month(data_dir, broken, is_refused):
    good = [offer("2017-02", "b"), offer("2017-03", "c")]
    bad = offer("2017-01", "a", **broken)
    with opened(data_dir) as writer:
        outcomes = writer.store([bad, *good])
        stored = writer.database.frame("SELECT month, sha FROM raw.branch_commits ORDER BY month")
        loads = writer.database.loads("raw.branch_commits", REPOSITORY).filter("is_stored")
    assert [outcome.month for outcome in outcomes if outcome.is_written] == ["2017-02", "2017-03"]
    refused = [outcome.month for outcome in outcomes if outcome.failure]
    assert refused == (["2017-01"] if is_refused else [])
    assert outcomes[0].set_aside == ({} if is_refused else {"raw.branch_commits": 1})
    assert stored.rows() == [("2017-02", "b" * 40), ("2017-03", "c" * 40)]
    assert loads.select("month", "row_count", "source_count").rows() == [
        *([] if is_refused else [("2017-01", 0, 1)]),
        ("2017-02", 1, 1),
        ("2017-03", 1, 1),
    ]
    kept = data_dir / "quarantine" / "owner+name" / "2017-01" / "raw.branch_commits"
    assert (kept / ("candidate.parquet" if is_refused else "set_aside.parquet")).is_file()


def test_rows_that_vanished_from_the_warehouse_are_noticed_and_mined_again(
    source, data_dir, tmp_path
):
    history = [
        Made(one_file(b"%d\n" % n), [n - 1] if n else [], when=at(JANUARY + n)) for n in range(4)
    ]
    shas = make(source, history)
    git(source, "update-ref", "refs/heads/main", shas[2])
    load(source, data_dir)
    with opened(data_dir) as writer:
        writer.database.connection.execute("DELETE FROM raw.commits WHERE sha = ?", [shas[1]])
    git(source, "update-ref", "refs/heads/main", shas[3])
    assert [outcome.failure for outcome in load(source, data_dir)] == [None]
    assert_as_fresh(source, tmp_path, data_dir)


def test_progress_is_reported_by_commits(source, data_dir, monkeypatch):
    monkeypatch.setattr(changes, "PIECE_COMMITS", 1)
    monkeypatch.setattr(perf_assets.stages.mining.commits, "COMMITS_AT_ONCE", 1)
    days = [JANUARY, FEBRUARY, MARCH]
    make(
        source,
        [
            Made(one_file(b"%d\n" % day), [n - 1] if n else [], when=at(day))
            for n, day in enumerate(days)
        ],
    )
    reported = []
    with opened(data_dir) as writer:
        clone = update_clone(str(source), writer.data_dir.clone(REPOSITORY))
        for outcome in load_commits(writer, clone, REPOSITORY, MONTHS):
            reported.append((outcome.month, current().title, current().total, current().done))
    reported = [one for one in reported if one[2]]
    title = "mining commits of owner/name"
    assert [one[:3] for one in reported] == [(month, title, 3) for month in MONTHS]
    done = [one[3] for one in reported]
    assert done == sorted(done) and done[0] < 3 == done[-1]
    assert current() is None


# ---- branches


def test_commits_of_other_branches_are_reported_with_the_first_branch_that_has_them(
    source, data_dir, tmp_path
):
    shas = make(
        source,
        [
            Made(one_file(b"1\n"), when=at(JANUARY)),
            Made(one_file(b"1\n2\n"), [0], when=at(FEBRUARY), branch="work"),
            Made(one_file(b"1\n2\n3\n"), [1], when=at(FEBRUARY + 1), branch="work"),
            Made(one_file(b"x\n"), [1], when=at(MARCH), branch="also/work"),
            Made(one_file(b"y\n"), [2, 3], when=at(MARCH + 1), branch="merged"),
            Made(one_file(b"z\n"), when=at(MARCH + 2), branch="orphan"),
        ],
    )
    git(source, "update-ref", "refs/heads/main", shas[0])
    git(source, "update-ref", "refs/pull/7/head", shas[5])
    git(source, "update-ref", "-d", "refs/heads/orphan")
    load(source, data_dir)
    query = """
        SELECT sha, branch, additions, deletions, changed_files, month
        FROM raw.branch_commits ORDER BY committed_at
    """
    assert rows(data_dir, query) == [
        (shas[1], "also/work", 1, 0, 1, "2017-02"),
        (shas[2], "merged", 1, 0, 1, "2017-02"),
        (shas[3], "also/work", 1, 2, 1, "2017-03"),
        (shas[4], "merged", 1, 3, 1, "2017-03"),
    ]
    # A branch goes, one is renamed, and one is merged: its commits change the table.
    git(source, "update-ref", "-d", "refs/heads/merged")
    git(source, "update-ref", "refs/heads/a-work", shas[2])
    git(source, "update-ref", "refs/heads/main", shas[1])
    load(source, data_dir)
    assert rows(data_dir, "SELECT sha, branch FROM raw.branch_commits ORDER BY committed_at") == [
        (shas[2], "a-work"),
        (shas[3], "also/work"),
    ]
    assert [sha for (sha,) in rows(data_dir, "SELECT sha FROM raw.commits ORDER BY month")] == shas[
        :2
    ]
    assert_as_fresh(source, tmp_path, data_dir)


def test_a_thousand_branches_are_one_walk(source, tmp_path, monkeypatch):
    count = 1000
    shas = make(source, [Made(one_file(b"1\n"))])
    make(
        source,
        [Made(one_file(b"x%d\n" % n), branch=f"gh/user/{n}/head") for n in range(count)],
    )
    clone = update_clone(str(source), tmp_path / "clone.git")
    started = []
    real = history.read_clone
    monkeypatch.setattr(history, "read_clone", lambda *a: started.append(a) or real(*a))
    listed = list_branch_commits(clone)
    assert len(started) == 2 and shas[0] not in listed["sha"]
    assert listed["branch"].n_unique() == listed.height == count


# ---- what happens to the default branch

CHANGES = """
    SELECT old_branch, branch, old_tip, tip, is_rewritten, dropped_commits, months
    FROM meta.branch_changes ORDER BY noticed_at
"""


@pytest.fixture
def four(source):
    """Four commits on main, from January to March."""
    times = (JANUARY, FEBRUARY, FEBRUARY + 1, MARCH)
    return make(
        source,
        [
            Made(one_file(b"%d\n" % n), [n - 1] if n else [], when=at(when))
            for n, when in enumerate(times)
        ],
    )


def test_a_rewritten_branch_is_noticed_replaced_recorded_and_reported(
    source, data_dir, four, tmp_path, caplog
):
    load(source, data_dir)
    other = make(
        source,
        [
            Made(one_file(b"0\n"), when=at(JANUARY)),
            Made(one_file(b"other\n"), [0], when=at(FEBRUARY)),
        ],
    )
    assert other[0] == four[0]
    load(source, data_dir)
    assert rows(data_dir, CHANGES) == [
        ("main", "main", four[3], other[1], True, 3, ["2017-02", "2017-03"])
    ]
    (reported,) = [
        record.getMessage() for record in caplog.records if record.levelname == "WARNING"
    ]
    assert (
        "owner/name: the history of main was rewritten: 3 commits of 2017-02 to 2017-03" in reported
    )
    assert rows(data_dir, "SELECT sha FROM raw.commits ORDER BY month") == [(sha,) for sha in other]
    assert_as_fresh(source, tmp_path, data_dir)
    load(source, data_dir)
    assert len(rows(data_dir, CHANGES)) == 1


def test_a_branch_that_only_moves_on_is_not_a_change(source, data_dir, four):
    git(source, "update-ref", "refs/heads/main", four[1])
    load(source, data_dir)
    git(source, "update-ref", "refs/heads/main", four[3])
    load(source, data_dir)
    assert rows(data_dir, CHANGES) == []
    assert rows(data_dir, "SELECT branch, tip FROM meta.branch_tips") == [("main", four[3])]


def test_a_rewriting_before_the_first_month_of_the_study_is_noticed(source, data_dir, four):
    load(source, data_dir, ["2017-06"])
    git(source, "update-ref", "refs/heads/main", four[1])
    assert load(source, data_dir, ["2017-06"]) == []
    assert rows(data_dir, CHANGES) == [
        ("main", "main", four[3], four[1], True, 2, ["2017-02", "2017-03"])
    ]


def test_commits_that_the_clone_forgot_are_reported_as_they_are_stored(
    source, data_dir, four, tmp_path
):
    load(source, data_dir)
    git(source, "update-ref", "refs/heads/main", four[2])
    git(source, "reflog", "expire", "--all", "--expire=now")
    git(source, "gc", "--quiet", "--prune=now")
    shutil.rmtree(data_dir / "clones")
    load(source, data_dir)
    assert rows(data_dir, CHANGES) == [("main", "main", four[3], four[2], True, 1, ["2017-03"])]
    assert_as_fresh(source, tmp_path, data_dir)


def test_another_name_of_the_default_branch_is_recorded(source, data_dir, four, tmp_path, caplog):
    load(source, data_dir)
    git(source, "branch", "-m", "main", "trunk")
    load(source, data_dir)
    assert rows(data_dir, CHANGES) == [("main", "trunk", four[3], four[3], False, 0, [])]
    assert "the default branch is now trunk and was main" in caplog.text
    assert "main is now trunk" in status_text(read_status(DataDirectory.of(data_dir)))
    assert_as_fresh(source, tmp_path, data_dir)


def test_a_change_of_the_miner_reads_every_month_again_and_gives_the_same_rows(
    source, data_dir, monkeypatch
):
    history = [
        Made(one_file(b"1\n"), when=at(JANUARY)),
        Made(one_file(b"2\n"), [0], when=at(FEBRUARY)),
        Made(one_file(b"3\n"), [0], when=at(FEBRUARY), branch="other"),
        Made(one_file(b"4\n") | {b"b": (FILE, b"1\n")}, [1, 2], when=at(MARCH)),
        Made(one_file(b"5\n"), [0], when=at(MARCH), branch="third"),
    ]
    make(source, history)
    read = []
    by_pydriller = pydriller_mining.read_commits
    monkeypatch.setattr(
        pydriller_mining,
        "read_commits",
        lambda clone, listed, tell: read.append(listed.height) or by_pydriller(clone, listed, tell),
    )
    repository = Repository(name=REPOSITORY, start="2016-12", git=str(source))

    def mined(repository, addresses="hashed"):
        with opened(data_dir) as writer:
            outcomes = list(mine_commits(writer, repository, MONTHS, addresses))
        assert all(outcome.failure is None for outcome in outcomes)
        tables = stored_tables(DataDirectory.of(data_dir).warehouse)
        return outcomes, {name: tables[name] for name in TABLES}

    _, by_git = mined(repository)
    assert read == []
    pydriller = repository.model_copy(update={"miner": "pydriller"})
    outcomes, found = mined(pydriller)
    assert read == [4, 1] and len(outcomes) == 2 * len(MONTHS)
    assert_same_tables(found, by_git)
    assert mined(pydriller)[0] == []
    assert len(mined(pydriller, "plain")[0]) == len(MONTHS)
    outcomes, _ = mined(repository, "plain")
    assert len(outcomes) == 2 * len(MONTHS) and read == [4, 1, 4]
    outcomes, found = mined(repository)
    assert len(outcomes) == len(MONTHS)
    assert_same_tables(found, by_git)


# ---- random lives of a repository


@st.composite
def lives(draw):
    """Commits of a repository (each with parents and a time), and where its branches point when."""
    commits = []
    for number in range(draw(st.integers(2, 9))):
        earlier = st.integers(0, number - 1) if number else st.nothing()
        parents = draw(st.lists(earlier, max_size=3, unique=True)) if number else []
        when = JANUARY + draw(st.integers(0, 3)) * 2_000_000 + number
        text = draw(st.sampled_from([b"a\n", b"a\nb\n", b"c\n" * 5, b""]))
        name = draw(st.sampled_from([b"a", b"ISSUE_TEMPLATE.md"]))
        commits.append(Made({name: (FILE, text)}, parents, b"%d" % number, at(when)))
    tips = st.fixed_dictionaries(
        {"main": st.integers(0, len(commits) - 1)},
        optional={name: st.integers(0, len(commits) - 1) for name in ("b", "n/x", "z")},
    )
    return commits, draw(st.lists(tips, min_size=2, max_size=3))


def point(source: Path, shas: list[str], tips: dict[str, int]) -> None:
    """Let exactly these branches be there."""
    for name in ("main", "b", "n/x", "z"):
        if name in tips:
            git(source, "update-ref", f"refs/heads/{name}", shas[tips[name]])
        else:
            git(source, "update-ref", "-d", f"refs/heads/{name}")


@settings(max_examples=examples(2, 40), deadline=None)
@given(lives())
def test_after_any_pushes_the_tables_are_those_of_a_fresh_load(life):
    commits, pushes = life
    with tempfile.TemporaryDirectory() as folder:
        source, data_dir = Path(folder) / "source.git", Path(folder) / "home"
        shas = make(source, commits)
        for tips in pushes:
            point(source, shas, tips)
            load(source, data_dir)
            assert_as_fresh(source, Path(folder), data_dir)
