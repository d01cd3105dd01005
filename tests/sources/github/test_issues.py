"""The GitHub source against a real server on loopback, well-behaved and not."""

import dataclasses
import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.corpus import Corpus, Record, read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import months_between
from perf_assets.sources.github.client import GitHubClient, Reply
from perf_assets.sources.github.issue_types import EVENT_NAMES
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.github.prefetch import SEARCH_LIMIT
from perf_assets.sources.issues.source import windows
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.graphql_views import REACTIONS
from perf_assets.stand_ins.github.server import CorpusServer
from tests.effort import some
from tests.github_stand_in import HASTY, assert_same, changes, load
from tests.unreliable_github import KINDS, Faults, UnreliableGitHub

MONTHS = months_between("2020-01", "2021-03")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    directory = tmp_path_factory.mktemp("corpora") / "corpus"
    generate(directory, seed=6, issues=250, months=15, commits=120)
    return read_corpus(directory)


@pytest.fixture
def server(corpus: Corpus) -> Iterator[CorpusServer]:
    with CorpusServer([corpus]) as running:
        yield running


def source(server: CorpusServer, name: str = "sample-lab/tensorkit") -> GitHubIssues:
    return GitHubIssues(GitHubClient(server.url, "t0ken"), name)


def test_everything_of_the_corpus_is_read(corpus: Corpus, server: CorpusServer) -> None:
    batch = load(source(server), MONTHS)
    assert batch.issues["number"].to_list() == sorted(corpus.issues)
    assert batch.comments.height == sum(map(len, corpus.comments.values()))
    assert batch.comments.height == batch.announced_comments
    known = set(EVENT_NAMES.values())
    events = [e for events in corpus.events.values() for e in events if e["event"] in known]
    assert batch.events.height == len(events)
    assert batch.comments["comment_id"].is_unique().all()


def test_missing_is_null_and_times_are_utc(corpus: Corpus, server: CorpusServer) -> None:
    issues = load(source(server), MONTHS).issues
    users = {number: issue["user"] for number, issue in corpus.issues.items()}
    ghosts = {n for n, user in users.items() if user is None or user["login"] == "ghost"}
    assert ghosts == set(issues.filter(pl.col("author").is_null())["number"])
    assert "" not in issues["body"].to_list()
    for number, created_at in issues.select("number", "created_at").iter_rows():
        assert created_at == datetime.fromisoformat(corpus.issues[number]["created_at"])


def with_authors(corpus: Corpus, *users: Record | None) -> tuple[Corpus, list[int]]:
    """The corpus with other authors of its first issues, and the numbers of these."""
    numbers = sorted(corpus.issues)[: len(users)]
    changed = {
        number: {**corpus.issues[number], "user": user}
        for number, user in zip(numbers, users, strict=True)
    }
    return dataclasses.replace(corpus, issues={**corpus.issues, **changed}), numbers


def test_accounts_have_their_type_and_a_bot_a_login_that_no_person_can_have(
    corpus: Corpus,
) -> None:
    changed, numbers = with_authors(
        corpus,
        {"login": "stale[bot]"},
        {"login": "stale", "type": "Bot"},
        {"login": "stale", "type": "User"},
        {"login": "stale"},
        {"login": "a-lab", "type": "Organization"},
        {"login": "from-elsewhere", "type": "Mannequin"},
        {"login": "ghost", "type": "User"},
        None,
    )
    with CorpusServer([changed]) as server:
        issues = load(source(server), MONTHS).issues.filter(pl.col("number").is_in(numbers))
    assert issues.sort("number").select("author", "author_type").rows() == [
        ("stale[bot]", "Bot"),
        ("stale[bot]", "Bot"),
        ("stale", "User"),
        ("stale", "User"),
        ("a-lab", "Organization"),
        ("from-elsewhere", "Mannequin"),
        (None, None),
        (None, None),
    ]


def test_what_github_knows_of_people_comes_with_issues_and_comments(
    corpus: Corpus, server: CorpusServer
) -> None:
    batch = load(source(server), MONTHS)
    kinds = {"+1": "thumbs_up", "-1": "thumbs_down"}
    for frame, records, key in (
        (batch.issues, corpus.issues.values(), "number"),
        (batch.comments, [one for each in corpus.comments.values() for one in each], "id"),
    ):
        rows = {row["comment_id" if key == "id" else key]: row for row in frame.rows(named=True)}
        assert len(rows) == len(list(records)) > 100
        for record in records:
            row = rows[record[key]]
            assert row["author_association"] == record["author_association"]
            for kind in REACTIONS.values():
                assert row[kinds.get(kind, kind)] == record["reactions"].get(kind, 0)
    assert batch.issues["thumbs_up"].sum() > 10
    planned = {number: one["milestone"] for number, one in corpus.issues.items()}
    assert len({each["title"] for each in planned.values() if each}) > 3
    for number, milestone in batch.issues.select("number", "milestone").iter_rows():
        assert milestone == (planned[number] and planned[number]["title"])
    closers = [
        event["closer"]
        for events in corpus.events.values()
        for event in events
        if (event.get("closer") or {}).get("type") == "commit"
    ]
    told = {closer["oid"]: closer["commit_author"] for closer in closers}
    stored = batch.events.filter(pl.col("commit_sha").is_in(list(told)))
    assert len(set(told.values())) > 3
    assert dict(stored.select("commit_sha", "commit_author").iter_rows()) == told


def test_what_a_corpus_does_not_say_is_not_known(
    corpus: Corpus,
) -> None:
    number, other = sorted(corpus.issues)[:2]
    record = dict(corpus.issues[number])
    for key in ("author_association", "reactions", "milestone"):
        del record[key]
    newer = {**corpus.issues[other], "author_association": None, "reactions": None}
    changed = dataclasses.replace(corpus, issues={**corpus.issues, number: record, other: newer})
    with CorpusServer([changed]) as server:
        rows = load(source(server), MONTHS).issues.filter(pl.col("number").is_in([number, other]))
    columns = ("author_association", "thumbs_up", "eyes")
    assert rows.select(columns).rows() == [(None, None, None)] * 2
    assert rows.filter(number=number)["milestone"].to_list() == [None]


def test_a_type_that_github_did_not_have_is_not_known(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed, (number,) = with_authors(corpus, {"login": "helper", "type": "User"})
    with CorpusServer([changed]) as server:
        issues = source(server)
        query = issues.client.query

        def newer(document: str, *rest: object, **more: object) -> Reply:
            text = json.dumps(query(document, *rest, **more).data)  # type: ignore[arg-type]
            return Reply(json.loads(text.replace('"User"', '"Agent"')))

        monkeypatch.setattr(issues.client, "query", newer)
        row = load(issues, MONTHS).issues.row(by_predicate=pl.col("number") == number, named=True)
    assert (row["author"], row["author_type"]) == ("helper", None)


def test_people_and_bots_of_a_corpus_are_distinguished(
    corpus: Corpus, server: CorpusServer
) -> None:
    comments = load(source(server), MONTHS).comments
    types = {
        record["id"]: (record["user"]["login"], record["user"]["type"])
        for records in corpus.comments.values()
        for record in records
        if record["user"] is not None and record["user"]["login"] != "ghost"
    }
    assert "Bot" in {kind for _, kind in types.values()}
    known = comments.drop_nulls("author").select("comment_id", "author", "author_type")
    assert {key: (login, kind) for key, login, kind in known.iter_rows()} == types
    actors = {actor for actor in load(source(server), MONTHS).events["actor"] if actor}
    assert "tensorkit-bot[bot]" in actors
    assert "tensorkit-bot" not in actors


def test_each_issue_belongs_to_the_month_of_its_opening(server: CorpusServer) -> None:
    issues = source(server)
    counts = issues.counts(MONTHS)
    batch = load(issues, MONTHS)
    for month in MONTHS:
        assert batch.of_month(month).issues.height == counts[month]


def test_a_refresh_finds_what_changed_at_or_after_a_moment(
    corpus: Corpus, server: CorpusServer
) -> None:
    whole = load(source(server), MONTHS).issues
    since = whole["updated_at"].sort()[-20]
    page = changes(source(server), since)
    assert page.newest_update == whole["updated_at"].max()
    changed = whole.filter(pl.col("updated_at") >= since)
    assert page.batch.issues.equals(changed.sort("number"))
    before = len(server.requests)
    assert source(server).newest().batch.issues.is_empty()
    assert len(server.requests) == before + 1


def crowd(count: int) -> Corpus:
    start = datetime(2020, 5, 3, 10)
    issues: dict[int, Record] = {}
    for number in range(1, count + 1):
        moment = (start + timedelta(seconds=number // 3)).strftime("%Y-%m-%dT%H:%M:%SZ")
        issues[number] = {
            "number": number,
            "title": f"Issue {number}",
            "body": None,
            "user": {"login": "a"},
            "state": "open",
            "created_at": moment,
            "closed_at": None,
            "updated_at": moment,
            "labels": [],
            "comments": 0,
            "html_url": f"https://github.com/o/n/issues/{number}",
        }
    return Corpus("o/n", issues, {}, {}, {})


def test_a_month_of_more_than_a_thousand_issues_is_halved_until_it_fits() -> None:
    with CorpusServer([crowd(2300)]) as server:
        batch = load(source(server, "o/n"), ["2020-05"])
    assert batch.issues["number"].to_list() == list(range(1, 2301))


def test_windows_join_months_that_follow_each_other_and_fit_one_search() -> None:
    counts = {"2020-01": 400, "2020-02": 600, "2020-03": 1, "2020-05": 5, "2020-06": 2000}
    assert list(windows(counts, SEARCH_LIMIT)) == [
        ["2020-01", "2020-02"],
        ["2020-03"],
        ["2020-05"],
        ["2020-06"],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(*range(4)))
def test_faulty_answers_change_nothing(corpus: Corpus, server: CorpusServer, seed: int) -> None:
    expected = load(source(server), MONTHS)
    with UnreliableGitHub([corpus], faults=Faults(seed, 0.4, KINDS, delay=0.01)) as faulty:
        waits: list[str] = []
        tried = GitHubClient(faulty.url, "t0ken-canary", waits.append, HASTY)
        issues = GitHubIssues(tried, "sample-lab/tensorkit")
        for month in MONTHS:
            assert_same(expected.of_month(month), load(issues, [month]))
    assert waits
    assert not any("t0ken" in sentence for sentence in waits)


def test_a_wrong_token_is_said_so_without_showing_it(corpus: Corpus) -> None:
    with UnreliableGitHub([corpus], token="right") as server:
        with pytest.raises(
            PerfAssetsError, match=r"refused the token in GITHUB_TOKEN \(401\)"
        ) as e:
            source(server).newest()
        assert "t0ken" not in str(e.value)


def test_an_unknown_repository_is_named(server: CorpusServer) -> None:
    with pytest.raises(PerfAssetsError, match="no repository not/there"):
        source(server, "not/there").newest()


def test_github_itself_needs_a_token() -> None:
    with pytest.raises(PerfAssetsError, match="GITHUB_TOKEN is not set"):
        GitHubClient()


def test_a_server_that_is_not_there_is_said_so() -> None:
    with pytest.raises(PerfAssetsError, match="cannot be reached"):
        GitHubIssues(GitHubClient("http://127.0.0.1:9"), "o/n").newest()


def test_a_change_at_the_source_shows_in_the_next_look(
    corpus: Corpus, server: CorpusServer
) -> None:
    issues = source(server)
    whole = load(issues, MONTHS).issues
    newest = whole["updated_at"].max()
    assert isinstance(newest, datetime)
    number = random.Random(1).choice(whole["number"].to_list())
    later = (newest + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    edited = {**corpus.issues[number], "title": "Edited", "updated_at": later}
    server.replace([dataclasses.replace(corpus, issues={**corpus.issues, number: edited})])
    changed = changes(issues, newest + timedelta(seconds=1)).batch.issues
    assert changed.select("number", "title").rows() == [(number, "Edited")]


def test_a_corpus_on_disk_and_its_server_agree(tmp_path: Path) -> None:
    generate(tmp_path / "c", seed=9, issues=30, months=6, commits=40)
    corpus = read_corpus(tmp_path / "c")
    with CorpusServer([corpus]) as server:
        batch = load(source(server), months_between("2020-01", "2020-06"))
    assert batch.issues.height == len(corpus.issues) == 30
