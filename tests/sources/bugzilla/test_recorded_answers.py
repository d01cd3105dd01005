"""Answers of Bugzillas that public repositories recorded, and the documentation of the API.

Nothing of them is part of this project; see ``tests/sources/github/recordings.py`` for where they
are. Real bugs come from Mozilla, answers of Bugzilla 5 from an instance of Gentoo's developers.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.bugzilla.issues import FIELDS, PAGE
from perf_assets.sources.bugzilla.lists import READERS
from perf_assets.sources.bugzilla.rows import record_of
from perf_assets.sources.bugzilla.shapes import BUG, COMMENT, LISTED_FIELDS, PLACE_FIELDS, checked
from perf_assets.sources.bugzilla.spot import spot_of
from perf_assets.sources.issues.records import IssueRecord, batch_of
from perf_assets.stand_ins.bugzilla.server import BugzillaServer
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply
from tests.github_stand_in import changes, load
from tests.sources.bugzilla.reading import source
from tests.sources.github.recordings import files, material
from tests.stand_ins.tracker import RICH

PERCEVAL = "chaoss/grimoirelab-perceval"
BUGBUG = "mozilla/bugbug"
NATTKA = "projg2/nattka"
FORK = "mozilla-bteam/bmo"
DOCUMENTATION = "docs/en/rst/api/core/v1/{}.rst"


def recorded(repository: str, pattern: str) -> dict[str, str]:
    path = material(repository)
    if path is None:
        pytest.skip(f"{repository} is not here")
    found = dict(files(path, pattern))
    assert found, pattern
    return found


class Replaying(LoopbackServer):
    """Answers each kind of request with what was recorded of it."""

    def __init__(self, answers: dict[str, str]) -> None:
        super().__init__()
        self.answers = answers

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        path = target.partition("?")[0].rpartition("/")[2]
        text = self.answers.get(path)
        return Reply(404, b"") if text is None else Reply(200, text.encode())


def test_bugs_that_perceval_recorded_are_read_whole() -> None:
    found = recorded(PERCEVAL, "tests/data/bugzilla/bugzilla_rest_*.json")
    texts = {
        name.rpartition("_rest_")[2].removesuffix(".json"): text for name, text in found.items()
    }
    answers = {
        "bug": texts["bugs"],
        "comment": texts["bugs_comments"],
        "history": texts["bugs_history"],
    }
    name = "Connected Devices/Project Sensor Web"
    with Replaying(answers) as server, source(server.url, name) as issues:
        batch = changes(issues).batch
    assert batch.issues["number"].to_list() == [1273439, 1273442]
    second = batch.issues.row(1, named=True)
    assert second["title"] == "License check for SensorWeb back-end"
    assert second["body"].startswith("What code is being taken from previous sources?")
    assert (second["author"], second["state"]) == ("whuang", "open")
    assert (second["comments"], second["thumbs_up"]) == (6, 0)
    assert batch.comments.height == 6
    assert batch.gaps.is_empty()


def test_an_error_that_perceval_recorded_ends_with_a_sentence() -> None:
    found = recorded(PERCEVAL, "tests/data/bugzilla/bugzilla_rest_error.json")
    with (
        Replaying({"bug": found.popitem()[1]}) as server,
        source(server.url) as issues,
        pytest.raises(PerfAssetsError, match="error 32000: API key authentication is required"),
    ):
        issues.newest()


def of_mozilla() -> Iterator[tuple[dict[str, Any], IssueRecord]]:
    """Yield recorded bugs and what is read of them; their comments lack what was not requested."""
    (text,) = recorded(BUGBUG, "tests/fixtures/bugs.json").values()
    for line in text.splitlines():
        bug = json.loads(line)
        for comment in bug["comments"]:
            comment["creator"] = comment.get("creator") or comment.get("author")
            comment.setdefault("is_private", False)
        name = f"bugzilla.mozilla.org/{bug['product']}/{bug['component']}"
        spot = spot_of(name, "https://bugzilla.mozilla.org/rest")
        yield bug, record_of(checked(BUG, bug), bug["comments"], bug["history"], spot)


def test_bugs_of_mozilla_are_read_whole() -> None:
    kinds: Counter[str] = Counter()
    records = []
    for bug, record in of_mozilla():
        events = record.events
        kinds.update(event["event"] for event in events)
        records.append(record)
        turns = [event for event in events if event["event"] in ("closed", "reopened")]
        assert record.issue["title"] == bug["summary"]
        assert record.issue["comments"] == len(bug["comments"]) - 1
        assert (record.issue["body"] or "") == bug["comments"][0]["text"]
        assert record.issue["closed_at"] == (None if bug["is_open"] else bug["cf_last_resolved"])
        if not bug["is_open"]:
            assert turns[-1]["event"] == "closed"
            assert turns[-1]["created_at"] == bug["cf_last_resolved"]
            assert record.issue["state_reason"] in ("completed", "not_planned", "duplicate")
        marks = [event for event in events if event["event"] == "marked_as_duplicate"]
        assert bool(marks) == (bug["resolution"] == "DUPLICATE")
        assert all(mark["canonical_number"] == bug["dupe_of"] for mark in marks)
    batch = batch_of(records, "bugzilla.mozilla.org/Core")
    assert batch.issues.height == len(records) > 50
    assert batch.gaps.is_empty()
    assert kinds.keys() >= {"closed", "labeled", "unlabeled", "renamed", "transferred"}


def test_comments_of_bugzilla_5_have_their_shape() -> None:
    found = recorded(NATTKA, "test/bugzilla/test_get_latest_comment")
    (text,) = found.values()
    body = re.search(r"string: '(\{\"bugs\":\{.*?\})'\n", text, re.DOTALL)
    assert body is not None
    content = json.loads(re.sub(r"\n +", " ", body[1]))
    (comments,) = READERS["comments"](content).values()
    shown = [checked(COMMENT, comment) for comment in comments]
    assert [comment.get("count") for comment in shown] == list(range(len(shown)))


def documented(repository: str, page: str) -> str:
    (text,) = recorded(repository, DOCUMENTATION.format(page)).values()
    return text


def names_in(text: str) -> set[str]:
    """The first column of the tables of a page."""
    return set(re.findall(r"^\*{0,2}([a-z_.]+)\*{0,2} +(?:\w+) +", text, re.MULTILINE))


def test_each_parameter_and_field_is_documented() -> None:
    bug, comment = names_in(documented(FORK, "bug")), names_in(documented(FORK, "comment"))
    common = set(re.findall(r"``([a-z_]+)``", documented(FORK, "general")))
    with BugzillaServer([RICH]) as server, source(server.url) as issues:
        load(issues, ["2021-01"])
        changes(issues)
        issues.find_removed([1, 99])
    asked = {name for request in server.requests for name in request.parameters}
    # Those of the Custom Search, which the page refers to, and the order of a list.
    others = {name for name in asked if re.fullmatch(r"[fov][0-9]", name)} | {"order"}
    assert asked - others <= bug | comment | common
    of_mozilla = {"votes", "cf_last_resolved", "regressed_by", "type"}
    fields = {name for name in (*FIELDS, *LISTED_FIELDS, *PLACE_FIELDS) if "." not in name}
    assert fields - of_mozilla <= bug
    inner = {name.partition(".")[2] for name in FIELDS if "." in name}
    assert inner <= comment
    assert PAGE < 10_000


def test_the_stand_in_answers_as_the_documentation_shows() -> None:
    blocks = re.findall(
        r"code-block:: js\n\n((?:   .*\n|\n)+)",
        documented(FORK, "bug") + documented(FORK, "comment"),
    )
    with BugzillaServer([RICH]) as server, source(server.url) as issues:
        load(issues, ["2021-01"])
        shown = server.content("bug/1", {})["bugs"][0]
        comments = server.content("bug/1/comment", {})["bugs"]["1"]["comments"]
    first = next(block for block in blocks if '"is_creator_accessible"' in block)
    names = set(re.findall(r'^         "(\w+)":', first, re.MULTILINE))
    assert shown.keys() - {"votes", "cf_last_resolved"} <= names
    said = next(block for block in blocks if '"attachment_id"' in block and '"comments"' in block)
    names = set(re.findall(r'^             "(\w+)":', said, re.MULTILINE))
    assert comments[0].keys() - {"author", "raw_text"} <= names
