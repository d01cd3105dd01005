"""Mining commits: the numbers are PyDriller's, whatever the history and the surroundings."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pydriller
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import schema_of
from perf_assets.sources.git import changes, pydriller_mining
from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.history import list_commits, months_of
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.git.templates import is_issue_template, read_issue_templates
from tests.effort import examples
from tests.git_histories import histories
from tests.git_repositories import (
    BINARY,
    EXECUTABLE,
    FILE,
    LINK,
    OTHER_COMMIT,
    SOME_COMMIT,
    SUBMODULE,
    Made,
    damage,
    git,
    make,
)

pytestmark = pytest.mark.slow

IGNORED_SUBMODULE = b'[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n\tignore = all\n'
TEXT = b"".join(b"line %d\n" % number for number in range(40))


def commit_months(clone: Clone) -> pl.DataFrame:
    """Return the number of commits of each UTC month on the default branch."""
    return months_of(list_commits(clone))


def of_months(clone: Clone, *months: str) -> pl.DataFrame:
    return list_commits(clone).filter(pl.col("month").is_in(months))


def mine(clone: Clone, listed=None, read=read_commits) -> tuple[pl.DataFrame, pl.DataFrame]:
    batches = list(read(clone, listed))
    return pl.concat([commits for commits, _ in batches]), pl.concat([f for _, f in batches])


def sizes(commits: pl.DataFrame) -> dict[str, tuple[int, int, int]]:
    numbers = commits.select("sha", "additions", "deletions", "changed_files")
    return {sha: tuple(rest) for sha, *rest in numbers.iter_rows()}


def pydriller_sizes(path: Path, shas) -> dict[str, tuple[int, int, int]]:
    read = pydriller.Git(str(path)).get_commit
    return {sha: (c.insertions, c.deletions, c.files) for sha in shas for c in [read(sha)]}


def file_rows(files: pl.DataFrame, sha: str) -> list[tuple]:
    columns = ("path", "old_path", "change_type", "additions", "deletions", "is_binary")
    return files.filter(pl.col("sha") == sha).select(*columns).sort("path").rows()


# ---- the numbers of a commit


def check_second_commit(cloned, source, before, after, expected):
    """The file rows of the step from ``before`` to ``after``; its totals are PyDriller's."""
    clone, shas = cloned(Made(before), Made(after, [0]))
    commits, files = mine(clone)
    assert file_rows(files, shas[1]) == expected
    assert sizes(commits) == pydriller_sizes(source, shas)
    found = mine(clone, read=pydriller_mining.read_commits)
    assert all(one.equals(other) for one, other in zip(found, (commits, files), strict=True))


EDITED = TEXT.replace(b"line 7\n", b"seven\n")

STEPS = {
    "a text file is edited": (
        {b"a": (FILE, TEXT)},
        {b"a": (FILE, EDITED)},
        [("a", None, "modified", 1, 1, False)],
    ),
    "a file is added": ({}, {b"a": (FILE, b"1\n2\n3")}, [("a", None, "added", 3, 0, False)]),
    "an empty file is added": ({}, {b"a": (FILE, b"")}, [("a", None, "added", 0, 0, False)]),
    "a file is deleted": ({b"a": (FILE, TEXT)}, {}, [("a", None, "deleted", 0, 40, False)]),
    "a file is renamed": (
        {b"a": (FILE, TEXT)},
        {b"d/b": (FILE, TEXT)},
        [("d/b", "a", "renamed", 0, 0, False)],
    ),
    "a file is renamed and edited": (
        {b"a": (FILE, TEXT)},
        {b"b": (FILE, EDITED)},
        [("b", "a", "renamed", 1, 1, False)],
    ),
    "a copy is an added file": (
        {b"a": (FILE, TEXT)},
        {b"a": (FILE, TEXT), b"b": (FILE, TEXT)},
        [("b", None, "added", 40, 0, False)],
    ),
    "a mode changes": (
        {b"a": (FILE, TEXT)},
        {b"a": (EXECUTABLE, TEXT)},
        [("a", None, "modified", 0, 0, False)],
    ),
    "the mode of a binary file changes": (
        {b"a": (FILE, BINARY)},
        {b"a": (EXECUTABLE, BINARY)},
        [("a", None, "modified", 0, 0, True)],
    ),
    "a binary file is edited": (
        {b"a": (FILE, BINARY)},
        {b"a": (FILE, BINARY + b"\0")},
        [("a", None, "modified", 0, 0, True)],
    ),
    "a binary file is renamed": (
        {b"a": (FILE, BINARY)},
        {b"b": (FILE, BINARY)},
        [("b", "a", "renamed", 0, 0, True)],
    ),
    "a text file turns binary": (
        {b"a": (FILE, TEXT)},
        {b"a": (FILE, BINARY)},
        [("a", None, "modified", 0, 0, True)],
    ),
    "a file turns into a link": (
        {b"a": (FILE, TEXT)},
        {b"a": (LINK, b"target")},
        [("a", None, "type_changed", 1, 40, False)],
    ),
    "a file turns into a link with the same bytes": (
        {b"a": (FILE, b"target")},
        {b"a": (LINK, b"target")},
        [("a", None, "type_changed", 0, 0, False)],
    ),
    "a link is pointed elsewhere": (
        {b"a": (LINK, b"target")},
        {b"a": (LINK, b"elsewhere")},
        [("a", None, "modified", 1, 1, False)],
    ),
    "a submodule is added": (
        {},
        {b"sub": (SUBMODULE, SOME_COMMIT)},
        [("sub", None, "added", 1, 0, False)],
    ),
    "a submodule moves on": (
        {b"sub": (SUBMODULE, SOME_COMMIT)},
        {b"sub": (SUBMODULE, OTHER_COMMIT)},
        [("sub", None, "modified", 1, 1, False)],
    ),
    "a file turns into a submodule": (
        {b"sub": (FILE, TEXT)},
        {b"sub": (SUBMODULE, SOME_COMMIT)},
        [("sub", None, "type_changed", 1, 40, False)],
    ),
    "a path has white space, quotes and letters of many scripts": (
        {},
        {'t\ta "b"\n\\é雪:'.encode(): (FILE, b"x\n")},
        [('t\ta "b"\n\\é雪:', None, "added", 1, 0, False)],
    ),
    "a path is not UTF-8": (
        {},
        {b"caf\xe9.txt": (FILE, b"x\n")},
        [(r"caf\xe9.txt", None, "added", 1, 0, False)],
    ),
    "two paths read the same": (
        {},
        {b"\xe9": (FILE, b"x\n"), rb"\xe9": (FILE, b"x\ny\n")},
        [(r"\xe9", None, "added", 2, 0, False), (r"\xe9 (2)", None, "added", 1, 0, False)],
    ),
    "a path looks like a commit": (
        {},
        {SOME_COMMIT: (FILE, b"x\n"), b":100644": (FILE, b"y\n")},
        [
            (SOME_COMMIT.decode(), None, "added", 1, 0, False),
            (":100644", None, "added", 1, 0, False),
        ],
    ),
    "attributes of the repository do not change what is counted": (
        {b".gitattributes": (FILE, b"* -diff\n"), b"a": (FILE, TEXT)},
        {b".gitattributes": (FILE, b"* -diff\n"), b"a": (FILE, EDITED)},
        [("a", None, "modified", 1, 1, False)],
    ),
    "a submodule that the repository wants ignored moves on": (
        {b"sub": (SUBMODULE, SOME_COMMIT), b".gitmodules": (FILE, IGNORED_SUBMODULE)},
        {b"sub": (SUBMODULE, OTHER_COMMIT), b".gitmodules": (FILE, IGNORED_SUBMODULE)},
        [("sub", None, "modified", 1, 1, False)],
    ),
    "nothing changes": ({b"a": (FILE, TEXT)}, {b"a": (FILE, TEXT)}, []),
}


@pytest.mark.parametrize("before, after, expected", STEPS.values(), ids=STEPS.keys())
def test_a_step_is_counted_as_pydriller_counts_it_when(cloned, source, before, after, expected):
    check_second_commit(cloned, source, before, after, expected)


def test_a_merge_and_an_octopus_are_counted_against_their_first_parent(cloned, source):
    base, one, two = ({b"a": (FILE, TEXT)}, {b"b": (FILE, b"1\n")}, {b"c": (FILE, b"1\n2\n")})
    clone, shas = cloned(
        Made(base),
        Made(base | one, [0]),
        Made(base | two, [0]),
        Made(base | one | two, [1, 2]),
        Made(base | {b"d": (FILE, b"d\n")}, [0]),
        Made(base | one | two | {b"d": (FILE, b"d\n")}, [3, 2, 4]),
    )
    commits, files = mine(clone)
    assert sizes(commits) == pydriller_sizes(source, shas)
    assert sizes(commits)[shas[3]] == (2, 0, 1)
    assert file_rows(files, shas[5]) == [("d", None, "added", 1, 0, False)]
    merged = commits.filter(sha=shas[5]).row(0, named=True)
    assert merged["parents"] == [shas[3], shas[2], shas[4]]
    assert commits.filter("is_merge")["sha"].sort().to_list() == sorted([shas[3], shas[5]])


def test_every_root_is_counted_against_nothing(cloned, source):
    clone, shas = cloned(
        Made({b"a": (FILE, TEXT)}),
        Made({b"b": (FILE, b"1\n")}),
        Made({b"a": (FILE, TEXT), b"b": (FILE, b"1\n")}, [0, 1]),
    )
    commits, _ = mine(clone)
    assert sizes(commits) == pydriller_sizes(source, shas)
    assert sizes(commits)[shas[0]] == (40, 0, 1)
    assert commits.filter(pl.col("parents").list.len() == 0).height == 2


def test_many_renamed_and_edited_files_beyond_the_rename_limit_are_counted_as_pydriller_does(
    cloned, source
):
    contents = [b"%d\n" % number * 5 + TEXT[:60] for number in range(1050)]
    old = {b"old/%d" % n: (FILE, text) for n, text in enumerate(contents)}
    new = {b"new/other%d" % n: (FILE, text + b"more\n") for n, text in enumerate(contents)}
    clone, shas = cloned(Made(old), Made(new, [0]))
    commits, _ = mine(clone)
    assert sizes(commits) == pydriller_sizes(source, shas)
    assert sizes(commits)[shas[1]][2] == 2100


# ---- the words and times of a commit


def test_messages_that_name_no_encoding_are_read_as_pydriller_reads_them(cloned, source):
    messages = [
        b"plain subject\n\nbody with trailing blanks  \n\n",
        "Übergrößenträger 雪".encode(),
        "déjà vu".encode("latin-1"),
        b"\n\n  :100644 100644 \x01 \x1e %x00 commit 1234\n\tx\r\n",
    ]
    clone, shas = cloned(
        *[Made({}, [n - 1] if n else [], message) for n, message in enumerate(messages)]
    )
    read = dict(mine(clone)[0].select("sha", "message").iter_rows())
    repository = pydriller.Git(str(source))
    assert read == {sha: repository.get_commit(sha).msg for sha in shas}
    assert read[shas[2]] == "d\ufffdj\ufffd vu"


def test_a_message_is_decoded_as_its_commit_says(cloned):
    clone, shas = cloned(
        Made(message="déjà vu".encode("latin-1"), encoding=b"ISO-8859-1"),
        Made({}, [0], message="雪".encode("euc-jp"), encoding=b"EUC-JP"),
    )
    read = dict(mine(clone)[0].select("sha", "message").iter_rows())
    assert read == {shas[0]: "déjà vu", shas[1]: "雪"}


def test_an_unknown_encoding_is_read_as_utf8_and_an_empty_message_is_missing(cloned):
    clone, shas = cloned(
        Made(message="é".encode(), encoding=b"klingon-8"), Made({}, [0], message=b" \n\n")
    )
    read = dict(mine(clone)[0].select("sha", "message").iter_rows())
    assert read == {shas[0]: "é", shas[1]: None}


def test_months_are_those_of_the_committer_in_utc(cloned):
    clone, shas = cloned(
        Made({}, [], when="1485907199 +0000"),  # the last second of January 2017
        Made({}, [0], when="1485907200 -1200"),  # the first of February, still January there
        Made({}, [1], when="1485907199 +1400"),  # January, already February there
    )
    commits, _ = mine(clone)
    found = dict(commits.select("sha", "month").iter_rows())
    assert found == {shas[0]: "2017-01", shas[1]: "2017-02", shas[2]: "2017-01"}
    assert commits.filter(sha=shas[1])["committed_at"][0] == datetime(2017, 2, 1, tzinfo=UTC)
    assert mine(clone, of_months(clone, "2017-02"))[0]["sha"].to_list() == [shas[1]]


def test_a_clock_that_was_wrong_hides_no_commit(cloned):
    """A walk that stops at the first old commit would lose the two that are older than theirs."""
    times = (1_485_907_200, 1_500_000_000, 1_400_000_000, 1_485_907_201, 1_400_000_001)
    clone, shas = cloned(
        *[Made({}, [n - 1] if n else [], when=f"{time} +0000") for n, time in enumerate(times)]
    )
    assert commit_months(clone).select("month", "commits").rows() == [
        ("2014-05", 2),
        ("2017-02", 2),
        ("2017-07", 1),
    ]
    assert set(mine(clone, of_months(clone, "2017-02"))[0]["sha"]) == {shas[0], shas[3]}


def test_absurd_times_are_kept_within_years_of_four_digits(tmp_path, source):
    git(source, "init", "--quiet", "--bare", "--initial-branch=main")
    tree, parent = git(source, "mktree"), None
    expected = {}
    for time, month in [
        (b"0 +0000", "1970-01"),
        (b"-86400 +0000", "1969-12"),
        (b"4102444800 +0000", "2100-01"),
        (b"99999999999999 +0000", "9999-12"),
        (b"nonsense", "1970-01"),
    ]:
        parents = b"parent %s\n" % parent.encode() if parent else b""
        who = b"A <a@b> " + time
        raw = b"tree %s\n%sauthor %s\ncommitter %s\n\nm\n" % (tree.encode(), parents, who, who)
        parent = git(
            source, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw
        )
        expected[parent] = month
    git(source, "update-ref", "refs/heads/main", parent)
    clone = update_clone(str(source), tmp_path / "clone.git")
    commits, _ = mine(clone)
    assert dict(commits.select("sha", "month").iter_rows()) == expected
    same = pl.col("authored_at") == pl.col("committed_at")
    assert commits.filter(same).height == commits.height
    assert sum(commit_months(clone)["commits"]) == 5


# ---- random histories


@settings(max_examples=examples(10, 80))
@given(histories(), st.integers(1, 4))
def test_any_history_has_pydrillers_numbers_whatever_the_batches(history, batch):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "PIECE_COMMITS", batch)
        source = Path(folder) / "source.git"
        make(source, history)
        clone = update_clone(str(source), Path(folder) / "clone.git")
        commits, files = mine(clone)
        reachable = git(source, "rev-list", "main").split()
        assert sizes(commits) == pydriller_sizes(source, reachable)
        assert commits["month"].is_sorted()
        _check_sums(commits, files)
        _check_templates(clone, files)
        counted = commits.group_by("month").len("commits").sort("month").rows()
        assert commit_months(clone).select("month", "commits").rows() == counted


def _check_sums(commits, files):
    added = (
        commits.join(files, on="sha")
        .group_by("sha")
        .agg(
            pl.col("additions").first(),
            pl.col("deletions").first(),
            pl.col("changed_files").first(),
            pl.col("additions_right").sum(),
            pl.col("deletions_right").sum(),
            pl.len().alias("rows"),
        )
    )
    assert added.filter(
        (pl.col("additions") != pl.col("additions_right"))
        | (pl.col("deletions") != pl.col("deletions_right"))
        | (pl.col("changed_files") != pl.col("rows"))
    ).is_empty()
    assert files["sha"].is_in(commits["sha"].implode()).all()


def _check_templates(clone, files):
    """Versions of templates are the changed files that are templates."""
    changed = files.filter(pl.col("change_type") != "deleted").select("sha", "path").rows()
    templates = set()
    for sha, path in changed:
        mode = git(clone.path, "ls-tree", sha, "--", path)[:6]
        is_file = is_issue_template(path) and mode in (FILE, EXECUTABLE)
        if is_file and git(clone.path, "cat-file", "blob", f"{sha}:{path}"):
            templates.add((sha, path))
    assert set(read_issue_templates(clone).select("sha", "path").rows()) == templates


# ---- what is asked for, and how it arrives


def test_the_frames_have_the_columns_of_their_tables(three_months):
    frames = [*mine(three_months[0]), read_issue_templates(three_months[0])]
    tables = ("raw.commits", "raw.commit_files", "raw.issue_templates")
    for table, frame in zip(tables, frames, strict=True):
        assert frame.columns == [name for name in schema_of(table) if name != "repository"]


def test_only_the_commits_requested_are_read_and_progress_reports_them(three_months, monkeypatch):
    monkeypatch.setattr(changes, "PIECE_COMMITS", 1)
    clone, shas = three_months
    seen = []
    listed = of_months(clone, "2017-02", "2017-03", "1999-01")
    batches = list(read_commits(clone, listed, lambda *p: seen.append(p)))
    assert [commits["sha"].to_list() for commits, _ in batches] == [[sha] for sha in shas[1:]]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert list(read_commits(clone, listed.clear())) == []


def test_a_fingerprint_changes_with_the_commits_of_its_month_only(three_months, source):
    clone, shas = three_months
    before = commit_months(clone)
    assert before["commits"].to_list() == [1, 2, 1]
    git(source, "update-ref", "refs/heads/main", shas[1])  # a forced push drops two commits
    after = commit_months(update_clone(str(source), clone.path))
    assert after["month"].to_list() == ["2017-01", "2017-02"]
    assert after["fingerprint"][0] == before["fingerprint"][0]
    assert after["fingerprint"][1] != before["fingerprint"][1]
    git(source, "update-ref", "refs/heads/main", shas[3])
    assert commit_months(update_clone(str(source), clone.path)).equals(before)


def test_mining_writes_nothing_to_the_clone_and_leaves_nothing_behind(
    three_months, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    clone, _ = three_months

    def state():
        return {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in clone.path.rglob("*")}

    before = state()
    mine(clone)
    commit_months(clone)
    read_issue_templates(clone)
    assert state() == before
    assert list((tmp_path / "temporary").iterdir()) == []


def test_several_may_mine_one_clone_at_once(three_months):
    clone, _ = three_months
    with ThreadPoolExecutor(4) as pool:
        mined = list(pool.map(mine, [clone] * 4))
    pairs = [pair for each in mined[1:] for pair in zip(each, mined[0], strict=True)]
    assert len(pairs) == 6 and all(one.equals(other) for one, other in pairs)


def test_settings_of_person_and_surroundings_have_no_say(cloned, source, tmp_path, monkeypatch):
    clone, _ = cloned(
        Made({b"a": (FILE, TEXT), b"b\xc3\xa9": (FILE, TEXT[9:] + b"1\n")}),
        Made({b"c": (FILE, EDITED), b"d\xc3\xa9": (FILE, TEXT[9:] + b"2\n")}, [0]),
    )
    expected = mine(clone)
    (tmp_path / "attributes").write_text("* binary\n")
    (tmp_path / ".gitconfig").write_text(
        "[diff]\n renames = false\n renameLimit = 1\n noprefix = true\n"
        f"[core]\n attributesFile = {tmp_path}/attributes\n quotePath = true\n autocrlf = true\n"
        "[log]\n showRoot = false\n[transfer]\n hideRefs = refs/heads\n fsckObjects = true\n"
        '[remote "origin"]\n fetch = +refs/pull/*:refs/pull/*\n'
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u0")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "diff.renameLimit")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "1")
    found = mine(clone)
    assert all(one.equals(other) for one, other in zip(found, expected, strict=True))


def test_replaced_objects_and_grafts_are_not_followed(three_months):
    clone, shas = three_months
    expected = mine(clone)
    git(clone.path, "replace", shas[3], shas[0])
    (clone.path / "info").mkdir(exist_ok=True)
    (clone.path / "info" / "grafts").write_text(f"{shas[2]}\n")
    assert all(one.equals(two) for one, two in zip(mine(clone), expected, strict=True))


@settings(max_examples=examples(10))
@given(data=st.data())
def test_a_missing_object_leaves_a_reason_for_the_commits_that_need_it_and_all_others_whole(
    tmp_path_factory, data
):
    """A blob or a tree; many commits to a git process or one, whichever is lost."""
    directory = tmp_path_factory.mktemp("missing")
    count = data.draw(st.integers(2, 9))
    states = [{b"d/a": (FILE, b"%d\n" % n), b"b": (FILE, b"b")} for n in range(count)]
    made = [Made(files, [n - 1] if n else []) for n, files in enumerate(states)]
    shas = make(directory / "source.git", made)
    clone = update_clone(str(directory / "source.git"), directory / "clone.git")
    commits, files = mine(clone)
    lost = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    entry = data.draw(st.sampled_from(["d/a", "d"]))
    names = {git(clone.path, "rev-parse", f"{shas[n]}:{entry}") for n in lost}
    for name in names:
        for repository in (clone.path, directory / "source.git"):
            (repository / "objects" / name[:2] / name[2:]).rename(
                directory / f"{repository.stem}-{name}"
            )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "PIECE_COMMITS", data.draw(st.sampled_from([1, 3, 2_000])))
        found, found_files = mine(clone)
    needing = {shas[n + step] for n in lost for step in (0, 1) if n + step < count}
    assert found["sha"].to_list() == commits["sha"].to_list()
    lacking = found.filter(pl.col("unreadable").is_not_null())
    assert set(lacking["sha"]) == needing
    assert all(
        one.removeprefix("git cannot read object ") in names for one in lacking["unreadable"]
    )
    assert lacking.select("additions", "deletions", "changed_files").null_count().row(0) == (
        (len(needing),) * 3
    )
    is_whole = ~pl.col("sha").is_in(needing)
    assert found.filter(is_whole).equals(commits.filter(is_whole))
    assert found_files.equals(files.filter(is_whole))
    for name in names:
        lost_file = directory / "source.git" / "objects" / name[:2] / name[2:]
        (directory / f"source-{name}").rename(lost_file)
    assert all(one.equals(two) for one, two in zip(mine(clone), (commits, files), strict=True))


def test_an_object_that_is_there_and_damaged_is_a_damaged_clone(cloned):
    clone, shas = cloned(*(Made({b"a": (FILE, b"%d" % n)}, [n - 1] if n else []) for n in range(3)))
    damage(clone.path, git(clone.path, "rev-parse", f"{shas[1]}:a"))
    with pytest.raises(PerfAssetsError, match=r"cannot be read .*clones it anew"):
        mine(clone)


def test_a_missing_template_is_left_out_where_the_source_lacks_it_too(cloned, source):
    clone, shas = cloned(
        Made({b"ISSUE_TEMPLATE.md": (FILE, b"one\n")}),
        Made({b"ISSUE_TEMPLATE.md": (FILE, b"two\n")}, [0]),
    )
    blob = git(clone.path, "rev-parse", f"{shas[0]}:ISSUE_TEMPLATE.md")
    (clone.path / "objects" / blob[:2] / blob[2:]).unlink()
    lost = source / "objects" / blob[:2] / blob[2:]
    lost.rename(source / "lost")
    assert read_issue_templates(clone)["body"].to_list() == ["two\n"]
    (source / "lost").rename(lost)
    assert read_issue_templates(clone)["body"].to_list() == ["one\n", "two\n"]


def test_a_missing_commit_is_a_damaged_clone(cloned):
    clone, shas = cloned(*(Made({b"a": (FILE, b"%d" % n)}, [n - 1] if n else []) for n in range(3)))
    (clone.path / "objects" / shas[1][:2] / shas[1][2:]).unlink()
    with pytest.raises(PerfAssetsError, match=r"cannot be read .*clones it anew"):
        mine(clone)
