"""What the files of a change say: whether it touches the product, or benchmarks and tests alone."""

import re

import polars as pl

from perf_assets.core.areas.rules import is_aside

_BENCHMARK = re.compile(
    r"(?:^|[/_-])(?:bench(?:mark)?s?|benchmarking|perf[_-]?tests?|asv)(?:[_-]\w{1,60})?/"
    r"|(?:^|[/_.-])(?:bench(?:mark)?s?|perf[_-]?tests?)(?:[_.-][^/]{0,100})?$|(?:^|/)asv\.conf",
    re.IGNORECASE,
)
_TOOLS = re.compile(
    r"(?:^|/)(?:\.[^/]+/|ci/|\.?travis|\.?appveyor|azure-pipelines|jenkinsfile|dockerfile|docker/"
    r"|tox\.ini|noxfile|codecov|renovate)|^\.[^/]+$",
    re.IGNORECASE,
)


def files_of_commits(files: pl.DataFrame) -> pl.DataFrame:
    """Return what the files of each commit are.

    Parameters
    ----------
    files : columns sha, path.

    Returns
    -------
    sha; product: how many of its files are neither tests, nor documentation, nor benchmarks, nor
    of the tools that build and check; benchmarks: how many are benchmarks.
    """
    paths = files.select("path").unique()
    kinds = [
        (bool(_BENCHMARK.search(path)), bool(_TOOLS.search(path)) or is_aside(path))
        for path in paths["path"]
    ]
    schema = {"is_benchmark": pl.Boolean, "is_beside": pl.Boolean}
    known = paths.hstack(pl.DataFrame(kinds, schema=schema, orient="row"))
    benchmark, beside = pl.col("is_benchmark"), pl.col("is_beside")
    return (
        files.join(known, on="path")
        .group_by("sha")
        .agg(product=(~(benchmark | beside)).sum(), benchmarks=benchmark.sum())
    )
