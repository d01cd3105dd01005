"""The comments and the history of bugs: those that an answer has, and requests for the others."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from perf_assets.sources.bugzilla.client import BugzillaClient
from perf_assets.sources.bugzilla.shapes import COMMENT_FIELDS, entries
from perf_assets.sources.json_client import Parameters
from perf_assets.sources.rest_client import MissingError

What = Literal["comments", "history"]
Lists = dict[int, list[Any]]

PATHS: dict[What, str] = {"comments": "comment", "history": "history"}
TRIES = 3


def lists_of(
    client: BugzillaClient, what: What, bugs: Mapping[int, Mapping[str, Any]], gone: set[int]
) -> Lists:
    """Return a list of each bug by its number: in ``bugs`` as they were answered, or requested.

    An answer that lacks a list is requested again, and then it is lacking here.

    gone : gets the bugs that are not public any more.
    """
    lists: Lists = {
        number: bug[what] for number, bug in bugs.items() if isinstance(bug.get(what), list)
    }
    for _ in range(TRIES):
        lacking = [number for number in bugs if number not in lists and number not in gone]
        if lacking:
            lists |= _request(client, what, lacking, gone)
    return lists


def _request(client: BugzillaClient, what: What, numbers: Sequence[int], gone: set[int]) -> Lists:
    """Return the lists of these bugs; one that is not public fails the request for all."""
    first, *others = numbers
    parameters: Parameters = {"ids": others} if others else {}
    if what == "comments":
        parameters = {**parameters, "include_fields": ",".join(COMMENT_FIELDS)}
    try:
        found = client.ask(f"bug/{first}/{PATHS[what]}", parameters, READERS[what])
    except MissingError:
        if not others:
            gone.add(first)
            return {}
        middle = len(numbers) // 2
        halves = (numbers[:middle], numbers[middle:])
        return {
            number: found
            for half in halves
            for number, found in _request(client, what, half, gone).items()
        }
    return {number: found[number] for number in numbers if number in found}


def _comments(content: object) -> Lists:
    bugs = content.get("bugs") if isinstance(content, dict) else None
    if not isinstance(bugs, dict):
        raise ValueError("the answer has no comments by bug")
    return {
        int(number): bug["comments"]
        for number, bug in bugs.items()
        if number.isdecimal() and isinstance(bug, dict) and isinstance(bug.get("comments"), list)
    }


def _history(content: object) -> Lists:
    return {
        bug["id"]: bug["history"]
        for bug in entries(content, "bugs")
        if isinstance(bug, dict)
        and isinstance(bug.get("id"), int)
        and isinstance(bug.get("history"), list)
    }


READERS = {"comments": _comments, "history": _history}
