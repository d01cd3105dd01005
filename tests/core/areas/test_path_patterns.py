"""Patterns of paths: what GitHub documents of CODEOWNERS, and none that takes long."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.areas.path_patterns import PathPattern, last_match

# The examples of GitHub's page "About code owners", and further cases of its rules.
CASES = [
    ("*", ["a.py", "deep/er/a.py"], []),
    ("*.js", ["a.js", "deep/a.js"], ["a.jsx", "js"]),
    ("/build/logs/", ["build/logs/a", "build/logs/x/y"], ["build/logs", "a/build/logs/b"]),
    ("docs/*", ["docs/getting-started.md"], ["docs/build-app/troubleshooting.md", "x/docs/a"]),
    ("apps/", ["apps/a", "deep/apps/x/y"], ["apps", "my-apps/a"]),
    ("/docs/", ["docs/a", "docs/x/y"], ["deep/docs/a"]),
    ("/scripts/", ["scripts/a"], ["x/scripts/a"]),
    ("**/logs", ["logs/a", "build/logs/a", "deep/er/logs/x/y", "logs"], ["logs.txt"]),
    ("/apps/github", ["apps/github", "apps/github/a/b"], ["apps/githubber", "x/apps/github"]),
    ("src/**/test.py", ["src/test.py", "src/a/b/test.py"], ["src/test.pyc", "a/src/test.py"]),
    ("/src/**", ["src/a", "src/a/b"], ["src2/a"]),
    ("Makefile", ["Makefile", "deep/Makefile"], ["Makefile.am"]),
    ("part?.py", ["part1.py", "x/part2.py"], ["part12.py"]),
    (r"with\ space.md", ["with space.md"], ["with\\ space.md"]),
    ("a+b.(c)", ["a+b.(c)"], ["aab.c"]),
]


@pytest.mark.parametrize(("pattern", "meant", "others"), CASES, ids=[case[0] for case in CASES])
def test_a_pattern_means_the_paths_that_github_documents(
    pattern: str, meant: list[str], others: list[str]
) -> None:
    read = PathPattern(pattern)
    assert [path for path in (*meant, *others) if read.matches(path.split("/"))] == meant


def test_the_last_pattern_that_matches_wins() -> None:
    patterns = [PathPattern(pattern) for pattern in ("*", "/src/", "/src/*.py")]
    assert last_match("src/a.py", patterns) == 2
    assert last_match("src/deep/a.py", patterns) == 1
    assert last_match("a.py", patterns) == 0
    assert last_match("a.py", patterns[1:]) is None


@pytest.mark.parametrize("pattern", ["", " / ".strip(), "!a", "a[bc]", "x" * 5_000, "a\0b"])
def test_what_is_not_a_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        PathPattern(pattern)


def test_no_pattern_takes_long() -> None:
    began = time.process_time()
    assert not PathPattern("*a" * 200 + "b").matches(["a" * 4_000])
    assert not PathPattern("**/a/" * 200 + "b").matches(["a"] * 2_000)
    assert time.process_time() - began < 5


@given(st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=5))
def test_a_path_is_its_own_pattern_and_within_each_of_its_folders(names: list[str]) -> None:
    path = "/".join(names)
    assert PathPattern(f"/{path}").matches(names)
    for end in range(1, len(names)):
        assert PathPattern(f"/{'/'.join(names[:end])}/").matches(names)
        assert PathPattern(f"{names[end - 1]}/").matches(names)
