"""GitHub's issue search, as far as a miner needs it: from the query's text to the issues found.

Source: https://docs.github.com/en/search-github/searching-on-github (qualifiers and dates).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import chain

from perf_assets.base.corpus import Record
from perf_assets.stand_ins.github.tracker import CREATED, Item, Tracker, between, with_any_label

# A search reports how many results there are but hands out the first thousand only.
LARGEST_RESULT = 1000
TERM_PATTERN = re.compile(r'(?P<name>[a-z]+):(?P<value>"[^"]*"|\S+)|\S+')
DATE_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}")
RANGE_PATTERN = re.compile(r"(?=.+\Z)(?P<sign>>=|<=|>|<)?(?P<first>.+?)(?:\.\.(?P<last>.+))?")
EARLIEST, LATEST = "0000", "9999-12-31T23:59:59Z"
SORTS: Mapping[str, Callable[[Item], tuple[object, ...]]] = {
    "created": lambda item: (item.record["created_at"], item.record["number"]),
    "updated": lambda item: (item.record["updated_at"], item.record["number"]),
    "comments": lambda item: (
        len(item.tracker.corpus.comments.get(item.record["number"], ())),
        item.record["number"],
    ),
}
REPEATABLE = ("repo", "is", "label")

Interval = tuple[str, str]


class SearchError(ValueError):
    """A search that this stand-in cannot answer as GitHub would."""


def search(trackers: Mapping[str, Tracker], query: str) -> list[Item]:
    """Return all that match ``query``, newest first unless it sorts; ``trackers`` by lower-case
    name.

    Raises
    ------
    SearchError
        Naming the term that is not understood.
    """
    terms = _terms(query)
    names = terms.pop("repo", None)
    chosen = (
        list(trackers.values())
        if names is None
        else [trackers[name.lower()] for name in dict.fromkeys(names) if name.lower() in trackers]
    )
    field, _, direction = terms.pop("sort", ["created-desc"])[0].partition("-")
    if field not in SORTS or direction not in ("", "asc", "desc"):
        raise SearchError(f"sort:{field}-{direction}")
    select = _selector(terms)
    found = [Item(tracker, record) for tracker in chosen for record in select(tracker)]
    if len(chosen) > 1 or field != "created":
        found.sort(key=SORTS[field])
    return found if direction == "asc" else found[::-1]


def _terms(query: str) -> dict[str, list[str]]:
    terms: dict[str, list[str]] = {}
    for match in TERM_PATTERN.finditer(query):
        name, value = match["name"], match["value"]
        if name is None or (name in terms and name not in REPEATABLE):
            raise SearchError(match[0])
        terms.setdefault("is" if name == "type" else name, []).append(value.strip('"'))
    return terms


def _selector(terms: dict[str, list[str]]) -> Callable[[Tracker], Iterable[Record]]:
    """Return the items that the qualifiers select from a tracker, oldest first."""
    kinds, states = _kinds_and_states(terms.pop("is", []) + terms.pop("state", []))
    created = interval(terms.pop("created", ["*..*"])[0])
    moments = [
        (f"{name}_at", interval(terms.pop(name)[0]))
        for name in ("updated", "closed")
        if name in terms
    ]
    labels = terms.pop("label", [])
    if terms:
        name, values = next(iter(terms.items()))
        raise SearchError(f"{name}:{values[0]}")

    def select(tracker: Tracker) -> Iterable[Record]:
        sources = [
            source
            for kind, source in (
                ("issue", tracker.issues_by_created),
                ("pr", tracker.pulls_by_created),
            )
            if kind in kinds
        ]
        windows = [between(source, CREATED, *created) for source in sources]
        records: Iterable[Record] = (
            windows[0] if len(windows) == 1 else sorted(chain(*windows), key=CREATED)
        )
        if states:
            records = [record for record in records if record["state"] in states]
        for key, (first, last) in moments:
            records = [record for record in records if first <= (record[key] or "") <= last]
        for label in labels:
            records = with_any_label(records, label.split(","))
        return records

    return select


def _kinds_and_states(values: list[str]) -> tuple[set[str], set[str]]:
    kinds = {value for value in values if value in ("issue", "pr")}
    states = {value for value in values if value in ("open", "closed")}
    for value in set(values) - kinds - states:
        raise SearchError(f"is:{value}")
    if len(kinds) > 1 or len(states) > 1:
        raise SearchError(" ".join(f"is:{value}" for value in values))
    return kinds or {"issue", "pr"}, states


def interval(text: str) -> Interval:
    """Return the closed interval of UTC seconds that a date qualifier means; a day counts whole.

    Raises
    ------
    SearchError
        ``text`` is not a date, a time or a range of them.
    """
    match = RANGE_PATTERN.fullmatch(text)
    if match is None or (match["sign"] and match["last"]):
        raise SearchError(text)
    first, last = _span(match["first"])
    match match["sign"]:
        case ">=":
            return first, LATEST
        case ">":
            return _shift(last, 1), LATEST
        case "<=":
            return EARLIEST, last
        case "<":
            return EARLIEST, _shift(first, -1)
    return first, _span(match["last"])[1] if match["last"] else last


def _span(text: str) -> Interval:
    """Return the first and the last second of a day, or a moment twice; ``*`` is all of time."""
    if text == "*":
        return EARLIEST, LATEST
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise SearchError(text) from None
    if DATE_PATTERN.fullmatch(text):
        return f"{text}T00:00:00Z", f"{text}T23:59:59Z"
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _write(moment), _write(moment)


def _shift(moment: str, seconds: int) -> str:
    if moment in (EARLIEST, LATEST):
        return moment
    return _write(datetime.fromisoformat(moment) + timedelta(seconds=seconds))


def _write(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
