"""Disturbs operations on a data directory at random moments, until each of so many hit.

Run by hand; it ends with an error where anything but the expected tables is found, or any process:

    python -m tests.benchmarks.kills [--number 100] [--seed 0] [--kind KIND...] [NAME...]

NAMEs are run, refresh, publish, backup, restore, review collect, review import, lake push, lake
pull, ui, each disturbed by each KIND: SIGKILL, SIGTERM, SIGINT, SIGHUP, ENOSPC, EIO; and dump and
migration, which are only killed. All of them when none is given.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests import faults

if TYPE_CHECKING:
    from tests.support import Prepared


def main() -> None:
    from tests.crash_testing import DEEDS  # noqa: PLC0415
    from tests.disturbing import FAILED, KINDS  # noqa: PLC0415 - it takes seconds
    from tests.operations import OPERATIONS  # noqa: PLC0415

    killed = [name for name in DEEDS if name not in OPERATIONS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[], choices=[*OPERATIONS, *killed, []])
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", dest="kinds", choices=KINDS)
    parser.add_argument(
        "--prepared", type=Path, help="a corpus and its data directory; default: new ones"
    )
    parser.add_argument("--quiet", action="store_true", help="note nothing in docs/")
    arguments = parser.parse_args()
    kinds = arguments.kinds or KINDS
    if not faults.is_preloaded():
        print(f"left out: {', '.join(FAILED)}, as {faults.WHY_NOT}", file=sys.stderr)
        kinds = [kind for kind in kinds if kind not in FAILED]
    with tempfile.TemporaryDirectory() as directory:
        prepared = _prepared(arguments.prepared, Path(directory))
        for name in arguments.names or [*OPERATIONS, *killed]:
            place = Path(directory) / name.replace(" ", "-")
            place.mkdir()
            _disturb(name, kinds if name in OPERATIONS else ["kill"], prepared, place, arguments)


def _prepared(given: Path | None, directory: Path) -> "Prepared":
    from tests.support import SMALL, Prepared, prepare  # noqa: PLC0415

    return Prepared(given) if given is not None else prepare(directory, **SMALL)


def _disturb(
    name: str,
    kinds: Sequence[str],
    prepared: "Prepared",
    place: Path,
    arguments: argparse.Namespace,
) -> None:
    from tests.crash_testing import DEEDS, kill_at_random_moments  # noqa: PLC0415
    from tests.disturbing import Undisturbed, disturb  # noqa: PLC0415
    from tests.guarantees_plugin import note  # noqa: PLC0415
    from tests.operations import OPERATIONS  # noqa: PLC0415

    number, seed = arguments.number, arguments.seed
    deed = OPERATIONS.get(name)
    undisturbed = None if deed is None else Undisturbed.of(deed, prepared, place)
    for kind in kinds:
        began = time.monotonic()
        if deed is None or undisturbed is None:
            tries = kill_at_random_moments(DEEDS[name], prepared, place, number, seed)
        else:
            tries = disturb(deed, kind, undisturbed, prepared, place, number, seed)
        outcome = f"held; each found it at work ({tries} were tried for that)"
        what = f"{kind} during {name}" if deed is not None else f"kills of a {name}"
        if not arguments.quiet:
            note(what, "python -m tests.benchmarks.kills", number, outcome)
        took = time.monotonic() - began
        print(f"{what}: {number} times: {outcome}; {took:.0f} s", flush=True)


def start() -> None:
    """Begin anew as a process whose writes can fail, where that is possible."""
    if faults.is_preloaded() or faults.compiler() is None:
        main()
        return
    with tempfile.TemporaryDirectory() as directory:
        wanted = {**os.environ, **faults.surroundings(Path(directory))}
        words = [sys.executable, "-m", "tests.benchmarks.kills", *sys.argv[1:]]
        sys.exit(os.spawnve(os.P_WAIT, sys.executable, words, wanted))


if __name__ == "__main__":
    start()
