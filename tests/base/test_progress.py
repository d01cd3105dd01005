"""What is reported of work that goes on, and how often."""

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from perf_assets.base.processes import progress
from perf_assets.base.processes.progress import Phase, current, in_words, phase, shown


def lasting(seconds: float, total: int | None = None, unit: str = "", done: int = 0) -> Phase:
    return Phase("mining", total, unit, done, started=time.monotonic() - seconds)


@pytest.mark.parametrize(
    ("going_on", "sentence"),
    [
        ((3,), "mining: 3 s so far"),
        ((600, None, "issues"), "mining: 10 min so far"),
        ((10, None, "issues", 1500), "mining: 1,500 issues, 150/s, 10 s so far"),
        ((4, 2000, "commits"), "mining: 0 of 2,000 commits, 4 s so far"),
        ((10, 2000, "commits", 15), "mining: 15 of 2,000 commits, 1.5/s, 10 s so far"),
        ((10, 2000, "commits", 500), "mining: 500 of 2,000 commits, 50/s, 30 s left"),
        ((60, 2000, "commits", 30), "mining: 30 of 2,000 commits, 0.5/s, 1 h 6 min left"),
        ((10, 2000, "commits", 2500), "mining: 2,500 of 2,000 commits, 250/s, 0 s left"),
    ],
)
def test_a_line_shows_how_far_it_is_how_fast_and_how_long_it_takes(
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


class Clock:
    """A clock that stands still until it is moved, in place of ``time`` of the module."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._woken: dict[int, float] = {}

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self._woken[threading.get_ident()] = until = self.now + seconds
        while self.now < until:
            time.sleep(0.001)

    def pass_by(self, seconds: float) -> None:
        """Move it, a check of the progress threads at a time, which all take note."""
        end = self.now + seconds
        while True:
            while any(self._woken.get(one.ident or 0, 0.0) <= self.now for one in threads()):
                time.sleep(0.001)
            if self.now >= end:
                return
            self.now = min(end, self.now + progress.CHECK_SECONDS)


def threads() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "progress"]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    monkeypatch.setattr(progress, "_last_line", 0.0)
    yield clock
    while threads():
        clock.now += progress.CHECK_SECONDS
        time.sleep(0.001)


def test_what_has_just_begun_is_not_shown_but_what_it_is_a_part_of(clock: Clock) -> None:
    with phase("all") as whole:
        assert shown() is None
        clock.pass_by(2)
        with phase("a part") as part:
            assert shown() is whole
            clock.pass_by(2)
            assert shown() is part


@pytest.fixture
def reported(clock: Clock, caplog: pytest.LogCaptureFixture) -> Iterator[list[tuple[float, str]]]:
    """When which lines were logged."""
    lines: list[tuple[float, str]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append((clock.now, record.getMessage()))

    caplog.set_level("INFO", logger="perf_assets")
    kept = Kept()
    progress.log.addHandler(kept)
    yield lines
    progress.log.removeHandler(kept)


def test_a_long_phase_is_reported_now_and_then_even_by_a_blocked_process(
    clock: Clock, reported: list[tuple[float, str]]
) -> None:
    with phase("cloning"):
        clock.pass_by(36)
    assert reported == [
        (1002.0, "cloning: 2 s so far"),
        (1012.0, "cloning: 12 s so far"),
        (1022.0, "cloning: 22 s so far"),
        (1032.0, "cloning: 32 s so far"),
    ]


def test_short_phases_are_not_reported_and_many_long_ones_no_more_often(
    clock: Clock, reported: list[tuple[float, str]]
) -> None:
    for _ in range(20):
        with phase("short"):
            clock.pass_by(1.5)
    assert reported == []
    for number in range(6):
        with phase(f"long {number}"):
            clock.pass_by(4)
    assert reported == [
        (1032.0, "long 0: 2 s so far"),
        (1042.0, "long 2: 4 s so far"),
        (1052.0, "long 5: 2 s so far"),
    ]
