"""A folder of answers of Discourse, read as its client reads the forum: no request is sent.

Files are found by what is in them: the answers of /t/ID.json and /t/ID/posts.json, of any page, and
of /categories.json or /site.json, under whatever names.
"""

import hashlib
import logging
import os
import stat
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar
from urllib.parse import unquote

from pydantic import BaseModel, ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.sources.discourse.shapes import (
    Categories,
    Category,
    FurtherPosts,
    KeptTopic,
    ListedTopic,
    Post,
    SiteCategories,
)
from perf_assets.sources.json_answers import read_json
from perf_assets.sources.json_client import Parameters, readable, reason_of

log = logging.getLogger(__name__)

MOST_BYTES = 100_000_000  # of a file; a topic of 10,000 posts has a third of it
DEEPEST = 10  # categories in each other; Discourse allows three
Shape = TypeVar("Shape", bound=BaseModel)
_Rank: TypeAlias = tuple[bool, datetime, int]
_Latest: TypeAlias = tuple[_Rank, ListedTopic | None]


class _Content(NamedTuple):
    """The files of a folder.

    topics : those that lists of the forum would show, by number.
    files : of each topic those that have posts of it, the latest answer last.
    categories : by number; None if no file has them.
    digest : of all names and bytes.
    """

    topics: dict[int, ListedTopic]
    files: dict[int, list[Path]]
    categories: dict[int, Category] | None
    digest: str


class FolderClient:
    """Answers from the folder at ``path`` as the forum answers a DiscourseClient.

    requests : none is sent.
    lacking : posts that topics name and no file has, of those topics that were read.
    """

    requests = 0

    def __init__(self, path: Path) -> None:
        """Prepare the client; no file is read."""
        self.path = path
        self.url = str(path)
        self.lacking = 0
        self._lists: dict[tuple[str, str], list[ListedTopic]] = {}

    @property
    def digest(self) -> str:
        """Return a fingerprint of all files."""
        return self._content.digest

    @property
    def topics(self) -> int:
        """Return the number of topics."""
        return len(self._content.topics)

    @property
    def newest_at(self) -> datetime:
        """Return the time of the last activity in any topic."""
        return max(topic.active_at for topic in self._content.topics.values())

    @property
    def has_categories(self) -> bool:
        """Return whether a file has the categories."""
        return self._content.categories is not None

    def close(self) -> None:
        """Report the posts that were missing."""
        if self.lacking:
            log.warning(
                "%s: the topics that were read name %d posts that no file has; add the answers of "
                "/t/ID/posts.json",
                *(self.url, self.lacking),
            )

    def read(self, path: str, shape: type[Shape], parameters: Parameters) -> Shape | None:
        """Return what the forum would have at ``path``; None if the folder does not have it.

        Raises
        ------
        PerfAssetsError
            The folder cannot be read, or has no topic: one sentence.
        """
        answer: dict[str, Any] | None = None
        match path.split("/"):
            case ["categories.json"]:
                answer = self._categories()
            case ["t", name]:
                answer = self._topic(int(name.removesuffix(".json")))
            case ["t", _, "posts.json"]:
                # A topic has all posts of the folder, so these are in no file.
                numbers = parameters["post_ids[]"]
                self.lacking += len(numbers) if isinstance(numbers, list) else 1
            case _:
                answer = self._page(path, parameters)
        return None if answer is None else shape.model_validate(answer)

    @cached_property
    def _content(self) -> _Content:
        return _read(self.path)

    def _page(self, path: str, parameters: Parameters) -> dict[str, Any] | None:
        """Return a page of a list of topics; None of a list without any, as of an unknown tag."""
        order = str(parameters["order"])
        if (path, order) not in self._lists:
            self._lists[path, order] = sorted(
                self._chosen(path),
                key=lambda one: (one.created_at if order == "created" else one.active_at, one.id),
                reverse=True,
            )
        topics = self._lists[path, order]
        if not topics:
            return None
        size = int(str(parameters["per_page"]))
        start = int(str(parameters["page"])) * size
        more = "more" if start + size < len(topics) else None
        return {"topic_list": {"topics": topics[start : start + size], "more_topics_url": more}}

    def _chosen(self, path: str) -> list[ListedTopic]:
        """Return the topics of a list in any order."""
        topics = self._content.topics.values()
        match [unquote(part) for part in path.split("/")]:
            case ["tag", tag, *_]:
                return [topic for topic in topics if tag in topic.names]
            case ["c", *_, number, "l", _]:
                return [topic for topic in topics if int(number) in self._above(topic)]
        return list(topics)

    def _topic(self, number: int) -> dict[str, Any] | None:
        """Return a topic with its posts, also those of other files that its stream names."""
        topic: KeptTopic | None = None
        posts: dict[int, Post] = {}
        own: dict[int, Post] = {}
        for path in self._content.files.get(number, []):
            try:
                answer = _understood(_parsed(_bytes_of(path)))
            except (OSError, ValueError) as error:
                _leave_out(path, error)  # It has changed since the folder was listed.
                continue
            if isinstance(answer, FurtherPosts | KeptTopic):
                rows = answer.post_stream.posts
                own = {post.id: post for post in readable(str(path), rows, Post)}
                posts |= own
            if isinstance(answer, KeptTopic):
                topic = answer  # the last one is the latest
        if topic is None:
            return None
        stream = topic.post_stream.stream
        named = {*stream, *own} if stream else posts.keys()
        kept = [post for post in posts.values() if post.id in named]
        return {**dict(topic), "post_stream": {"stream": stream, "posts": kept}}

    def _categories(self) -> dict[str, Any] | None:
        """Return the categories, each with those in it."""
        known = self._content.categories
        if known is None:
            return None
        inside: dict[int | None, list[Category]] = {}
        for category in known.values():
            parent = category.parent_category_id
            inside.setdefault(parent if parent in known else None, []).append(category)

        def below(parent: int | None, depth: int) -> list[dict[str, Any]]:
            found = inside.get(parent, []) if depth < DEEPEST else []
            return [
                {"id": one.id, "slug": one.slug, "subcategory_list": below(one.id, depth + 1)}
                for one in found
            ]

        return {"category_list": {"categories": below(None, 0)}}

    def _above(self, topic: ListedTopic) -> set[int]:
        """Return the category of a topic and those that it is in."""
        known = self._content.categories or {}
        number, found = topic.category_id, set[int]()
        while number is not None and number not in found:
            found.add(number)
            number = known[number].parent_category_id if number in known else None
        return found


def _read(folder: Path) -> _Content:
    """Return what is in ``folder``; a file that is not as documented is left out with a warning."""
    digest = hashlib.sha256()
    latest: dict[int, _Latest] = {}
    files: dict[int, list[tuple[_Rank, Path]]] = {}
    categories: list[Category] | None = None
    for path in _files(folder):
        try:
            content = _bytes_of(path)
            digest.update(repr((os.fsencode(path.relative_to(folder)), len(content))).encode())
            digest.update(content)
            answer = _understood(_parsed(content))
        except (OSError, ValueError) as error:
            _leave_out(path, error)
            continue
        if isinstance(answer, Categories | SiteCategories):
            categories = [*(categories or ()), *_flat(str(path), _rows_of(answer))]
            continue
        rank = answer.rank
        files.setdefault(answer.id, []).append((rank, path))
        known = latest.get(answer.id)
        if isinstance(answer, KeptTopic) and (known is None or rank >= known[0]):
            latest[answer.id] = (rank, answer.listed)
    topics = {number: topic for number, (_, topic) in latest.items() if topic is not None}
    if not topics:
        raise PerfAssetsError(
            f"{folder}: no file of this dump of Discourse is the answer of /t/ID.json on a "
            "topic that is listed: name the folder of these answers"
        )
    if lost := len(files.keys() - latest.keys()):
        log.warning("%s: left out posts of %d topics that no file has", folder, lost)
    return _Content(
        topics,
        {
            number: [path for _, path in sorted(found, key=lambda pair: pair[0])]
            for number, found in files.items()
        },
        None if categories is None else {one.id: one for one in categories},
        digest.hexdigest(),
    )


def _files(folder: Path) -> Iterator[Path]:
    """Yield the JSON files in ``folder`` and below in the order of their names."""

    def fail(error: OSError) -> None:
        raise PerfAssetsError(
            f"{folder}: this dump cannot be read ({error.strerror or error}); name a folder of "
            "answers of /t/ID.json"
        ) from None

    for place, folders, names in os.walk(folder, onerror=fail):  # Links are not followed.
        folders.sort()
        yield from (Path(place, name) for name in sorted(names) if name.endswith(".json"))


def _bytes_of(path: Path) -> bytes:
    """Return what is in a file; ValueError of a link, or of one that is too large."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("only files are read, and links are not followed")
    if status.st_size > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    return path.read_bytes()


def _parsed(content: bytes) -> object:
    return read_json(content.decode("utf-8-sig", "replace"))


def _understood(content: object) -> KeptTopic | FurtherPosts | Categories | SiteCategories:
    """Return an answer by what it has; ValueError of one that is not known or as documented."""
    keys = content.keys() if isinstance(content, dict) else ()
    if "post_stream" in keys:
        return (KeptTopic if "title" in keys else FurtherPosts).model_validate(content)
    if "category_list" in keys:
        return Categories.model_validate(content)
    if "categories" in keys:
        return SiteCategories.model_validate(content)
    raise ValueError("it has neither a topic with posts nor categories")


def _rows_of(answer: Categories | SiteCategories) -> list[Any]:
    return answer.category_list.categories if isinstance(answer, Categories) else answer.categories


def _flat(
    place: str, rows: Sequence[Any], parent: int | None = None, depth: int = 0
) -> Iterator[Category]:
    """Yield categories and those in them, each with the number of the one that it is in."""
    for row in readable(place, rows, Category):
        yield row if parent is None else row.model_copy(update={"parent_category_id": parent})
        if depth < DEEPEST:
            yield from _flat(place, row.subcategory_list or (), row.id, depth + 1)


def _leave_out(path: Path, error: Exception) -> None:
    why = reason_of(error) if isinstance(error, ValidationError) else shortened(error, 200)
    if isinstance(error, OSError):
        why = error.strerror or why
    log.warning("%s: left out: %s", escape_text(path), why)
