"""Which lines differ between two blobs, white space left out: thousands of pairs in one go."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from perf_assets.sources.git.changes import diffing
from perf_assets.sources.git.command import local_environment, streamed
from perf_assets.sources.git.szz.flat_trees import borrow_objects, make_tree

Hunks = npt.NDArray[np.int32]
"""A row for each range where lines differ: first line (from 0) and number, on either side."""

_PAIRS_AT_ONCE = 20_000
_PATCH = ("-p", "-U0", "-w", "--text", "--no-renames", "--no-ext-diff")
_HEADER = re.compile(
    rb"^(?:diff --git a/(\d{8}) .*|@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*)\n", re.MULTILINE
)
_NONE = np.empty((0, 4), np.int32)


def compare_blobs(
    clone: Path, pairs: Sequence[tuple[str, str]], objects: Path | None = None
) -> Iterator[Hunks]:
    """Yield the hunks of each pair of blobs, old and new.

    Lines that differ in white space alone are the same. ``objects`` is a directory of git objects
    that the clone does not have.
    """
    for first in range(0, len(pairs), _PAIRS_AT_ONCE):
        yield from _compare(clone, pairs[first : first + _PAIRS_AT_ONCE], objects)


def _compare(clone: Path, pairs: Sequence[tuple[str, str]], objects: Path | None) -> list[Hunks]:
    found = [_NONE] * len(pairs)
    with tempfile.TemporaryDirectory(prefix="perf-assets-") as temporary:
        directory = objects or Path(temporary)
        if objects is None:
            borrow_objects(clone, directory)
        env = local_environment({"GIT_OBJECT_DIRECTORY": str(directory)})
        old = make_tree(clone, env, (f"100644 blob {old}" for old, _ in pairs))
        new = make_tree(clone, env, (f"100644 blob {new}" for _, new in pairs))
        command = diffing(clone, *_PATCH, old, new)
        with streamed(command, env, b"") as output:
            rest = b""
            number = -1
            rows: list[int] = []
            while chunk := output.read(1 << 22):
                text = rest + chunk
                end = text.rfind(b"\n") + 1
                for pair, a, an, b, bn in _HEADER.findall(text, 0, end):
                    if pair:
                        if rows:
                            found[number] = _hunks(rows)
                        number, rows = int(pair), []
                    else:
                        rows += (int(a), int(an or 1), int(b), int(bn or 1))
                rest = text[end:]
            if rows:
                found[number] = _hunks(rows)
    return found


def _hunks(rows: list[int]) -> Hunks:
    hunks = np.array(rows, np.int32).reshape(-1, 4)
    # git counts from 1, and names the line before where a side has none.
    hunks[:, 0] -= hunks[:, 1] > 0
    hunks[:, 2] -= hunks[:, 3] > 0
    return hunks
