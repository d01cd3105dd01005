"""Which files are found under a path, and that nothing is done to them but reading."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.lint.files.discovery import Exclusion, LintFile, find_files, read
from perf_assets.lint.files.results import Skip, SourceFile
from tests.effort import examples


def filled(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    return root


def found(root: Path, *given: str, excluded: tuple[str, ...] = ()) -> list[str]:
    paths = [root / name for name in given] or [root]
    return [
        os.path.relpath(file.path, root)
        for file in find_files(paths, Exclusion(root, excluded))
        if isinstance(file, LintFile)
    ]


def test_python_and_notebooks_are_found_in_the_order_of_names(tmp_path: Path) -> None:
    filled(tmp_path, "b.py", "a.ipynb", "a/z.py", "a/b/c.py", "c.txt", "d.pyc", "e.pyi", "B.py")
    assert found(tmp_path) == ["B.py", "a.ipynb", "b.py", "a/z.py", "a/b/c.py"]


def test_what_is_not_the_projects_own_is_passed_by(tmp_path: Path) -> None:
    filled(tmp_path, "a.py", ".hidden.py")
    for name in (".git", ".venv", "node_modules", "build", "__pycache__", "x/site-packages"):
        filled(tmp_path, f"{name}/a.py", f"{name}/deep/a.py")
    filled(tmp_path, "env/lib/a.py", "env/pyvenv.cfg", "zoo/a.py")
    assert found(tmp_path) == [".hidden.py", "a.py", "zoo/a.py"]


def test_what_is_given_is_read_whatever_it_is_called_and_wherever_it_is(tmp_path: Path) -> None:
    filled(tmp_path, "build/a.py", "script", ".git/hook", "env/a.py", "env/pyvenv.cfg")
    given = ("build/a.py", "script", ".git/hook")
    assert found(tmp_path, *given, excluded=("*",)) == list(given)
    assert found(tmp_path, "build") == ["build/a.py"]
    assert found(tmp_path, "env") == ["env/a.py"]


def test_each_file_is_found_once(tmp_path: Path) -> None:
    filled(tmp_path, "a.py", "x/b.py", "x/c.py", "x/d.py")
    once = ["x/c.py", "x/b.py", "x/d.py", "a.py"]
    assert found(tmp_path, "x/c.py", "x", ".", "a.py", "x/../a.py") == once


def test_excluded_files_and_folders_are_passed_by(tmp_path: Path) -> None:
    filled(tmp_path, "a.py", "a_pb2.py", "x/b_pb2.py", "third/a.py", "x/y/a.py", "x/y/z/b.py")
    assert found(tmp_path, excluded=("*_pb2.py", "third", "x/y/**/b.py")) == ["a.py", "x/y/a.py"]


PARTS = st.sampled_from(["a", "b.py", "*", "?", "a*", "**", "[ab]", "[!a]", "[^a]*", "\\*", "x"])
PATTERNS = st.builds(
    lambda kept, rooted, parts, folder: kept + rooted + "/".join(parts) + folder,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(PARTS, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "  "]),
)
FILES = (
    "a/a/b.py",
    "a/b.py",
    "a/x/a.py",
    "b.py",
    "b/a/x.py",
    "b/ab.py",
    "x.py",
    "x/*.py",
    "x/b.py",
)


@given(lines=st.lists(PATTERNS, max_size=4), inner=st.lists(PATTERNS, max_size=3))
@settings(max_examples=examples(40, 2000))
def test_what_git_ignores_is_passed_by(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], inner: list[str]
) -> None:
    root = filled(tmp_path_factory.mktemp("ignored"), *FILES)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("# a comment\n\n" + "\r\n".join(lines))
    (root / "a" / ".gitignore").write_text("\n".join(inner))
    (root / ".git" / "info" / "exclude").write_text("x.py\n")
    listed = subprocess.run(
        ["git", "-c", "core.excludesFile=", "ls-files", "-z", "-o", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    kept = [name for name in listed.stdout.split("\0") if name.endswith(".py")]
    assert sorted(found(root)) == sorted(kept)
    below = [name for name in kept if name.startswith("a/")]
    is_kept_folder = any(name in found(root) for name in FILES if name.startswith("a/"))
    assert not is_kept_folder or sorted(found(root, "a")) == sorted(below)


def test_without_a_repository_the_files_of_the_folders_count(tmp_path: Path) -> None:
    filled(tmp_path, "a.py", "b.py", "x/a.py", "x/b.py", "x/y/b.py")
    (tmp_path / ".gitignore").write_text("a.py\n")
    (tmp_path / "x" / ".gitignore").write_text("b.py\n!/y/b.py\n")
    assert found(tmp_path) == ["b.py", "x/y/b.py"]
    given = Exclusion(tmp_path, is_git_respected=False)
    assert len(list(find_files([tmp_path], given))) == 5
    assert found(tmp_path, "a.py", "x/b.py") == ["a.py", "x/b.py"]


def test_hostile_files_of_git_take_no_time(tmp_path: Path) -> None:
    filled(tmp_path, f"{'a' * 200}/{'a' * 200}.py")
    (tmp_path / ".gitignore").write_text("*a" * 60 + "b\n" + "**/" * 60 + "b\n")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / ".gitignore").symlink_to("/dev/zero")
    assert len(found(tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "is_checked"),
    [
        ("a.py", True),
        ("a_pb2.py", False),
        ("third/deep/a.py", False),
        ("third", False),
        ("build/a.py", False),
        (".hidden/a.py", False),
        (".a.py", True),
        ("x", True),
    ],
)
def test_an_exclusion_that_is_forced_counts_for_what_is_given(
    tmp_path: Path, name: str, is_checked: bool
) -> None:
    filled(tmp_path, "x/z.py", name if name.endswith(".py") else f"{name}/a.py")
    patterns = ("*_pb2.py", "third")
    forced = Exclusion(tmp_path, patterns, is_forced=True)
    assert bool(list(find_files([tmp_path / name], forced))) == is_checked
    assert list(find_files([tmp_path / name], Exclusion(tmp_path, patterns)))


def test_links_are_not_followed_in_folders_and_are_where_they_are_given(tmp_path: Path) -> None:
    filled(tmp_path, "real/a.py", "other/b.py")
    (tmp_path / "real/loop").symlink_to(tmp_path / "real")
    (tmp_path / "real/up").symlink_to("..")
    (tmp_path / "real/self").symlink_to("self")
    (tmp_path / "real/c.py").symlink_to(tmp_path / "other/b.py")
    (tmp_path / "real/lost.py").symlink_to("nowhere")
    (tmp_path / "link").symlink_to("other")
    assert found(tmp_path, "real") == ["real/a.py"]
    assert found(tmp_path, "link", "real/c.py") == ["link/b.py", "real/c.py"]


def test_files_that_are_not_regular_are_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    filled(tmp_path, "folder.py/a.py")
    assert found(tmp_path) == ["folder.py/a.py"]


def test_a_file_that_cannot_be_read_is_a_skip(tmp_path: Path) -> None:
    (tmp_path / "self.py").symlink_to("self.py")
    (file,) = find_files([tmp_path / "self.py"], Exclusion(tmp_path))
    assert isinstance(file, LintFile)
    result = read(file)
    assert (
        isinstance(result, Skip) and result.reason == "read" and "symbolic links" in result.message
    )


@pytest.mark.slow
def test_a_pipe_and_a_file_too_large_are_skips_that_take_neither_time_nor_memory(
    tmp_path: Path,
) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with (tmp_path / "sparse.py").open("wb") as sparse:
        sparse.truncate(1 << 40)
    result = [read(LintFile(path, path.name, path.name)) for path in sorted(tmp_path.iterdir())]
    assert result == [
        Skip("pipe.py", "read", "it is not a file: pass it as standard input, with -"),
        Skip("sparse.py", "memory", "it takes more than 512 MB"),
    ]


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_listed_is_a_skip(tmp_path: Path) -> None:
    filled(tmp_path, "a/b.py", "c.py")
    (tmp_path / "a").chmod(0)
    result = list(find_files([tmp_path], Exclusion(tmp_path)))
    (tmp_path / "a").chmod(0o755)
    assert [isinstance(one, Skip) for one in result] == [False, True]


def test_a_folder_that_vanishes_is_a_skip(tmp_path: Path) -> None:
    filled(tmp_path, "a.py", "b/c.py", "d/e.py")
    finding = find_files([tmp_path], Exclusion(tmp_path))
    next(finding)
    (tmp_path / "b/c.py").unlink()
    (tmp_path / "b").rmdir()
    skip, file = finding
    assert isinstance(skip, Skip) and skip.reason == "read" and "no such file" in skip.message
    assert isinstance(file, LintFile) and file.path == tmp_path / "d/e.py"


def test_names_are_relative_to_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path, "project/x/a.py", "other/b.py")
    monkeypatch.chdir(tmp_path / "project")
    given = [Path(), tmp_path / "project/x/../x/a.py", Path("../other")]
    assert [one[1] for one in find_files(given, Exclusion(tmp_path))] == ["x/a.py", "../other/b.py"]
    (file,) = find_files([tmp_path / "project/x/a.py"], Exclusion(tmp_path))
    assert file[1] == "x/a.py"
    (file,) = find_files([tmp_path / "other/b.py"], Exclusion(tmp_path))
    assert file[1] == str(tmp_path / "other/b.py")


def test_a_file_knows_its_path_within_its_project(tmp_path: Path) -> None:
    filled(tmp_path, "tests/project/pyproject.toml", "tests/project/src/a.py", "tests/free/b.py")
    (tmp_path / ".git").mkdir()
    for name, within in (
        ("tests/project/src", "src/a.py"),
        ("tests/project", "src/a.py"),
        ("tests/project/src/a.py", "src/a.py"),
        ("tests/free", "tests/free/b.py"),
    ):
        (file,) = find_files([tmp_path / name], Exclusion(tmp_path))
        assert isinstance(file, LintFile) and file.within == within


NAMES = st.sampled_from(["a.py", "b.py", "x", "y.py", ".git", "build"])


@given(st.lists(st.lists(NAMES, min_size=1, max_size=4), max_size=12), st.data())
@settings(max_examples=examples(30))
def test_what_is_found_does_not_depend_on_what_else_is_given(
    tmp_path_factory: pytest.TempPathFactory, trees: list[list[str]], data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("tree")
    for parts in trees:
        path = root.joinpath(*parts)
        if not path.is_dir() and not any(parent.is_file() for parent in path.parents):
            filled(root, "/".join(parts))
    folders = sorted(path.name for path in root.iterdir())
    chosen = data.draw(st.permutations(folders))
    together = found(root, *chosen) if chosen else []
    assert sorted(together) == sorted(name for one in chosen for name in found(root, one))
    assert len(set(together)) == len(together)


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = filled(tmp_path, "a.py") / "a.py"
    path.write_bytes(b"\xef\xbb\xbfx = 1\r\n\x00")
    path.chmod(0o444)
    before = path.stat()
    (file,) = find_files([path], Exclusion(tmp_path))
    assert isinstance(file, LintFile)
    content = b"\xef\xbb\xbfx = 1\r\n\x00"
    assert read(file) == SourceFile(file.shown, content, "a.py", str(tmp_path))
    after = path.stat()
    assert (before.st_mtime_ns, before.st_mode) == (after.st_mtime_ns, after.st_mode)
