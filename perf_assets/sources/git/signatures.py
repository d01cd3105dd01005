"""Who wrote the commits: their addresses, by the mail map of the default branch."""

from functools import lru_cache
from pathlib import Path

import polars as pl

from perf_assets.core.people.addresses import noreply_login
from perf_assets.core.people.mailmap import Mailmap
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.command import GitError, read_clone

PATH = ".mailmap"


def read_mailmap(clone: Clone) -> Mailmap:
    """Return the mail map at the tip of the default branch; an empty one where there is none."""
    return _read(clone.path, clone.tip)


def with_signatures(commits: pl.DataFrame, mailmap: Mailmap) -> pl.DataFrame:
    """Return ``commits`` (author_name, author_email) with what the addresses say.

    Returns
    -------
    author_email : in small letters.
    canonical_email : the address that stands for it by the mail map.
    author_login : the account of an address that GitHub gave.
    """
    contacts = commits.select("author_name", "author_email").unique().drop_nulls("author_email")
    rows = [
        (name, email, email.casefold(), mailmap.canonical(name, email), noreply_login(email))
        for name, email in contacts.iter_rows()
    ]
    known = pl.DataFrame(
        rows,
        schema=dict.fromkeys(
            ("author_name", "author_email", "plain", "canonical_email", "author_login"), pl.String
        ),
        orient="row",
    )
    joined = commits.join(
        known,
        on=["author_name", "author_email"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    return joined.with_columns(author_email=pl.col("plain")).drop("plain")


@lru_cache(maxsize=1)
def _read(path: Path, tip: str) -> Mailmap:
    try:
        text = read_clone(path, "cat-file", "blob", f"{tip}:{PATH}")
    except GitError:
        return Mailmap()
    return Mailmap.parse(text.decode("utf-8", "replace"))
