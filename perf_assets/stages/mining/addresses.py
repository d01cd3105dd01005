"""Storage of commit addresses, and detection of addresses stored under old rules."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import polars as pl

from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.people.addresses import AddressPolicy, hashed_address
from perf_assets.core.people.forgetting import PREFIX
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.signatures import read_mailmap
from perf_assets.storage.address_key import address_key
from perf_assets.storage.warehouse import Database

ADDRESSES = ("author_email", "canonical_email")
OF_PEOPLE = (*ADDRESSES, "author_login")

CONTACTS = """
    SELECT DISTINCT author_name, author_email, canonical_email FROM raw.commits
    WHERE repository = ? AND author_email IS NOT NULL AND NOT starts_with(author_email, ?)
"""
STORED = """
    SELECT sha, month, author_name, author_email, canonical_email FROM raw.commits
    WHERE repository = ?
"""


@dataclass(frozen=True)
class Addresses:
    """Stores addresses as ``policy`` says, hashed ones by the key of ``data_dir``."""

    policy: AddressPolicy
    data_dir: DataDirectory

    @cached_property
    def hide(self) -> Callable[[str], str]:
        """The stored form of an address."""
        if self.policy != "hashed":
            return str.casefold
        return partial(hashed_address, key=address_key(self.data_dir))

    def account(self, account: str) -> str:
        """Return the stored form of a login or an address."""
        return self.hide(account) if "@" in account else account.casefold()

    def stored(self, commits: pl.DataFrame) -> pl.DataFrame:
        """Return ``commits`` as they are stored."""
        if self.policy == "none":
            nothing = pl.lit(None, pl.String)
            return commits.with_columns(nothing.alias(name) for name in OF_PEOPLE)
        if self.policy == "plain":
            return commits
        known = {
            email: self.hide(email)
            for name in ADDRESSES
            for email in commits[name].unique().drop_nulls()
        }
        return commits.with_columns(
            pl.col(name).replace_strict(known, default=None, return_dtype=pl.String)
            for name in ADDRESSES
        )

    def outdated(self, database: Database, repository: str, clone: Clone) -> pl.DataFrame:
        """Return stored commits (sha, month) whose address the mail map of today changes."""
        none = pl.DataFrame(schema={"sha": pl.String, "month": pl.String})
        if self.policy == "none":
            return none
        mailmap = read_mailmap(clone).hidden(self.hide)
        # Persons are few, commits are many, and the mail map seldom changes.
        contacts = database.frame(CONTACTS, [repository, PREFIX])  # what is forgotten stays
        others = [
            canonical != mailmap.canonical(name, email)
            for name, email, canonical in contacts.iter_rows()
        ]
        changed = contacts.filter(pl.Series(others, dtype=pl.Boolean))
        if changed.is_empty():
            return none
        rows = database.frame(STORED, [repository])
        return rows.join(changed, on=changed.columns, how="semi", nulls_equal=True).select(
            "sha", "month"
        )
