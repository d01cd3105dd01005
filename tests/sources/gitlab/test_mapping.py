"""The same tracker, served as GitLab would and as GitHub would, gives the same rows."""

from collections.abc import Mapping

import polars as pl
import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.months import months_between
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.batches import IssueBatch, joined
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.gitlab.server import GitLabServer
from tests.github_stand_in import load
from tests.sources.gitlab.reading import source_of
from tests.stand_ins.tracker import RICH

pytestmark = pytest.mark.slow

MONTHS = months_between("2020-01", "2021-03")
NOT_TOLD = "GitLab does not say it"
REACTIONS = ("laugh", "hooray", "confused", "heart", "rocket", "eyes")
OF_GITHUB = "the same on GitHub alone"
WITH_HOST = "names have their host"
DIFFERENT: Mapping[str, Mapping[str, str]] = {
    "issues": {
        "author_type": "User or Bot on GitHub; GitLab's lists do not say it",
        "author_association": NOT_TOLD,
        "state_reason": "GitLab knows duplicates alone",
        "lock_reason": NOT_TOLD,
        "issue_type": "GitLab has one for each issue",
        **dict.fromkeys(REACTIONS, "would be a request for each issue"),
        "fields_version": OF_GITHUB,
        "html_url": "another site",
        "updated_at": "GitLab has milliseconds",
        "events": "see those of events",
    },
    "comments": {
        "author_type": NOT_TOLD,
        "author_association": NOT_TOLD,
        **dict.fromkeys(("thumbs_up", "thumbs_down", *REACTIONS), "would be a request for each"),
    },
    "events": {
        "event_id": "ids of GitLab are numbers of their kind",
        "commit_author": NOT_TOLD,
        "closer_repository": f"{WITH_HOST}; that of a commit is taken as ours",
        "from_repository": WITH_HOST,
        "canonical_repository": WITH_HOST,
    },
    "pull_requests": {
        "pull_request_repository": WITH_HOST,
        "merge_commit_author": NOT_TOLD,
        "commits": "would be a request for each",
    },
    "gaps": {},
}
"""Columns whose values differ, and why. That a mark as a duplicate is taken back GitLab tells in no
text that names the other issue: there is no such event.
"""
KEYS = {
    "issues": ("number",),
    "comments": ("number", "comment_id"),
    "events": ("number", "created_at", "event", "label", "previous_title"),
    "pull_requests": ("number", "pull_request", "relation"),
    "gaps": ("number",),
}


def as_github(corpus: Corpus) -> IssueBatch:
    with CorpusServer([corpus], limit=10**9) as server:
        source = GitHubIssues(GitHubClient(server.url, []), corpus.repository)
        found = [batch for _, batch in source.cohorts(source.counts(MONTHS))]
        return joined([batch for batch in found if isinstance(batch, IssueBatch)])


def as_gitlab(corpus: Corpus) -> IssueBatch:
    with GitLabServer([corpus]) as server:
        return load(source_of(server, corpus.repository), MONTHS)


def told(frame: pl.DataFrame, part: str) -> pl.DataFrame:
    """What both tell, in one order."""
    same = frame.drop("repository", *DIFFERENT[part])
    if part == "events":
        same = same.filter(pl.col("event") != "unmarked_as_duplicate")
    if part == "issues":  # a corpus may not know them, and GitLab always does
        same = same.with_columns(pl.col("thumbs_up", "thumbs_down").fill_null(0))
    return same.sort(KEYS[part])


def assert_tells_the_same(corpus: Corpus) -> IssueBatch:
    ours, theirs = as_gitlab(corpus), as_github(corpus)
    for part, frame in vars(ours).items():
        expected = told(getattr(theirs, part), part)
        assert told(frame, part).equals(expected), part
    return ours


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    directory = tmp_path_factory.mktemp("corpora") / "corpus"
    generate(directory, seed=7, issues=400, months=15, commits=60)
    return read_corpus(directory)


def test_a_generated_tracker_gives_the_rows_that_it_gives_on_github(generated: Corpus) -> None:
    ours = assert_tells_the_same(generated)
    assert ours.gaps.is_empty()
    assert {"closed", "reopened", "labeled", "renamed"} <= set(ours.events["event"])
    assert ours.issues["milestone"].drop_nulls().len()
    assert ours.pull_requests.height
    assert f"gitlab.com/{generated.repository}" in set(
        ours.pull_requests["pull_request_repository"]
    )


def test_events_of_all_kinds_give_the_rows_that_they_give_on_github() -> None:
    ours = assert_tells_the_same(RICH)
    (transfer,) = ours.events.filter(event="transferred")["from_repository"]
    assert transfer == "gitlab.com/x/old"
    closers = ours.events.filter(event="closed", number=1)["closer_repository"].to_list()
    assert closers == ["gitlab.com/o/n", "gitlab.com/o/n", "gitlab.com/x/y"]
    assert set(ours.issues["issue_type"]) == {"issue"}
    for name in REACTIONS:
        assert ours.issues[name].null_count() == ours.issues.height
