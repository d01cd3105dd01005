"""What a terminal shows while work goes on, and what a file gets instead."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path

import pytest

from tests.support import environment

pytestmark = pytest.mark.slow

COLUMNS = 80
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LONG = "a line that is longer than the terminal is wide, " * 3
PROGRAM = f"""
import logging, sys, time
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.process import finish
from perf_assets.cli.shell import console
from perf_assets.base.processes.progress import phase

def work():
    log = logging.getLogger("perf_assets.test")
    with shown_progress(console):
        for _ in range(5):
            with phase("over soon", 10, "issues") as tell:
                tell(5)
                time.sleep(0.1)
        title = "mining commits of an-organization/with-a-long-name-indeed"
        with phase(title, 2000, "commits") as tell:
            for number in range(1, 31):
                time.sleep(0.1)
                tell(50 * number)
                if number == 25:
                    log.info("{LONG}")
                    print("printed by somebody else")
                    sys.stderr.write("and written to stderr\\n")
        with phase("cloning https://example.org/a.git"):
            time.sleep(2.5)
    print("all is done")

finish(work)
"""


def on_a_terminal(program: Path, until: str | None = None) -> tuple[int, str]:
    """What a terminal of 80 columns gets; after ``until``, Ctrl-C is pressed."""
    process, terminal = pty.fork()
    if process == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        variables = environment(TERM="xterm-256color")
        del variables["COLUMNS"]
        os.execve(sys.executable, [sys.executable, str(program)], variables)
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    seen = b""
    while True:
        if select.select([terminal], [], [], 60)[0]:
            try:
                some = os.read(terminal, 1 << 16)
            except OSError:  # the other end is closed
                break
            seen += some
            if until is not None and until in seen.decode(errors="ignore"):
                until = None
                os.write(terminal, b"\x03")
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status), seen.decode()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def lines_of(seen: str) -> list[str]:
    """Each line that stood on the terminal, one after the other."""
    return [CONTROL.sub("", part).rstrip() for part in re.split(r"[\r\n]+", seen)]


def test_a_terminal_shows_a_bar_with_rate_and_time_left_below_the_lines(program: Path) -> None:
    status, seen = on_a_terminal(program)
    lines = lines_of(seen)
    assert status == 0 and "all is done" in lines
    assert not any("over soon" in line for line in lines)
    bars = [line for line in lines if line.startswith("mining commits of")]
    assert len(set(bars)) >= 4
    for bar in bars:
        assert re.fullmatch(
            r"mining commits of an-org\S*… [━╸╺]{16} [\d,]+ of 2,000 \d+/s 0:0\d left", bar
        )
    assert any(re.fullmatch(r"cloning https\S+ +[-\\|/] 0:02", line) for line in lines)
    logged = [line for line in lines if re.match(r"\d\d:\d\d:\d\d ", line)]
    assert [line[9:] for line in logged] == [LONG.rstrip()]
    assert {"printed by somebody else", "and written to stderr"} <= set(lines)
    others = [line for line in lines if line not in logged]
    assert max(map(len, others)) <= COLUMNS
    assert seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l")  # the cursor is there again
    # The bar is gone where something else is printed: only the last line of all was ever shown.
    assert CONTROL.sub("", seen.rpartition("\x1b[2K")[2]).split() == ["all", "is", "done"]


@pytest.mark.exhaustive
def test_a_file_gets_lines_and_no_control_characters(program: Path) -> None:
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        check=True,
        env=environment(FORCE_COLOR="1"),
    )
    assert "\x1b" not in done.stdout and "\r" not in done.stdout
    lines = [line[9:] if line[2:3] == ":" else line for line in done.stdout.splitlines()]
    (bar,) = [line for line in lines if line.startswith("mining")]
    assert re.fullmatch(
        r"mining commits of an-organization/with-a-long-name-indeed: "
        r"[\d,]+ of 2,000 commits, \d+/s, \d+ s left",
        bar,
    )
    rest = [line for line in lines if line != bar]
    assert rest == [LONG, "printed by somebody else", "all is done"]
    assert done.stderr == "and written to stderr\n"


@pytest.mark.exhaustive
def test_ctrl_c_takes_the_bar_away_and_says_what_was_being_done(program: Path) -> None:
    before = time.monotonic()
    status, seen = on_a_terminal(program, until="cloning")
    assert status == 130
    assert lines_of(seen)[-2:] == [
        "Stopped while cloning https://example.org/a.git: nothing was changed; the same command "
        "starts again",
        "",
    ]
    assert seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l")
    assert "Traceback" not in seen
    assert time.monotonic() - before < 30
