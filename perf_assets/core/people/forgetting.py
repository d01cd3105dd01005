"""People who want to be forgotten: what stands for them instead, in tables and in texts.

Of them hashes by the key of the data directory are known, and no more: enough to recognise them
when they are read again, and not to say who they were.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from perf_assets.core.people.addresses import hashed_address, noreply_login

LOGINS = frozenset(
    (
        *("account", "actor", "author", "author_login", "commentator_names", "commit_author"),
        *("login", "merge_commit_author", "other", "person", "reviewers"),
    )
)
RATERS = re.compile(r"rater(_\w+)?|raters|told_by|state_by")
ADDRESSES = frozenset(("author_email", "canonical_email", "person", "account", "other"))
NAMES = frozenset(("author_name",))
DIGITS = 16
PREFIX = "forgotten-"

_CONTACT = r"(?P<name>[^\n<>:]{1,80}+)?<(?P<contact>[^\s<>@]++@[^\s<>@]++)>"
_EMAIL = r"(?P<email>[\w.+-]++@[\w-]++(?:\.[\w-]++)++)"
_LOGIN = (
    r"(?P<before>(?<![\w/])@|\bfrom |(?<=github\.com)[/:]|(?<=githubusercontent\.com)/)"
    r"(?P<login>[A-Za-z0-9][A-Za-z0-9_-]{0,60})"
)
# Within a word an address begins only where the last match ended: to try each of its characters
# takes quadratic time.
_IN_TEXTS = re.compile(rf"{_CONTACT}|(?<![\w.+-]){_EMAIL}|{_LOGIN}")
_AT_THE_END = re.compile(f"{_CONTACT}|{_EMAIL}|{_LOGIN}")
_MAY_MENTION = "@|github.com/|githubusercontent.com/|from "


@dataclass(frozen=True)
class Forgotten:
    """Who is forgotten: hashes of logins, addresses and names, by ``key``."""

    key: bytes
    logins: frozenset[str] = frozenset()
    emails: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Return whether anybody is."""
        return bool(self.logins or self.emails)

    def adding(
        self, login: str, emails: Iterable[str] = (), names: Iterable[str] = ()
    ) -> "Forgotten":
        """Return the same and one more; ``emails`` as they are, or as they are stored."""
        return Forgotten(
            self.key,
            self.logins | {self._hash("login", login)},
            self.emails | {self._address(email) for email in emails},
            self.names | {self._hash("name", name) for name in names},
        )

    def joined(self, other: "Forgotten") -> "Forgotten":
        """Everybody of both."""
        return Forgotten(
            self.key,
            self.logins | other.logins,
            self.emails | other.emails,
            self.names | other.names,
        )

    def login(self, login: str) -> str:
        """Return the login, or what stands for it."""
        digest = self._hash("login", login)
        return f"{PREFIX}{digest}" if digest in self.logins else login

    def email(self, email: str) -> str:
        """Return the address, hashed or not, or what stands for it."""
        address = self._address(email)
        if address in self.emails:
            return f"{PREFIX}{address[:DIGITS]}"
        login = noreply_login(email)
        return email if login is None or self.login(login) == login else self.login(login)

    def name(self, name: str) -> str | None:
        """Return the name of an author; nothing of one who is forgotten."""
        return None if self._hash("name", name) in self.names else name

    def text(self, text: str) -> str:
        """Return the text without addresses and mentions of who is forgotten."""
        parts: list[str] = []
        end = 0
        while match := _AT_THE_END.match(text, end) or _IN_TEXTS.search(text, end):
            parts += [text[end : match.start()], self._replaced(match)]
            end = match.end()
        return "".join([*parts, text[end:]])

    def value(self, column: str, value: str) -> str | None:
        """Return a value of a column of that name, in any table."""
        if column in NAMES:
            return self.name(value)
        new = value
        if column in LOGINS or RATERS.fullmatch(column):
            new = self.login(new)
        if column in ADDRESSES:
            new = self.email(new)
        return new if new != value else self.text(value)

    def frame(self, rows: pl.DataFrame) -> pl.DataFrame:
        """``rows`` of any table without who is forgotten."""
        changed = []
        has_emails = "author_email" in rows.columns
        for column, kind in rows.schema.items():
            if column in NAMES and has_emails:
                continue
            if kind == pl.String and (changes := self._changes(column, rows[column])):
                changed.append(pl.col(column).replace(changes))
            elif kind == pl.List(pl.String) and (
                changes := self._changes(column, rows[column].explode())
            ):
                changed.append(pl.col(column).list.eval(pl.element().replace(changes)))
        rows = rows.with_columns(changed) if changed else rows
        return self._without_names(rows) if has_emails else rows

    @staticmethod
    def _without_names(rows: pl.DataFrame) -> pl.DataFrame:
        """Return commits by an address or account that stands for who is forgotten, without the
        name.

        Where addresses are known another person of the same name keeps it.
        """
        stands = [
            pl.col(column).str.starts_with(PREFIX)
            for column in ("author_email", "author_login")
            if column in rows.columns
        ]
        is_own = pl.any_horizontal(stands).fill_null(value=False)
        names = [name for name in NAMES if name in rows.columns]
        return rows.with_columns(pl.when(~is_own).then(name).alias(name) for name in names)

    def _changes(self, column: str, values: pl.Series) -> dict[str, str | None]:
        different = values.drop_nulls().unique()
        if column not in LOGINS | ADDRESSES | NAMES and not RATERS.fullmatch(column):
            different = different.filter(different.str.contains(_MAY_MENTION))
        pairs = ((value, self.value(column, value)) for value in different)
        return {value: new for value, new in pairs if new != value}

    def _replaced(self, match: re.Match[str]) -> str:
        if match["contact"]:
            contact = self.email(match["contact"])
            return match[0] if contact == match["contact"] else f"{contact} <{contact}>"
        if match["email"]:
            return self.email(match["email"])
        written = match["login"]
        login = written if self.login(written) != written else written.rstrip("_-")
        return f"{match['before']}{self.login(login)}{written[len(login) :]}"

    def _hash(self, kind: str, text: str) -> str:
        message = f"{kind} {text.casefold()}".encode()
        return hmac.new(self.key, message, hashlib.sha256).hexdigest()[:DIGITS]

    def _address(self, email: str) -> str:
        return hashed_address(email, self.key) if "@" in email else email
