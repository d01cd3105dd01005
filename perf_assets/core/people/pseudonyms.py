"""Pseudonyms: keyed hashes that stand for people, in columns and inside texts."""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

import polars as pl

from perf_assets.core.people import mentions
from perf_assets.core.people.addresses import HASH_DIGITS
from perf_assets.core.people.escapes import may_have_escapes, replace_decoded
from perf_assets.core.people.forgetting import ADDRESSES, LOGINS, NAMES, RATERS
from perf_assets.core.people.full_names import FullNames, is_ideographic

PREFIX = "person-"
PROGRAM = "[bot]"
"""How GitHub ends the names of accounts of programs."""
DIGITS = 12
DOMAIN = "pseudonym.invalid"
"""Where pseudonyms have their addresses; RFC 2606 keeps ``invalid`` from ever being a domain."""

PEOPLE = LOGINS | {"owner"}
NOT_TEXTS = frozenset(("repository", "month", "table", "sha", "introducing_sha", "file_sha256"))
OWNED = re.compile(r"\w+_repository|moved_to")
"""Columns of repositories that are not studied themselves: forks are called by who made them."""

SHEET = "sheet"
"""What the column ``file`` is called where it names a review sheet, as raters call theirs."""

FULL_NAME = 5
"""Letters of a full name at least, to be recognised inside texts."""
SHORTEST = 3

_WORD = re.compile(mentions.WORD)
_PART = re.compile(rf"[{mentions.LETTERS}]+")
_PSEUDONYM = re.compile(rf"{PREFIX}[0-9a-f]{{{DIGITS}}}")
_ADDRESS = re.compile(rf"\S[^\s@]*+@\S++|[0-9a-f]{{{HASH_DIGITS}}}")


@dataclass(frozen=True)
class Known:
    """Who a database names.

    logins : of accounts, in small letters.
    names : of authors and raters, as they are written.
    kept : names that stay: programs, and the owners of repositories; in small letters.
    ordinary : logins that are words of the texts too, and stay there unless they are mentioned.
    phrases : names that are phrases of the texts too, and stay there in small letters.
    """

    logins: frozenset[str]
    names: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    ordinary: frozenset[str] = frozenset()
    phrases: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Pseudonyms:
    """What stands for people, by ``key``; without it nobody can try names until one fits."""

    key: bytes
    known: Known

    @cached_property
    def _names(self) -> FullNames:
        """The full names, of which there may be thousands, and what stands for each."""
        full = {name: self.name(name) for name in self.known.names if is_distinct(name)}
        return FullNames(full, self.known.phrases)

    @cached_property
    def _most_parts(self) -> int:
        """Return how many parts, with hyphens between them, the longest login has."""
        return max((len(_PART.findall(login)) for login in self.known.logins), default=1)

    def login(self, login: str) -> str:
        """Return what stands for the account ``login``, whatever its case."""
        if login.casefold() in self.known.kept or _PSEUDONYM.fullmatch(login):
            return login
        if login.endswith(PROGRAM):
            return self._person("login", login.removesuffix(PROGRAM)) + PROGRAM
        return self._person("login", login)

    def name(self, name: str) -> str:
        """Return what stands for a person known by name; of a login, that of the account."""
        if folded(name) in self.known.logins or folded(name) in self.known.kept:
            return self.login(name)
        return name if _PSEUDONYM.fullmatch(name) else self._person("name", name)

    def number(self, number: str) -> str:
        """Return what stands for the number of an account of a forum: another number.

        Who is a number is still there, and who is a name is gone.
        """
        return str(int(self._person("number", number).removeprefix(PREFIX), 16))

    def address(self, address: str) -> str:
        """Return what stands for an address, or for the hash by which one is stored."""
        if "@" not in address:
            return self._person("hash", address)
        if address.endswith(f"@{DOMAIN}"):
            return address
        return f"{self._person('address', address)}@{DOMAIN}"

    def value(self, column: str, value: str) -> str:
        """Return what stands for a value of a column of that name, in any table."""
        if column in ADDRESSES and (_ADDRESS.fullmatch(value) or column not in PEOPLE):
            return self.address(value)
        if column in PEOPLE and value.isdigit():
            return self.number(value)
        if column in NAMES or RATERS.fullmatch(column) or value in self.known.names:
            return self.name(value)
        if column in PEOPLE:
            return self.login(value)
        return self._other(column, value)

    def _other(self, column: str, value: str) -> str:
        if column == SHEET:
            return self._person("sheet", value) + PurePath(value).suffix
        if OWNED.fullmatch(column) and "/" in value:
            owner, _, rest = value.partition("/")
            return f"{self.login(owner)}/{self.text(rest)}"
        return self.text(value)

    def text(self, text: str) -> str:
        """Return the text with what stands for the people in it, by login, address or full name."""
        return self.texts(pl.Series([text]))[0]  # type: ignore[no-any-return]

    def texts(self, texts: pl.Series) -> pl.Series:
        """Return the same of many texts, NULL staying NULL."""
        # Addresses first, as they are made of names; names before logins, which may be half of one.
        texts = self._decoded(texts, mentions.EMAIL, self._contact)
        texts = self._names.replaced(_each(texts, self._without_contacts))
        texts = self._decoded(texts, mentions.IN_TEXTS, self._replaced)
        return _each(texts, self._without_accounts)

    def _decoded(
        self, texts: pl.Series, pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]
    ) -> pl.Series:
        new = texts.to_list()
        for place in may_have_escapes(texts).arg_true():
            new[place] = replace_decoded(new[place], pattern, change, self._is_known)
        return pl.Series(texts.name, new, dtype=pl.String)

    def _without_contacts(self, text: str) -> str:
        if mentions.MAY_HAVE_EMAIL.search(text) is not None:
            text = mentions.NAMED_ADDRESS.sub(lambda match: self.name(match["name"]), text)
            text = mentions.EMAIL.sub(self._contact, text)
        return text

    def _without_accounts(self, text: str) -> str:
        if mentions.MAY_HAVE_TRAILER.search(text) is not None:
            text = mentions.TRAILER.sub(self._trailer, text)
        return mentions.IN_TEXTS.sub(self._replaced, text)

    def values(self, column: str, values: pl.Series) -> pl.Series:
        """Return what stands for the values of a column of that name, NULL staying NULL."""
        if column in NOT_TEXTS:
            return values
        is_person = column in ADDRESSES | PEOPLE | NAMES or RATERS.fullmatch(column)
        if is_person or OWNED.fullmatch(column) or column == SHEET:
            return _each(values, lambda value: self.value(column, value))
        return self.texts(values)

    def _replaced(self, match: re.Match[str]) -> str:
        if (word := match["word"]) is not None:
            return self._word(word)
        group = match.lastgroup
        if group in ("number", "slug"):
            return match["user"] + self._person("number", match["number"])
        if group == "said":
            said = match["said"]
            person = self._person("number", said) if said.isdigit() else self.name(said)
            return match["attribute"] + person
        if group in ("mention", "code"):
            mention, after = match["mention"], match["code"]
            if mention.casefold() not in self.known.logins and mentions.is_code(match):
                # A name of code may hold a login.
                named = mentions.IN_TEXTS.sub(self._replaced, mention)
            else:
                named = self.login(mention)
            return f"{match['at']}{named}{after or ''}"
        return self._place(match)

    def _place(self, match: re.Match[str]) -> str:
        """Return what stands for a person whom a link, a fork, a folder or a host names."""
        group = match.lastgroup
        if group in ("linked", "merged"):
            found = match[group]
            person = found if found.casefold() in mentions.PAGES else self.login(found)
            return (match["link"] or match["merge"]) + person
        if group == "qualified":
            account = match["qualified"]
            is_kept = account.casefold() in mentions.NOBODY
            return match["qualifier"] + (account if is_kept else self.login(account))
        if group in ("paged", "referred"):
            return self.login(match[group])
        if group == "housed":
            housed = match["housed"]
            is_kept = housed.casefold() in mentions.NOBODY or mentions.is_on_the_web(match)
            return match["home"] + (self._word(housed) if is_kept else self.login(housed))
        if group == "host" and match["shell"].casefold() not in mentions.NOBODY:
            return f"{self.login(match['shell'])}@{self._person('host', match['host'])}"
        return match[0]

    def _contact(self, match: re.Match[str]) -> str:
        return self.address(f"{match['local']}@{mentions.DOT.sub('.', match['domain'])}")

    def _trailer(self, match: re.Match[str]) -> str:
        def changed(found: re.Match[str]) -> str:
            name = found[0].strip()
            is_short = 0 < len(name) <= mentions.LONGEST_NAME
            is_name = is_short and not re.search(r"[@#/:]|^\d", name)
            return found[0].replace(name, self.name(name)) if is_name else found[0]

        return match["by"] + mentions.ONE_OF_TRAILER.sub(changed, match["people"])

    def _word(self, word: str) -> str:
        if self._is_login(word):
            return self.login(word)
        if "-" not in word and "_" not in word:
            return word
        parts = [part.span() for part in _PART.finditer(word)]
        written, last, first = [], 0, 0
        while first < len(parts):
            begin = parts[first][0]
            after_last = min(first + self._most_parts, len(parts))
            ends = ((after, parts[after][1]) for after in reversed(range(first, after_last)))
            longest = next(
                (entry for entry in ends if self._is_login(word[begin : entry[1]])), None
            )
            if longest is not None:
                first, end = longest
                written += [word[last:begin], self.login(word[begin:end])]
                last = end
            first += 1
        return "".join((*written, word[last:]))

    def _is_login(self, word: str) -> bool:
        return self._is_known(word) and folded(word) not in self.known.ordinary

    def _is_known(self, word: str) -> bool:
        return folded(word) in self.known.logins

    def _person(self, kind: str, value: str) -> str:
        message = f"{kind} {unicodedata.normalize('NFKC', value).casefold()}".encode()
        return PREFIX + hmac.new(self.key, message, hashlib.sha256).hexdigest()[:DIGITS]


def folded(name: str) -> str:
    """Return a login or a name of one word without what makes no difference: case, normal form."""
    return name.casefold() if name.isascii() else unicodedata.normalize("NFKC", name).casefold()


def is_distinct(name: str) -> bool:
    """Return whether a name cannot be a word of a text, as it has several words or signs."""
    if is_ideographic(name):
        return True
    if " " in name.strip():
        return len(name) >= FULL_NAME
    return len(name) > SHORTEST and _WORD.fullmatch(name) is None


def _each(texts: pl.Series, change: Callable[[str], str]) -> pl.Series:
    new = [None if text is None else change(text) for text in texts]
    return pl.Series(texts.name, new, dtype=pl.String)
