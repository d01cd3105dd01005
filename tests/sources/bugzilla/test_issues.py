"""The bugs of a Bugzilla as issues: what is read, what GitHub tells else, and what it costs."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.months import months_between
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.sources.issues.listing import LATE
from perf_assets.sources.issues.source import RemovedIssue
from perf_assets.stand_ins.bugzilla.server import BugzillaServer, Parameters
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.server import CorpusServer
from tests.github_stand_in import assert_same, changes, load
from tests.github_stand_in import load as load_github
from tests.sources.bugzilla.reading import changed, source
from tests.stand_ins.tracker import comment, corpus_of, event, issue, moment

MONTHS = months_between("2019-12", "2021-06")
KEY = "canary-key"

# What the same world tells of itself as a Bugzilla and on GitHub, and why that differs.
DIFFERENCES = {
    "issues": {
        "repository": "named after the host, the product and the component",
        "author_type": "Bugzilla does not say what kind of account it is",
        "author_association": "Bugzilla does not say what somebody is to the project",
        "issue_type": "defect, enhancement or task, in Mozilla's fork",
        "rocket": "not one of the reactions of Mozilla's fork",
        "eyes": "not one of the reactions of Mozilla's fork",
        "fields_version": "of this source",
        "html_url": "of this host",
    },
    "comments": {
        "repository": "named after the host, the product and the component",
        "author_type": "Bugzilla does not say what kind of account it is",
        "author_association": "Bugzilla does not say what somebody is to the project",
        "rocket": "not one of the reactions of Mozilla's fork",
        "eyes": "not one of the reactions of Mozilla's fork",
    },
    "events": {
        "repository": "named after the host, the product and the component",
        "event_id": "made of places in the history of the bug",
        "commit_sha": "nothing relates a commit and a bug: its message does",
        "commit_author": "nothing relates a commit and a bug: its message does",
        "pull_request": "there are none",
        "closer_repository": "there are no pull requests",
        "from_repository": "named after the host, the product and the component",
        "canonical_repository": "named after the host, the product and the component",
    },
}
OF_FORK = {"issue_type", "thumbs_up", "thumbs_down", "laugh", "hooray", "confused", "heart"}


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    directory = tmp_path_factory.mktemp("corpora") / "corpus"
    generate(directory, seed=62, issues=1000, months=15, commits=20)
    return read_corpus(directory)


@pytest.fixture(scope="module")
def rows(thousand: Corpus) -> IssueBatch:
    with BugzillaServer([thousand]) as server, source(server.url, thousand.repository) as issues:
        return load(issues, MONTHS)


def compared(batch: IssueBatch, entity: str) -> pl.DataFrame:
    """Return what is to be the same on GitHub, with nobody for its deleted accounts."""
    frame: pl.DataFrame = getattr(batch, entity).drop(DIFFERENCES[entity])
    person = "actor" if entity == "events" else "author"
    frame = frame.with_columns(pl.when(pl.col(person) != "ghost").then(pl.col(person)))
    if entity == "events":
        # A bug becomes a duplicate when it is closed as one, and not before.
        is_mark = pl.col("event").str.ends_with("marked_as_duplicate")
        frame = frame.with_columns(pl.when(~is_mark).then("created_at"))
        frame = frame.with_columns(pl.when(~is_mark).then("actor"))
    return frame.sort([name for name, kind in frame.schema.items() if kind != pl.List(pl.String)])


@pytest.mark.parametrize("entity", DIFFERENCES)
def test_the_same_world_has_the_same_rows_as_on_github(
    thousand: Corpus, rows: IssueBatch, entity: str
) -> None:
    with CorpusServer([thousand]) as server:
        github = load_github(
            GitHubIssues(GitHubClient(server.url, "token"), thousand.repository), MONTHS
        )
    ours, theirs = compared(rows, entity), compared(github, entity)
    for name in ours.columns:
        assert ours[name].equals(theirs[name], null_equal=True), name
    assert rows.gaps.is_empty()


def test_bugzilla_5_has_the_same_rows_without_what_only_the_fork_has(
    thousand: Corpus, rows: IssueBatch
) -> None:
    server = BugzillaServer([thousand], is_fork=False)
    with server, source(server.url, thousand.repository) as issues:
        plain = load(issues, MONTHS)
    for name in ("issues", "comments", "events"):
        own, other = getattr(plain, name), getattr(rows, name)
        known = [column for column in own.columns if column not in OF_FORK]
        assert own.select(known).equals(other.select(known), null_equal=True)
        assert all(own[column].is_null().all() for column in OF_FORK & {*own.columns})


@pytest.mark.parametrize("is_fork", [True, False])
def test_requests_for_a_thousand_issues(thousand: Corpus, *, is_fork: bool) -> None:
    server = BugzillaServer([thousand], is_fork=is_fork)
    with server, source(server.url, thousand.repository) as issues:
        counts = issues.counts(MONTHS)
        for_counts = len(server.requests)
        for _ in issues.cohorts(counts):
            pass
        for_cohorts = len(server.requests) - for_counts
        newest = issues.newest().newest_update
        assert newest is not None
        before = len(server.requests)
        list(issues.iter_changes(newest, [MONTHS]))
        for_refresh = len(server.requests) - before
    print(
        f"{'fork' if is_fork else 'Bugzilla 5'}: {for_counts} requests for the counts of "
        f"{len(MONTHS)} months, {for_cohorts} for 1,000 issues, {for_refresh} where none changed"
    )
    assert sum(counts.values()) == 1000
    assert for_cohorts <= (12 if is_fork else 36)
    assert for_refresh <= (3 if is_fork else 5)


def test_changes_and_cohorts_give_the_same_rows(thousand: Corpus, rows: IssueBatch) -> None:
    with BugzillaServer([thousand]) as server, source(server.url, thousand.repository) as issues:
        page = changes(issues)
    assert_same(page.batch, rows)
    assert page.newest_update == rows.issues["updated_at"].max()


def test_only_what_changed_is_read_again() -> None:
    old = corpus_of([issue(1), issue(2), issue(3)])
    new = changed(old, 2, title="Slower", updated_at=moment(500))
    with BugzillaServer([old]) as server, source(server.url) as issues:
        newest = issues.newest().newest_update
        assert newest is not None
        server.replace([new])
        page = changes(issues, newest + LATE + timedelta(seconds=1))
    assert page.batch.issues["title"].to_list() == ["Slower"]
    assert page.newest_update == datetime.fromisoformat(moment(500))


@pytest.mark.parametrize("is_fork", [True, False])
def test_bugs_that_changed_in_one_second_are_all_read(*, is_fork: bool) -> None:
    bugs = [issue(number, updated=900) for number in range(1, 351)]
    corpus = corpus_of([*bugs, issue(900, updated=901), issue(5000, updated=899)])
    with BugzillaServer([corpus], is_fork=is_fork) as server, source(server.url) as issues:
        batch = changes(issues).batch
        opened = load(issues, ["2021-01"])
    assert batch.issues["number"].to_list() == sorted(corpus.issues)
    assert opened.issues["number"].to_list() == sorted(corpus.issues)


class Moving(BugzillaServer):
    """Changes a bug that was listed, and one that was not, after each page."""

    corpus: Corpus

    def content(self, path: str, parameters: Parameters) -> dict[str, Any]:
        content = super().content(path, parameters)
        if len(content.get("bugs", ())) == 100:
            now = 10_000 + len(self.requests)
            first, last = content["bugs"][0]["id"], 400 - len(self.requests)
            for number in (first, last):
                self.corpus = changed(self.corpus, number, updated_at=moment(now), title="Moved")
            self.replace([self.corpus])
        return content


def test_bugs_that_change_while_they_are_read_are_not_lost() -> None:
    corpus = corpus_of([issue(number, updated=number) for number in range(1, 401)])
    with Moving([corpus]) as server, source(server.url) as issues:
        server.corpus = corpus
        batch = changes(issues).batch
    with BugzillaServer([server.corpus]) as quiet, source(quiet.url) as issues:
        assert_same(batch, load(issues, ["2021-01"]))
    assert (batch.issues["title"] == "Moved").sum() >= 6


class Abroad(BugzillaServer):
    """Has its conditions in a time zone so many hours away."""

    hours: int

    def content(self, path: str, parameters: Parameters) -> dict[str, Any]:
        if parameters.get("f1") == ["creation_ts"]:
            later = datetime.fromisoformat(parameters["v1"][0]) - timedelta(hours=self.hours)
            parameters = {**parameters, "v1": [f"{later:%Y-%m-%d %H:%M:%S}"]}
        return super().content(path, parameters)


@pytest.mark.parametrize("hours", [-11, 11])
@pytest.mark.parametrize("is_fork", [True, False])
def test_months_are_those_of_utc_whatever_zone_the_server_has(hours: int, *, is_fork: bool) -> None:
    bugs = [
        issue(number, created_at=at, updated_at=at)
        for number, at in enumerate(
            ("2021-01-31T23:59:59Z", "2021-02-01T00:00:00Z", "2021-02-28T23:59:59Z"), 1
        )
    ]
    with Abroad([corpus_of(bugs)], is_fork=is_fork) as server, source(server.url) as issues:
        server.hours = hours
        assert issues.counts(["2021-01", "2021-02", "2021-03"]) == {
            "2021-01": 1,
            "2021-02": 2,
            "2021-03": 0,
        }
        assert load(issues, ["2021-02"]).issues["number"].to_list() == [2, 3]


def test_names_where_removed_bugs_are() -> None:
    corpus = replace(corpus_of([issue(1), issue(2)]), departed={7: "o/other#3", 8: None})
    with BugzillaServer([corpus]) as server, source(server.url) as issues:
        server.restricted = {2}
        assert issues.find_removed([1, 2, 7, 8]) == [
            RemovedIssue(2, "deleted"),
            RemovedIssue(7, "transferred", "bugs.example.org/o/other#7"),
            RemovedIssue(8, "deleted"),
        ]


class Forgetful(BugzillaServer):
    """Finds nothing where a search fails, as Bugzilla does."""

    def content(self, path: str, parameters: Parameters) -> dict[str, Any]:
        return {"bugs": []} if path == "bug" else super().content(path, parameters)


def test_bugs_are_not_taken_as_deleted_where_a_search_fails() -> None:
    with Forgetful([corpus_of([issue(1)])]) as server, source(server.url) as issues:
        assert issues.find_removed([1]) == []


class Indiscreet(BugzillaServer):
    """Shows what only some may see, as to the key of somebody who may."""

    def content(self, path: str, parameters: Parameters) -> dict[str, Any]:
        content = super().content(path, parameters)
        for bug in content.get("bugs", ()) if path == "bug" else ():
            if bug.get("id") == 2:
                bug["groups"] = ["core-security"]
            for entry in bug.get("comments", ()):
                entry["is_private"] = entry["id"] == 11
        return content


def test_what_is_not_public_is_never_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUGZILLA_API_KEY_127_0_0_1", KEY)
    corpus = corpus_of([issue(1), issue(2), issue(3)], [comment(11, 1), comment(12, 1)])
    with Indiscreet([corpus]) as server, source(server.url) as issues:
        batches = [load(issues, ["2021-01"]), changes(issues).batch]
        removed = issues.find_removed([1, 2, 3])
        asked = [request.parameters for request in server.requests if request.path == "bug"]
    for batch in batches:
        assert batch.issues["number"].to_list() == [1, 3]
        assert batch.issues["comments"].to_list() == [1, 0]
        assert batch.comments["comment_id"].to_list() == [12]
        assert batch.gaps.is_empty()
    assert removed == [RemovedIssue(2, "deleted")]
    # The server is to count and list what is public, also for a key that may see more.
    searches = [parameters for parameters in asked if "product" in parameters]
    assert all(["bug_group"] in parameters.values() for parameters in searches)
    assert KEY not in str(server.requests)


@pytest.mark.parametrize("is_fork", [True, False])
def test_a_bug_that_becomes_restricted_meanwhile_is_left_out(*, is_fork: bool) -> None:
    class Closing(BugzillaServer):
        def content(self, path: str, parameters: Parameters) -> dict[str, Any]:
            content = super().content(path, parameters)
            self.restricted |= {2} if path == "bug" and "bugs" in content else set()
            return content

    corpus = corpus_of([issue(1), issue(2), issue(3)])
    with Closing([corpus], is_fork=is_fork) as server, source(server.url) as issues:
        batch = changes(issues).batch
    assert batch.issues["number"].to_list() == ([1, 2, 3] if is_fork else [1, 3])
    assert batch.gaps.is_empty()


class Odd(BugzillaServer):
    """Answers with other values of some bugs."""

    def content(self, path: str, parameters: Parameters) -> dict[str, Any]:
        content = super().content(path, parameters)
        for bug in content.get("bugs", ()) if path == "bug" else ():
            if bug.get("id") in self.odd and "summary" in bug:
                bug.update(self.odd[bug["id"]])
        return content

    odd: Mapping[int, dict[str, Any]]


def test_an_odd_entry_costs_that_entry() -> None:
    corpus = corpus_of([issue(number) for number in range(1, 6)], [comment(11, 1)])
    good = {"id": 20, "creator": "ann", "creation_time": moment(5), "text": "x", "count": 1}
    with Odd([corpus]) as server, source(server.url) as issues:
        server.odd = {
            1: {"comments": [good, {**good, "is_private": False}, 7, None]},
            2: {"summary": None},
            3: {"keywords": "perf"},
            4: {"history": [{"when": "yesterday", "who": "ann", "changes": []}]},
        }
        batch = load(issues, ["2021-01"])
    assert batch.issues["number"].to_list() == [1, 4, 5]
    assert batch.comments["comment_id"].to_list() == [20]
    gaps = batch.gaps.select("subject", "entity", "kind", "entries").rows()
    assert gaps == [
        ("#1", "comments", "unusable", 3),
        ("#2", "issues", "unusable", 1),
        ("#3", "issues", "unusable", 1),
        ("#4", "events", "unusable", 1),
    ]
    assert batch.known_issues == 5


def test_an_unknown_resolution_is_noted() -> None:
    bug = issue(1, state="closed", closed_at=moment(9))
    with Odd([corpus_of([bug])]) as server, source(server.url) as issues:
        server.odd = {1: {"resolution": "TEAPOT"}}
        batch = load(issues, ["2021-01"])
    assert batch.issues["state_reason"].to_list() == [None]
    assert batch.gaps["reason"].to_list() == ["TEAPOT is not a known resolution"]


def test_hostile_texts_are_stored_as_they_are() -> None:
    texts = ["a\x00b", "\x1b[31mred", "x" * 1_000_000, "\u202egnp.exe"]
    bugs = [issue(number, title=text, body=text) for number, text in enumerate(texts, 1)]
    with BugzillaServer([corpus_of(bugs)]) as server, source(server.url) as issues:
        batch = load(issues, ["2021-01"])
    assert batch.issues["title"].to_list() == batch.issues["body"].to_list() == texts


def test_all_components_of_a_product_are_read_without_one() -> None:
    corpora = [
        corpus_of([issue(1)], repository="o/n"),
        corpus_of([issue(2)], events=[event(5, 2, "transferred", 9)], repository="o/m"),
        corpus_of([issue(3)], repository="other/n"),
    ]
    with BugzillaServer(corpora) as server, source(server.url, "o") as issues:
        batch = load(issues, ["2021-01"])
    assert batch.issues["number"].to_list() == [1, 2]
