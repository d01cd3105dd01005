"""Patterns of paths mean what ruff's and git's mean, where they have the same form."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.globs import is_meant, is_meant_or_within


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("a.py", "a.py"),
        ("a.py", "deep/down/a.py"),
        ("*_pb2.py", "x/service_pb2.py"),
        ("?.py", "x/a.py"),
        ("[ab].py", "b.py"),
        ("[!ab].py", "c.py"),
        ("third_party", "x/third_party"),
        ("third_party/", "x/third_party"),
        ("x/*.py", "x/a.py"),
        ("./x/a.py", "x/a.py"),
        ("x/**", "x/y/a.py"),
        ("x/**/a.py", "x/a.py"),
        ("x/**/a.py", "x/y/z/a.py"),
        ("**/tests/*.py", "tests/a.py"),
        ("**/tests/*.py", "x/tests/a.py"),
        ("a+b(c).py", "a+b(c).py"),
        ("[[]a.py", "[a.py"),
    ],
)
def test_a_pattern_means_a_path(pattern: str, path: str) -> None:
    assert is_meant(path, ["nothing", pattern])


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("a.py", "b/a.pyc"),
        ("a.py", "aapy"),
        ("x/*.py", "x/y/a.py"),
        ("x/*.py", "z/x/a.py"),
        ("x/**", "x"),
        ("x/**", "xy/a.py"),
        ("y", "x/y/a.py"),
        ("[!ab].py", "a.py"),
        ("?.py", "x/.py"),
        ("", "a.py"),
    ],
)
def test_a_pattern_does_not_mean_another_path(pattern: str, path: str) -> None:
    assert not is_meant(path, [pattern])


def test_a_folder_stands_for_what_is_in_it_where_that_is_asked() -> None:
    assert is_meant_or_within("legacy/x/a.py", ["legacy"])
    assert is_meant_or_within("x/legacy/a.py", ["x/legacy"])
    assert not is_meant_or_within("x/legacy.py", ["legacy"])
    assert not is_meant_or_within("x/legacy/a.py", ["legacy/x"])


NAMES = st.text("ab.*?[]!+\\(", min_size=1, max_size=6)


@given(pattern=NAMES, name=st.text("ab.*?[]!+\\(", min_size=1, max_size=6))
def test_within_a_name_it_is_what_python_knows(pattern: str, name: str) -> None:
    if "**" in pattern or "[]" in pattern or "[!]" in pattern:  # written otherwise there
        return
    assert is_meant(name, [pattern]) == fnmatch.fnmatchcase(name, pattern)
