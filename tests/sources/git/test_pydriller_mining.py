"""The reference: commits read by PyDriller are those that are read from git directly."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.git import mining, pydriller_mining
from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.history import list_branch_commits, list_commits
from tests.effort import examples
from tests.git_histories import odd_histories
from tests.git_repositories import EXECUTABLE, FILE, LINK, Made, damage, git, lose, make

pytestmark = pytest.mark.slow

TEXT = b"".join(b"line %d\n" % number for number in range(40))


def mine(read, clone: Clone, listed=None) -> tuple[pl.DataFrame, pl.DataFrame]:
    commits, files = zip(*read.read_commits(clone, listed), strict=True)
    return pl.concat(commits), pl.concat(files)


def assert_equal_miners(clone: Clone, listed=None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both miners give the same frames; those frames."""
    expected = mine(mining, clone, listed)
    found = mine(pydriller_mining, clone, listed)
    for one, other in zip(found, expected, strict=True):
        assert one.schema == other.schema
        assert one.rows() == other.rows()
    return found


@settings(max_examples=examples(10, 200))
@given(history=odd_histories(), batch=st.integers(1, 4))
def test_any_history_has_the_same_rows_from_both_miners(history, batch):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pydriller_mining, "PIECE_COMMITS", batch)
        make(Path(folder) / "source.git", history)
        clone = update_clone(str(Path(folder) / "source.git"), Path(folder) / "clone.git")
        assert_equal_miners(clone)


def test_known_defects_of_pydriller_are_corrected(cloned):
    """Merges, changes of type, changes without a patch, and paths, as the module lists them."""
    before = {
        b"type": (FILE, b"x\ny\n"),
        b"mode": (FILE, b"x\n"),
        b"x b/x": (FILE, b"q\n"),
        b"old": (FILE, b"\0" * 99),
        b"caf\xe9": (FILE, TEXT),
    }
    after = {
        b"type": (LINK, b"x\ny\n"),
        b"mode": (EXECUTABLE, b"x\n"),
        b"x b/x": (EXECUTABLE, b"q\n"),
        b"new": (FILE, b"\0" * 99),
        b"th\xe9": (FILE, TEXT),
        b"y b/z b/y": (FILE, b""),
    }
    side = {**before, b"side": (FILE, b"1\n2\n")}
    clone, shas = cloned(
        Made(before), Made(after, [0]), Made(side, [0]), Made({**after, **side}, [1, 2])
    )
    _, files = assert_equal_miners(clone)
    of_second = files.filter(pl.col("sha") == shas[1]).drop("sha", "month").sort("path").rows()
    assert of_second == [
        ("mode", None, "modified", 0, 0, False),
        ("new", "old", "renamed", 0, 0, True),
        (r"th\xe9", r"caf\xe9", "renamed", 0, 0, False),
        ("type", None, "type_changed", 0, 0, False),
        ("x b/x", None, "modified", 0, 0, False),
        ("y b/z b/y", None, "added", 0, 0, False),
    ]
    assert ("side", 2) in files.filter(pl.col("sha") == shas[3]).select("path", "additions").rows()


def test_commits_at_which_pydriller_fails_are_unreadable_with_the_failure(cloned):
    clone, shas = cloned(
        Made({b"a": (FILE, b"1\n")}),
        Made({b"a": (FILE, b"2\n"), "é b/é".encode(): (FILE, b"")}, [0]),
        Made({b"a": (FILE, b"3\n")}, [1], when="300000000000 +0000"),
        Made({b"a": (FILE, b"4\n")}, [2]),
    )
    commits, files = mine(pydriller_mining, clone)
    reasons = dict(commits.select("sha", "unreadable").iter_rows())
    assert {sha for sha, reason in reasons.items() if reason is not None} == set(shas[1:3])
    assert reasons[shas[1]] == "PyDriller fails: AssertionError"
    assert reasons[shas[2]] == "PyDriller fails: ValueError: year 11476 is out of range"
    lacking = commits.filter(pl.col("unreadable").is_not_null())
    sizes = ("additions", "deletions", "changed_files")
    assert lacking.select(sizes).null_count().row(0) == (2, 2, 2)
    expected, expected_files = mine(mining, clone)
    described = commits.columns[: commits.columns.index("additions")]
    assert commits.select(described).equals(expected.select(described))
    assert files.equals(expected_files.filter(~pl.col("sha").is_in(shas[1:3])))


def test_times_that_pydriller_does_not_know_are_1970(tmp_path, source):
    git(source, "init", "--quiet", "--bare", "--initial-branch=main")
    tree, parent = git(source, "mktree"), None
    for time in (b"0 +0000", b"-86400 +0000", b"nonsense"):
        parents = b"parent %s\n" % parent.encode() if parent else b""
        who = b"A <a@b> " + time
        raw = b"tree %s\n%sauthor %s\ncommitter %s\n\nm\n" % (tree.encode(), parents, who, who)
        kinds = ("-t", "commit", "-w", "--literally", "--stdin")
        parent = git(source, "hash-object", *kinds, stdin=raw)
    git(source, "update-ref", "refs/heads/main", parent)
    clone = update_clone(str(source), tmp_path / "clone.git")
    commits, _ = mine(pydriller_mining, clone)
    expected, _ = mine(mining, clone)
    assert commits.drop("authored_at").equals(expected.drop("authored_at"))
    assert [when.year for when in commits["authored_at"]] == [1970] * 3


@pytest.mark.parametrize("entry", ["d/a", "d"])
def test_a_missing_object_leaves_the_same_reason_as_git(cloned, source, entry):
    states = [{b"d/a": (FILE, b"%d\n" % n), b"b": (FILE, b"b")} for n in range(4)]
    clone, shas = cloned(*(Made(files, [n - 1] if n else []) for n, files in enumerate(states)))
    name = git(clone.path, "rev-parse", f"{shas[1]}:{entry}")
    kept = clone.path / "objects" / name[:2] / name[2:]
    content = kept.read_bytes()
    for repository in (clone.path, source):
        lose(repository, name)
    commits, _ = assert_equal_miners(clone)
    assert commits["unreadable"].to_list() == [None, *[f"git cannot read object {name}"] * 2, None]
    lost = source / "objects" / name[:2] / name[2:]
    lost.write_bytes(content)
    commits, _ = mine(pydriller_mining, clone)  # fetched from the source
    assert commits["unreadable"].null_count() == 4


def test_a_damaged_object_is_a_damaged_clone(cloned):
    clone, shas = cloned(*(Made({b"a": (FILE, b"%d" % n)}, [n - 1] if n else []) for n in range(3)))
    damage(clone.path, git(clone.path, "rev-parse", f"{shas[1]}:a"))
    with pytest.raises(PerfAssetsError, match=r"cannot be read .*clones it anew"):
        mine(pydriller_mining, clone)


def test_only_the_listed_commits_are_read_of_any_branch(cloned):
    clone, shas = cloned(
        Made({b"a": (FILE, b"1\n")}),
        Made({b"a": (FILE, b"2\n")}, [0], branch="other"),
        Made({b"a": (FILE, b"3\n")}, [0]),
    )
    listed = list_branch_commits(clone)
    commits, _ = assert_equal_miners(clone, listed.drop("branch"))
    assert commits["sha"].to_list() == [shas[1]]
    seen = []
    list(pydriller_mining.read_commits(clone, list_commits(clone), lambda *p: seen.append(p)))
    assert seen == [(2, 2)]
    assert list(pydriller_mining.read_commits(clone, listed.clear())) == []


def test_clone_and_settings_of_the_person_have_no_say_and_the_clone_is_not_written(
    cloned, tmp_path, monkeypatch
):
    clone, shas = cloned(
        Made({b"a": (FILE, TEXT), b"b\xc3\xa9": (FILE, TEXT[9:] + b"1\n")}),
        Made({b"c": (FILE, TEXT + b"x\n"), b"d\xc3\xa9": (FILE, TEXT[9:] + b"2\n")}, [0]),
    )
    expected = mine(mining, clone)
    git(clone.path, "replace", shas[1], shas[0])
    (tmp_path / "attributes").write_text("* binary\n")
    (tmp_path / ".gitconfig").write_text(
        "[diff]\n renames = false\n noprefix = true\n"
        f"[core]\n attributesFile = {tmp_path}/attributes\n quotePath = false\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u0")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "diff.renameLimit")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    def state():
        return {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in clone.path.rglob("*")}

    before = state()
    with ThreadPoolExecutor(2) as pool:
        mined = list(pool.map(lambda each: mine(pydriller_mining, each), [clone] * 2))
    for frames in mined:
        assert all(one.equals(other) for one, other in zip(frames, expected, strict=True))
    assert state() == before
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_repository_of_sha256_is_refused_in_one_sentence(tmp_path):
    clone = Clone(tmp_path, "", "main", "0" * 64)
    with pytest.raises(PerfAssetsError, match=r'SHA-256: remove miner = "pydriller"'):
        list(pydriller_mining.read_commits(clone, pl.DataFrame({"sha": ["0" * 64]})))
