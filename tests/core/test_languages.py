"""Languages, tests and lines of code, by the names and texts of files."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perf_assets
from perf_assets.core.languages import (
    _CODE,
    OTHER,
    code_lines,
    is_source,
    is_test,
    language_of,
    language_totals,
    lexed_lines,
    python_code_lines,
)
from tests.effort import EXAMPLES


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("chainer/links/a.py", "Python"),
        ("aten/src/THC/THCBlas.CU", "CUDA"),
        ("include/x.h", "C++"),
        ("third_party/BUILD", "Starlark"),
        ("cmake/CMakeLists.txt", "CMake"),
        ("docs/index.txt", "Text"),
        ("README.md", "Markdown"),
        ("scripts/run", OTHER),
        (".gitignore", OTHER),
        ("", OTHER),
        ("odd.py/name", OTHER),
    ],
)
def test_the_name_of_a_file_shows_its_language(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    "path",
    [
        "tests/chainer_tests/test_a.py",
        "chainerx_tests/unit.py",
        "tensorflow/python/kernel_tests/a.cc",
        "tensorflow/core/kernels/matmul_op_test.cc",
        "src/FooTest.java",
        "web/app.spec.ts",
        "pkg/conftest.py",
        "pkg/testdata/big.bin",
        "src/Test/a.py",
    ],
)
def test_directories_and_names_of_tests_are_known(path: str) -> None:
    assert is_test(path)
    assert not is_source(path)


@pytest.mark.parametrize(
    "path", ["chainer/testing/array.py", "latest.py", "contest.py", "src/attest/a.go", "greatest.c"]
)
def test_what_only_sounds_like_a_test_is_source(path: str) -> None:
    assert not is_test(path)
    assert is_source(path)


def test_texts_and_data_are_not_source_code() -> None:
    assert not any(map(is_source, ("README.md", "setup.cfg", "a.json", "logo.png", "LICENSE")))


PYTHON = '''"""What the module
is for."""
import os  # kept

# a remark

def double(x):
    """Twice."""
    text = """not a
comment"""
    return 2 * x
'''
CPP = "#include <x>\n// remark\n/* long\n   remark */ int a;\n\nint b; /* and\n another */\n"


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.py", PYTHON, {3, 7, 9, 10, 11}),
        ("a.cc", CPP, {1, 4, 6}),
        ("a.cu", "__global__ void f() {\r\n}\r\n// end\r\n", {1, 2}),
        ("CMakeLists.txt", "# remark\nproject(x)\n", {2}),
        ("run.sh", "#!/bin/sh\necho 1 # one\n\n", {2}),
        ("broken.py", 'x = """never ends\nat all', {1, 2}),
        ("gap.py", 'x = """one\n\ntwo"""\n', {1, 3}),
        ("empty.py", "", set()),
    ],
)
def test_lines_of_code_are_those_with_more_than_remarks(
    path: str, text: str, lines: set[int]
) -> None:
    assert code_lines(path, text) == lines


@given(st.text(max_size=200), st.sampled_from(["a.py", "a.cc", "a.sh", "Makefile", "a.jl"]))
def test_lines_of_code_are_lines_of_the_text_that_are_not_blank(text: str, path: str) -> None:
    lines = text.split("\n")
    assert all(lines[number - 1].strip() for number in code_lines(path, text))


PIECES = st.sampled_from(
    [
        "x = 1",
        "# one",
        "'",
        '"',
        '"""',
        "'''",
        "\\",
        "\n",
        "\n    ",
        " ",
        "r",
        "b",
        "f",
        "u",
        "#",
        ":",
        "é",
    ]
)


@pytest.mark.slow
@settings(max_examples=20 * EXAMPLES)
@given(st.lists(PIECES, max_size=25).map("".join), st.integers(1, 12))
def test_plain_python_is_recognised_as_by_the_lexer(text: str, last: int) -> None:
    found = python_code_lines(text, last)
    assert found is None or found == lexed_lines("python", text, last)


def test_most_python_is_plain() -> None:
    for path in sorted(Path(perf_assets.__file__).parent.rglob("*.py"))[::7]:
        text = path.read_text(encoding="utf-8").replace(' f"', ' "').replace('(f"', '("')
        found = python_code_lines(text, 10_000)
        assert found is None or found == lexed_lines("python", text, 10_000)
    assert python_code_lines(PYTHON, 100) == {3, 7, 9, 10, 11}
    assert python_code_lines("x = f(r'one')\n", 1) is None


@pytest.mark.parametrize("language", sorted(_CODE))
def test_remarks_are_found_in_every_programming_language(language: str) -> None:
    suffix = _CODE[language][1].split()[-1]
    path = f"a{suffix}" if suffix.startswith(".") else suffix
    assert language_of(path) == language
    assert code_lines(path, "\n \n") == set()
    assert code_lines(path, "x\n\nx\n") >= {1, 3}


def test_totals_of_a_commit_are_by_language_with_tests_apart() -> None:
    files = pl.DataFrame(
        [
            ("one", "a.py", 3, 1),
            ("one", "b.py", 2, 0),
            ("one", "tests/test_a.py", 1, 1),
            ("one", "README.md", 0, 2),
            ("two", "logo.png", 0, 0),
        ],
        schema=["sha", "path", "additions", "deletions"],
        orient="row",
    )
    totals = language_totals(files).sort("sha")
    assert totals["languages"].to_list() == [
        [
            {"language": "Markdown", "is_test": False, "files": 1, "additions": 0, "deletions": 2},
            {"language": "Python", "is_test": False, "files": 2, "additions": 5, "deletions": 1},
            {"language": "Python", "is_test": True, "files": 1, "additions": 1, "deletions": 1},
        ],
        [{"language": "Other", "is_test": False, "files": 1, "additions": 0, "deletions": 0}],
    ]
    assert totals["test_share"].to_list() == [0.2, None]
