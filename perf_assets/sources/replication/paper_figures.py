"""The file of the paper's figures, read."""

import tomllib
from functools import cache
from importlib.resources import files

from perf_assets.core.paper.figures import PaperTables


@cache
def paper_figures() -> PaperTables:
    """The content of ``paper_figures.toml``: the figures of the paper as it prints them."""
    package = files("perf_assets.sources.replication")
    return tomllib.loads(package.joinpath("paper_figures.toml").read_text("utf-8"))
