"""Spoils GitHub's answers by chance, many times, and says what does not end as it must.

Run by hand:

    python -m tests.benchmarks.fuzz_answers [--number N] [--seed N]

Each example asks one question of a source whose answers are spoiled in one to a few places, in
values, text, status or headers. It must end in right rows or in one plain sentence, without the
token in it. A finding is printed with its seed, which repeats it: ``--seed SEED --number 1``.
"""

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.answer_fuzzing import FindingError, Fuzzer

TELL_SECONDS = 10.0


def main() -> None:
    arguments = read_arguments()
    findings: list[str] = []
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as directory:
        fuzzer = Fuzzer(Path(directory))
        started = reported = time.monotonic()
        for place in range(arguments.number):
            try:
                sentence = fuzzer.example(arguments.seed + place)
                ends["a result" if sentence is None else "one sentence"] += 1
            except FindingError as finding:
                findings.append(str(finding))
                print(finding, flush=True)
            if time.monotonic() - reported > TELL_SECONDS:
                reported = time.monotonic()
                rate = (place + 1) / (reported - started)
                left = (arguments.number - place - 1) / rate / 60
                print(f"{place + 1:,} tried, {rate:,.0f}/s, {left:.0f} min left", flush=True)
    counted = ", ".join(f"{count:,} in {end}" for end, count in ends.most_common())
    print(f"{arguments.number:,} answers spoiled: {counted}, {len(findings)} findings")
    raise SystemExit(1 if findings else 0)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=1_000_000, help="examples")
    parser.add_argument("--seed", type=int, default=0, help="of the first; each has its own")
    return parser.parse_args()


if __name__ == "__main__":
    main()
