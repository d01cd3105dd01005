"""The server: lists of discussions with their comments and replies, by GraphQL."""

import html
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from graphql import build_schema, graphql_sync

from perf_assets.stand_ins.discussions.schema import SCHEMA
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply, json_reply
from perf_assets.stand_ins.stackexchange.site import Item, Site

REPOSITORY = "sample-lab/tensorkit"
LARGEST_PAGE = 100
QUESTIONS = {"id": "C1", "slug": "q-a", "isAnswerable": True}
GPU = {"id": "C2", "slug": "gpu", "isAnswerable": True}
IDEAS = {"id": "C3", "slug": "ideas", "isAnswerable": False}
"""The categories: questions with the tag gpu are in the second, none are in the third."""
ORDERS = {"CREATED_AT": "creation_date", "UPDATED_AT": "last_activity_date"}
NOTHING = {"repository": None}
NOT_FOUND = {
    "type": "NOT_FOUND",
    "path": ["repository"],
    "message": "Could not resolve to a Repository with this name.",
}
_SCHEMA = build_schema(SCHEMA)


@dataclass(frozen=True)
class Request:
    """A line of the server's log."""

    query: str
    status: int = 200


class DiscussionServer(LoopbackServer):
    """Serves ``site`` as discussions of a repository; ``requests`` is the log, oldest first.

    largest : how many entries a page of a list has at most.
    """

    def __init__(self, site: Site, port: int = 0, *, largest: int = LARGEST_PAGE) -> None:
        """Prepare the server without listening."""
        super().__init__(port)
        self.site = site
        self.requests: list[Request] = []
        self._largest = largest
        self._lock = threading.Lock()

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        """Return the reply to a request, which is logged."""
        with self._lock:
            reply, log = self.respond(Request(target), body)
            self.requests.append(replace(log, status=reply.status))
        return reply

    def respond(self, log: Request, body: bytes) -> tuple[Reply, Request]:
        """Return the reply to a request, and its line of the log."""
        if log.query.strip("/") not in {"graphql", "api/graphql"}:
            return json_reply(404, {"message": "Not Found"}), log
        content = json.loads(body)
        root = {
            "rateLimit": {"cost": 1, "remaining": 5000, "resetAt": _moment(0)},
            "repository": self._repository,
            "node": lambda _, id: self._node(id),
        }
        found = graphql_sync(
            _SCHEMA, content["query"], root, variable_values=content.get("variables")
        )
        refused = {"errors": [NOT_FOUND]} if found.data == {**(found.data or {}), **NOTHING} else {}
        return json_reply(200, {**found.formatted, **refused}), log

    def _repository(self, _: object, owner: str, name: str) -> dict[str, Any] | None:
        if f"{owner}/{name}" != REPOSITORY:
            return None
        labels = self.site.tags
        return {
            "label": lambda _, name: {"name": name} if name in labels else None,
            "discussionCategories": self._list([QUESTIONS, GPU, IDEAS]),
            "discussions": self._discussions,
        }

    def _discussions(
        self,
        _: object,
        first: int,
        orderBy: dict[str, str],  # noqa: N803
        categoryId: str | None = None,  # noqa: N803
        after: str | None = None,
    ) -> dict[str, Any]:
        key = ORDERS[orderBy["field"]]
        found = [
            question
            for question in self.site.questions.values()
            if categoryId in {None, _category(question)["id"]}
        ]
        found.sort(key=lambda question: (question[key], question["question_id"]), reverse=True)
        page = self._list(found)(None, first, after)
        return {**page, "nodes": [self._discussion(question) for question in page["nodes"]]}

    def _node(self, number: str) -> dict[str, Any] | None:
        if number.startswith("D_"):
            question = self.site.questions.get(int(number[2:]))
            return None if question is None else self._discussion(question)
        answer = self.site.answers.get(int(number[3:]))
        return None if answer is None else self._comment(answer)

    def _discussion(self, question: Item) -> dict[str, Any]:
        number = question["question_id"]
        answers = [a for a in self.site.answers.values() if a["question_id"] == number]
        accepted = self.site.answers.get(question.get("accepted_answer_id") or 0)
        labels = [{"name": tag} for tag in question["tags"]]
        return {
            **_post(question, f"D_{number}", number, "Discussion"),
            "number": number,
            "title": html.unescape(question["title"]),
            "bodyHTML": question["body"],
            "updatedAt": _moment(question["last_activity_date"]),
            "closedAt": _moment(question["closed_date"]) if "closed_date" in question else None,
            "stateReason": "RESOLVED" if "closed_date" in question else None,
            "category": _category(question),
            "answer": None if accepted is None else self._comment(accepted),
            "labels": {"nodes": labels},
            "comments": self._list([self._comment(answer) for answer in answers]),
        }

    def _comment(self, answer: Item) -> dict[str, Any]:
        replies = [
            {
                **_post(reply, f"DR_{reply['comment_id']}", reply["comment_id"]),
                "body": html.unescape(reply["body_markdown"]),
            }
            for reply in answer.get("comments", [])
        ]
        number = answer["answer_id"]
        return {
            **_post(answer, f"DC_{number}", number),
            "bodyHTML": answer["body"],
            "replies": self._list(replies),
        }

    def _list(self, items: Sequence[dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        def page(_: object, first: int, after: str | None = None) -> dict[str, Any]:
            start = int(after or 0)
            end = start + min(first, self._largest)
            info = {"hasNextPage": end < len(items), "endCursor": str(end)}
            return {"nodes": items[start:end], "pageInfo": info, "totalCount": len(items)}

        return page


def _post(item: Item, key: str, number: int, kind: str = "DiscussionComment") -> dict[str, Any]:
    return {
        "__typename": kind,
        "id": key,
        "databaseId": number,
        "author": _author(item.get("owner")),
        "createdAt": _moment(item["creation_date"]),
        "deletedAt": None,
        "upvoteCount": max(0, item["score"]),
    }


def _category(question: Item) -> dict[str, Any]:
    return GPU if "gpu" in question["tags"] else QUESTIONS


def _author(owner: Item | None) -> dict[str, Any] | None:
    if owner is None:
        return None
    name = html.unescape(owner["display_name"])
    if "user_id" not in owner:
        return {"__typename": "Mannequin", "login": name}
    return {"__typename": "User", "login": name, "databaseId": owner["user_id"]}


def _moment(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
