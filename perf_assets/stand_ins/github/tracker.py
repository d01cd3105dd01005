"""One served repository: the corpus with its time indexes, and stable opaque ids for its nodes."""

import base64
import binascii
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from perf_assets.base.corpus import Corpus, Record

CREATED = itemgetter("created_at", "number")
UPDATED = itemgetter("updated_at", "number")
HAPPENED = itemgetter("created_at", "id")

# The timeline events served, by their name in REST: type and itemTypes value in GraphQL.
TIMELINE_TYPES = {
    "closed": ("ClosedEvent", "CLOSED_EVENT"),
    "reopened": ("ReopenedEvent", "REOPENED_EVENT"),
    "labeled": ("LabeledEvent", "LABELED_EVENT"),
    "unlabeled": ("UnlabeledEvent", "UNLABELED_EVENT"),
    "renamed": ("RenamedTitleEvent", "RENAMED_TITLE_EVENT"),
    "transferred": ("TransferredEvent", "TRANSFERRED_EVENT"),
    "marked_as_duplicate": ("MarkedAsDuplicateEvent", "MARKED_AS_DUPLICATE_EVENT"),
    "unmarked_as_duplicate": ("UnmarkedAsDuplicateEvent", "UNMARKED_AS_DUPLICATE_EVENT"),
}
COMMENT_ITEM = "ISSUE_COMMENT"


class Item(NamedTuple):
    """An issue or pull request, and the tracker it lives in."""

    tracker: "Tracker"
    record: Record

    @property
    def is_pull(self) -> bool:
        """Return whether it is a pull request."""
        return self.record["number"] in self.tracker.corpus.pulls


class Tracker:
    """A corpus ready for queries; it never changes."""

    def __init__(self, corpus: Corpus) -> None:
        """Build the indexes of ``corpus``."""
        self.corpus = corpus
        self.repository = corpus.repository
        self.issues_by_created = sorted(corpus.issues.values(), key=CREATED)
        self.issues_by_updated = sorted(corpus.issues.values(), key=UPDATED)
        self.pulls_by_created = sorted(corpus.pulls.values(), key=CREATED)

    @cached_property
    def everything_by_created(self) -> list[Record]:
        """Issues and pull requests together, as REST lists them."""
        return sorted([*self.issues_by_created, *self.pulls_by_created], key=CREATED)

    @cached_property
    def comments_by_id(self) -> dict[int, Record]:
        """Every comment by its id."""
        return _by_id(self.corpus.comments.values())

    @cached_property
    def events_by_id(self) -> dict[int, Record]:
        """Every event by its id."""
        return _by_id(self.corpus.events.values())

    @cached_property
    def linked_pulls(self) -> dict[int, set[int]]:
        """The numbers of the pull requests that are linked to an issue as closing it."""
        linked: dict[int, set[int]] = {}
        for number, pull in self.corpus.pulls.items():
            for issue in pull.get("closes") or ():
                linked.setdefault(issue, set()).add(number)
        return linked

    def timeline(self, number: int, item_types: Sequence[str] | None, since: str) -> list[Record]:
        """Return timeline items from ``since`` on, oldest first: events and comments."""
        types = None if item_types is None else set(item_types)
        items = [
            event
            for event in self.corpus.events.get(number, ())
            if event["event"] in TIMELINE_TYPES
            and (types is None or TIMELINE_TYPES[event["event"]][1] in types)
        ]
        if types is None or COMMENT_ITEM in types:
            items += self.corpus.comments.get(number, ())
            items.sort(key=HAPPENED)
        return items[bisect_left(items, since, key=itemgetter("created_at")) :]

    def closing_pulls(self, number: int) -> list[Record]:
        """Return the repository's own pull requests that closed an issue or say so, in their
        order.
        """
        closers = (event.get("closer") or {} for event in self.corpus.events.get(number, ()))
        numbers = {
            closer["number"]
            for closer in closers
            if closer.get("type") == "pull_request"
            and (closer.get("repository") or self.repository) == self.repository
        } | self.linked_pulls.get(number, set())
        return [self.corpus.pulls[key] for key in sorted(numbers) if key in self.corpus.pulls]


def _by_id(groups: Iterable[Iterable[Record]]) -> dict[int, Record]:
    return {record["id"]: record for group in groups for record in group}


def between(
    records: list[Record], key: "itemgetter[Any]", first: str, last: str
) -> Sequence[Record]:
    """Return the ``records``, sorted by ``key``, whose time is in the closed interval."""
    start = bisect_left(records, (first,), key=key)
    end = bisect_right(records, (last, float("inf")), key=key)
    return records if end - start == len(records) else records[start:end]


def with_any_label(records: Iterable[Record], names: Sequence[str]) -> list[Record]:
    """Return the records that carry one of the labels, in whatever case."""
    selected = {name.lower() for name in names}
    return [
        record
        for record in records
        if not selected.isdisjoint(label["name"].lower() for label in record.get("labels") or ())
    ]


def node_id(prefix: str, repository: str, key: object = "") -> str:
    """Return the opaque id of a node: the same for the same thing in every process."""
    text = base64.urlsafe_b64encode(f"{repository}#{key}".encode()).decode().rstrip("=")
    return f"{prefix}_{text}"


def parse_node_id(text: str) -> tuple[str, str, str] | None:
    """Return prefix, repository and key of an id made by ``node_id``; None for other ids."""
    prefix, _, packed = text.partition("_")
    try:
        plain = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
    except (binascii.Error, ValueError):
        return None
    repository, mark, key = plain.partition("#")
    return (prefix, repository, key) if mark else None
