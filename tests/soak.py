"""Tries what `make test` tries, for hours: how much of it was found to hold is noted.

Run by hand; it ends with an error where something was found:

    python -m tests.soak inputs [--cases 1000000] [--seed 0] [KIND...]

Cases run in two processes, which may die of a case: it is named, and the next one goes on. Each
finding is printed with its kind and seed, which repeat it: ``--seed SEED --cases 1 KIND``.
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from tests.damaged_inputs.cases import KINDS, share_of
from tests.damaged_inputs.kinds import FindingError, Surroundings, outcome
from tests.guarantees_plugin import note
from tests.support import Prepared

AT_ONCE = 50  # cases of a kind, before another kind has its turn
WORKERS = 2
SILENCE_SECONDS = 120.0  # in which a worker finishes no case: it hangs
TELL_SECONDS = 10.0


@dataclass(frozen=True)
class Piece:
    """Some cases of a kind."""

    kind: str
    seeds: range


def main() -> None:
    """Try the cases and note what came of them."""
    arguments = _arguments()
    kinds = arguments.kinds or list(KINDS)
    pieces = list(_pieces(kinds, arguments.cases, arguments.seed))
    progress = _Progress(sum(len(piece.seeds) for piece in pieces))
    with tempfile.TemporaryDirectory() as directory:
        prepared = Surroundings(Path(directory)).prepared
        with ThreadPoolExecutor(WORKERS) as pool:
            queues = [pieces[first::WORKERS] for first in range(WORKERS)]
            list(pool.map(lambda mine: _work(mine, prepared, progress), queues))
    print(progress.summary(), flush=True)
    if not arguments.kinds:
        outcome_of_all = f"{len(progress.findings)} findings" if progress.findings else "held"
        command = f"python -m tests.soak inputs --cases {arguments.cases}"
        note("damaged and hostile inputs", command, progress.done, outcome_of_all)
    raise SystemExit(1 if progress.findings else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["inputs"])
    parser.add_argument("kinds", nargs="*", default=[], choices=[*KINDS, []])
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0, help="the first of each kind")
    return parser.parse_intermixed_args()


def _pieces(kinds: list[str], cases: int, seed: int) -> Iterator[Piece]:
    """The cases of each kind by its share, all kinds in turn."""
    left = {name: range(seed, seed + share_of(KINDS[name], cases)) for name in kinds}
    if len(kinds) == 1:
        left = {kinds[0]: range(seed, seed + cases)}
    while left:
        for name, seeds in list(left.items()):
            yield Piece(name, seeds[:AT_ONCE])
            left[name] = seeds[AT_ONCE:]
            if not left[name]:
                del left[name]


class _Progress:
    """What was tried so far; says so now and then."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.findings: list[str] = []
        self.ends: dict[str, Counter[str]] = {}
        self._started = self._told = time.monotonic()

    def add(self, kind: str, end: str, finding: str | None = None) -> None:
        """One case ended so."""
        self.done += 1
        self.ends.setdefault(kind, Counter())[end] += 1
        if finding is not None:
            self.findings.append(finding)
            print(f"FOUND {finding}", flush=True)
        now = time.monotonic()
        if now - self._told > TELL_SECONDS:
            self._told = now
            rate = self.done / (now - self._started)
            left = (self.total - self.done) / rate / 60
            print(
                f"{self.done:,} of {self.total:,} tried, {rate:,.0f}/s, {left:,.0f} min left, "
                f"{len(self.findings)} findings",
                flush=True,
            )

    def summary(self) -> str:
        """What came of each kind."""
        lines = [f"{kind}: {json.dumps(ends, sort_keys=True)}" for kind, ends in self.ends.items()]
        took = time.monotonic() - self._started
        return "\n".join(
            [*lines, f"{self.done:,} cases, {took:,.0f} s, {len(self.findings)} findings"]
        )


def _work(pieces: list[Piece], prepared: Prepared, progress: _Progress) -> None:
    """Try ``pieces`` in a process, and in another one where it died."""
    context = multiprocessing.get_context("spawn")
    waiting = list(pieces)
    while waiting:
        mine, theirs = context.Pipe()
        process = context.Process(target=_try_all, args=(theirs, waiting, prepared))
        process.start()
        theirs.close()
        piece, seed = waiting[0], waiting[0].seeds.start
        try:
            while waiting:
                piece = waiting[0]
                for seed in piece.seeds:  # noqa: B007
                    if not mine.poll(SILENCE_SECONDS):
                        raise EOFError
                    progress.add(piece.kind, *mine.recv())
                waiting.pop(0)
        except (EOFError, ConnectionResetError):
            process.kill()
            process.join()
            how = f"its process hung or died (exit code {process.exitcode})"
            progress.add(piece.kind, "died", f"{piece.kind} {seed}: {how}")
            rest = range(seed + 1, piece.seeds.stop)
            waiting[:1] = [Piece(piece.kind, rest)] if rest else []
        process.join()


def _try_all(to: Connection, pieces: list[Piece], prepared: Prepared) -> None:
    """What a process does: the cases in their order, an answer to each."""
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    tries = {}
    with tempfile.TemporaryDirectory() as directory:
        surroundings = Surroundings(Path(directory), prepared)
        for piece in pieces:
            if piece.kind not in tries:
                tries[piece.kind] = KINDS[piece.kind].prepare(surroundings)
            for seed in piece.seeds:
                try:
                    to.send((outcome(piece.kind, tries[piece.kind], seed),))
                except FindingError as finding:
                    to.send(("found", str(finding)[:2000]))


if __name__ == "__main__":
    main()
