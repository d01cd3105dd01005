"""Trees made for one comparison: entry N of two of them is pair N, whatever its blobs are."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from perf_assets.sources.git.command import in_clone, run


def borrow_objects(clone: Path, objects: Path) -> None:
    """Let git find the clone's objects from a new object directory, so that it writes there."""
    (objects / "info").mkdir()
    (objects / "pack").mkdir()
    (objects / "info" / "alternates").write_bytes(os.fsencode(clone / "objects") + b"\n")


def make_tree(clone: Path, env: Mapping[str, str], sides: Iterable[str | None]) -> str:
    """Return the name of a tree whose entry N is side N (mode, type and name), or missing."""
    entries = (f"{side}\t{number:08d}\n" for number, side in enumerate(sides) if side)
    command = in_clone(clone, "mktree", "--missing")
    return run(command, env, "".join(entries).encode()).decode().strip()
