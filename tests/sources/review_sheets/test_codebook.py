"""The codebook: the categories of the paper, found however they are written."""

import tomllib

import pytest

from perf_assets.core.reviews.codebook import Cause, UnknownWordError
from perf_assets.paths import PACKAGE
from perf_assets.sources.review_sheets.codebook import codebook


def test_the_codebook_has_the_categories_of_the_study_as_its_table_iii_spells_them() -> None:
    figures = tomllib.loads(
        (PACKAGE / "sources" / "replication" / "paper_figures.toml").read_text()
    )
    published = [Cause(row["category"], row.get("subcategory")) for row in figures["table_3"]]
    assert (len(codebook().categories), len(codebook().subcategories)) == (12, 19)
    assert set(codebook().descriptions) == set(published)
    assert all(len(text.split()) > 4 for text in codebook().descriptions.values())


@pytest.mark.parametrize("cause", codebook().descriptions, ids=lambda cause: cause.name)
def test_a_cause_is_found_by_its_name_however_it_is_spaced_and_cased(cause: Cause) -> None:
    assert codebook().cause(cause.name) == cause
    assert codebook().cause(f"  {cause.name.upper().replace(' ', '   ')} ") == cause


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("Memory ineficiency", "Memory inefficiency"),
        (
            "Unreleased memory resources",
            "Memory inefficiency (Unreleased memory resources)",
        ),
        ("others", "Other"),
    ],
)
def test_an_unknown_cause_is_refused_with_the_nearest(text: str, nearest: str) -> None:
    with pytest.raises(UnknownWordError) as refusal:
        codebook().cause(text)
    assert (refusal.value.word, refusal.value.nearest) == (text, nearest)
    assert str(refusal.value) == f"{text!r} is not in the codebook; nearest is {nearest!r}"
