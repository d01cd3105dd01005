"""Assets of the UI's graph: the tables of each, and the assets that each is made from.

A hundred tables are too many nodes. Tables that one step stores together, and views that are only
intermediate steps, name one main table as their ``asset``. Arrows that follow from longer paths are
left out.
"""

from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import declared
from perf_assets.schema.models.dependencies import made_from

SOURCES: Mapping[str, tuple[str, str]] = {
    "sources.GitHub": (
        "github",
        "Issues, comments, events and pull requests of the study's repositories.",
    ),
    "sources.git": ("git", "The repositories themselves: commits, files and trees, from a clone."),
    "sources.StackExchange": (
        "stackexchange",
        "Questions and answers of the study's forums, by a dump and the APIs of Stack Exchange, "
        "Discourse and GitHub.",
    ),
    "sources.benchmarks": (
        "json",
        "What the repositories' benchmarks measured: files of asv, github-action-benchmark, "
        "pytest-benchmark, or CSV.",
    ),
    "sources.published_data": (
        "csv",
        "What the authors of the studies published, downloaded at pinned commits and checked.",
    ),
    "sources.people": ("csv", "Review sheets that raters filled in: perf-assets review."),
}
"""Where all comes from: kind and meaning of each."""

FROM_OUTSIDE: Mapping[str, tuple[str, ...]] = {
    "raw.issues": ("sources.GitHub",),
    "raw.commits": ("sources.git",),
    "details.pull_requests": ("sources.GitHub",),
    "raw.benchmark_results": ("sources.benchmarks",),
    "raw.static_findings": ("raw.commits",),  # the clone is brought up to date by who mines commits
    "raw.questions": ("sources.StackExchange",),
    "replication.bugs": ("sources.published_data",),
    "reviews.verdicts": ("sources.people",),
}

PUBLISHED = "published.perf_bugs"
REPORT = "published.report"
REPLICATION_REPORT = "published.replication_report"
VERDICTS = "reviews.verdicts"
LAST = ("marts", "analysis")
"""The schemas that the published database is there for."""


def asset_for_table(table: str) -> str:
    """Return the asset that ``table`` is reported with; its own where it is in no other."""
    return _assets().get(table, table)


def tables_of(asset: str) -> tuple[str, ...]:
    """Return the tables and views of ``asset``, the one it is called after first."""
    return (asset, *(table for table, main in _assets().items() if main == asset))


@cache
def assets_in_order() -> tuple[str, ...]:
    """Return all assets that have tables, each after those it is made from."""
    order = TopologicalSorter(_arrows()).static_order()
    return tuple(
        asset for asset in order if asset.partition(".")[0] not in ("sources", "published")
    )


@cache
def tables_in_order() -> tuple[str, ...]:
    """Return all tables and views, each after its inputs, grouped by asset."""
    tables = TopologicalSorter(made_from()).static_order()
    order = {asset: index for index, asset in enumerate(assets_in_order())}
    in_assets = [table for table in tables if asset_for_table(table) in order]
    return tuple(sorted(in_assets, key=lambda table: order[asset_for_table(table)]))


@cache
def upstream() -> Mapping[str, tuple[str, ...]]:
    """Return the inputs of each asset, without those that follow from other inputs."""
    arrows = _arrows()

    @cache
    def before(asset: str) -> frozenset[str]:
        direct = arrows.get(asset, frozenset())
        return direct.union(*map(before, direct))

    return {
        asset: tuple(sorted(direct - frozenset().union(*map(before, direct))))
        for asset, direct in arrows.items()
    }


def downstream_of(asset: str) -> tuple[str, ...]:
    """Return the assets that are made from ``asset``, directly or by others; sorted."""
    downstream, waiting = {asset}, {asset}
    while waiting:
        waiting = {target for target, inputs in _arrows().items() if waiting & inputs} - downstream
        downstream |= waiting
    return tuple(sorted(downstream - {asset}))


@cache
def _assets() -> Mapping[str, str]:
    tables = declared()
    assets = {name: table.asset for name, table in tables.items() if table.asset is not None}
    for name, asset in assets.items():
        if asset not in tables:
            raise PerfAssetsError(f"{name} has the asset {asset}: {nearest(asset, tables)}")
    return assets


@cache
def _arrows() -> Mapping[str, frozenset[str]]:
    arrows: dict[str, set[str]] = {}
    for table, inputs in made_from().items():
        if not table.startswith("meta."):  # the bookkeeping of runs, which no asset makes
            asset = asset_for_table(table)
            sources = {asset_for_table(name) for name in inputs if not name.startswith("meta.")}
            arrows.setdefault(asset, set()).update(sources - {asset})
    for asset, inputs in FROM_OUTSIDE.items():
        arrows[asset].update(inputs)
    arrows[PUBLISHED] = {name for name in arrows if name.startswith(LAST)}
    arrows[REPORT] = arrows[REPLICATION_REPORT] = {PUBLISHED}
    return {asset: frozenset(inputs) for asset, inputs in arrows.items()}
