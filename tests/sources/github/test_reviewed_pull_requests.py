"""Pull requests by their numbers: what is read of each, and what an odd answer costs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import github
import pytest

from perf_assets.base.corpus import Corpus, Record
from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.github import queries
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.pull_requests import PullRequestResult, read_pull_requests
from perf_assets.sources.github.transport import Answer
from perf_assets.stand_ins.github.graphql_cost import LARGEST_QUERY
from perf_assets.stand_ins.github.server import CorpusServer
from tests.github_stand_in import HASTY
from tests.unreliable_github import KINDS, Faults, UnreliableGitHub

DAY, LATER = "2020-05-03T10:00:00Z", "2020-05-04T10:00:00Z"


def pull(number: int, *reviews: Record, **changes: Any) -> Record:
    row = {
        "number": number,
        "title": "Mend it",
        "user": {"login": "ann", "type": "User"},
        "state": "closed",
        "created_at": DAY,
        "closed_at": LATER,
        "updated_at": LATER,
        "merged_at": LATER,
        "additions": 3,
        "deletions": 1,
        "changed_files": 2,
        "reviews": list(reviews),
    }
    return {**row, **changes}


def review(login: str | None, hour: int | None, **changes: Any) -> Record:
    submitted = None if hour is None else f"2020-05-03T{hour:02}:00:00Z"
    user = None if login is None else {"login": login, "type": "User"}
    return {"user": user, "submitted_at": submitted, "state": "APPROVED", **changes}


def corpus(*pulls: Record) -> Corpus:
    return Corpus("o/n", {}, {}, {}, {one["number"]: one for one in pulls})


def read(server: CorpusServer, *numbers: int) -> list[PullRequestResult]:
    client = GitHubClient(server.url, "t0ken", patience=HASTY)
    return list(read_pull_requests(client, "o/n", numbers))


def row_of(*reviews: Record, **changes: Any) -> Mapping[str, Any]:
    with CorpusServer([corpus(pull(5, *reviews, **changes))]) as server:
        (result,) = read(server, 5)
    assert result.row is not None
    return result.row


def test_size_times_and_reviewers_are_read() -> None:
    assert row_of(review("bob", 12), review("cy", 14), review("bob", 15)) == {
        "pull_request": 5,
        "author": "ann",
        "opened_at": DAY,
        "first_review_at": "2020-05-03T12:00:00Z",
        "merged_at": LATER,
        "closed_at": LATER,
        "is_merged": True,
        "additions": 3,
        "deletions": 1,
        "changed_files": 2,
        "reviews": 3,
        "reviewers": ["bob", "cy"],
        "is_review_list_complete": True,
    }


@pytest.mark.parametrize(
    ("reviews", "first", "reviewers"),
    [
        ([], None, []),
        ([review("ann", 11), review("bob", 12)], 12, ["bob"]),
        ([review("helper[bot]", 11), review("bob", 12)], 12, ["bob"]),
        ([review(None, 11), review("bob", 12)], 11, ["bob"]),
        ([review("bob", None, state="PENDING")], None, []),
        ([review("bob", 13), review("cy", 12)], 12, ["bob", "cy"]),
    ],
)
def test_the_first_review_is_of_a_person_other_than_the_author(
    reviews: Sequence[Record], first: int | None, reviewers: list[str]
) -> None:
    row = row_of(*reviews)
    assert row["first_review_at"] == (first and f"2020-05-03T{first}:00:00Z")
    assert row["reviewers"] == reviewers
    assert row["reviews"] == len(reviews)


def test_two_deleted_accounts_may_be_one() -> None:
    row = row_of(review(None, 11), user=None)
    assert (row["author"], row["first_review_at"], row["reviewers"]) == (None, None, [])


def test_a_list_of_reviews_that_is_longer_than_a_page_is_said_to_be_incomplete() -> None:
    many = [review("ann", 11)] * queries.REVIEWS
    row = row_of(*many, review("bob", 12))
    assert (row["reviews"], row["first_review_at"]) == (len(many) + 1, None)
    assert row["is_review_list_complete"] is False
    assert row_of(*many)["is_review_list_complete"] is True


def test_what_a_corpus_does_not_say_is_not_known() -> None:
    unknown = dict.fromkeys(("additions", "deletions", "changed_files", "reviews"))
    row = row_of(**unknown)
    assert {name: row[name] for name in unknown} == unknown
    assert row["is_review_list_complete"] is False


def test_a_number_that_is_none_costs_that_row() -> None:
    with CorpusServer([corpus(pull(5), pull(7))]) as server:
        results = read(server, 5, 6, 7)
    assert [result.number for result in results] == [5, 6, 7]
    assert [result.row is None for result in results] == [False, True, False]
    assert results[1].reason == "Could not resolve to a PullRequest with the number of 6."


def test_a_hundred_are_a_request_of_one_point() -> None:
    pulls = [pull(number, review("bob", 12)) for number in range(1, 251)]
    with CorpusServer([corpus(*pulls)]) as server:
        results = read(server, *range(1, 251))
        assert [request.points for request in server.requests] == [1, 1, 1]
    assert [result.number for result in results] == list(range(1, 251))
    assert all(result.row for result in results)
    assert 100 * queries.REVIEWS < LARGEST_QUERY


def test_fewer_are_requested_where_github_gives_up() -> None:
    pulls = [pull(number, review("bob", 12)) for number in range(1, 151)]
    faults = Faults(seed=1, rate=0, heaviest=30 * queries.REVIEWS)
    with UnreliableGitHub([corpus(*pulls)], faults=faults) as server:
        results = read(server, *range(1, 151))
    assert [result.number for result in results] == list(range(1, 151))
    assert all(result.row for result in results)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_faults_cost_no_row(seed: int) -> None:
    pulls = [pull(number, review("bob", 12)) for number in range(1, 251)]
    with CorpusServer([corpus(*pulls)]) as server:
        expected = read(server, *range(1, 252))
    faults = Faults(seed, rate=0.5, kinds=KINDS)
    with UnreliableGitHub([corpus(*pulls)], token="t0ken", faults=faults) as server:
        assert read(server, *range(1, 252)) == expected


def test_a_repository_that_is_not_there_ends_with_a_sentence() -> None:
    with CorpusServer([]) as server, pytest.raises(PerfAssetsError, match="has no repository o/n"):
        read(server, 5)


def answered(change: Mapping[str, Any], **answer: Any) -> list[PullRequestResult]:
    """What is read of an answer whose first of two pull requests is changed."""
    with CorpusServer([corpus(pull(5, review("bob", 12)), pull(6))]) as server:

        def send(connection: github.Github, verb: str, path: str, payload: object) -> Answer:
            good = server.answer(verb, "/graphql", "", json.dumps(payload).encode())
            content = json.loads(good.body)
            if content["data"]["repository"]["p0"]:
                content["data"]["repository"]["p0"] |= change
            return Answer(200, {}, json.dumps(content | answer))

        client = GitHubClient(server.url, "t0ken", patience=HASTY, send=send)
        return list(read_pull_requests(client, "o/n", [5, 6]))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"additions": -1}, "o/n#5: GitHub's answer cannot be used: additions"),
        ({"createdAt": "yesterday"}, "createdAt"),
        ({"merged": None}, "merged"),
        ({"author": {"login": 7}}, "author"),
    ],
)
def test_an_entry_that_cannot_be_used_costs_that_row(
    change: Mapping[str, Any], reason: str
) -> None:
    first, second = answered(change)
    assert first.row is None and reason in first.reason
    assert second.row is not None


def test_a_review_that_cannot_be_used_costs_that_review() -> None:
    odd = {"author": None, "submittedAt": "yesterday", "state": "APPROVED"}
    for entry in (odd, None):
        first, _ = answered({"reviews": {"totalCount": 1, "nodes": [entry]}})
        assert first.row is not None
        assert first.row["first_review_at"] is None
        assert first.row["is_review_list_complete"] is False
    first, _ = answered({"reviews": {"totalCount": 0, "nodes": None}})
    assert first.row is not None and first.row["is_review_list_complete"]


def test_what_the_token_may_not_see_costs_that_row_and_has_a_reason() -> None:
    error = {
        "type": "FORBIDDEN",
        "path": ["repository", "p0"],
        "message": "Resource protected by organization SAML enforcement.",
    }
    data = {"repository": {"p0": None, "p1": None}}
    (first, second) = answered({}, data=data, errors=[error])
    assert first.row is None and "SAML" in first.reason and "Configure SSO" in first.reason
    assert second.row is None
