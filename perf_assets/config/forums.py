"""The forums of a study: their tag sets, and where the questions come from."""

import re
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from perf_assets.base.config_files import Distinct, StrictModel
from perf_assets.base.months import last_full_month
from perf_assets.base.repository_names import is_repository_name
from perf_assets.base.sanitize import shortened
from perf_assets.config.addresses import ApiAddress, ResolvedPath
from perf_assets.config.partitions import Month, Subject

POOLED = "pooled"  # as in the tables of statistics, whose code takes long to import
DEFAULTS = {
    "stackexchange": "https://api.stackexchange.com/2.3",
    "github": "https://api.github.com",
}
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
CATEGORY = "category:"
TAG = re.compile(rf"({CATEGORY})?[^\s<>|;:,]{{1,100}}")
LONGEST_TAG = 35  # of Stack Exchange
PATHS = {"stackexchange": "questions/", "discourse": "t/", "github": ""}
# Sites of Stack Exchange that have a domain of their own; all others are below stackexchange.com.
DOMAINS = {
    "stackoverflow": "stackoverflow.com",
    "superuser": "superuser.com",
    "serverfault": "serverfault.com",
    "askubuntu": "askubuntu.com",
    "stackapps": "stackapps.com",
    "mathoverflow": "mathoverflow.net",
}


def _word(value: str) -> str:
    if WORD.fullmatch(value) is None:
        raise ValueError("letters, digits and . _ - are allowed here, 64 at most")
    return value


def _tag(value: str) -> str:
    if TAG.fullmatch(value) is None:
        raise ValueError(
            f"{shortened(value, 60)!r} is not a tag of a forum; write it as its pages do, as "
            f"tensorflow, and a category of Discourse or GitHub as {CATEGORY}performance"
        )
    return value.lower()


def _site(value: str) -> str:
    return value if is_repository_name(value) else _word(value)


Word = Annotated[str, AfterValidator(_word)]
Site = Annotated[str, AfterValidator(_site)]
Tag = Annotated[str, AfterValidator(_tag)]


class TagSet(Subject):
    """Tags that stand for one subject of study, a framework say; ``name`` is forum:label.

    tags : a question belongs to the set that has one of them; to a set without any, if empty.
    """

    forum: str
    label: str
    tags: tuple[str, ...]

    def has(self, tags: "frozenset[str] | set[str]") -> bool:
        """Return whether a question with these ``tags`` belongs to it."""
        return not self.tags or not tags.isdisjoint(self.tags)


class Forum(StrictModel):
    """A [[forums]] table of a study file: a site of Stack Exchange, Discourse or discussions."""

    name: Word = Field(description="name of the forum, as `stackoverflow`")
    kind: Literal["stackexchange", "discourse", "github"] = Field(
        default="stackexchange",
        description="the software of the forum; `github` is GitHub Discussions",
    )
    tags: dict[Word, Distinct[Tag]] = Field(
        min_length=1,
        description="tag sets, each with its tags; an empty list takes every question of a "
        f"small site; {CATEGORY}SLUG stands for a category of Discourse or "
        "GitHub",
    )
    start: Month = Field(description="first month of questions, YYYY-MM")
    end: Month | None = Field(
        default=None, description="last month of questions; default: the last full month"
    )
    dump: ResolvedPath | None = Field(
        default=None,
        description="Posts.xml, its .7z or .zst, or the folder that holds it; of Discourse a "
        "folder of answers of its API; without it the API is read",
    )
    api_url: ApiAddress | None = Field(
        default_factory=lambda forum: None if forum["dump"] else DEFAULTS.get(forum["kind"]),
        description="base of the API, for Discourse the address of the forum; after a dump of "
        "Stack Exchange it brings what is newer; default: Stack Exchange's or GitHub's, where "
        "there is no dump",
    )
    site: Site = Field(
        default_factory=lambda forum: forum["name"],
        description="the API's name of the site, for GitHub the owner/name of the repository, "
        "for a dump of Discourse the host of the forum; default: `name`",
    )
    repositories: dict[Word, str] = Field(
        default_factory=dict,
        description="the repository a tag set is about, where their names differ",
    )
    labelled: ResolvedPath | None = Field(
        default=None, description="a CSV file of question_id,kind from which kinds are learned"
    )
    keywords: ResolvedPath | None = Field(
        default=None,
        description="a CSV file of kind,keyword: those that people chose among the words that the "
        "query `question_keyword_candidates` gives; default: the packaged ones",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> "Forum":
        if self.start > last_full_month():
            raise ValueError(f"start {self.start} is not over yet; nothing to load")
        if self.end is not None and self.end < self.start:
            raise ValueError(f"end {self.end} is before start {self.start}")
        if POOLED in self.tags:
            raise ValueError(f"tags: {POOLED} is what all tag sets together are called")
        if self.kind == "github" and (self.api_url is None or self.dump is not None):
            raise ValueError("a forum of kind github has an api_url, and no dump")
        if self.kind == "discourse" and (self.api_url is None) == (self.dump is None):
            raise ValueError("a forum of kind discourse has an api_url or a dump; give one of them")
        if self.kind == "discourse" and self.api_url is None and "." not in self.site:
            raise ValueError(
                "site: links to the topics of a dump need the host of the forum; write it as "
                "discuss.pytorch.org"
            )
        if is_repository_name(self.site) != (self.kind == "github"):
            raise ValueError("site: only a forum of kind github has an owner/name, and needs it")
        if self.kind == "stackexchange" and any(
            tag.startswith(CATEGORY) or len(tag) > LONGEST_TAG
            for tags in self.tags.values()
            for tag in tags
        ):
            raise ValueError(
                f"tags: those of Stack Exchange have {LONGEST_TAG} characters at most, and "
                f"{CATEGORY} is not one"
            )
        for label in self.repositories:
            if label not in self.tags:
                raise ValueError(f"repositories: {label} is none of the tag sets")
        return self

    @cached_property
    def tag_sets(self) -> tuple[TagSet, ...]:
        """The tag sets, in the order of the study file."""
        return tuple(
            TagSet(
                name=f"{self.name}:{label}",
                start=self.start,
                end=self.end,
                forum=self.name,
                label=label,
                tags=tags,
            )
            for label, tags in self.tags.items()
        )

    @property
    def posts_dump(self) -> Path | None:
        """Return the dump of a site of Stack Exchange, out of which its posts are taken first."""
        return self.dump if self.kind == "stackexchange" else None

    @property
    def address(self) -> str:
        """Return where its pages are."""
        if self.kind == "discourse":
            return f"https://{self.site}" if self.api_url is None else self.api_url.rstrip("/")
        if self.kind == "github":
            return f"https://github.com/{self.site}/discussions"
        is_domain = "." in self.site
        default = self.site if is_domain else f"{self.site}.stackexchange.com"
        return f"https://{DOMAINS.get(self.site, default)}"

    @property
    def question_url(self) -> str:
        """Return what stands before the number of a question in the address of its page."""
        return f"{self.address}/{PATHS[self.kind]}"

    def sets_of(self, tags: "frozenset[str] | set[str]") -> list[TagSet]:
        """Return the tag sets that a question with ``tags`` belongs to, in the study's order."""
        return [tag_set for tag_set in self.tag_sets if tag_set.has(tags)]

    def set_of(self, tags: "frozenset[str] | set[str]") -> TagSet | None:
        """Return the tag set in whose partition a question with these ``tags`` is stored."""
        return next((tag_set for tag_set in self.tag_sets if tag_set.has(tags)), None)
