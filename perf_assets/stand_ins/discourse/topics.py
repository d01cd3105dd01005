"""A site in the shape of Stack Exchange, as Discourse describes it: topics and their posts."""

import html
from datetime import UTC, datetime
from typing import Any

from perf_assets.stand_ins.stackexchange.site import Item, Site

CATEGORIES = ({"id": 1, "slug": "usage"}, {"id": 2, "slug": "gpu", "parent_category_id": 1})
"""Every question is in one of these: with the tag gpu in the second, which is in the first."""
FIRST_ACTION = 10**12  # numbers of posts that Discourse itself writes begin here


def topic_in_list(site: Site, question: Item) -> Item:
    """Return a question as lists of topics have it."""
    return {
        **_common(question),
        "bumped": True,
        "bumped_at": _last_posted_at(site, question),
        "pinned": False,
        "posts_count": 1 + len(_answers(site, question)),
        "archetype": "regular",
        "has_accepted_answer": "accepted_answer_id" in question,
    }


def topic_page(site: Site, question: Item, chunk: int) -> Item:
    """Return a question as its page has it, with the first ``chunk`` posts."""
    posts = posts_of(site, question)
    accepted = [post for post in posts if post["accepted_answer"]]
    solution = {"accepted_answer": {"post_number": accepted[0]["post_number"]}} if accepted else {}
    stream = {"posts": posts[:chunk], "stream": [post["id"] for post in posts]}
    last = {"last_posted_at": _last_posted_at(site, question), "chunk_size": chunk}
    return {**_common(question), **solution, **last, "post_stream": stream}


def posts_of(site: Site, question: Item) -> list[Item]:
    """Return all posts of a question, and the note of its closing, in their order."""
    written = [
        (question["question_id"], question),
        *((a["answer_id"], a) for a in _answers(site, question)),
    ]
    posts = [_post(number, item, question) for number, item in written]
    if "closed_date" in question:
        action = {"creation_date": question["closed_date"], "body": "", "score": 0}
        number = FIRST_ACTION + question["question_id"]
        note = {**_post(number, action, question), "post_type": 3, "action_code": "closed.enabled"}
        posts.append(note)
    posts.sort(key=lambda post: (post["id"] != question["question_id"], post["created_at"]))
    return [{**post, "post_number": index} for index, post in enumerate(posts, 1)]


def _answers(site: Site, question: Item) -> list[Item]:
    return [a for a in site.answers.values() if a["question_id"] == question["question_id"]]


def _last_posted_at(site: Site, question: Item) -> str:
    answered = [answer["creation_date"] for answer in _answers(site, question)]
    return _moment(max([question["creation_date"], *answered]))


def _common(question: Item) -> Item:
    return {
        "id": question["question_id"],
        "title": html.unescape(question["title"]),
        "fancy_title": question["title"],
        "created_at": _moment(question["creation_date"]),
        "views": question.get("view_count", 0),
        "closed": "closed_date" in question,
        "archived": False,
        "visible": True,
        # Older versions write names alone, newer ones objects.
        "tags": [
            {"id": 1, "name": tag, "slug": tag} if question["question_id"] % 2 else tag
            for tag in question["tags"]
        ],
        "category_id": category_of(question),
    }


def category_of(question: Item) -> int:
    """Return the number of the category of a question."""
    return 2 if "gpu" in question["tags"] else 1


def _post(number: int, item: Item, question: Item) -> dict[str, Any]:
    owner = item.get("owner", {})
    likes = [{"id": 2, "count": item["score"]}] if item["score"] > 0 else []
    return {
        "id": number,
        "user_id": owner.get("user_id"),
        "username": html.unescape(owner["display_name"]) if owner else None,
        "created_at": _moment(item["creation_date"]),
        "cooked": item["body"],
        "post_type": 1,
        "topic_id": question["question_id"],
        "actions_summary": likes,
        "accepted_answer": number == question.get("accepted_answer_id"),
        "user_deleted": False,
        "deleted_at": None,
    }


def _moment(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.000Z"
