"""Kills what is done to a home at random moments, and goes on until each of so many hit.

Run by hand; it ends with an error where anything but the expected tables is found:

    python -m tests.benchmarks.kills [--number 100] [--seed 0] [NAME...]

NAMEs are run, refresh, dump, publish, migration, backup, restore; all of them when none is given.
"""

import argparse
import tempfile
import time
from pathlib import Path

from perf_assets.sample.generator import generate
from tests.guarantees import note
from tests.killing import DEEDS, kill_at_random_moments
from tests.support import Prepared, materialize


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[], choices=[*DEEDS, []])
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        prepared = Prepared(Path(directory))
        generate(prepared.corpus, seed=11, issues=24, months=3, commits=20)
        materialize(prepared.study, prepared.home)
        for name in arguments.names or DEEDS:
            began = time.monotonic()
            place = Path(directory) / name
            place.mkdir()
            number = arguments.number
            kills = kill_at_random_moments(DEEDS[name], prepared, place, number, arguments.seed)
            outcome = f"held; each found it at work ({kills} were tried for that)"
            note(f"kills of a {name}", "python -m tests.benchmarks.kills", number, outcome)
            took = time.monotonic() - began
            print(f"{name}: {number} kills: {outcome}; {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
