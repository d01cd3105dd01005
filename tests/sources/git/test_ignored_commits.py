"""Lines followed through the commits that a project lists in .git-blame-ignore-revs."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.sources.git.inspection import inspect_commits
from perf_assets.sources.git.inspection_worker import inspect
from perf_assets.sources.git.szz.ignored import (
    LARGEST_FILE,
    LISTED_IN,
    is_outdated,
    listed_commits,
    read_listed,
    trace_through,
)
from perf_assets.sources.git.szz.introducing import trace_by_blame
from tests.effort import examples
from tests.git_repositories import FILE, LINK, Made, git, make
from tests.line_histories import drawn_history

SHA, OTHER = "ab" * 20, "12" * 20


def code(quote: bytes) -> bytes:
    names = (b"alpha", b"beta", b"gamma", b"delta")
    return b"".join(b"value_%s = read(%s%s%s)\n" % (n, quote, n, quote) for n in names)


def reformatted(repository: Path, listed: bytes | None = None) -> list[str]:
    """Make a file, its reformatting that adds a line too, and a fix that removes two lines."""
    new = code(b'"') + b"unlike_anything_before()\n"
    files = [code(b"'"), new, new.replace(b'value_beta = read("beta")\n', b"")[:-25] + b"done()\n"]
    made = [
        Made(
            {b"a.py": (FILE, content)},
            [number - 1] if number else [],
            when=f"{1_500_000_000 + number} +0000",
        )
        for number, content in enumerate(files)
    ]
    shas = make(repository, made)
    if listed is not None:
        tip = Made({LISTED_IN.encode(): (FILE, listed % shas[1].encode())}, [], branch="main")
        make(repository, [tip])
    return shas


@pytest.mark.parametrize(
    ("content", "listed"),
    [
        (b"", set()),
        (f"# Black\n\n{SHA}\n".encode(), {SHA}),
        (f"  {SHA.upper()}\t# 2021-01-01\r\n{OTHER}".encode(), {SHA, OTHER}),
        (f"{'ab' * 32}\n".encode(), {"ab" * 32}),
        (f"{SHA[:12]}\n{SHA}0\n{SHA} {OTHER}\nHEAD\n--all\n".encode(), set()),
        (b"\x00\xff\n" + SHA.encode() + b"\n", {SHA}),
    ],
)
def test_reads_one_full_hash_a_line_and_skips_other_lines(content: bytes, listed: set[str]) -> None:
    assert listed_commits(content) == listed


@given(st.binary(max_size=300))
def test_reads_any_bytes(content: bytes) -> None:
    assert all(len(name) in (40, 64) for name in listed_commits(content))


def test_reads_the_file_at_the_tip_and_no_link_folder_or_huge_file(tmp_path: Path) -> None:
    name, content = LISTED_IN.encode(), SHA.encode() + b"\n"
    huge = content + b"#" * LARGEST_FILE
    for index, (files, listed) in enumerate(
        [
            ({name: (FILE, content)}, {SHA}),
            ({b"a.py": (FILE, content)}, set()),
            ({name + b"/x": (FILE, content)}, set()),
            ({name: (FILE, huge)}, set()),
            ({name: (LINK, b"a.py")}, set()),
        ]
    ):
        repository = tmp_path / f"{index}.git"
        make(repository, [Made(files)])
        assert read_listed(repository) == listed
    git(tmp_path, "init", "--quiet", "--bare", str(tmp_path / "empty.git"))
    assert read_listed(tmp_path / "empty.git") == frozenset()


def test_follows_lines_through_a_listed_reformatting(tmp_path: Path) -> None:
    repository = tmp_path / "source.git"
    written, reformatting, fix = reformatted(repository, b"# Black\n%s\n" + OTHER.encode())
    (plain,) = inspect_commits(repository, [fix])
    assert plain.trace.introducing == [("a.py", reformatting, 1_500_000_001, False, 2)]
    assert (plain.trace.ignored, plain.trace.followed_lines) == ([], 0)
    (followed,) = inspect_commits(repository, [fix], read_listed(repository))
    assert {row[1]: row[4] for row in followed.trace.introducing} == {written: 1, reformatting: 1}
    assert (followed.trace.ignored, followed.trace.followed_lines) == ([reformatting], 1)
    (unconcerned,) = inspect_commits(repository, [fix], {OTHER, fix})
    assert unconcerned == plain


@pytest.mark.parametrize(
    ("ignored", "introducing", "listed", "outdated"),
    [
        ([], ["a"], [], False),
        ([], ["a"], ["b"], False),
        ([], ["a"], ["a"], True),
        (["a"], ["a", "c"], ["a", "b"], False),
        (["a"], ["c"], ["b"], True),
        (["a"], ["c"], ["a", "c"], True),
    ],
)
def test_a_trace_is_outdated_if_the_list_changes_where_it_leads(
    ignored: list[str], introducing: list[str], listed: list[str], outdated: bool
) -> None:
    assert is_outdated(ignored, introducing, listed) is outdated


@pytest.mark.slow
@settings(max_examples=examples(8, 60))
@given(seed=st.integers(0, 2**32), commits=st.integers(3, 20))
def test_follows_lines_as_git_does_with_the_whole_list(
    tmp_path_factory: pytest.TempPathFactory, seed: int, commits: int
) -> None:
    repository = tmp_path_factory.mktemp("history") / "source.git"
    random, shas, plain = drawn_history(repository, seed, commits)
    listed = random.sample(shas, len(shas) // 3)
    fixes = [(found.sha, found.removed) for found in inspect(repository, plain)]
    expected = trace_by_blame(repository, fixes, listed)
    before = trace_by_blame(repository, fixes)
    for fix, trace, by_git in zip(fixes, before, expected, strict=True):
        assert trace_through(repository, fix, trace, []) == trace
        followed = trace_through(repository, fix, trace, listed)
        assert sum(row[4] for row in followed.introducing) == fix[1].count
        if not followed.ignored:
            assert followed == trace
        assert set(followed.ignored) <= set(listed)
        assert {row[1] for row in followed.introducing} & set(listed) <= set(followed.ignored)
        assert followed.introducing == by_git.introducing
