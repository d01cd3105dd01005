"""GraphQL connections: one page of a sorted list, with cursors that survive changes of the list."""

import base64
import binascii
import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLError

from perf_assets.stand_ins.github.graphql_views import View
from perf_assets.stand_ins.github.search import LARGEST_RESULT
from perf_assets.stand_ins.github.tracker import Item

Key = Callable[[Any], Any]


def connection(
    records: Sequence[Any],
    key: Key,
    view: Callable[[Any], View],
    first: int | None,
    after: str | None,
    *,
    is_descending: bool = False,
) -> View:
    """Return the page of ``records``, sorted ascending by the unique ``key``, that follows
    ``after``.

    A cursor holds the key of its record, so records that come or go in between shift nothing.
    Without ``first`` the connection only counts.
    """
    cursor = None if after is None else _read(after)
    try:
        if is_descending:
            end = len(records) if cursor is None else bisect_left(records, cursor, key=key)
            start = max(0, end - (first or 0))
            page, left, before = records[start:end][::-1], start, len(records) - end
        else:
            start = 0 if cursor is None else bisect_right(records, cursor, key=key)
            page = records[start : start + (first or 0)]
            left, before = len(records) - start - len(page), start
    except TypeError:
        raise _invalid(str(after)) from None
    return _connection(page, [key(record) for record in page], view, len(records), left, before)


def search_connection(
    items: Sequence[Item], view: Callable[[Any], View], first: int | None, after: str | None
) -> View:
    """Return a page of search results: cursors count positions, and the list ends at a thousand."""
    cursor = None if after is None else _read(after)
    start = 0 if cursor is None else cursor[0]
    if not isinstance(start, int) or start < 0:
        raise _invalid(str(after))
    reachable = min(len(items), LARGEST_RESULT)
    end = min(start + (first or 0), reachable)
    keys = [(position,) for position in range(start + 1, end + 1)]
    page = _connection(items[start:end], keys, view, len(items), reachable - end, start)
    return {**page, "issueCount": len(items)}


def edges(page: View) -> list[View]:
    """Return the nodes of a connection, each with its cursor."""
    return [
        {"cursor": _write(key), "node": node}
        for key, node in zip(page["_keys"], page["nodes"], strict=True)
    ]


def _connection(
    page: Sequence[Any],
    keys: Sequence[Any],
    view: Callable[[Any], View],
    total: int,
    left: int,
    before: int,
) -> View:
    return {
        "totalCount": total,
        "nodes": [view(record) for record in page],
        "_keys": keys,
        "pageInfo": {
            "hasNextPage": left > 0,
            "hasPreviousPage": before > 0,
            "startCursor": _write(keys[0]) if keys else None,
            "endCursor": _write(keys[-1]) if keys else None,
        },
    }


def _write(key: object) -> str:
    return base64.b64encode(json.dumps(key).encode()).decode()


def _read(cursor: str) -> tuple[Any, ...]:
    try:
        key = json.loads(base64.b64decode(cursor, validate=True))
    except (binascii.Error, ValueError):
        raise _invalid(cursor) from None
    if not isinstance(key, list) or not key:
        raise _invalid(cursor)
    return tuple(key)


def _invalid(cursor: str) -> GraphQLError:
    return GraphQLError(
        f"`{cursor}` does not appear to be a valid cursor.",
        extensions={"type": "INVALID_CURSOR_ARGUMENTS"},
    )
