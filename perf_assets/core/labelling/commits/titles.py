"""Titles of commits: the tags that projects put before them, and what is left to read."""

import re
from typing import NamedTuple

_TAG = re.compile(
    r"\s*(?:\[[^\[\]\n]{1,60}\][:\s]*"
    r"|[A-Za-z][\w.+/-]{0,40}(?:\([^()\n]{0,60}\))?!?:(?:\s+|(?=\w))"
    r"|(?:PERF|ENH|BUG|MAINT|DOC|TST|BENCH|BLD|CI|STY|REF|DEP|API|REL|REV|SIMD|CLN|TYP)\b[\s,/]*)"
)
_MOST_TAGS = 4
_OF_PERFORMANCE = re.compile(r"(?<![a-z])perf(?:s|ormance)?(?![a-z/])", re.IGNORECASE)
_OF_BENCHMARKS = re.compile(r"(?<![a-z])(?:bench(?:mark)?s?|asv)(?![a-z])", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"(?<![a-z])(?:tests?|testing|tst|docs?|doc|ci|build|bld|typ|types|sty|style|lint|chore"
    r"|deps)(?![a-z])",
    re.IGNORECASE,
)
_ABOUT_TEXTS = re.compile(
    r"(?:document|describe|explain|mention|mark|skip|xfail|bump"
    # What is taken back because it was slow is work on performance.
    r"|revert(?!.{1,80}(?:due to|because|caus\w{1,9}|for) .{0,20}(?:perf|slow|memory|leak)))"
    r"(?:s|ed|ing)?\b",
    re.IGNORECASE,
)
# `optimize` and `cache` are names of modules as well, and Faster R-CNN is one of a model.
_CODE = re.compile(
    r"(?i:\bfaster[ -]?r-?cnn\b)|`[^`\n]{1,200}`|\b[\w]{1,80}(?:[.:/_]{1,2}\w{1,80}){1,20}(?:\(\))?"
)


_CACHES = re.compile(r"cached_property|lru_cache")


class Title(NamedTuple):
    """A title that was read.

    tags : those before it, such as ``perf(tsdb):`` and ``[Perf]``.
    plain : the rest, without code and the names of modules and files.
    """

    tags: str
    plain: str

    @property
    def is_tagged(self) -> bool:
        """Return whether a tag says performance."""
        return _OF_PERFORMANCE.search(self.tags) is not None

    @property
    def is_benchmark(self) -> bool:
        """Return whether a tag says benchmarks, and none performance."""
        return _OF_BENCHMARKS.search(self.tags) is not None and not self.is_tagged

    @property
    def is_elsewhere(self) -> bool:
        """Return whether tag or first word says tests, texts or tools, and no tag performance."""
        says_so = _ELSEWHERE.search(self.tags) or _ABOUT_TEXTS.match(self.plain)
        return says_so is not None and not self.is_tagged


def read_title(title: str) -> Title:
    """Return the tags of a title and the rest of it."""
    end = 0
    for _ in range(_MOST_TAGS):
        tag = _TAG.match(title, end)
        if tag is None:
            break
        end = tag.end()
    return Title(title[:end].strip(), " ".join(_CODE.sub(_telling, title[end:]).split()))


def _telling(code: re.Match[str]) -> str:
    """Return what a piece of code says by itself: that a result is kept."""
    found = _CACHES.search(code[0])
    return f" {found[0]} " if found else " "
