"""Rows of a small history with bug reports, commits and links, for tests of the models of links."""

from typing import Any

from tests.rows import Row, commit, issue, label, link

OPENED, CLOSED = "2020-01-10T00:00:00Z", "2020-01-20T00:00:00Z"


def bugs(*numbers: int) -> dict[str, list[Row]]:
    """Closed bug reports of these numbers, and the decisions on them."""
    return {
        "raw.issues": [issue(number, OPENED, CLOSED) for number in numbers],
        "labels.performance_labels": [label(number) for number in numbers],
    }


def through(number: int, name: str, pull: int, approach: str = "pull_request") -> Row:
    """A link that a pull request made."""
    return link(number, name, approach) | {"pull_request": pull}


def done(name: str, at: str = "2020-01-15T00:00:00Z", **changes: Any) -> Row:
    """A commit between the opening and the closing of the reports."""
    return commit(name, at, 1, 0, **changes)
