"""What the documents for contributors name is there."""

import re
from collections.abc import Iterator

import pytest

from perf_assets.reports.dictionary import dictionary_markdown
from tests.places import ROOT

DOCUMENTS = sorted([ROOT / "CONTRIBUTING.md", ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
TOP = ("perf_assets", "dbt_like_models", "expectations", "sql", "tests", "docs", "deploy")
PATH = re.compile(rf"(?:{'|'.join(TOP)})/[\w./{{}},*<>-]*")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


def paths(text: str) -> Iterator[str]:
    """The paths in a text, those that stand for many left out."""
    for found in [*PATH.findall(text), *LINK.findall(text)]:
        if not set("<>{*") & set(found):
            yield found.rstrip(".,")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_path_in_a_document_is_there(document) -> None:
    named = set(paths(document.read_text(encoding="utf-8")))
    assert {path for path in named if not (ROOT / path).exists()} == set()


def test_a_path_that_is_gone_would_be_found() -> None:
    assert list(paths("see `perf_assets/gone.py`, or [x](docs/gone.md).")) == [
        "perf_assets/gone.py",
        "docs/gone.md",
        "docs/gone.md",
    ]


def test_the_data_dictionary_says_what_the_declarations_say() -> None:
    written = (ROOT / "docs" / "data_dictionary.md").read_text(encoding="utf-8")
    assert written == dictionary_markdown(), "make dictionary writes it anew"
