"""A kind of input: valid ones, how they are damaged, who reads them, and what must come of it."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FrameType

from perf_assets.base.errors import OUT_OF_MEMORY, PerfAssetsError
from perf_assets.base.errors.messages import explain_error
from perf_assets.base.sanitize import escape_text
from perf_assets.storage.lock import HOLDER, LOCK
from tests.support import SMALL, Prepared, prepare

MOST_SECONDS = 60.0
LONGEST_SENTENCE = 1000
READ, REFUSED = "read", "refused"


class FindingError(AssertionError):
    """What must hold does not."""


class _TimeIsUpError(BaseException):
    """A case takes too long; no library takes it for one of its own errors."""


class Surroundings:
    """What cases are made of: a small corpus, its data directory after a run, and room to write."""

    def __init__(self, directory: Path, prepared: Prepared | None = None) -> None:
        """Cases write below ``directory``; ``prepared`` is there already."""
        self.directory = directory
        self._prepared = prepared

    @cached_property
    def prepared(self) -> Prepared:
        """The corpus and the data directory, which cases leave as they are."""
        return self._prepared or prepare(self.directory / "prepared", **SMALL)

    def room(self, name: str) -> Path:
        """A folder for one kind."""
        path = self.directory / name
        path.mkdir(parents=True, exist_ok=True)
        return path


TryOne = Callable[[random.Random], object]
"""Makes one damaged input and reads it: whatever it gives, or PerfAssetsError."""


@dataclass(frozen=True)
class Kind:
    """A kind of input.

    name : what people call it, without spaces.
    share : how many of a thousand cases it gets; what takes long gets few.
    prepare : makes, once, what all of its cases share, and gives what tries one.
    """

    name: str
    share: int
    prepare: Callable[[Surroundings], TryOne]


def outcome(name: str, try_one: TryOne, seed: int) -> str:
    """Try one case of a kind: ``read`` or ``refused``, as it must be.

    Raises
    ------
    FindingError
        It ended in anything but a result or one sentence, or not in time.
    """
    started = time.monotonic()
    try:
        with _limited():
            try_one(random.Random(f"{name} {seed}"))
        end = READ
    except PerfAssetsError as error:
        _check_sentence(f"{name} {seed}", str(error))
        end = REFUSED
    except _TimeIsUpError:
        raise FindingError(f"{name} {seed}: it took more than {MOST_SECONDS:g} s") from None
    except FindingError as error:
        raise FindingError(f"{name} {seed}: {error}") from error
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of a library in Rust is not an Exception
        # What the command line says of a mishap of the machine, such as a name that is too long.
        sentence = explain_error(error, None)
        if sentence is None or sentence == OUT_OF_MEMORY:
            shown = escape_text(f"{type(error).__name__}: {error}")[:500]
            raise FindingError(f"{name} {seed}: {shown}") from error
        _check_sentence(f"{name} {seed}", sentence)
        end = REFUSED
    if time.monotonic() - started > MOST_SECONDS:
        raise FindingError(f"{name} {seed}: it took {time.monotonic() - started:.0f} s")
    return end


def _check_sentence(case: str, sentence: str) -> None:
    shown = escape_text(sentence)
    if not sentence.strip() or "Traceback" in sentence or len(sentence) > LONGEST_SENTENCE:
        raise FindingError(f"{case}: this is not one clear sentence: {shown[:300]!r}")
    if "\n" in sentence.strip():
        raise FindingError(f"{case}: this is more than one line: {shown[:300]!r}")


@contextmanager
def _limited() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_: int, __: FrameType | None) -> None:
        raise _TimeIsUpError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def contents(directory: Path) -> dict[str, tuple[int, int, int]]:
    """The files of a folder, and what tells whether one was written: inode, size, moment."""
    found = {}
    for parent, _, names in os.walk(directory):
        for name in set(names) - {LOCK, HOLDER}:
            path = Path(parent, name)
            status = path.lstat()
            found[str(path.relative_to(directory))] = (
                status.st_ino,
                status.st_size,
                status.st_mtime_ns,
            )
    return found


@contextmanager
def unchanged_where_refused(data_dir: Path) -> Iterator[None]:
    """Nothing in ``data_dir`` is written by what is refused in the end."""
    before = contents(data_dir)
    try:
        yield
    except PerfAssetsError as error:
        after = contents(data_dir)
        if after != before:
            changed = sorted({name for name, _ in before.items() ^ after.items()})
            raise FindingError(f"{error}: but {changed[:5]} changed") from error
        raise
