"""Paths in stack traces: where in the repository an error came up.

Of each trace the innermost frame within the repository is read: a trace goes through a person's own
script, through the code that calls, and ends where the error was. Python's own traces, IPython's,
and native ones (``at file.cc:12``) are known.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import polars as pl

from perf_assets.core.areas.rules import CONTAINERS, is_aside

LONGEST_PATH = 400
"""Characters of a path in a frame: longer ones are not paths."""

MOST_FRAMES = 1_000
"""Frames that are read of an issue; an endless recursion has more, all of the same files."""

INSTALLED = re.compile(r".*(?:site|dist)-packages/(?:[^/]+\.egg/)?", re.DOTALL)
FORMER_PACKAGES = {"tensorflow_core": "tensorflow", "tensorflow_estimator": ""}
"""Packages that are installed under another name than they have in their repository."""

PASSED_OVER = frozenset(
    {"example", "examples", "tutorial", "tutorials", "sample", "samples", "demo", "testing"}
)
"""Directories of what people copy for scripts of their own, and of assertions that only report."""

_NATIVE = r"(?:c|cc|cpp|cxx|cu|cuh|h|hh|hpp|mm)"
_PATH = rf'[^\s"\'():,;<>|]{{1,{LONGEST_PATH}}}'
BEGINNING = "Traceback (most recent call last)"
FRAME = (
    r"Traceback \(most recent call last\)"
    rf'|File "[^"\n]{{1,{LONGEST_PATH}}}", line \d'
    rf"|(?m:^\s*(?:File )?{_PATH}\.pyx?(?::\d+,)? in \w)"
    rf"|\bat \[?{_PATH}\.{_NATIVE}:\d"
)
HAS_FRAMES = rf'File "|\.pyx?(?::\d+,)? in |\bat \[?\S{{1,{LONGEST_PATH}}}\.{_NATIVE}:\d'
_QUOTED = re.compile(r'File "([^"\n]+)"')
_NAMED = re.compile(rf"(?:^\s*(?:File )?|\bat \[?)({_PATH}\.(?:pyx?|{_NATIVE}))\b")


class Lifetime(NamedTuple):
    """The months in which a repository had a file; ``last`` is None for one that is there."""

    first: str
    last: str | None


@dataclass
class RepositoryFiles:
    """The files that a repository had, and when; finds them in the paths of frames."""

    lifetimes: Mapping[str, Lifetime]
    packages: tuple[str, ...]
    _known: dict[str, tuple[str, Lifetime] | None] = field(default_factory=dict)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The files that are not tests, documentation or examples, by their names."""
        found = defaultdict(list)
        for path in sorted(self.lifetimes):
            folders = path.split("/")[:-1]
            if folders and not is_aside(path) and PASSED_OVER.isdisjoint(folders):
                found[path.rpartition("/")[2]].append(path)
        return found

    @cached_property
    def _packages(self) -> dict[str, tuple[str, Lifetime]]:
        """Return the folder of each package of the repository, and when it was there."""
        lives: dict[str, list[Lifetime]] = defaultdict(list)
        for paths in self._by_name.values():
            for path in paths:
                folders = path.split("/")[:-1]
                above = next(
                    (n for n, name in enumerate(folders) if name.casefold() not in CONTAINERS), None
                )
                if above is not None:
                    lives["/".join(folders[: above + 1])].append(self.lifetimes[path])
        packages = {}
        for folder, lifetimes in sorted(lives.items(), reverse=True):
            ends = [last for _, last in lifetimes if last is not None]
            last = max(ends) if len(ends) == len(lifetimes) else None
            whole = Lifetime(min(first for first, _ in lifetimes), last)
            packages[folder.rpartition("/")[2]] = (folder, whole)
        return packages

    def find(self, written: str, month: str) -> str | None:
        """Return the path in the repository that a frame means, by what was there in ``month``.

        Of an installed package of the repository it may be a file that the repository had at
        another time, or before it was mined; any other path must be a known file as a whole.
        """
        if written not in self._known:
            self._known[written] = self._find(written.replace("\\", "/"))
        found = self._known[written]
        if found is None:
            return None
        path, (first, last) = found
        return path if first <= month <= (last or month) else None

    def _find(self, written: str) -> tuple[str, Lifetime] | None:
        installed = INSTALLED.match(written)
        if installed is not None:
            return self._installed(written[installed.end() :])
        names = written.split("/")
        for path in sorted(self._by_name.get(names[-1], ()), key=len, reverse=True):
            if written == path or (written.endswith(f"/{path}") and self._is_own(written, path)):
                return path, self.lifetimes[path]
        return None

    def _is_own(self, written: str, path: str) -> bool:
        """Return whether the file is the repository's and not a person's of the same name."""
        before = written[: -len(path)].casefold().strip("/").split("/")
        return (
            path.count("/") > 1
            or path.partition("/")[0].casefold() in self.packages
            or before[-1] in (".", "..", "", *self.packages)
        )

    def _installed(self, path: str) -> tuple[str, Lifetime] | None:
        package, _, rest = path.partition("/")
        package = FORMER_PACKAGES.get(package, package)
        if not rest or not PASSED_OVER.isdisjoint(rest.split("/")[:-1]):
            return None
        if package in self._packages:
            folder, lifetime = self._packages[package]
            return f"{folder}/{rest}", lifetime
        for known in self._by_name.get(rest.rpartition("/")[2], ()):
            if known.endswith(f"/{package}/{rest}"):
                return known, self.lifetimes[known]
        return None


def frames_of_issues(issues: pl.DataFrame) -> pl.DataFrame:
    """Return the frames that stand in the texts of issues, as written, in their order.

    Parameters
    ----------
    issues : columns number, body, month.

    Returns
    -------
    number, month, frames : the issues that have any; frames are lists of text.
    """
    return (
        issues.select("number", "month", "body")
        .filter(pl.col("body").str.contains(HAS_FRAMES))
        .select("number", "month", pl.col("body").str.extract_all(FRAME).alias("frames"))
        .filter(pl.col("frames").list.len() > 0)
        .sort("number")
    )


def innermost_paths(frames: Iterable[str], find: Callable[[str], str | None]) -> list[str]:
    """Return the path in the repository where each trace of ``frames`` ends, each path once.

    ``find`` gives the path in the repository that is written in a frame; None for any other.
    """
    found = (_innermost(trace, find) for trace in _traces(frames))
    return list(dict.fromkeys(path for path in found if path is not None))


def _traces(frames: Iterable[str]) -> Iterator[list[str]]:
    trace: list[str] = []
    for frame in islice(frames, MOST_FRAMES):
        if frame == BEGINNING and trace:
            yield trace
            trace = []
        elif frame != BEGINNING:
            trace.append(frame)
    yield trace


def _innermost(trace: list[str], find: Callable[[str], str | None]) -> str | None:
    """Native frames are further in than those of Python, and begin with the innermost."""
    native = [frame for frame in trace if frame.startswith("at ")]
    python = [frame for frame in reversed(trace) if not frame.startswith("at ")]
    for frame in (*native, *python):
        match = _QUOTED.match(frame) or _NAMED.search(frame)
        if match is not None and (path := find(match[1])) is not None:
            return path
    return None
