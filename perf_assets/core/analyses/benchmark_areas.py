"""Areas of the code that benchmarks measure, by the words of their names."""

import re

import polars as pl

from perf_assets.core.areas.rules import UNKNOWN
from perf_assets.schema import schema_of

TABLE = "marts.benchmark_areas"
LEAST_LETTERS = 2  # of a word that says anything
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""Words in names: bench_linalg.EinsumSum has bench, linalg, Einsum and Sum."""


def benchmark_areas(benchmark_series: pl.DataFrame, bug_areas: pl.DataFrame) -> pl.DataFrame:
    """Return the areas whose last part is named in the name of a benchmark.

    An area is one of the repository's own, which its bug reports have: ``numpy/linalg`` is that of
    ``bench_linalg.Eindot.time_dot``. All words of the area's last part must be there.

    Parameters
    ----------
    benchmark_series : ``intermediate.benchmark_series``: repository, benchmark.
    bug_areas : ``marts.bug_areas``: repository, area.

    Returns
    -------
    ``marts.benchmark_areas``.
    """
    areas = bug_areas.filter(pl.col("area") != UNKNOWN).select("repository", "area").unique()
    named: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for repository, area in areas.iter_rows():
        words = _words(area.rstrip("/").rpartition("/")[2])
        if any(len(word) >= LEAST_LETTERS for word in words):
            named.setdefault(repository, []).append((area, words))
    rows = [
        (repository, benchmark, area)
        for repository, benchmark in benchmark_series.select("repository", "benchmark")
        .unique()
        .iter_rows()
        if repository in named
        for words in [_words(benchmark)]
        for area, needed in named[repository]
        if needed <= words
    ]
    return pl.DataFrame(rows, schema=schema_of(TABLE), orient="row").sort(pl.all())


def _words(name: str) -> frozenset[str]:
    """Return the words of a name, without case and the s of a plural."""
    return frozenset(word.casefold().removesuffix("s") for word in WORD.findall(name))
