"""The file of the paper's figures, read."""

import tomllib
from functools import cache
from importlib.resources import files

from perf_assets.core.paper_comparison import Published


@cache
def published_figures() -> Published:
    """The content of ``published.toml``: the figures of the paper as it prints them."""
    text = files("perf_assets.replication").joinpath("published.toml").read_text("utf-8")
    return tomllib.loads(text)
