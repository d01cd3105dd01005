"""GitHub's REST calls for repositories and issues, answered from trackers.

Source: https://docs.github.com/en/rest/issues
"""

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from perf_assets.base.corpus import Record
from perf_assets.stand_ins.github.graphql_views import SITE
from perf_assets.stand_ins.github.search import SORTS
from perf_assets.stand_ins.github.tracker import Item, Tracker, node_id
from perf_assets.stand_ins.reply import Reply, json_reply, message_reply

PAGE_SIZE, LARGEST_PAGE = 30, 100
PATH_PATTERN = re.compile(
    r"/repos/(?P<name>[^/]+/[^/]+)(?:/(?P<list>issues)(?:/(?P<number>\d+)(?:/(?P<part>\w+))?)?)?"
)

Parameters = Mapping[str, str]


@dataclass(frozen=True)
class Call:
    """A GET request: ``base`` is the API's URL, ``path`` what follows it."""

    base: str
    path: str
    parameters: Parameters


def answer(trackers: Mapping[str, Tracker], former: Mapping[str, Tracker], call: Call) -> Reply:
    """Return the reply to a call; 301 for a repository that was renamed, 404 for what there is
    not.
    """
    match = PATH_PATTERN.fullmatch(call.path)
    tracker = trackers.get(match["name"].lower()) if match else None
    if match is None or tracker is None:
        renamed = former.get(match["name"].lower()) if match else None
        return _not_found() if renamed is None or match is None else _moved(renamed, match, call)
    if match["list"] is None:
        return json_reply(200, _repository(tracker, call.base))
    if match["number"] is None:
        return _page(call, _issues(tracker, call.parameters), lambda item: _issue(item, call.base))
    number = int(match["number"])
    record = tracker.corpus.issues.get(number) or tracker.corpus.pulls.get(number)
    if record is None:
        return _not_found()
    if match["part"] is None:
        return json_reply(200, _issue(Item(tracker, record), call.base))
    return _part(tracker, number, match["part"], call)


def _moved(tracker: Tracker, match: re.Match[str], call: Call) -> Reply:
    address = f"{call.base}/repos/{tracker.repository}{call.path[match.end('name') :]}"
    query = f"?{urlencode(call.parameters)}" if call.parameters else ""
    return message_reply(301, "Moved Permanently", {"Location": address + query})


def _not_found() -> Reply:
    return message_reply(404, "Not Found")


def _part(tracker: Tracker, number: int, part: str, call: Call) -> Reply:
    """Return the comments or events of an issue."""
    if part == "comments":
        since = call.parameters.get("since", "")
        comments = [
            comment
            for comment in tracker.corpus.comments.get(number, ())
            if comment["updated_at"] >= since
        ]
        return _page(call, comments, lambda comment: _comment(tracker, comment, call.base))
    if part == "events":
        events = tracker.corpus.events.get(number, ())
        return _page(call, events, lambda event: _event(tracker, event, call.base))
    return _not_found()


def _issues(tracker: Tracker, parameters: Parameters) -> list[Item]:
    """Return issues and pull requests as the listing's parameters select and sort them."""
    state, since = parameters.get("state", "open"), parameters.get("since", "")
    labels = {name.lower() for name in parameters.get("labels", "").split(",") if name}
    items = [
        Item(tracker, record)
        for record in tracker.everything_by_created
        if state in ("all", record["state"])
        and record["updated_at"] >= since
        and labels <= {label["name"].lower() for label in record.get("labels") or ()}
    ]
    items.sort(key=SORTS.get(parameters.get("sort", "created"), SORTS["created"]))
    return items if parameters.get("direction") == "asc" else items[::-1]


def _page(call: Call, found: Sequence[Any], write: Callable[[Any], Record]) -> Reply:
    """Return one page of a listing, with links to the others."""
    size = min(_positive(call.parameters.get("per_page"), PAGE_SIZE), LARGEST_PAGE)
    page = _positive(call.parameters.get("page"), 1)
    last = max(1, -(-len(found) // size))
    targets = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    links = [
        f'<{call.base}{call.path}?{urlencode({**call.parameters, "page": target})}>; rel="{name}"'
        for name, target in targets.items()
        if 1 <= target <= last and (page > 1 if name in ("prev", "first") else page < last)
    ]
    content = [write(entry) for entry in found[(page - 1) * size : page * size]]
    return json_reply(200, content, {"Link": ", ".join(links)} if links else {})


def _positive(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and int(text) > 0 else default


def _repository(tracker: Tracker, base: str) -> Record:
    owner, _, name = tracker.repository.partition("/")
    return {
        "id": zlib.crc32(tracker.repository.encode()),
        "node_id": node_id("R", tracker.repository),
        "name": name,
        "full_name": tracker.repository,
        "owner": {"login": owner},
        "private": False,
        "html_url": f"{SITE}/{tracker.repository}",
        "url": f"{base}/repos/{tracker.repository}",
        "has_issues": True,
    }


def _issue(item: Item, base: str) -> Record:
    tracker, record = item
    number = record["number"]
    prefix, path = ("PR", "pull") if item.is_pull else ("I", "issues")
    repository_url = f"{base}/repos/{tracker.repository}"
    url = f"{repository_url}/issues/{number}"
    issue = {
        "id": number,
        "body": None,
        "user": None,
        "labels": [],
        "state_reason": None,
        "html_url": f"{SITE}/{tracker.repository}/{path}/{number}",
        **record,
        "comments": len(tracker.corpus.comments.get(number, ())),
        "node_id": node_id(prefix, tracker.repository, number),
        "url": url,
        "repository_url": repository_url,
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
    }
    if item.is_pull:
        issue["pull_request"] = {"html_url": issue["html_url"], "merged_at": record["merged_at"]}
    return issue


def _comment(tracker: Tracker, comment: Record, base: str) -> Record:
    repository_url = f"{base}/repos/{tracker.repository}"
    return {
        "user": None,
        "body": None,
        **comment,
        "node_id": node_id("IC", tracker.repository, comment["id"]),
        "url": f"{repository_url}/issues/comments/{comment['id']}",
        "issue_url": f"{repository_url}/issues/{comment['issue_number']}",
    }


def _event(tracker: Tracker, event: Record, base: str) -> Record:
    closer = event.get("closer") or {}
    return {
        "actor": None,
        "commit_id": closer.get("oid"),
        **event,
        "node_id": node_id("TE", tracker.repository, event["id"]),
        "url": f"{base}/repos/{tracker.repository}/issues/events/{event['id']}",
    }
