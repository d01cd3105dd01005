"""The repositories of a study: which months are mined, and where from."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from perf_assets.base.config_files import Distinct, Many, Text
from perf_assets.base.corpus import newest_month
from perf_assets.base.months import add_months, last_full_month
from perf_assets.base.repository_names import is_hosted_name, is_repository_name, split_name
from perf_assets.config.addresses import ApiAddress, GitSource, ResolvedPath
from perf_assets.config.hosts import KINDS, HostKind, code_address, kind_of
from perf_assets.config.partitions import Month, Subject
from perf_assets.core.areas.rules import AreaRules
from perf_assets.core.paper import constants as paper

Miner = Literal["git", "pydriller"]
"""What reads the commits of a clone."""


def _repository_name(value: str) -> str:
    if not is_repository_name(value) and not is_hosted_name(value):
        raise ValueError("this is not a repository; write owner/name, or host/path")
    return value


def _source(value: str) -> str:
    if value not in KINDS:
        raise ValueError(f"issues are read from one of {', '.join(KINDS)}")
    return value


def _git_address(source: str | None, name: str) -> str:
    return (KINDS[source].address("git", name) or "") if source in KINDS else ""


def _directory(value: Path) -> Path:
    if not value.is_dir():
        raise ValueError(f"{value} is not a directory")
    return value


RepositoryName = Annotated[str, AfterValidator(_repository_name)]


class Repository(Subject):
    """A [[repositories]] table of a study file."""

    name: RepositoryName = Field(
        description="owner/name on GitHub; elsewhere the host and the name there, as "
        "`gitlab.com/group/project` or `bugzilla.mozilla.org/Core/Layout`"
    )
    source: Annotated[str, AfterValidator(_source)] = Field(
        default_factory=lambda entry: kind_of(entry.get("name", "")) or "",
        description=f"what its issues are read from: {', '.join(KINDS)}; default: as the host in "
        "`name` says",
    )
    start: Month = Field(description="first month mined, YYYY-MM")
    last: Month | None = Field(
        default=None,
        alias="end",
        description="last month mined; default: the last full month, or the newest month of the "
        "corpus",
    )
    trend_start: Month = Field(
        default_factory=lambda entry: add_months(entry["start"], paper.MONTHS_BEFORE_TREND),
        description="first month of the monthly series; default: three months after `start`",
    )
    git: GitSource = Field(
        default_factory=lambda entry: _git_address(entry.get("source"), entry["name"]),
        description="path or URL to clone from; in `https://user:token@host/path` the token is "
        "given to git alone; default: the repository on GitHub or GitLab",
    )
    github_url: ApiAddress | None = Field(
        default=None, description="base of GitHub's API; default: that of github.com"
    )
    api_url: ApiAddress | None = Field(
        default=None, description="base of the API of another host; default: that of the host"
    )
    corpus: Annotated[ResolvedPath, AfterValidator(_directory)] | None = Field(
        default=None,
        description="a corpus directory instead of GitHub, served on loopback during the run",
    )
    miner: Miner = Field(
        default="git",
        description="what reads the commits; PyDriller is the reference, and takes many times as "
        "long; a change reads all commits again",
    )
    checks: bool = Field(
        default=True,
        description="whether the static checks read its tree at the end of each quarter",
    )
    performance_labels: Distinct[Text] | None = Field(
        default=None,
        description="labels that mark a performance bug in this repository; default: the study's",
    )
    non_bug_labels: Distinct[Text] | None = Field(
        default=None,
        description="labels that mark an issue of this repository as something other than a bug "
        "report; default: the study's",
    )
    pull_requests: bool | None = Field(
        default=None,
        description="whether all its pull requests are read that landed or are linked to an issue; "
        "default: the study's",
    )
    aliases: Many[RepositoryName] = Field(
        default=(),
        description="former or later names of the repository, whose links count as its own",
    )
    areas: AreaRules = Field(
        default_factory=AreaRules,
        description="a `[repositories.areas]` table: which parts of the code there are; default: "
        "by labels, directories and stack traces",
    )

    @property
    def kind(self) -> HostKind:
        """The kind of host that its issues are read from."""
        return KINDS[self.source]

    def code_address(self, which: str) -> str | None:
        """Return what the pages of its commits or files begin with; None where nobody knows."""
        return code_address(which, self.name, self.source, self.git)

    @property
    def api(self) -> str:
        """The base of the API that its issues are read through."""
        return self.github_url or self.api_url or str(self.kind.address("api", self.name))

    @model_validator(mode="after")
    def _has_a_source(self) -> "Repository":
        host, _ = split_name(self.name)
        if not self.source:
            raise ValueError(
                f"source: {host} does not say what runs there: write source = one of "
                f"{', '.join(map(repr, KINDS))}"
            )
        is_github = self.source == "github"
        if is_github != (host is None):
            raise ValueError(
                "name: a repository of GitHub is owner/name, and one of another source begins with "
                "its host"
            )
        if (self.api_url if is_github else self.github_url or self.corpus) is not None:
            raise ValueError(
                "github_url and corpus are for a repository of GitHub, api_url for one elsewhere"
            )
        return self

    @model_validator(mode="after")
    def _is_in_order(self) -> "Repository":
        if self.start > last_full_month():
            raise ValueError(f"start {self.start} is not over yet; nothing to mine")
        for key, month in (("trend_start", self.trend_start), ("end", self.last)):
            if month is not None and month < self.start:
                raise ValueError(f"{key} {month} is before start {self.start}")
        if "trend_start" in self.model_fields_set and self.trend_start > last_full_month():
            raise ValueError(f"trend_start {self.trend_start} is not over yet; nothing to show")
        if self.corpus is not None and self.github_url is not None:
            raise ValueError("give either corpus or github_url, not both")
        return self

    @model_validator(mode="after")
    def _ends_with_its_corpus(self) -> "Repository":
        if self.last is None and self.corpus is not None:
            object.__setattr__(self, "last", newest_month(self.corpus) or self.start)
        return self
