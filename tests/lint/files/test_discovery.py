"""Which files are found under a path, and that nothing is done to them but reading."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.lint.files.discovery import LintFile, find_files, read
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
        for file in find_files(paths, root, excluded)
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
    (file,) = find_files([tmp_path / "self.py"], tmp_path, ())
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
    result = list(find_files([tmp_path], tmp_path, ()))
    (tmp_path / "a").chmod(0o755)
    assert [isinstance(one, Skip) for one in result] == [False, True]


def test_a_folder_that_vanishes_is_a_skip(tmp_path: Path) -> None:
    filled(tmp_path, "a.py", "b/c.py", "d/e.py")
    finding = find_files([tmp_path], tmp_path, ())
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
    assert [one[1] for one in find_files(given, tmp_path, ())] == ["x/a.py", "../other/b.py"]
    (file,) = find_files([tmp_path / "project/x/a.py"], tmp_path, ())
    assert file[1] == "x/a.py"
    (file,) = find_files([tmp_path / "other/b.py"], tmp_path, ())
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
        (file,) = find_files([tmp_path / name], tmp_path, ())
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
    (file,) = find_files([path], tmp_path, ())
    assert isinstance(file, LintFile)
    content = b"\xef\xbb\xbfx = 1\r\n\x00"
    assert read(file) == SourceFile(file.shown, content, "a.py", str(tmp_path))
    after = path.stat()
    assert (before.st_mtime_ns, before.st_mode) == (after.st_mtime_ns, after.st_mode)
