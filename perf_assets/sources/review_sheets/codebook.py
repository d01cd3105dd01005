"""The codebook's file, read."""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path

from perf_assets.core.reviews.codebook import Codebook, read_codebook

PATH = Path(str(files("perf_assets.sources.review_sheets").joinpath("codebook.toml")))


@cache
def codebook() -> Codebook:
    """The content of ``codebook.toml``: the paper's categories of root causes, described."""
    return read_codebook(tomllib.loads(PATH.read_text(encoding="utf-8")))
