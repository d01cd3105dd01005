"""The codebook: the categories of the paper, found however they are written."""

import pytest

from perf_assets.core.paper.printed import BUGS
from perf_assets.core.reviews.codebook import Code, UnknownWordError
from perf_assets.sources.replication.papers import papers
from perf_assets.sources.review_sheets.codebook import (
    challenges_codebook,
    codebook,
    problem_codebook,
)


def test_the_codebook_has_the_categories_of_the_study_as_its_table_iii_spells_them() -> None:
    table_3 = papers()[BUGS].tables["table_3"].frame
    published = [Code(*row) for row in table_3.select("category", "subcategory").rows()]
    of_study = set(codebook().descriptions) - codebook().own
    assert (len(codebook().categories), len(codebook().subcategories)) == (12, 19 + 3)
    assert of_study == set(published)
    assert {code.category for code in codebook().own} == {"Other"}
    assert all(len(text.split()) > 4 for text in codebook().descriptions.values())


@pytest.mark.parametrize("code", codebook().descriptions, ids=lambda code: code.name)
def test_a_cause_is_found_by_its_name_however_it_is_spaced_and_cased(code: Code) -> None:
    assert codebook().code(code.name) == code
    assert codebook().code(f"  {code.name.upper().replace(' ', '   ')} ") == code


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
        codebook().code(text)
    assert (refusal.value.word, refusal.value.nearest) == (text, nearest)
    assert str(refusal.value) == f"{text!r} is not in the codebook; nearest is {nearest!r}"


def test_the_codebook_of_problems_has_the_codes_of_its_study() -> None:
    book = problem_codebook()
    assert [code.name for code in book.symptoms.categories] == [
        "Time",
        "Memory",
        "Processor",
        "Unknown",
    ]
    assert [code.name for code in book.causes.categories] == [
        "API",
        "Model",
        "Library",
        "Data",
        "Hardware",
    ]
    assert (len(book.symptoms.subcategories), len(book.causes.subcategories)) == (10, 15)
    assert (len(book.stages.categories), len(book.stages.subcategories)) == (9, 0)
    for one in (book.symptoms, book.causes, book.stages, challenges_codebook()):
        assert all(len(text.split()) > 4 for text in one.descriptions.values())


@pytest.mark.parametrize(
    ("book", "spelling", "name"),
    [
        ("symptoms", "Unkown", "Unknown"),
        ("symptoms", "Time: slow execution time", "Time (Slow execution time)"),
        ("causes", "Library: Buggy library version", "Library (Buggy library version)"),
        (
            "causes",
            "Model: confusion with computation model",
            "Model (Confusion with computation graph)",
        ),
        ("stages", "env", "Environment setting"),
        ("stages", "build model", "Model building"),
        ("stages", "unknown", "Unknown"),
    ],
)
def test_the_spellings_of_the_published_problems_are_known(
    book: str, spelling: str, name: str
) -> None:
    assert getattr(problem_codebook(), book).code(spelling).name == name


def test_the_codebook_of_challenges_has_the_five_root_causes() -> None:
    assert [code.name for code in challenges_codebook().categories] == [
        "API misuse",
        "Incorrect hyperparameter selection",
        "GPU computation",
        "Static graph computation",
        "Limited debugging and profiling support",
    ]
    assert challenges_codebook().code("static graphs").name == "Static graph computation"
