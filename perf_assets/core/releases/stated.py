"""Releases that a report names: since which one it is slower, and which one was still fast.

Words such as "since 1.13", "slower in 2.1 than in 2.0", "after upgrading from 1.12 to 1.13",
"regression from v2.0.1" and "worked in 1.7". A number counts only if a release of the repository
that was out has it as its version: other programs have versions too.
"""

import re
from collections.abc import Mapping
from datetime import datetime

import polars as pl
from packaging.version import Version

from perf_assets.core.labelling.environments import EVIDENCE_LENGTH, EXAMPLE
from perf_assets.core.markdown import without_comments
from perf_assets.core.releases.containing import Releases
from perf_assets.core.releases.versions import own_packages, parsed
from perf_assets.schema import schema_of

TABLE = "details.stated_releases"

_VERSION = r"v?\d{1,4}(?:\.\d{1,4}){1,3}(?:\.?(?:post|rc|a|b)\d{1,2})?(?![.\d]{0,20}[\w%])"
_HAS_VERSION = re.compile(r"\d\.\d")
_MARKS = re.compile(r"[\s`*_\"']+")
_AROUND = 40
"""Characters before and after the words that are kept with them."""


class Reader:
    """Reads the reports of one repository, whose releases may go by its name."""

    def __init__(self, repository: str, tags: Mapping[Version, tuple[str, datetime]]) -> None:
        """Compile the patterns with the names of the project.

        tags : the release that has each version, and when it came out.
        """
        self._tags = tags
        names = "|".join(sorted(map(re.escape, own_packages(repository)), key=len, reverse=True))
        named = rf"(?:(?:in|with|on|of|using|for|the|version|release|{names})[ =@-]{{1,2}}){{0,4}}"
        bad, good = (rf"{named}(?P<{role}>{_VERSION})" for role in ("bad", "good"))
        than = r",? (?:than|compared (?:to|with)|vs\.?|versus|relative to)"
        worse = r"(?:slow|slower|slowdown|worse|regress(?:ion|ions|ed|es)?)"
        self._patterns = tuple(
            re.compile(pattern)
            for pattern in (
                rf"\b(?:from|between) {good} (?:to|and|->|→) {bad}",
                rf"\b{worse} {bad}{than} {good}",
                rf"\b{bad} (?:\w{{1,20}} ){{1,4}}slower than {good}",
                rf"\b(?:since|starting(?: from)?|as of|beginning) {bad}",
                rf"\b(?:introduced|began|started|appeared|broke|broken|new|{worse}) {bad}",
                rf"\b(?:upgrad|updat|mov|switch|migrat)(?:e|ed|ing) to {bad}",
                rf"\bregress(?:ion|ions|ed|es) from {good}",
                r"\b(?:works?|worked|fine|fast|faster|ok|okay|good) (?:fine |well )?"
                rf"(?:until |up to |before |under )?{good}",
            )
        )

    def read(
        self, title: str, body: str | None, opened_at: datetime
    ) -> tuple[str | None, str | None, str] | None:
        """Return the release that is affected, the one that is not, and the words that say so.

        The first words count that name a release, by the order of the patterns. None where none
        do.

        Examples
        --------
        >>> day = datetime(2020, 1, 1)
        >>> tags = {Version("2.0.0"): ("v2.0.0", day), Version("2.1.0"): ("v2.1.0", day)}
        >>> Reader("dask/dask", tags).read("Merge is slower in 2.1 than in 2.0", None, day)[:2]
        ('v2.1.0', 'v2.0.0')
        """
        written = f"{title}\n{body or ''}"
        if not self._tags or not _HAS_VERSION.search(written):
            return None
        text = _MARKS.sub(" ", EXAMPLE.sub("", without_comments(written))).casefold()
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                roles = match.groupdict()
                bad, good = (self._release(roles.get(role), opened_at) for role in ("bad", "good"))
                if bad or good:
                    around = text[max(0, match.start() - _AROUND) : match.end() + _AROUND]
                    return bad, good, around.strip()[:EVIDENCE_LENGTH]
        return None

    def _release(self, text: str | None, opened_at: datetime) -> str | None:
        version = None if text is None else parsed(text)
        if version is None or version not in self._tags:
            return None
        tag, released_at = self._tags[version]
        return tag if released_at <= opened_at else None


def stated_releases(repository: str, issues: pl.DataFrame, releases: Releases) -> pl.DataFrame:
    """Return the releases that reports name as slower or as still fast.

    Parameters
    ----------
    issues : columns number, title, body, created_at, month.

    Returns
    -------
    Columns as ``details.stated_releases``, by number.
    """
    ordered = sorted(releases.ordered, key=lambda row: row.is_counted)
    reader = Reader(repository, {row.order: (row.tag, row.at) for row in ordered})
    rows = [
        (repository, number, *stated, month)
        for number, title, body, opened_at, month in issues.sort("number")
        .select("number", "title", "body", "created_at", "month")
        .iter_rows()
        if (stated := reader.read(title, body, opened_at))
    ]
    return pl.DataFrame(rows, schema=schema_of(TABLE), orient="row")
