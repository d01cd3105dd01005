"""Releases that the text of a report names."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from perf_assets.core.releases.containing import RELEASES, Releases
from perf_assets.core.releases.stated import Reader, stated_releases

DAY = datetime(2020, 1, 1, tzinfo=UTC)
TAGS = {
    Version(text): (f"v{text}", DAY)
    for text in ("1.7.0", "1.12", "1.13.0", "2.0.0", "2.0.1", "2.1")
}
READER = Reader("pytorch/pytorch", TAGS)


@pytest.mark.parametrize(
    ("text", "affected", "unaffected"),
    [
        ("conv2d is slow since 1.13", "v1.13.0", None),
        ("Since version 1.13.0, conv2d is slow", "v1.13.0", None),
        ("slower in 2.1 than 2.0", "v2.1", "v2.0.0"),
        ("It is slower in `2.1` than in **2.0.0**.", "v2.1", "v2.0.0"),
        ("PyTorch 2.1 is much slower than PyTorch 2.0", "v2.1", "v2.0.0"),
        ("slow after upgrading from 1.12 to 1.13.", "v1.13.0", "v1.12"),
        ("Upgrading from torch 1.12 to torch==1.13 halves the speed", "v1.13.0", "v1.12"),
        ("Performance regression from v2.0.1", None, "v2.0.1"),
        ("Performance regression in v2.0.1", "v2.0.1", None),
        ("this worked in 1.7", None, "v1.7.0"),
        ("everything was fine until 1.12", None, "v1.12"),
        ("after updating to 2.1 it takes twice as long", "v2.1", None),
        ("introduced in 2.0", "v2.0.0", None),
        ("slow since 1.8", None, None),
        ("slow since python 1.13", None, None),
        ("takes 2.0s, slower than 1.7s", None, None),
        ("slow since 1.13.x and 2.0%", None, None),
        ("2.0 2.1 1.13", None, None),
        ("<!-- since 1.13 --> slow", None, None),
        ("slow (e.g. since 1.13)", None, None),
    ],
)
def test_reads_what_reports_state(text, affected, unaffected):
    for title, body in ((text, None), ("A title", f"Some words.\n\n{text}\n")):
        found = READER.read(title, body, DAY)
        assert (found[:2] if found else (None, None)) == (affected, unaffected)


def test_tables_have_the_first_words_of_each_report():
    rows = [("v2.0", "2.0", None, "final", "a" * 40, DAY)]
    issues = pl.DataFrame(
        [
            (2, "slow since 2.0", None, DAY, "2020-02"),
            (1, "slow", "", DAY, "2020-01"),
            (3, "slow since 2.0", None, DAY - timedelta(1), "2020-02"),  # it was not out yet
        ],
        schema=["number", "title", "body", "created_at", "month"],
        orient="row",
    )
    releases = Releases(pl.DataFrame(rows, schema=RELEASES, orient="row"))
    found = stated_releases("owner/name", issues, releases)
    assert found.rows() == [("owner/name", 2, "v2.0", None, "slow since 2.0", "2020-02")]


@given(st.text(), st.text())
def test_any_text_is_read(title, body):
    READER.read(title, body, DAY)
