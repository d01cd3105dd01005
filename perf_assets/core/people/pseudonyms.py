"""Pseudonyms: keyed hashes that stand for people, in columns and inside texts."""

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import polars as pl

from perf_assets.core.people.addresses import HASH_DIGITS
from perf_assets.core.people.forgetting import ADDRESSES, LOGINS, NAMES, RATERS

PREFIX = "person-"
PROGRAM = "[bot]"
"""How GitHub ends the names of accounts of programs."""
DIGITS = 12
DOMAIN = "pseudonym.invalid"
"""Where pseudonyms have their addresses; RFC 2606 keeps ``invalid`` from ever being a domain."""

PEOPLE = LOGINS | {"owner"}
NOT_TEXTS = frozenset(("repository", "month", "table", "sha", "introducing_sha", "file_sha256"))
FULL_NAME = 6
"""Letters of a full name at least, to be recognised inside texts."""
SHORTEST = 3
COMMON_PATHS = 3
OFTEN, SELDOM = 2, 3

_WORD = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?")
_PART = re.compile(r"[A-Za-z0-9]+")
# Where a name is that of an account: @name, from name/branch, and the home of who ran a command.
_MENTION = re.compile(
    r"(?:(?<![\w/.])@|\bfrom (?=[\w-]+/)|\bgithub\.com/|[/\\](?:home|users|user)[/\\]|~)"
    r"([a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?)"
)
_IN_TEXTS = re.compile(
    r"(?P<email>[\w.+%-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<user>/users/\d+)/(?P<slug>[^\s\"'<>)\]]*)"
    r"|(?P<link>github(?:usercontent)?\.com[/:])(?P<linked>[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))"
    r"|(?P<merge>Merge pull request #\d+ from |Merge branch '[^']+' of )(?P<merged>[\w-]+)(?=/)"
    r"|(?<![\w/.])@(?P<mention>[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}[A-Za-z0-9])?)"
    r"(?P<code>[.(]\w|[ \t]*(?=\n|$))?"
    r"|(?P<word>[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?)"
)
_ADDRESS = re.compile(rf"\S+@\S+|[0-9a-f]{{{HASH_DIGITS}}}")
# Where GitHub's own pages are, which are nobody's.
_PAGES = frozenset(
    (
        *("about", "apps", "blog", "features", "issues", "login", "marketplace", "notifications"),
        *("orgs", "pulls", "search", "security", "settings", "sponsors", "topics", "user", "users"),
    )
)


@dataclass(frozen=True)
class Known:
    """Who a database names.

    logins : of accounts, in small letters.
    names : of authors and raters, as they are written.
    kept : names that stay: programs, and the owners of repositories; in small letters.
    ordinary : logins that are words of the texts too, and stay there unless they are mentioned.
    """

    logins: frozenset[str]
    names: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    ordinary: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Pseudonyms:
    """What stands for people, by ``key``; without it nobody can try names until one fits."""

    key: bytes
    known: Known
    _names: dict[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Prepare the full names, of which there may be thousands."""
        full = [name for name in self.known.names if is_distinct(name)]
        pairs = {name: self.name(name) for name in sorted(full, key=lambda one: (-len(one), one))}
        object.__setattr__(self, "_names", pairs)

    def login(self, login: str) -> str:
        """What stands for the account ``login``, whatever its case."""
        if login.casefold() in self.known.kept or login.startswith(PREFIX):
            return login
        if login.endswith(PROGRAM):
            return self._person("login", login.removesuffix(PROGRAM)) + PROGRAM
        return self._person("login", login)

    def name(self, name: str) -> str:
        """What stands for a person of whom the name is known; of a login, that of the account."""
        if name.casefold() in self.known.logins | self.known.kept:
            return self.login(name)
        return name if name.startswith(PREFIX) else self._person("name", name)

    def number(self, number: str) -> str:
        """What stands for the number of an account of a forum: another number.

        Who is a number is still there, and who is a name is gone.
        """
        return str(int(self._person("number", number).removeprefix(PREFIX), 16))

    def address(self, address: str) -> str:
        """What stands for an address, or for the hash by which one is stored."""
        if "@" not in address:
            return self._person("hash", address)
        if address.endswith(f"@{DOMAIN}"):
            return address
        return f"{self._person('address', address)}@{DOMAIN}"

    def value(self, column: str, value: str) -> str:
        """What stands for a value of a column of that name, in any table."""
        if column in ADDRESSES and (_ADDRESS.fullmatch(value) or column not in PEOPLE):
            return self.address(value)
        if column in PEOPLE:
            return self.number(value) if value.isdigit() else self.login(value)
        if column in NAMES or RATERS.fullmatch(column):
            return self.name(value)
        return self.text(value)

    def text(self, text: str) -> str:
        """The text with what stands for the people in it, by login, address or full name."""
        return self.texts(pl.Series([text]))[0]  # type: ignore[no-any-return]

    def texts(self, texts: pl.Series) -> pl.Series:
        """The same of many texts, NULL staying NULL."""
        if self._names:
            new = list(self._names.values())
            texts = texts.str.replace_many(list(self._names), new, leftmost=True)
        return pl.Series(
            texts.name,
            [None if text is None else _IN_TEXTS.sub(self._replaced, text) for text in texts],
            dtype=pl.String,
        )

    def values(self, column: str, values: pl.Series) -> pl.Series:
        """What stands for the values of a column of that name, NULL staying NULL."""
        if column in NOT_TEXTS:
            return values
        if column in ADDRESSES | PEOPLE | NAMES or RATERS.fullmatch(column):
            new = [None if value is None else self.value(column, value) for value in values]
            return pl.Series(values.name, new, dtype=pl.String)
        return self.texts(values)

    def _replaced(self, match: re.Match[str]) -> str:
        if (word := match["word"]) is not None:
            return self._word(word)
        if match["email"] is not None:
            return self.address(match["email"])
        if match["user"] is not None:
            slug = match["slug"]
            is_done = slug.startswith(PREFIX)
            return f"{match['user']}/{slug if is_done else self._person('slug', slug)}"
        if match["link"] is not None:
            linked = match["linked"].rstrip("-")
            is_page = linked.casefold() in _PAGES
            end = match["linked"][len(linked) :]
            return f"{match['link']}{linked if is_page else self.login(linked)}{end}"
        if match["merge"] is not None:
            return f"{match['merge']}{self.login(match['merged'])}"
        mention, after = match["mention"], match["code"]
        is_code = mention.casefold() not in self.known.logins and _is_code(match)
        return f"@{mention if is_code else self.login(mention)}{after or ''}"

    def _word(self, word: str) -> str:
        if self._is_login(word):
            return self.login(word)
        if "-" not in word and "_" not in word:
            return word
        parts = [part.span() for part in _PART.finditer(word)]
        written, last, first = [], 0, 0
        while first < len(parts):
            begin = parts[first][0]
            ends = ((after, parts[after][1]) for after in reversed(range(first, len(parts))))
            longest = next((one for one in ends if self._is_login(word[begin : one[1]])), None)
            if longest is not None:
                first, end = longest
                written += [word[last:begin], self.login(word[begin:end])]
                last = end
            first += 1
        return "".join((*written, word[last:]))

    def _is_login(self, word: str) -> bool:
        found = word.casefold()
        return found in self.known.logins and found not in self.known.ordinary

    def _person(self, kind: str, value: str) -> str:
        message = f"{kind} {value.casefold()}".encode()
        return PREFIX + hmac.new(self.key, message, hashlib.sha256).hexdigest()[:DIGITS]


def is_distinct(name: str) -> bool:
    """Whether a name can be no word of a text: of several words, or with signs that none has."""
    if " " in name.strip():
        return len(name) >= FULL_NAME
    return len(name) > SHORTEST and _WORD.fullmatch(name) is None


def _is_code(mention: re.Match[str]) -> bool:
    """Whether what looks like a mention is ``@tf.function``, ``@jit(...)`` or a decorator."""
    after = mention["code"]
    if after is None:
        return False
    line = mention.string[mention.string.rfind("\n", 0, mention.start()) + 1 : mention.start()]
    return after[:1] in (".", "(") or not line.strip()


def ordinary_words(
    logins: Collection[str],
    texts: Iterable[str],
    contributions: Counter[str],
    vocabulary: Iterable[str],
    paths: Iterable[str],
) -> frozenset[str]:
    """Those of ``logins`` that are words of the ``texts`` too, as *slow* or *test* are.

    These would change what texts say. A login is one where it is short or a number, is among the
    ``vocabulary`` (words of keywords and labels), names parts of three ``paths``, or stands in more
    than twice as many texts, without a mention, as its account contributed or was mentioned in, and
    in more than three.

    Parameters
    ----------
    contributions
        Of each login, in small letters: issues, comments and the like by its account.
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
        or plain[login] > max(SELDOM, OFTEN * (contributions[login] + mentions[login]))
    )
