"""Repositories and their clones."""

import pytest

from perf_assets.sources.git.clone import Clone, update_clone
from tests.git_repositories import (
    FILE,
    Made,
    make,
)


@pytest.fixture
def source(tmp_path):
    return tmp_path / "source.git"


@pytest.fixture
def cloned(tmp_path, source):
    """Makes commits, clones them, and gives the clone with the shas."""

    def clone(*commits: Made) -> tuple[Clone, list[str]]:
        shas = make(source, list(commits))
        return update_clone(str(source), tmp_path / "clone.git"), shas

    return clone


@pytest.fixture
def three_months(cloned):
    return cloned(
        Made({b"a": (FILE, b"")}, when="1483228800 +0000"),
        Made({b"a": (FILE, b"x\n")}, [0], when="1485907200 +0000"),
        Made({b"a": (FILE, b"x\nx\n")}, [1], when="1485907201 +0000"),
        Made({b"a": (FILE, b"y\n")}, [2], when="1488326400 +0000"),
    )
