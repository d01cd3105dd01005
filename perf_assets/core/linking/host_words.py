"""How texts name the issues and changes of a project on another host than GitHub.

A change is a merge request. On GitLab changes are numbered apart from issues and written ``!12``;
on Bugzilla a number belongs to the whole host, and commits begin with ``Bug 12345 -``.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from perf_assets.base.repository_names import split_name
from perf_assets.core.linking.revert_words import BACK, TAGS

GITHUB = "github"
_HOST = r"[\w-]+(?:\.[\w-]+){1,6}(?::\d{1,5})?"
_PATH = r"[\w.-]+(?:/[\w.-]+){1,10}"
_VERB = r"(?:(?:fix|clos|resolv|implement)(?:e[sd]?|es|ed|s|ing)?:?\s+(?:issue\s+)?)?"

_PAGE = re.compile(
    rf"{_VERB}https?://(?P<name>{_HOST}/{_PATH}?)/(?:-/)?"
    r"(?P<sort>issues|work_items|merge_requests)/(?P<number>[1-9]\d{0,8})\b",
    re.IGNORECASE,
)
_BUG_PAGE = re.compile(
    rf"{_VERB}https?://(?P<name>{_HOST})(?:/[\w.-]+)?/"
    r"(?:(?P<sort>show_bug)\.cgi\?id=)?(?P<number>[1-9]\d{0,8})\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"{_VERB}(?:(?P<name>(?<![\w./-]){_PATH})|(?<![\w&#/.-]))#(?P<number>[1-9]\d{{0,8}})(?!\w)",
    re.IGNORECASE,
)
_BUG = re.compile(
    rf"{_VERB}(?<![\w/-])(?:bugs?|bz)(?:\s+|\s*#|:\s*)(?P<number>[1-9]\d{{1,8}})(?!\w)"
    # GCC and its kin write the component: PR tree-optimization/12345.
    rf"|{_VERB}(?<![\w/-])PR\s+[\w+-]{{1,40}}/(?P<problem>[1-9]\d{{1,8}})(?!\w)",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    rf"(?:(?P<name>(?<![\w./-]){_PATH})|(?<![\w&#!/.-]))!(?P<number>[1-9]\d{{0,8}})(?!\w)"
)
_LANDED = re.compile(
    rf"^See merge request (?:https?://{_HOST}/)?(?:(?P<name>{_PATH}))?"
    r"(?:!|/-/merge_requests/)(?P<number>[1-9]\d{0,8})\s*$",
    re.MULTILINE,
)
_SQUASHED = re.compile(r"\(!(?P<number>[1-9]\d{0,8})\)\s*$")


_BACKED_OUT = re.compile(rf"\s*{TAGS}{BACK}\b", re.IGNORECASE)
_LEADING = re.compile(
    r"^(?:\[[^\]\n]{1,60}\]\s*)?bugs?\s+#?(?P<number>[1-9]\d{1,8})\b(?:\s*(?:,|&|and)\s*"
    r"(?:bugs?\s+)?#?(?P<second>[1-9]\d{1,8})\b)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Reference:
    """An issue or change as a text names it.

    words : those of the text. by_address : whether it is a web address.
    """

    number: int
    words: str
    by_address: bool
    is_change: bool = False


@dataclass(frozen=True)
class HostWords:
    """Reads references to one project.

    names : the names that it has and had, with their hosts, in lower case.
    source : the kind of its host.
    """

    names: frozenset[str]
    source: str

    @property
    def has_plain_numbers(self) -> bool:
        """Return whether a number without a sign may be an issue; Bugzilla has too many."""
        return self.source != "bugzilla"

    def issues(self, line: str, text: str) -> Iterator[Reference]:
        """Yield the issues of the project in a line; ``text`` is the line without addresses."""
        if self.source == "bugzilla":
            # A back-out repeats the bugs of what it takes back, in many forms.
            yield from () if _BACKED_OUT.match(text) else self._bugs(line, text)
            return
        for found in _PAGE.finditer(line):
            if found["name"].casefold() in self.names and not _is_change(found):
                yield Reference(int(found["number"]), found[0], by_address=True)
        for found in _NUMBER.finditer(text):
            if self._is_own_path(found["name"]):
                yield Reference(int(found["number"]), found[0], by_address=False)

    def changes(self, line: str, text: str) -> Iterator[Reference]:
        """Yield the changes of the project that a line names."""
        for found in _PAGE.finditer(line):
            if found["name"].casefold() in self.names and _is_change(found):
                yield Reference(int(found["number"]), found[0], by_address=True, is_change=True)
        for found in _CHANGE.finditer(text):
            if self._is_own_path(found["name"]):
                yield Reference(int(found["number"]), found[0], by_address=False, is_change=True)

    def leading(self, message: str) -> list[Reference]:
        """Return the bugs that the subject of a commit begins with; it names others besides."""
        found = _LEADING.match(message.lstrip()) if self.source == "bugzilla" else None
        numbers = [found["number"], found["second"]] if found else []
        return [
            Reference(int(number), str(found and found[0]), by_address=False)
            for number in numbers
            if number is not None
        ]

    def landed(self, message: str) -> set[int]:
        """Return the changes that a commit says to land, as GitLab's merges and squashes do."""
        subject = message.lstrip().partition("\n")[0]
        squashed = _SQUASHED.search(subject)
        return {
            *([int(squashed["number"])] if squashed else ()),
            *(
                int(found["number"])
                for found in _LANDED.finditer(message)
                if self._is_own_path(found["name"])
            ),
        }

    def foreign(self, message: str) -> set[int]:
        """Return the numbers that a message gives, by address, to issues of other projects."""
        pages = [(found["name"].casefold(), int(found["number"])) for found in _pages(message)]
        own = self._hosts if self.source == "bugzilla" else self.names
        ours = {number for name, number in pages if name in own}
        return {number for name, number in pages if name not in own} - ours

    @property
    def _hosts(self) -> set[str]:
        hosts = {host for host, _ in map(split_name, self.names) if host is not None}
        # Mozilla's short address.
        return hosts | ({"bugzil.la"} if "bugzilla.mozilla.org" in hosts else set())

    def _bugs(self, line: str, text: str) -> Iterator[Reference]:
        for found in _BUG_PAGE.finditer(line):
            if found["name"].casefold() in self._hosts:
                yield Reference(int(found["number"]), found[0], by_address=True)
        for found in _BUG.finditer(text):
            number = found["number"] or found["problem"]
            yield Reference(int(number), found[0], by_address=False)

    def _is_own_path(self, path: str | None) -> bool:
        """Return whether a path is the project's, as it is written on its own host."""
        own = {place for host, place in map(split_name, self.names) if host is not None}
        return path is None or path.casefold() in own


def words_of(names: Collection[str], source: str) -> HostWords | None:
    """Return how texts name the issues of a project on another host; None for one of GitHub."""
    return None if source == GITHUB else HostWords(frozenset(map(str.casefold, names)), source)


def _pages(text: str) -> Iterator[re.Match[str]]:
    yield from _PAGE.finditer(text)
    yield from (found for found in _BUG_PAGE.finditer(text) if found["sort"])


def _is_change(found: re.Match[str]) -> bool:
    return found["sort"].casefold() == "merge_requests"
