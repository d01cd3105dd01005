"""A site from its dump, in the shape in which the API answers."""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import shortened

Item = dict[str, Any]

# Source: the API's own words for the codes of reasons that a dump has.
REASONS = {
    "101": "Duplicate",
    "102": "Not suitable for this site",
    "103": "Needs details or clarity",
    "104": "Needs more focus",
    "105": "Opinion-based",
}


@dataclass
class Site:
    """Questions and answers by number, each with all that the API can tell of it."""

    questions: dict[int, Item] = field(default_factory=dict)
    answers: dict[int, Item] = field(default_factory=dict)

    @property
    def tags(self) -> set[str]:
        """Every tag that a question has."""
        return {tag for question in self.questions.values() for tag in question["tags"]}


def read_site(folder: Path) -> Site:
    """Return the site in ``folder``: Posts.xml, with links, history and comments if present.

    Raises
    ------
    PerfAssetsError
        A file cannot be read, is not XML, or has a row without a required value.
    """
    try:
        return _read(folder)
    except (OSError, ElementTree.ParseError, LookupError, ValueError, OverflowError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise PerfAssetsError(
            f"{folder}: not a dump of a site that can be served: {shortened(reason, 200)}"
        ) from None


def _read(folder: Path) -> Site:
    site = Site()
    for row in _rows(folder / "Posts.xml"):
        if row["PostTypeId"] == "1":
            site.questions[int(row["Id"])] = _question(row)
        elif row["PostTypeId"] == "2":
            site.answers[int(row["Id"])] = _answer(row)
    for row in _rows(folder / "PostHistory.xml"):
        question = site.questions.get(int(row["PostId"]))
        if row["PostHistoryTypeId"] == "10" and question is not None and "closed_date" in question:
            question["closed_reason"] = REASONS.get(row["Comment"], row["Comment"])
    for row in _rows(folder / "PostLinks.xml"):
        question = site.questions.get(int(row["PostId"]))
        if row["LinkTypeId"] == "3" and question is not None:
            details = question.setdefault("closed_details", {"original_questions": []})
            details["original_questions"].append({"question_id": int(row["RelatedPostId"])})
    for row in _rows(folder / "Comments.xml"):
        number = int(row["PostId"])
        post = site.questions.get(number) or site.answers.get(number)
        if post is not None:
            post.setdefault("comments", []).append(_comment(row))
    return site


def _rows(path: Path) -> Iterator[Mapping[str, str]]:
    if not path.exists():
        return
    for _, element in ElementTree.iterparse(path):
        if element.tag == "row":
            yield dict(element.attrib)
            element.clear()


def _question(row: Mapping[str, str]) -> Item:
    item = {
        "question_id": int(row["Id"]),
        "tags": re.findall(r"[^<>|]+", row["Tags"]),
        "title": html.escape(row["Title"], quote=True),
        "body": row["Body"],
        "creation_date": _seconds(row["CreationDate"]),
        "last_activity_date": _seconds(row["LastActivityDate"]),
        **_votes(row),
    }
    for name, key in (("ViewCount", "view_count"), ("AnswerCount", "answer_count")):
        if name in row:
            item[key] = int(row[name])
    if "AcceptedAnswerId" in row:
        item["accepted_answer_id"] = int(row["AcceptedAnswerId"])
    if "ClosedDate" in row:
        item["closed_date"] = _seconds(row["ClosedDate"])
    return item


def _answer(row: Mapping[str, str]) -> Item:
    return {
        "answer_id": int(row["Id"]),
        "question_id": int(row["ParentId"]),
        "body": row["Body"],
        "creation_date": _seconds(row["CreationDate"]),
        **_votes(row),
    }


def _comment(row: Mapping[str, str]) -> Item:
    return {
        "comment_id": int(row["Id"]),
        "post_id": int(row["PostId"]),
        "body_markdown": html.escape(row["Text"], quote=True),
        "creation_date": _seconds(row["CreationDate"]),
        **_votes(row, "UserId", "UserDisplayName"),
    }


def _votes(
    row: Mapping[str, str], number: str = "OwnerUserId", name: str = "OwnerDisplayName"
) -> Item:
    owner: Item = {"display_name": html.escape(row.get(name, "somebody"), quote=True)}
    if number in row:
        owner["user_id"] = int(row[number])
    elif name not in row:
        owner = {}
    return {"score": int(row["Score"]), **({"owner": owner} if owner else {})}


def _seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
