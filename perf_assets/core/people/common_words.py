"""Logins and names that are words of the texts too, and stay in these."""

import re
from collections import Counter
from collections.abc import Collection, Iterable

import polars as pl

from perf_assets.core.people.full_names import FullNames
from perf_assets.core.people.mentions import LETTERS, WORD
from perf_assets.core.people.pseudonyms import SHORTEST, is_distinct

COMMON_PATHS = 3
OFTEN, SELDOM = 2, 3
VERY_OFTEN, NOT_SELDOM = 20, 30

_WORD = re.compile(WORD)
_PART = re.compile(rf"[{LETTERS}]+")
# Where a name is that of an account: @name, from name/branch, and the home of who ran a command.
_MENTION = re.compile(
    r"(?:(?<![\w/.])@|\bfrom (?=[\w-]+/)|\bgithub\.com/|[/\\](?:home|users|user)[/\\]|~)"
    r"([a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?)"
)


def ordinary_words(
    logins: Collection[str],
    texts: Iterable[str],
    contributions: Counter[str],
    vocabulary: Iterable[str],
    paths: Iterable[str],
    language: Collection[str] = (),
) -> frozenset[str]:
    """Return those of ``logins`` that are words of the ``texts`` too, as *slow* or *test* are.

    These would change what texts say. A login is one where it is short or a number, is among the
    ``vocabulary`` (words of keywords and labels), names parts of three ``paths``, or stands
    without a mention in far more texts than its account contributed to or was mentioned in: in more
    than twice as many, and three, where it is a word of the ``language``; else, as people are
    thanked by their names, in twenty times as many, and thirty.

    Parameters
    ----------
    contributions : of each login, in small letters: issues, comments and the like by its account.
    language : words of texts of other projects.
    """
    plain, mentions = Counter[str](), Counter[str]()
    wanted = frozenset(logins)
    for text in texts:
        folded = text.casefold()
        mentioned = {found.casefold() for found in _MENTION.findall(folded)} & wanted
        mentions.update(mentioned)
        words = set(_WORD.findall(folded))
        parts = {
            part for word in words if "-" in word or "_" in word for part in _PART.findall(word)
        }
        plain.update(((words | parts) & wanted) - mentioned)
    in_paths = Counter[str]()
    for path in paths:
        in_paths.update(set(_PART.findall(path.casefold())) & wanted)
    words = {word for entry in vocabulary for word in _PART.findall(entry.casefold())}
    return frozenset(
        login
        for login in wanted
        if len(login) < SHORTEST
        or login.isdigit()
        or login in words
        or in_paths[login] >= COMMON_PATHS
        or _is_common(
            plain[login], contributions[login] + mentions[login], is_word=login in language
        )
    )


def _is_common(count: int, contributed: int, *, is_word: bool) -> bool:
    times, least = (OFTEN, SELDOM) if is_word else (VERY_OFTEN, NOT_SELDOM)
    return count > max(least, times * contributed)


def common_phrases(
    names: Collection[str],
    texts: Iterable[pl.Series],
    contributions: Counter[str],
    language: Collection[str] = (),
) -> frozenset[str]:
    """Return those of ``names`` that are phrases of the ``texts`` too, as an author's *Deep
    Learning*.

    A name is one where it stands in small letters far more often than its author contributed, as of
    :func:`ordinary_words`.
    """
    finder = FullNames({name: "" for name in names if is_distinct(name)})
    found = Counter(name for series in texts for name in finder.phrases(series))
    return frozenset(
        name
        for name, count in found.items()
        if _is_common(
            count,
            contributions[name.casefold()],
            is_word=all(part in language for part in _PART.findall(name.casefold())),
        )
    )
