"""Pull requests by their numbers: their size, and when they were opened, reviewed and merged."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from perf_assets.sources.github import queries, response_types, responses
from perf_assets.sources.github.client import GitHubClient, Reply
from perf_assets.sources.github.gaps import LEFT_OUT
from perf_assets.sources.github.long_lists import PAGE
from perf_assets.sources.github.rows import login_of
from perf_assets.sources.issues.source import PullRequestResult
from perf_assets.sources.json_answers import AnswerError

# A request costs a point: GitHub divides the lists that it reads, one of reviews for each pull
# request, by 100. It may return 100 * 20 reviews, of the 500,000 nodes that are allowed.
# https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api

PENDING = "PENDING"
"""The state of a review that is not submitted."""


def read_pull_requests(
    client: GitHubClient, repository: str, numbers: Sequence[int]
) -> Iterator[PullRequestResult]:
    """Yield a result for each of ``numbers``, in their order; ``PAGE`` of them are a request.

    Where GitHub does not answer in time, fewer are requested at once. The rows have the columns of
    ``details.pull_requests``, without those of the study.

    Raises
    ------
    PerfAssetsError
        The repository is not there, a limit lasts longer than our patience, or GitHub fails on.
    """
    done = 0
    while done < len(numbers):
        results = _page(client, repository, numbers[done : done + PAGE])
        yield from results
        done += len(results)


def _page(client: GitHubClient, repository: str, numbers: Sequence[int]) -> list[PullRequestResult]:
    """Return the results of the first ``numbers``, of as many as GitHub answers at once."""
    requested: list[int] = []

    def document(size: int) -> str:
        requested[:] = numbers[:size]
        return queries.pull_requests_document(requested)

    owner, _, name = repository.partition("/")
    reply = client.query(document, {"owner": owner, "name": name}, first=len(numbers))
    return list(_results(client, repository, reply, requested))


def _results(
    client: GitHubClient, repository: str, reply: Reply, numbers: Sequence[int]
) -> Iterator[PullRequestResult]:
    held = reply.data.get("repository")
    if not isinstance(held, dict):
        raise responses.unusable(repository, "repository: an object is needed here")
    withheld = {part.path[1]: part for part in reply.withheld if len(part.path) == 2}
    for index, number in enumerate(numbers):
        key = f"p{index}"
        if key in withheld:
            part = withheld[key]
            remedy = f": {part.remedy}" if part.remedy else ""
            yield PullRequestResult(number, reason=f"{part.words}{remedy}")
        elif held.get(key) is None:
            yield PullRequestResult(number, reason=LEFT_OUT)
        else:
            yield _result(client, repository, number, held[key])


def _result(client: GitHubClient, repository: str, number: int, data: object) -> PullRequestResult:
    shape = response_types.ReviewedPullRequest
    try:
        # A review that cannot be used costs that review.
        node, _ = responses.usable(shape, data, f"{repository}#{number}", {}, client.accounts.hide)
    except AnswerError as error:
        return PullRequestResult(number, reason=str(error))
    return PullRequestResult(number, _row(number, node))


def _row(number: int, node: response_types.ReviewedPullRequest) -> dict[str, Any]:
    author, reviews = login_of(node["author"]), node["reviews"]
    listed = (reviews and reviews["nodes"]) or ()
    submitted = [
        review
        for review in listed
        if review and review["submittedAt"] is not None and review["state"] != PENDING
    ]
    by_others = [
        review
        for review in submitted
        # Of two deleted accounts nothing tells whether they were one.
        if login_of(review["author"]) != author
        and (review["author"] is None or review["author"]["kind"] != "Bot")
    ]
    reviewers = {login_of(review["author"]) for review in by_others}
    return {
        "pull_request": number,
        "author": author,
        "opened_at": node["createdAt"],
        "first_review_at": min(
            (str(review["submittedAt"]) for review in by_others),
            key=datetime.fromisoformat,
            default=None,
        ),
        "merged_at": node["mergedAt"],
        "closed_at": node["closedAt"],
        "is_merged": node["merged"],
        "additions": node["additions"],
        "deletions": node["deletions"],
        "changed_files": node["changedFiles"],
        "reviews": None if reviews is None else reviews["totalCount"],
        "reviewers": sorted(login for login in reviewers if login is not None),
        "is_review_list_complete": reviews is not None
        and sum(review is not None for review in listed) >= reviews["totalCount"],
    }
