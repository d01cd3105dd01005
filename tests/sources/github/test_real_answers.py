"""What real trackers and servers answer, each at its root: boards, SSO, renames, old servers."""

import json
import logging
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from perf_assets.base.corpus import Corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.reply import Reply
from tests.github_errors import SAML
from tests.github_stand_in import assert_same, load
from tests.stand_ins.tracker import RICH, client, corpus_of, event, issue, moment

pytestmark = pytest.mark.slow

MONTHS = ["2021-01"]
OLDEST = "2021-01-01T00:00:00Z"
SHORT = GitHubPolicy(attempts=4, first_pause=0.001, longest_pause=0.002)
Change = Callable[[dict[str, Any], int], dict[str, Any]]


class Changed(CorpusServer):
    """Answers each GraphQL request as ``change`` makes of the right answer and its number."""

    def __init__(self, corpus: Corpus, change: Change) -> None:
        super().__init__([corpus])
        self._change = change
        self.bodies: list[str] = []

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        reply = super().answer(method, target, authorization, body)
        if not target.endswith("graphql"):
            return reply
        self.bodies.append(body.decode())
        content = self._change(json.loads(reply.body), len(self.bodies))
        return replace(reply, body=json.dumps(content).encode())


def read(server: CorpusServer, name: str = "o/n", *waits: Callable[[str], None]) -> IssueBatch:
    return load(GitHubIssues(GitHubClient(server.url, "x", *waits, patience=SHORT), name), MONTHS)


def nodes_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return ((answer.get("data") or {}).get("search") or {}).get("nodes") or []


def test_an_issue_that_a_project_board_closed_is_kept_and_has_no_commit() -> None:
    closed = issue(1, 0, state="closed", closed_at=moment(9))
    board = event(2, 1, "closed", 9, closer={"type": "project"})
    with CorpusServer([corpus_of([closed], (), [board])]) as server:
        found = read(server)
    (row,) = found.events.rows(named=True)
    assert (row["event"], row["commit_sha"], row["closer_repository"]) == ("closed", None, None)
    assert found.issues["state"].to_list() == ["closed"] and found.gaps.is_empty()


def test_what_the_token_may_not_see_is_null_counted_and_said_with_the_remedy(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def hide(answer: dict[str, Any], _: int) -> dict[str, Any]:
        errors = []
        for place, node in enumerate(nodes_of(answer)):
            for position, one in enumerate(node.get("timelineItems", {}).get("nodes", [])):
                if one.get("closer"):
                    one["closer"] = None
                    path = ["search", "nodes", place, "timelineItems", "nodes", position, "closer"]
                    errors.append({"type": "FORBIDDEN", "path": path, "message": SAML})
        return {**answer, "errors": errors} if errors else answer

    with CorpusServer([RICH]) as server:
        whole = read(server)
    with Changed(RICH, hide) as server:
        found = read(server)
        requests = len(server.bodies)
    assert_same(
        replace(found, events=whole.events, gaps=whole.gaps),
        replace(whole, pull_requests=found.pull_requests),
    )
    assert found.events["commit_sha"].null_count() == found.events.height
    hidden = found.gaps.select("subject", "entity", "lacks", "kind", "entries").rows()
    assert hidden == [
        ("#1", "events", "closer", "withheld", 3),
        ("#2", "events", "closer", "withheld", 1),
    ]
    assert requests == 2  # the counts and the page: what is withheld is not there a moment later
    (sentence,) = [record.getMessage() for record in caplog.records]
    assert "o/n#1: closer of events" in sentence and "Configure SSO" in sentence


def test_a_withheld_part_of_an_issue_that_cannot_be_used_is_counted_with_it_once() -> None:
    def spoil(answer: dict[str, Any], _: int) -> dict[str, Any]:
        if not nodes_of(answer):
            return answer
        nodes_of(answer)[0].update(createdAt="2021-13-45T00:00:00Z", author=None)
        path = ["search", "nodes", 0, "author"]
        return {**answer, "errors": [{"type": "FORBIDDEN", "path": path, "message": SAML}] * 2}

    with Changed(RICH, spoil) as server:
        found = read(server)
    assert found.gaps.select("subject", "kind", "entries").rows() == [("#1", "unusable", 1)]
    assert found.known_issues == 5


def test_a_node_that_is_null_for_a_moment_is_read_again() -> None:
    def lag(answer: dict[str, Any], number: int) -> dict[str, Any]:
        if number == 2 and nodes_of(answer):
            answer["data"]["search"]["nodes"][0] = None
        return answer

    with CorpusServer([RICH]) as server:
        whole = read(server)
    with Changed(RICH, lag) as server:
        assert_same(read(server), whole)
        assert len(server.bodies) == 3


def test_a_node_that_stays_null_costs_that_issue_and_its_month_is_known() -> None:
    def lose(answer: dict[str, Any], _: int) -> dict[str, Any]:
        if nodes_of(answer):
            answer["data"]["search"]["nodes"][0] = None
        return answer

    with Changed(RICH, lose) as server:
        found = read(server)
    (gap,) = found.gaps.rows(named=True)
    assert (gap["subject"], gap["month"], gap["kind"]) == ("unnamed", "2021-01", "missing")
    assert found.issues.height == 4 and found.known_issues == 5


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("issueType", "undefinedField"),
        ("enableDuplicate", "argumentNotAccepted"),
        ("archivedAt", "undefinedField"),
    ],
)
def test_an_older_server_is_asked_without_what_it_does_not_know(field: str, code: str) -> None:
    waits: list[str] = []
    holder: list[Changed] = []

    def older(answer: dict[str, Any], number: int) -> dict[str, Any]:
        if re.search(rf"\b{field}\b", json.loads(holder[0].bodies[number - 1])["query"]):
            message = f"Field 'x' doesn't exist on type '{field}'"
            return {"errors": [{"message": message, "extensions": {"code": code}}]}
        return answer

    with CorpusServer([RICH]) as server:
        whole = read(server)
    with Changed(RICH, older) as server:
        holder.append(server)
        source = GitHubIssues(GitHubClient(server.url, "x", waits.append, SHORT), "o/n")
        source.newest()
        assert_same(load(source, MONTHS), whole)
    assert len(waits) == 1 and f"too old to know {field}" in waits[0]


def test_a_server_that_is_too_old_is_said_to_be_with_the_field() -> None:
    message = "Field 'fullDatabaseId' doesn't exist on type 'IssueComment'"
    refusal = {"errors": [{"message": message, "extensions": {"code": "undefinedField"}}]}
    with (
        Changed(RICH, lambda *_: refusal) as server,
        pytest.raises(PerfAssetsError, match=r"'fullDatabaseId'.*too old: upgrade") as raised,
    ):
        read(server)
    assert raised.value.args[0].isprintable() and len(server.bodies) == 1


def test_a_repository_that_was_renamed_is_read_and_stored_under_the_name_of_the_study(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    with CorpusServer([RICH]) as server:
        whole = read(server)
    renamed = replace(RICH, repository="new/home", former_names=("o/n",))
    with CorpusServer([renamed]) as server:
        source = GitHubIssues(GitHubClient(server.url, "x", patience=SHORT), "o/n")
        source.newest()
        found = load(source, MONTHS)
        assert client(server.url).get_repo("o/n").full_name == "new/home"
    assert set(found.issues["repository"]) == {"o/n"}
    own = found.events.filter(found.events["closer_repository"] == "o/n")
    assert own.height == whole.events.filter(whole.events["closer_repository"] == "o/n").height > 0
    (sentence,) = [record.getMessage() for record in caplog.records if "called" in record.msg]
    assert "o/n is called new/home now" in sentence and "aliases" in sentence


def test_an_address_that_moved_on_the_same_server_is_followed() -> None:
    class Moved(CorpusServer):
        def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
            if target == "/graphql":
                return Reply(307, b"", {"Location": f"{self.url}/api/graphql"})
            return super().answer(method, target, authorization, body)

    with CorpusServer([RICH]) as server:
        whole = read(server)
    with Moved([RICH]) as server:
        assert_same(read(server), whole)


def test_locks_types_and_duplicates_are_read() -> None:
    closed = {"state": "closed", "closed_at": moment(20), "state_reason": "duplicate"}
    corpus = corpus_of(
        [
            issue(1, 0, active_lock_reason="spam", locked=True, title="."),
            issue(2, 1, active_lock_reason="too heated", type={"name": "Bug"}),
            issue(3, 2, type=None, **closed),
        ]
    )
    with CorpusServer([corpus]) as server:
        issues = read(server).issues
    assert issues["lock_reason"].to_list() == ["spam", "too_heated", None]
    assert issues["issue_type"].to_list() == [None, "Bug", None]
    assert issues["state_reason"].to_list() == [None, None, "duplicate"]
