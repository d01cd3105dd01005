"""The benchmark results of a study: of which repository, and where they are read from."""

from typing import Literal

from pydantic import Field, model_validator

from perf_assets.base.config_files import StrictModel, Text
from perf_assets.config.addresses import GitSource, ResolvedPath
from perf_assets.config.repositories import RepositoryName

Format = Literal["asv", "github-action", "pytest-benchmark", "csv"]


class Benchmarks(StrictModel):
    """A [[benchmarks]] table of a study file: results of one repository's benchmarks."""

    repository: RepositoryName = Field(description="the repository of the study that was measured")
    format: Format = Field(
        description="what wrote the results: `asv`, `github-action` (data.js of "
        "github-action-benchmark), `pytest-benchmark`, or `csv`"
    )
    name: Text = Field(
        default_factory=lambda entry: entry["format"],
        description="what these results are called, where a repository has several; default: "
        "`format`",
    )
    path: ResolvedPath | None = Field(
        default=None, description="a folder of results, or one file; either this or `git`"
    )
    git: GitSource | None = Field(
        default=None, description="path or URL of a git repository that holds the results"
    )
    branch: Text | None = Field(
        default=None, description="its branch, as `gh-pages`; default: the default branch"
    )
    folder: Text | None = Field(
        default=None, description="folder or file in that repository; default: all of it"
    )

    @model_validator(mode="after")
    def _has_one_place(self) -> "Benchmarks":
        if (self.path is None) == (self.git is None):
            raise ValueError("give either path or git, where the results are")
        if self.git is None and (self.branch or self.folder):
            raise ValueError("branch and folder belong to git; remove them, or give git")
        return self
