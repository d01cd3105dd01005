"""The forums of a study: their tag sets, and where the questions come from."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from perf_assets.base.config_files import Many, StrictModel
from perf_assets.base.months import last_full_month
from perf_assets.base.sanitize import shortened
from perf_assets.config.addresses import api_address
from perf_assets.config.partitions import Subject

POOLED = "pooled"  # as in the tables of statistics, whose code takes long to import
STACK_EXCHANGE = "https://api.stackexchange.com/2.3"
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
TAG = re.compile(r"[^\s<>|;:,]{1,35}")
# Sites of Stack Exchange that have a domain of their own; all others are below stackexchange.com.
DOMAINS = {
    "stackoverflow": "stackoverflow.com",
    "superuser": "superuser.com",
    "serverfault": "serverfault.com",
    "askubuntu": "askubuntu.com",
    "stackapps": "stackapps.com",
    "mathoverflow": "mathoverflow.net",
}


@dataclass(frozen=True)
class TagSet(Subject):
    """Tags that stand for one subject of study, a framework say; ``name`` is forum:label.

    tags : a question belongs to the set that has one of them; to a set without any, if empty.
    repository : the repository of the study that its questions are about, if there is one.
    """

    forum: str
    label: str
    tags: tuple[str, ...]
    repository: str | None = None

    def has(self, tags: "frozenset[str] | set[str]") -> bool:
        """Whether a question with these ``tags`` belongs to it."""
        return not self.tags or not tags.isdisjoint(self.tags)


@dataclass(frozen=True)
class Forum:
    """A forum of Stack Exchange, or of its kind.

    site : how the API calls it.
    dump : the file or folder of its dump, if it is read from one.
    api_url : the API that gives what came after the dump, or all; ``None`` ends with the dump.
    labelled : a CSV file of questions that people classified, from which the classifier learns.
    keywords : a CSV file of the keywords that people chose for each kind; ``None`` takes the
        packaged ones.
    """

    name: str
    site: str
    tag_sets: tuple[TagSet, ...]
    dump: Path | None = None
    api_url: str | None = None
    labelled: Path | None = None
    keywords: Path | None = None

    @property
    def start(self) -> str:
        """The first month that is loaded."""
        return min(tag_set.start for tag_set in self.tag_sets)

    @property
    def domain(self) -> str:
        """Where its pages are."""
        return DOMAINS.get(self.site) or (
            self.site if "." in self.site else f"{self.site}.stackexchange.com"
        )

    def sets_of(self, tags: "frozenset[str] | set[str]") -> list[TagSet]:
        """The tag sets that a question with these ``tags`` belongs to, in the study's order."""
        return [tag_set for tag_set in self.tag_sets if tag_set.has(tags)]


def _word(value: str) -> str:
    if WORD.fullmatch(value) is None:
        raise ValueError("letters, digits and . _ - are allowed here, 64 at most")
    return value


def _tag(value: str) -> str:
    if TAG.fullmatch(value) is None:
        raise ValueError(
            f"{shortened(value, 60)!r} is no tag of a forum; write it as its pages do, as "
            "tensorflow"
        )
    return value.lower()


def _month(value: str) -> str:
    # study.py has the type of a month, and imports this module.
    if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", value) is None:
        raise ValueError("this is no month; write it as YYYY-MM")
    return value


Word = Annotated[str, AfterValidator(_word)]
Tag = Annotated[str, AfterValidator(_tag)]
Month = Annotated[str, AfterValidator(_month)]


class ForumEntry(StrictModel):
    """A [[forums]] table as it is written."""

    name: Word = Field(description="name of the forum, as `stackoverflow`")
    tags: dict[Word, Many[Tag]] = Field(
        min_length=1,
        description="tag sets, each with its tags; an empty list takes every question of a "
        "small site",
    )
    start: Month = Field(description="first month of questions, YYYY-MM")
    end: Month | None = Field(
        None, description="last month of questions; default: the last full month"
    )
    dump: str | None = Field(
        None,
        description="Posts.xml, its .7z or .zst, or the folder that holds it; without it the "
        "API is read",
    )
    api_url: Annotated[str, AfterValidator(api_address)] | None = Field(
        None,
        description="base of the API; after a dump it brings what is newer; default: Stack "
        "Exchange's, where there is no dump",
    )
    site: Word | None = Field(None, description="the API's name of the site; default: `name`")
    repositories: dict[Word, str] = Field(
        default_factory=dict,
        description="the repository a tag set is about, where their names differ",
    )
    labelled: str | None = Field(
        None, description="a CSV file of question_id,kind from which kinds are learned"
    )
    keywords: str | None = Field(
        None,
        description="a CSV file of kind,keyword: those that people chose among the words that the "
        "query `question_keyword_candidates` gives; default: the packaged ones",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> "ForumEntry":
        if self.start > last_full_month():
            raise ValueError(f"start {self.start} is not over yet; nothing to load")
        if self.end is not None and self.end < self.start:
            raise ValueError(f"end {self.end} is before start {self.start}")
        if POOLED in self.tags:
            raise ValueError(f"tags: {POOLED} is what all tag sets together are called")
        for label in self.repositories:
            if label not in self.tags:
                raise ValueError(f"repositories: {label} is none of the tag sets")
        return self

    def forum(
        self,
        dump: Path | None,
        labelled: Path | None,
        keywords: Path | None,
        repositories: Mapping[str, str],
    ) -> Forum:
        """The forum with its paths; ``repositories`` are those of the study, by short name."""
        tag_sets = tuple(
            TagSet(
                f"{self.name}:{label}",
                self.start,
                self.end,
                self.name,
                label,
                tuple(dict.fromkeys(tags)),
                self.repositories.get(label) or repositories.get(label.casefold()),
            )
            for label, tags in self.tags.items()
        )
        api_url = self.api_url or (STACK_EXCHANGE if dump is None else None)
        site = self.site or self.name
        return Forum(self.name, site, tag_sets, dump, api_url, labelled, keywords)
