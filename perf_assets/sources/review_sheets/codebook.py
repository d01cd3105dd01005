"""The files of the codebooks, read."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from perf_assets.core.reviews.codebook import Codebook, read_codebook

FOLDER = Path(str(files("perf_assets.sources.review_sheets")))
PATH = FOLDER / "codebook.toml"
PROBLEMS_PATH = FOLDER / "codebook_dlperf.toml"
CHALLENGES_PATH = FOLDER / "codebook_challenges.toml"


@dataclass(frozen=True)
class ProblemCodebook:
    """The three codebooks of performance problems (Cao et al., ESEC/FSE 2022)."""

    symptoms: Codebook
    causes: Codebook
    stages: Codebook


@cache
def codebook() -> Codebook:
    """Return the content of ``codebook.toml``: the paper's categories of root causes, described."""
    return read_codebook(tomllib.loads(PATH.read_text(encoding="utf-8")))


@cache
def problem_codebook() -> ProblemCodebook:
    """Return the content of ``codebook_dlperf.toml``: symptoms, causes and stages of problems."""
    content = tomllib.loads(PROBLEMS_PATH.read_text(encoding="utf-8"))
    names = ("symptoms", "causes", "stages")
    return ProblemCodebook(*(read_codebook(content[name]) for name in names))


@cache
def challenges_codebook() -> Codebook:
    """Return the content of ``codebook_challenges.toml``: root causes of what makes it hard."""
    return read_codebook(tomllib.loads(CHALLENGES_PATH.read_text(encoding="utf-8")))
