"""A run over odd entries of each kind ends well, is published, and says what is lacking."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.server import PRIMARY_ERROR, CorpusServer
from perf_assets.stand_ins.reply import Reply, json_reply
from tests.effort import IS_THOROUGH
from tests.github_errors import SAML
from tests.support import perf_assets
from tests.unreliable_github import Faults, limit_headers

pytestmark = pytest.mark.slow

NAME = "sample-lab/tensorkit"


class Odd(CorpusServer):
    """Answers as real trackers do now and then.

    The first request meets a spent budget. One issue is never given, one has an impossible time,
    the comments of one are left out, project boards closed some issues, and what closed others is
    behind SAML single sign-on.
    """

    def __init__(self, corpus: Corpus) -> None:
        super().__init__([corpus])
        self.numbers = sorted(corpus.issues)

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        reply = super().answer(method, target, authorization, body)
        if not target.endswith("graphql"):
            return reply
        if sum(request.is_graphql for request in self.requests) == 1:
            return json_reply(200, {"errors": [PRIMARY_ERROR]}, limit_headers(Faults(0, 0.0)))
        content = json.loads(reply.body)
        data = content.get("data") or {}
        for way, holder in (("search", data), ("issues", data.get("repository") or {})):
            nodes = (holder.get(way) or {}).get("nodes") or []
            at = ["search"] if way == "search" else ["repository", "issues"]
            errors = [error for i in range(len(nodes)) for error in self._spoil(nodes, i, at)]
            content |= {"errors": errors} if errors else {}
        return json_reply(200, content, reply.headers)

    def _spoil(self, nodes: list[Any], place: int, at: list[Any]) -> list[dict[str, Any]]:
        node = nodes[place]
        if "timelineItems" not in node:
            return []
        errors = []
        for position, event in enumerate(node["timelineItems"]["nodes"]):
            if event.get("closer") and node["number"] % 4 == 0:
                event["closer"] = {"__typename": "ProjectV2"}
            elif event.get("closer"):
                event["closer"] = None
                path = [*at, "nodes", place, "timelineItems", "nodes", position, "closer"]
                errors.append({"type": "FORBIDDEN", "message": SAML, "path": path})
        match self.numbers.index(node["number"]):
            case 3:
                nodes[place] = None
            case 4:
                node["createdAt"] = "2020-13-45T00:00:00Z"
            case 5:
                node["comments"]["nodes"] = None
        return errors


@pytest.mark.audited
@pytest.mark.usefixtures("trusting_auditor", "undrawn_report")
def test_a_run_over_odd_answers_is_published_and_counts_what_is_lacking(tmp_path: Path) -> None:
    generate(tmp_path / "corpus", seed=2, issues=100, months=4, commits=60)
    corpus = read_corpus(tmp_path / "corpus")
    corpus.issues[min(corpus.issues)]["active_lock_reason"] = "spam"  # type: ignore[index]
    study = tmp_path / "study.toml"
    with Odd(replace(corpus, repository="new/home", former_names=(NAME,))) as server:
        study.write_text(
            f'name = "odd"\n[[repositories]]\nname = "{NAME}"\nstart = "2020-01"\nend = "2020-04"\n'
            f'git = "{tmp_path / "corpus" / "repository.git"}"\ngithub_url = "{server.url}"\n'
        )
        home = tmp_path / "home"
        for _ in range(2 if IS_THOROUGH else 1):
            ran = perf_assets("run", "--study", study, "--data-dir", home, GITHUB_TOKEN="x")
            assert ran.returncode == 0, ran.stdout + ran.stderr
    with duckdb.connect(str(home / "perf_bugs.duckdb"), read_only=True) as connection:
        counted = dict(
            connection.execute(
                "SELECT entity || ' ' || kind, sum(entries)::INT FROM raw.issue_gaps GROUP BY ALL"
            ).fetchall()
        )
        ((stored, spam),) = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE not_a_bug_by = 'spam') "
            "FROM labels.performance_labels"
        ).fetchall()
    assert counted["issues missing"] == counted["issues unusable"] == 1
    assert counted["events withheld"] > 0
    assert (stored, spam) == (len(corpus.issues) - 2, 1)
    full = perf_assets("report", "--full", "--data-dir", home).stdout
    assert "entries of GitHub's answers are set aside" in full.replace("\n", " ")
    assert "1 of 98 issues were locked as spam" in full.replace("\n", " ")
