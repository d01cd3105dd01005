"""What is reported of work that goes on, and how often."""

import logging
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from perf_assets.base.processes import progress
from perf_assets.base.processes.progress import Phase, current, in_words, phase, shown


def lasting(seconds: float, total: int | None = None, unit: str = "", done: int = 0) -> Phase:
    return Phase("mining", total, unit, done, started=time.monotonic() - seconds)


@pytest.mark.parametrize(
    ("going_on", "sentence"),
    [
        ((3,), "mining: for 3 s"),
        ((600, None, "issues"), "mining: for 10 min"),
        ((10, None, "issues", 1500), "mining: 1,500 issues, 150/s, for 10 s"),
        ((4, 2000, "commits"), "mining: 0 of 2,000 commits, for 4 s"),
        ((10, 2000, "commits", 15), "mining: 15 of 2,000 commits, 1.5/s, for 10 s"),
        ((10, 2000, "commits", 500), "mining: 500 of 2,000 commits, 50/s, 30 s left"),
        ((60, 2000, "commits", 30), "mining: 30 of 2,000 commits, 0.5/s, 1 h 6 min left"),
        ((10, 2000, "commits", 2500), "mining: 2,500 of 2,000 commits, 250/s, 0 s left"),
    ],
)
def test_a_line_tells_how_far_it_is_how_fast_and_how_long_it_takes(
    going_on: tuple[Any, ...], sentence: str
) -> None:
    assert lasting(*going_on).sentence() == sentence


def test_lengths_of_time_are_said_in_words() -> None:
    assert [in_words(seconds) for seconds in (7, 89, 90, 3599, 7500)] == [
        "7 s",
        "89 s",
        "2 min",
        "1 h 0 min",
        "2 h 5 min",
    ]


def test_the_innermost_phase_is_the_one_that_goes_on() -> None:
    assert current() is None
    with phase("all") as whole:
        with pytest.raises(ZeroDivisionError), phase("a part") as part:
            assert current() is part
            1 / 0  # noqa: B018
        assert current() is whole
    assert current() is None


def test_how_much_there_is_to_do_may_be_known_later() -> None:
    with phase("mining", unit="commits") as tell:
        tell(5)
        assert tell.count() == "5"
        tell(6, 10)
        tell(7)
        assert tell.count() == "7 of 10"


def test_what_has_just_begun_is_not_shown_but_what_it_is_a_part_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "SHOWN_AFTER_SECONDS", 0.1)
    with phase("all") as whole:
        assert shown() is None
        time.sleep(0.15)
        with phase("a part") as part:
            assert shown() is whole
            time.sleep(0.15)
            assert shown() is part


@pytest.fixture
def reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[list[tuple[float, str]]]:
    """When which lines were due (handlers get them later); a second is shorter here."""
    lines: list[tuple[float, str]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append((progress._last_line, record.getMessage()))

    caplog.set_level("INFO", logger="perf_assets")
    for name in ("SHOWN_AFTER_SECONDS", "LINE_SECONDS", "LOOK_SECONDS"):
        monkeypatch.setattr(progress, name, getattr(progress, name) / 20)
    monkeypatch.setattr(progress, "_last_line", 0.0)
    kept = Kept()
    progress.log.addHandler(kept)
    yield lines
    progress.log.removeHandler(kept)
    for thread in threading.enumerate():
        if thread.name == "progress":
            thread.join()


@pytest.mark.slow
def test_a_long_phase_is_told_now_and_then_even_by_who_is_blocked(
    reported: list[tuple[float, str]],
) -> None:
    with phase("cloning"):
        time.sleep(1.8)
    assert 3 <= len(reported) <= 4
    assert {line.partition(":")[0] for _, line in reported} == {"cloning"}
    moments = [moment for moment, _ in reported]
    assert min(b - a for a, b in pairwise(moments)) >= 0.5


@pytest.mark.slow
def test_short_phases_are_not_told_and_many_long_ones_no_more_often(
    reported: list[tuple[float, str]],
) -> None:
    for _ in range(20):
        with phase("short"):
            time.sleep(0.01)
    assert reported == []
    for number in range(6):
        with phase(f"long {number}"):
            time.sleep(0.2)
    assert 2 <= len(reported) <= 3
