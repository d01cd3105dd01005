"""How long each regular expression of the package takes on the texts that are worst for it.

Run by hand, for all or for those whose place has a word in it:

    python -m tests.benchmarks.patterns [WORD] [--sizes 1000 10000 100000 1000000]

Prints the CPU seconds of each at each length of a text (characters), slowest last, and the worst of
all. A linear pattern takes ten times as long for ten times the text; what takes longer than
``LIMIT`` is cut there.
"""

import argparse
import itertools
from collections.abc import Iterator, Sequence

from tests.regular_expressions import SHORT, Use, all_uses
from tests.worst_texts import seconds, slowest_recipes

SIZES = (1_000, 10_000, 100_000, 1_000_000)
LIMIT = 10.0  # seconds
TRIED = 2_000  # characters of the texts of which the worst are chosen
MOST = 2  # texts of a pattern that are tried at each length


def table(uses: Sequence[Use], sizes: Sequence[int]) -> Iterator[tuple[Use, list[float]]]:
    """Yield each pattern and the seconds of its worst text at each of ``sizes``."""
    for use in uses:
        chosen = slowest_recipes(use, TRIED, MOST)
        found: list[float] = []
        for size in sizes:
            if found and found[-1] >= LIMIT:
                found.append(LIMIT)
                continue
            found.append(max(seconds(use, recipe, size, LIMIT) for recipe in chosen))
        yield use, found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    chosen = parser.parse_args(arguments)
    uses = [use for use in all_uses() if chosen.word in use.place and use.place not in SHORT]
    rows = sorted(table(uses, chosen.sizes), key=lambda row: row[1][-1])
    print(f"{'pattern':<60}", *(f"{size:>12,}" for size in chosen.sizes))
    for use, found in rows:
        print(f"{use.place.removeprefix('perf_assets.'):<60}", *(f"{one:12.4f}" for one in found))
    worst = itertools.zip_longest(*(found for _, found in rows), fillvalue=0.0)
    print(f"{f'worst of {len(rows)}':<60}", *(f"{max(column):12.4f}" for column in worst))


if __name__ == "__main__":
    main()
