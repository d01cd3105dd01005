"""CODEOWNERS: whose a file is, without the names of persons, and whatever the file holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.areas.code_owners import LARGEST_FILE, MOST_LINES, CodeOwners

FILE = b"""# who reviews
*                   @ada

/torch/nn/          @pytorch/networks @bob  # with a remark
torch/csrc/jit/**   bob@example.org
/docs/*             @pytorch/writers
third_party/
[invalid]           @pytorch/none
/torch/nn/wrong/    not an owner
"""


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("torch/nn/conv.py", ("networks", "/torch/nn/")),
        ("torch/nn/wrong/a.py", ("networks", "/torch/nn/")),
        ("torch/csrc/jit/ir.cpp", ("torch/csrc/jit", "torch/csrc/jit/**")),
        ("docs/index.md", ("writers", "/docs/*")),
        ("docs/deep/index.md", ("*", "*")),
        ("setup.py", ("*", "*")),
        ("third_party/lib/a.c", None),
    ],
)
def test_an_area_is_the_team_or_the_pattern_and_names_no_person(
    path: str, area: tuple[str, str] | None
) -> None:
    assert CodeOwners(FILE).area(path) == area


def test_files_that_nobody_can_mean_own_nothing() -> None:
    assert CodeOwners(b"* @a/team\n" + b"#" * LARGEST_FILE).area("a.py") is None
    assert CodeOwners(b"* @a/team\n" * (MOST_LINES + 1)).area("a.py") is None
    assert CodeOwners(b"").area("a.py") is None
    assert CodeOwners(b"\xff\xfe\x00 @a/team\n* @a/team").area("a.py") == ("team", "*")


@given(st.binary(max_size=300), st.text(min_size=1, max_size=30))
def test_no_content_breaks_it(content: bytes, path: str) -> None:
    area = CodeOwners(content).area(path)
    assert area is None or (area[0].strip() and area[1].strip())
