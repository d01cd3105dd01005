"""What the documents for contributors name is there."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.guarantees_plugin import promises
from tests.paths import ROOT
from tests.reference_pages import pages

DOCUMENTS = sorted([ROOT / "CONTRIBUTING.md", ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
LONGEST_README = 150  # lines: two screens, and the rest is pages
TOP = ("perf_assets", "dbt_like_models", "expectations", "sql", "tests", "docs", "deploy", "action")
# Not those within the address of a page, nor within a longer name.
PATH = re.compile(rf"(?<![\w/-])(?:{'|'.join(TOP)})/[\w./{{}},*<>-]*")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
# Each is the name of a file, perhaps after the last folders of its path.
NAME = re.compile(r"`((?:\w[\w.-]*/)*\w[\w.-]*\.(?:py|sql|yml|json|toml|html|css|js|graphql))`")
IN_THE_TREE = (".py", ".sql", ".yml")


def paths(text: str, folder: Path = ROOT) -> Iterator[Path]:
    """The paths in a text that stands in ``folder``, those that stand for many left out."""
    for found in PATH.findall(text):
        if not set("<>{*") & set(found):
            yield ROOT / found.rstrip(".,")
    for found in LINK.findall(text):
        yield (folder / found).resolve()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_in_a_document_is_there(document: Path) -> None:
    named = set(paths(document.read_text(encoding="utf-8"), document.parent))
    assert {path for path in named if not path.exists()} == set()


def test_a_path_that_is_gone_would_be_found() -> None:
    text = "see `perf_assets/gone.py`, or [x](gone.md)."
    assert list(paths(text, ROOT / "docs")) == [
        ROOT / "perf_assets" / "gone.py",
        ROOT / "docs" / "gone.md",
    ]


def missing_names(text: str) -> set[str]:
    """Return the names of files in backticks that are not in the tree.

    A file that perf-assets writes for its users, such as `index.html`, is named in its code.
    """
    files, code = tree()
    return {
        name
        for name in NAME.findall(text)
        if f"/{name}\n" not in files
        and (name.endswith(IN_THE_TREE) or name.rpartition("/")[2] not in code)
    }


@cache
def tree() -> tuple[str, str]:
    """Return the paths of all files, each on a line, and the text of the package."""
    paths = [
        path for top in TOP for path in (ROOT / top).rglob("*") if "__pycache__" not in path.parts
    ]
    sources = (path for path in paths if path.suffix == ".py" and TOP[0] in path.parts)
    listed = "".join(f"/{path.relative_to(ROOT)}\n" for path in [*paths, *ROOT.iterdir()])
    return listed, "\n".join(path.read_text(encoding="utf-8") for path in sources)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_name_in_a_document_exists(document: Path) -> None:
    assert missing_names(document.read_text(encoding="utf-8")) == set()


def test_finds_file_names_that_do_not_exist() -> None:
    text = "`gone.py`, `gone.json`, `docs/pipeline.py`, `study.toml`, `github/rows.py`"
    assert missing_names(text) == {"gone.py", "gone.json", "docs/pipeline.py"}


def test_each_test_that_a_promise_names_is_there() -> None:
    """A promise that nothing tries would keep the page of guarantees as it was, whatever comes."""
    named = {test.partition("::")[::2] for promise in promises() for test in promise.tests}
    gone = {
        (file, test)
        for file, test in named
        if not (ROOT / file).is_file()
        or (test and f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8"))
    }
    assert gone == set()


def test_every_page_is_on_the_site() -> None:
    site = yaml.safe_load((ROOT / "docs" / "site.yml").read_text(encoding="utf-8"))
    on_it = {
        page
        for entry in site["nav"]
        for page in ([entry] if isinstance(entry, str) else next(iter(entry.values())))
    }
    there = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in there if not page.startswith("checks/")} | {"checks/index.md"} == on_it


def test_the_readme_takes_two_screens() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= LONGEST_README


@pytest.mark.parametrize(("name", "page"), pages().items(), ids=list(pages()))
def test_a_page_that_code_knows_says_what_the_code_says(name: str, page: Callable[[], str]) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page(), "make reference writes it"
