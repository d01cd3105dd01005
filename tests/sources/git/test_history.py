"""Fingerprints of months: they change exactly when what is mined for the month does."""

import polars as pl

from perf_assets.sources.git.history import months_of

LISTED = pl.DataFrame(
    {
        "sha": ["a" * 40, "b" * 40, "c" * 40],
        "month": ["2020-01", "2020-01", "2020-02"],
        "branch": ["v1", "v1", "v1"],
    }
)


def fingerprints(listed: pl.DataFrame) -> list[str]:
    return months_of(listed)["fingerprint"].to_list()


def test_the_order_in_which_commits_are_listed_does_not_matter() -> None:
    assert fingerprints(LISTED.reverse()) == fingerprints(LISTED)


def test_a_commit_that_comes_or_goes_changes_its_month_and_no_other() -> None:
    fewer = fingerprints(LISTED.slice(1))
    assert fewer[0] != fingerprints(LISTED)[0]
    assert fewer[1] == fingerprints(LISTED)[1]


def test_the_branch_on_which_a_commit_is_found_belongs_to_its_fingerprint() -> None:
    renamed = LISTED.with_columns(branch=pl.Series(["v1", "v2", "v1"]))
    assert fingerprints(renamed)[0] != fingerprints(LISTED)[0]
    assert fingerprints(renamed)[1] == fingerprints(LISTED)[1]
    # Of the default branch there is but one.
    assert months_of(LISTED.drop("branch")).height == 2


def test_branches_that_change_places_change_the_fingerprint() -> None:
    two = LISTED.with_columns(branch=pl.Series(["v1", "v2", "v1"]))
    swapped = LISTED.with_columns(branch=pl.Series(["v2", "v1", "v1"]))
    assert fingerprints(two)[0] != fingerprints(swapped)[0]
