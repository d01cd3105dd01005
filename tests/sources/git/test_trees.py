"""Trees at the end of quarters, whatever history looks like, and the files that stand in them."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import months_between
from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.history import has_commit
from perf_assets.sources.git.trees import (
    MOST_BYTES,
    File,
    is_lfs_pointer,
    list_files,
    quarter_ends,
    read_files,
    renamed_files,
)
from tests.git_repositories import (
    BINARY,
    EXECUTABLE,
    FILE,
    LINK,
    OTHER_COMMIT,
    SUBMODULE,
    Made,
    git,
)

Cloned = Callable[..., tuple[Clone, list[str]]]
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"


def on(day: str) -> str:
    return f"{int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())} +0000"


def made(day: str, *parents: int, text: bytes = b"", branch: str = "main") -> Made:
    content = text or day.encode()
    return Made({b"a.py": (FILE, content)}, list(parents), when=on(day), branch=branch)


def ends(clone: Clone, first: str, last: str) -> dict[str, tuple[str, str]]:
    trees = quarter_ends(clone.path, months_between(first, last))
    return {tree.quarter: (tree.month, tree.sha) for tree in trees}


def test_a_quarter_ends_with_its_last_commit_and_a_quiet_one_with_the_last_before(
    cloned: Cloned,
) -> None:
    clone, shas = cloned(
        made("2020-02-10"),
        made("2020-03-31T23:59:59", 0),
        made("2020-04-01", 1),
        made("2020-11-01", 2),
    )
    assert ends(clone, "2019-10", "2020-12") == {
        "2020-Q1": ("2020-03", shas[1]),
        "2020-Q2": ("2020-06", shas[2]),
        "2020-Q3": ("2020-09", shas[2]),
        "2020-Q4": ("2020-12", shas[3]),
    }


def test_a_quarter_that_goes_on_ends_with_its_last_commit_so_far(cloned: Cloned) -> None:
    clone, shas = cloned(made("2020-01-10"), made("2020-02-10", 0), made("2020-03-10", 1))
    assert ends(clone, "2020-01", "2020-02") == {"2020-Q1": ("2020-02", shas[1])}
    assert ends(clone, "2020-02", "2020-03") == {"2020-Q1": ("2020-03", shas[2])}
    assert ends(clone, "2020-02", "2020-01") == {}


def test_of_a_merge_the_default_branch_holds_the_merge_and_not_the_branch(cloned: Cloned) -> None:
    clone, shas = cloned(
        made("2020-01-10"),
        made("2020-02-10", 0, branch="topic"),
        made("2020-03-30", 1, branch="topic"),
        made("2020-03-20", 0),
        made("2020-04-02", 3, 2),
    )
    assert ends(clone, "2020-01", "2020-06") == {
        "2020-Q1": ("2020-03", shas[3]),
        "2020-Q2": ("2020-06", shas[4]),
    }


def test_a_commit_with_a_wrong_clock_puts_no_other_quarter_in_the_wrong(cloned: Cloned) -> None:
    clone, shas = cloned(
        made("2020-01-10"),
        made("2037-01-01", 0),
        made("2020-05-10", 1),
        made("1971-01-01", 2),
        made("2020-08-10", 3),
    )
    assert ends(clone, "2020-01", "2020-09") == {
        "2020-Q1": ("2020-03", shas[0]),
        "2020-Q2": ("2020-06", shas[2]),
        "2020-Q3": ("2020-09", shas[4]),
    }


def test_python_files_and_notebooks_are_listed_with_what_stands_in_the_place_of_one(
    cloned: Cloned,
) -> None:
    clone, (sha,) = cloned(
        Made(
            {
                b"b/run.py": (EXECUTABLE, b"1"),
                b"a.ipynb": (FILE, b"{}"),
                b"a.pyc": (FILE, BINARY),
                b"README.md": (FILE, b"no Python"),
                b"link.py": (LINK, b"a.py"),
                b"link": (LINK, b"a.py"),
                b"third_party/other": (SUBMODULE, OTHER_COMMIT),
                b"large.py": (FILE, b"#" * (MOST_BYTES + 1)),
                b"largest.py": (FILE, b"#" * MOST_BYTES),
            }
        )
    )
    files = list_files(clone.path, sha)
    assert {file.path: file.unread for file in files} == {
        "a.ipynb": None,
        "b/run.py": None,
        "large.py": "large",
        "largest.py": None,
        "link.py": "symlink",
        "third_party/other": "submodule",
    }
    assert [file.path for file in files] == sorted(file.path for file in files)


def test_names_that_are_not_utf8_are_distinguished(cloned: Cloned) -> None:
    names = (b"\xe9.py", b"\\xe9.py", 'é\t"\n.py'.encode())
    clone, (sha,) = cloned(Made({name: (FILE, name) for name in names}))
    files = list_files(clone.path, sha)
    assert [file.path for file in files] == ["\\xe9.py", "\\xe9.py (2)", 'é\t"\n.py']
    contents = {file.path: content for file, content in read_files(clone.path, files)}
    assert set(contents.values()) == set(names)
    assert contents['é\t"\n.py'] == names[2]


def test_contents_come_as_they_are_in_the_order_requested(cloned: Cloned) -> None:
    held = {b"a.py": b"", b"b.py": b"x = 1", b"c.py": BINARY, b"d.py": b"\n" * 70_000, b"e.py": LFS}
    clone, (sha,) = cloned(Made({name: (FILE, text) for name, text in held.items()}))
    files = list_files(clone.path, sha)[::-1]
    read = list(read_files(clone.path, files))
    assert [file for file, _ in read] == files
    assert [content for _, content in read] == [held[file.path.encode()] for file in files]
    assert [is_lfs_pointer(content) for _, content in read] == [True, False, False, False, False]


def test_a_reader_that_stops_early_leaves_no_process_behind(cloned: Cloned) -> None:
    many = {b"%03d.py" % n: (FILE, b"%d" % n * 50_000) for n in range(50)}
    clone, (sha,) = cloned(Made(many))
    reading = read_files(clone.path, list_files(clone.path, sha))
    next(reading)
    reading.close()
    with pytest.raises(StopIteration):
        next(reading)


def test_renamed_python_files_are_found_and_others_are_left_out(cloned: Cloned) -> None:
    text = b"".join(b"value_%d = %d\n" % (n, n) for n in range(40))
    clone, (old, new) = cloned(
        Made(
            {b"a.py": (FILE, text), b"b.py": (FILE, b"other\n"), b"c.md": (FILE, text[9:])},
            when=on("2020-01-01"),
        ),
        Made(
            {
                b"lib/a.py": (FILE, text + b"more = 1\n"),
                b"b.py": (FILE, b"x"),
                b"d.md": (FILE, text),
            },
            [0],
            when=on("2020-04-01"),
        ),
    )
    assert renamed_files(clone.path, old, new) == {"lib/a.py": "a.py"}
    assert renamed_files(clone.path, old, old) == {}


def test_a_commit_is_known_or_not(cloned: Cloned) -> None:
    clone, (sha,) = cloned(made("2020-01-10"))
    assert has_commit(clone.path, sha)
    assert not has_commit(clone.path, OTHER_COMMIT.decode())


def test_a_clone_that_lacks_a_file_is_reported_in_one_sentence(cloned: Cloned) -> None:
    clone, (sha,) = cloned(made("2020-01-10"))
    gone = File("a.py", OTHER_COMMIT.decode())
    with pytest.raises(PerfAssetsError, match=r"the git clone at .* delete that directory"):
        list(read_files(clone.path, [*list_files(clone.path, sha), gone]))
    with pytest.raises(PerfAssetsError, match=r"the git clone at .* delete that directory"):
        list_files(clone.path, OTHER_COMMIT.decode())


def test_an_empty_repository_and_a_shallow_one_are_refused_before_any_tree_is_read(
    tmp_path: Path, source: Path, cloned: Cloned
) -> None:
    cloned(made("2020-01-10"), made("2020-02-10", 0))
    shallow = tmp_path / "shallow.git"
    git(tmp_path, "clone", "--quiet", "--bare", "--depth=1", f"file://{source}", str(shallow))
    with pytest.raises(PerfAssetsError, match="is a shallow clone"):
        update_clone(str(shallow), tmp_path / "again.git")
    empty = tmp_path / "empty.git"
    git(empty, "init", "--quiet", "--bare")
    with pytest.raises(PerfAssetsError, match=r"empty|no commits|no branch"):
        update_clone(str(empty), tmp_path / "third.git")
