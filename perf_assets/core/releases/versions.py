"""Names of tags as versions: by PEP 440, by Semantic Versioning, or by the date of a nightly build.

A name is a prefix and a version, ``v1.2.3``, ``release-1.2``, ``REL_12_3`` or ``@scope/pkg@1.2.3``.
The prefix names the package, unless it is a word for releases or the name of the repository.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Literal, NamedTuple

from packaging.version import InvalidVersion, Version

Kind = Literal["final", "post", "rc", "dev", "nightly"]

COUNTED: tuple[Kind, ...] = ("final", "post")
"""The kinds that a release for users has."""

LONGEST_NAME = 100
"""Characters of a tag's name that may be a version; longer names are none."""

MOST_TAGS = 20_000
"""Tags of a repository that are read, at most: the highest versions."""

_ALIASES = {"pytorch": ("torch",), "incubator-mxnet": ("mxnet",), "paddle": ("paddlepaddle",)}
_NAME = re.compile(r"[0-9A-Za-z@][0-9A-Za-z._+!@/-]*")
_NO_REF = ("..", "//", "/.", "@{")
_RELEASE = r"(?:releases?|rel|versions?|ver|v|tags?|stable)"
_LEADING = re.compile(rf"(?:{_RELEASE}[-_/.])*", re.IGNORECASE)
_TRAILING = re.compile(rf"(?:^|[-_/.@]){_RELEASE}$", re.IGNORECASE)
_DAILY = re.compile(r"(?:nightly|daily|snapshot)[-_./]?", re.IGNORECASE)
_IS_DAILY = re.compile(r"nightly|daily|snapshot", re.IGNORECASE)
_DATE = re.compile(r"(?P<year>20\d\d)(?P<sign>[-_.]?)(?P<month>\d\d)(?P=sign)(?P<day>\d\d)")
_SEMVER = re.compile(r"(?P<core>\d{1,9}\.\d{1,9}\.\d{1,9})-[0-9A-Za-z][0-9A-Za-z.+-]*")
_FINAL_WORD = re.compile(r"[.-](?:final|release|ga)$", re.IGNORECASE)
_UNDERSCORES = re.compile(r"\d+(?:_\d+)+(?:_?(?:a|b|rc|alpha|beta)_?\d*)?", re.IGNORECASE)
_SEPARATORS = "-_/@."
_MOST_PLACES = 8  # of a name at which a version may begin
_LONGEST_NUMBER = 5  # digits of a version that is one number, so that no identifier is a version


class NamedVersion(NamedTuple):
    """What the name of a tag says.

    version : the version in its normal form, without the package.
    package : what the prefix names, in lower case; None without one.
    kind : ``final``; ``post`` (a release with corrections of documents or packaging); ``rc`` (any
        other release before the final one, alpha and beta too); ``dev``; ``nightly``.
    order : sorts the versions of a package.
    """

    version: str
    package: str | None
    kind: Kind
    order: Version


def named_version(name: str) -> NamedVersion | None:
    """Return the version that a tag is called after; None for any other name.

    Numbers without a dot are versions up to five digits, so that no identifier of a workflow
    (``ciflow/trunk/12345``) is one; with a prefix only if that is a word for releases.

    Examples
    --------
    >>> named_version("torch-v1.13.0-rc2")[:3]
    ('1.13.0rc2', 'torch', 'rc')
    >>> named_version("REL_12_3")[:3]
    ('12.3', None, 'final')
    >>> named_version("ciflow/trunk/12345") is None
    True
    """
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name) or name.endswith((".lock", ".", "/")):
        return None
    if any(sign in name for sign in _NO_REF):
        return None
    if daily := _nightly(name):
        return daily
    for start in _places(name):
        package, is_release = _package(name[:start])
        text = name[start:]
        is_number = text.isdecimal()
        if is_number and (package or len(text) > _LONGEST_NUMBER):
            continue
        if is_number and start and not is_release:
            continue
        if found := _version(text):
            return found._replace(package=package)
    return None


def version_tags(names: Iterable[str]) -> dict[str, NamedVersion]:
    """Return the names that are versions; the highest ``MOST_TAGS`` of them, nightly builds last.

    Examples
    --------
    >>> list(version_tags(["v1.0", "ciflow/nightly/7", "stale"]))
    ['v1.0']
    """
    found = {name: version for name in names if (version := named_version(name))}
    if len(found) <= MOST_TAGS:
        return found
    ordered = sorted(
        found, key=lambda name: (found[name].kind != "nightly", found[name].order, name)
    )
    return {name: found[name] for name in ordered[-MOST_TAGS:]}


def own_packages(repository: str) -> frozenset[str]:
    """Return the prefixes of tags that name the project itself, whose tags need none."""
    name = repository.rpartition("/")[2].casefold()
    names = {name, *_ALIASES.get(name, ())}
    return frozenset(
        {*names, *(word.replace("-", "").replace("_", "") for word in names)}
        | {word.removesuffix(".js").removesuffix(".py") for word in names}
    )


def main_package(packages: Iterable[str | None]) -> str | None:
    """Return the package with the most of the releases, each of which names its own.

    Of several with as many the one without a name, then the first by name.
    """
    counts = Counter(packages)
    return min(counts, key=lambda name: (-counts[name], name or ""), default=None)


def parsed(text: str) -> Version | None:
    """Return a version by PEP 440; None for a text that is none."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _places(name: str) -> Iterator[int]:
    """Yield where a version may begin: at digits after a separator, after ``v``, or after letters
    alone (``go1.21``)."""
    places = []
    for place, sign in enumerate(name):
        if not sign.isdecimal() or (place and name[place - 1].isdecimal()):
            continue
        before = name[:place]
        has_v = before[-1:] in ("v", "V") and (place == 1 or before[-2] in _SEPARATORS)
        if not place or before[-1] in _SEPARATORS or has_v or before.isalpha():
            places.append(place)
    yield from places[:_MOST_PLACES]


def _package(prefix: str) -> tuple[str | None, bool]:
    """Return what a prefix names, and whether words for releases are all that it has."""
    bare = prefix.rstrip(_SEPARATORS)
    if bare[-1:] in ("v", "V") and (len(bare) == 1 or bare[-2] in _SEPARATORS):
        bare = bare[:-1].rstrip(_SEPARATORS)
    matched = _LEADING.match(bare)
    rest = bare[matched.end() :] if matched else bare
    rest = _TRAILING.sub("", rest).rstrip(_SEPARATORS)
    return rest.casefold() or None, not rest


def _version(text: str) -> NamedVersion | None:
    """Return the version of a text that begins with a digit."""
    plain = _FINAL_WORD.sub("", text)
    if _UNDERSCORES.fullmatch(plain):
        plain = plain.replace("_", ".")
    if version := parsed(plain):
        return NamedVersion(str(version), None, _kind(version), version)
    if (named := _SEMVER.fullmatch(text)) and (core := parsed(f"{named['core']}.dev0")):
        kind: Kind = "nightly" if _IS_DAILY.search(text) else "rc"
        return NamedVersion(text, None, kind, core)
    return None


def _kind(version: Version) -> Kind:
    if version.dev is not None:
        return "nightly" if _is_date(str(version.dev)) else "dev"
    if version.pre is not None:
        return "rc"
    if version.post is not None:
        return "post"
    return "nightly" if _is_date(str(version)) else "final"


def _nightly(name: str) -> NamedVersion | None:
    """Return the nightly build that a name is called after: a date, alone or after the word."""
    word = _DAILY.match(name)
    text = name[word.end() :] if word else name
    if _is_date(text) and (word or "." not in text):
        return NamedVersion(text, None, "nightly", Version("0"))
    if word and (found := _version(text.removeprefix("v"))) and "." in text:
        return found._replace(kind="nightly")
    return None


def _is_date(text: str) -> bool:
    named = _DATE.fullmatch(text)
    if named is None:
        return False
    try:
        date(int(named["year"]), int(named["month"]), int(named["day"]))
    except ValueError:
        return False
    return True
