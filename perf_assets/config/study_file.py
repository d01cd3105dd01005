"""The study file as it is written: its keys, their meanings, and what is refused."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from perf_assets.base.config_files import Many, StrictModel
from perf_assets.base.months import is_month, last_full_month
from perf_assets.base.repository_names import is_repository_name
from perf_assets.base.sanitize import shortened
from perf_assets.config.addresses import CONTROL, LONGEST, api_address, git_address
from perf_assets.config.areas import AreasEntry
from perf_assets.config.forums import ForumEntry
from perf_assets.config.lakehouse import LakeEntry
from perf_assets.config.people import PeopleEntry
from perf_assets.core.labelling.strength import WIDENED_KEYWORDS
from perf_assets.core.linking.links import APPROACHES
from perf_assets.core.paper import constants as paper
from perf_assets.core.questions.classifier_assumptions import KindMethod

Miner = Literal["git", "pydriller"]
"""What reads the commits of a clone."""

RECONCILE_MONTHS = 6
FIRST_MONTH = "1970-01"  # git knows no earlier commits


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("a text that is not blank is needed here")
    if CONTROL.search(value) or len(value) > LONGEST:
        raise ValueError(
            f"a text of at most {LONGEST:,} characters without control characters is needed here"
        )
    return value.strip()


def _month(value: str) -> str:
    if not is_month(value):
        raise ValueError("this is no month; write it as YYYY-MM")
    if value < FIRST_MONTH:
        raise ValueError(f"nothing is mined from before {FIRST_MONTH}")
    return value


def _name(value: str) -> str:
    if not is_repository_name(value):
        raise ValueError("this is no repository; write owner/name")
    return value


def _git(value: str) -> str:
    git_address(value)
    return value


_Text = Annotated[str, AfterValidator(_text)]
_Month = Annotated[str, AfterValidator(_month)]


class RepositoryEntry(StrictModel):
    """A [[repositories]] table as it is written."""

    name: Annotated[str, AfterValidator(_name)] = Field(description="owner/name on GitHub")
    start: _Month = Field(description="first month mined, YYYY-MM")
    trend_start: _Month | None = Field(
        None, description="first month of the monthly series; default: three months after `start`"
    )
    end: _Month | None = Field(
        None,
        description="last month mined; default: the last full month, or the newest month of the "
        "corpus",
    )
    git: Annotated[_Text, AfterValidator(_git)] | None = Field(
        None,
        description="path or URL to clone from; in `https://user:token@host/path` the token is "
        "given to git alone; default: the repository on GitHub",
    )
    github_url: Annotated[str, AfterValidator(api_address)] | None = Field(
        None, description="base of the API; default: that of GitHub"
    )
    corpus: _Text | None = Field(
        None, description="a corpus directory instead of GitHub, served on loopback during the run"
    )
    miner: Miner = Field(
        "git",
        description="what reads the commits; PyDriller is the reference, and takes many times as "
        "long; a change reads all commits again",
    )
    checks: bool = Field(
        True, description="whether the static checks read its tree at the end of each quarter"
    )
    performance_labels: Many[_Text] | None = Field(
        None,
        description="labels that mark a performance bug in this repository; default: the study's",
    )
    non_bug_labels: Many[_Text] | None = Field(
        None,
        description="labels that mark an issue of this repository as something other than a bug "
        "report; default: the study's",
    )
    aliases: Many[Annotated[str, AfterValidator(_name)]] = Field(
        (), description="former or later names of the repository, whose links count as its own"
    )
    areas: AreasEntry | None = Field(
        None,
        description="a `[repositories.areas]` table: which parts of the code there are; default: "
        "by labels, directories and stack traces",
    )

    @model_validator(mode="after")
    def _is_in_order(self) -> "RepositoryEntry":
        if self.start > last_full_month():
            raise ValueError(f"start {self.start} is not over yet; nothing to mine")
        for key, month in (("trend_start", self.trend_start), ("end", self.end)):
            if month is not None and month < self.start:
                raise ValueError(f"{key} {month} is before start {self.start}")
        if self.trend_start is not None and self.trend_start > last_full_month():
            raise ValueError(f"trend_start {self.trend_start} is not over yet; nothing to show")
        if self.corpus is not None and self.github_url is not None:
            raise ValueError("give either corpus or github_url, not both")
        return self


class StudyEntry(StrictModel):
    """A study file as it is written."""

    name: _Text = Field(description="name of the study")
    repositories: Many[RepositoryEntry] = Field(
        (), description="a `[[repositories]]` table for each repository"
    )
    forums: Many[ForumEntry] = Field(
        (), description="a `[[forums]]` table for each forum of Stack Exchange"
    )
    performance_labels: Many[_Text] = Field(
        ("performance",), description="labels that mark a performance bug"
    )
    non_bug_labels: Many[_Text] = Field(
        (), description="labels that mark an issue as something other than a bug report"
    )
    keywords: Many[_Text] = Field(
        paper.KEYWORDS,
        description="words in title or body that mark a performance bug; default: the paper's 29",
    )
    strong_keywords: Many[_Text] | None = Field(
        None, description="those of the keywords that make a label strong; default: `memory leak`"
    )
    weak_keywords: Many[_Text] | None = Field(
        None, description="those of the keywords that leave a label weak; default: `slow`"
    )
    widened_keywords: Many[_Text] = Field(
        WIDENED_KEYWORDS,
        description="further words of titles, for the sensitivity analysis only; default: forms of "
        "leak, speed, overhead, memory",
    )
    count_approaches: Many[Literal[APPROACHES]] = Field(  # type: ignore[valid-type]
        APPROACHES,
        description="how a commit may be linked to count as a fix; default: all; the paper's "
        "rule is `url`, `id`",
    )
    reconcile_months: int = Field(
        RECONCILE_MONTHS,
        ge=1,
        le=1200,
        description="monthly refreshes within which every stored issue is read again",
    )
    analyze_fixes: bool = Field(
        True,
        description="whether fixes are analysed in detail: methods, languages, who introduced "
        "the bug",
    )
    kind_method: KindMethod = Field(
        "better", description="how the kinds of questions are classified"
    )
    people: PeopleEntry | None = Field(None, description="a `[people]` table: who is who")
    lake: LakeEntry | None = Field(
        None, description="a `[lake]` table, where several repositories are mined at once"
    )

    @model_validator(mode="after")
    def _grades_keywords_once(self) -> "StudyEntry":
        strong, weak = (set(words or ()) for words in (self.strong_keywords, self.weak_keywords))
        for key, words in (("strong_keywords", strong), ("weak_keywords", weak)):
            for word in sorted(words - set(self.keywords)):
                raise ValueError(
                    f"{key}: {shortened(word, 60)!r} is none of the keywords; add it there"
                )
        for word in sorted(strong & weak):
            raise ValueError(
                f"{shortened(word, 60)!r} is a strong and a weak keyword; remove it from one"
            )
        return self

    def graded(self, words: Sequence[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
        """The keywords of a grade: those given, else those of the ``default`` that are keywords."""
        chosen = [word for word in default if word in self.keywords] if words is None else words
        return tuple(dict.fromkeys(chosen))

    @model_validator(mode="after")
    def _names_each_subject_once(self) -> "StudyEntry":
        if not self.repositories and not self.forums:
            raise ValueError("there is nothing to study: add [[repositories]] or [[forums]]")
        seen: set[str] = set()
        for repository in self.repositories:
            if repository.name.casefold() in seen:
                raise ValueError(f"repositories: {repository.name} is listed twice")
            seen.add(repository.name.casefold())
        for repository in self.repositories:
            for alias in repository.aliases:
                if alias.casefold() in seen:
                    raise ValueError(
                        f"repositories: {alias}, an alias of {repository.name}, is a repository of "
                        "the study or an alias already; a name belongs to one repository"
                    )
                seen.add(alias.casefold())
        names = [forum.name.casefold() for forum in self.forums]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"forums: {name} is listed twice")
        return self
