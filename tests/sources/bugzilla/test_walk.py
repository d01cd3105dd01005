"""A list of bugs is read whole, whatever moments its bugs share and however short its pages are."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from perf_assets.sources.bugzilla.client import Filter
from perf_assets.sources.bugzilla.walk import Entry, walk, written
from perf_assets.sources.json_client import Parameters

START = datetime(2021, 1, 1, tzinfo=UTC)

Bugs = dict[int, str]


def served(bugs: Bugs) -> Callable[..., list[Entry]]:
    """Answer as a search does, in the order of the last change."""

    def ask(parameters: Parameters, more: list[Filter], read: Callable[[Any], Any]) -> list[Entry]:
        after = int(more[0][2]) if more else 0
        since = str(parameters["last_change_time"])
        found = sorted(
            (at, number) for number, at in bugs.items() if at >= since and number > after
        )
        return read(  # type: ignore[no-any-return]
            {
                "bugs": [
                    {"id": number, "creation_time": written(START), "last_change_time": at}
                    for at, number in found[: int(str(parameters["limit"]))]
                ]
            }
        )

    return ask


@given(
    seconds=st.lists(st.integers(0, 6), max_size=30),
    size=st.integers(1, 7),
    since=st.integers(0, 7),
)
def test_each_bug_is_read_once(seconds: list[int], size: int, since: int) -> None:
    bugs = {
        number: written(START + timedelta(seconds=second))
        for number, second in enumerate(seconds, 1)
    }
    begin = START + timedelta(seconds=since)
    pages = walk(served(bugs), "last_change_time", begin, size)
    read = [entry["id"] for page in pages for entry, _ in page if entry is not None]
    assert sorted(read) == [number for number, at in bugs.items() if at >= written(begin)]
