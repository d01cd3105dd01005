"""Answers of gitlab.com that Perceval recorded, read by the source.

Nothing of them is part of this project: see ``tests/sources/github/recordings.py`` for where they
are looked for.
"""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from perf_assets.sources.issues.batches import IssueBatch, joined
from perf_assets.stand_ins.gitlab.server import GitLabServer, Request
from perf_assets.stand_ins.reply import Reply, json_reply
from tests.sources.github.recordings import files, material
from tests.sources.gitlab.reading import source_of

PERCEVAL = "chaoss/grimoirelab-perceval"
FOLDER = "tests/data/gitlab/"
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)


class Replaying(GitLabServer):
    """Serves recorded lists of issues, and of notes by the number of their issue."""

    def __init__(self, issues: list[Any], notes: dict[str, list[Any]]) -> None:
        super().__init__([])
        self.issues, self.notes = issues, notes

    def respond(self, log: Request) -> Reply:
        *_, number, last = log.path.split("/")
        if last != "issues":
            found = self.notes.get(number, []) if last == "notes" else []
            return json_reply(200, found, {"X-Next-Page": ""})
        after = log.parameters["updated_after"]
        changed = [one for one in self.issues if one["updated_at"] >= after]
        page = sorted(changed, key=lambda one: one["updated_at"])[:2]
        return json_reply(200, page, {"X-Next-Page": "2" if len(changed) > 2 else ""})


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    path = material(PERCEVAL)
    if path is None:
        pytest.skip(f"{PERCEVAL} was not fetched: set PERF_ASSETS_RECORDINGS")
    return {
        name.removeprefix(FOLDER): json.loads(text)
        for name, text in files(path, f"{FOLDER}*")
        if text.strip()
    }


@pytest.fixture(scope="module")
def batch(recorded: dict[str, Any]) -> IssueBatch:
    issues = [*recorded["issue_page_1"], *recorded["issue_page_2"]]
    notes = {number: recorded[f"notes_{number}"] for number in "1234"}
    with Replaying(issues, notes) as server:
        pages = list(source_of(server, "fdroid/fdroiddata").iter_changes(OLDEST))
    return joined([page.batch for page in pages])


def test_recorded_issues_become_rows(recorded: dict[str, Any], batch: IssueBatch) -> None:
    """Two of them were closed before GitLab noted when, and have no note about it either."""
    known = {one["iid"]: one for page in "12" for one in recorded[f"issue_page_{page}"]}
    rows = list(batch.issues.iter_rows(named=True))
    assert [row["number"] for row in rows] == [3, 4]
    for row in rows:
        entry = known[row["number"]]
        assert row["title"] == entry["title"]
        assert row["body"] == entry["description"]
        assert row["author"] == entry["author"]["username"]
        assert row["labels"] == sorted(entry["labels"])
        assert row["html_url"] == entry["web_url"]
        assert row["created_at"] == datetime.fromisoformat(entry["created_at"])
    assert [row["milestone"] for row in rows] == [None, "8.17"]
    assert batch.known_issues == len(known)


def test_recorded_notes_become_comments_and_events(
    recorded: dict[str, Any], batch: IssueBatch
) -> None:
    closes = batch.events.filter(event="closed")
    assert closes["number"].to_list() == [3, 4]
    for number, closed_at in closes.select("number", "created_at").iter_rows():
        (note,) = recorded[f"notes_{number}"]
        assert closed_at == datetime.fromisoformat(note["created_at"])
    assert batch.comments.is_empty()
    reasons = batch.gaps.filter(entity="issues", lacks="entry")["reason"]
    assert set(reasons) == {"closed_at: it is closed, and nothing says since when"}
