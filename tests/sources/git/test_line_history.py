"""Lines followed back through made histories: as git's own blame follows each of them."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perf_assets.sources.git import blame, line_changes
from perf_assets.sources.git.inspection import inspect_commits
from perf_assets.sources.git.inspection_worker import inspect
from perf_assets.sources.git.szz.introducing import Trace, trace_by_blame
from perf_assets.sources.git.szz.line_history import LineHistory
from perf_assets.sources.git.szz.removed_lines import RemovedCode
from tests.effort import examples
from tests.git_repositories import FILE, LINK, Made, git, lose, make
from tests.line_histories import History, drawn_history

pytestmark = pytest.mark.slow


@settings(max_examples=examples(10, 75))
@given(seed=st.integers(0, 2**32), commits=st.integers(3, 25))
@example(seed=6166672, commits=25)  # a version that was dropped is needed once more
def test_lines_are_followed_as_git_blame_follows_them(
    tmp_path_factory: pytest.TempPathFactory, seed: int, commits: int
) -> None:
    repository = tmp_path_factory.mktemp("history") / "source.git"
    _, _, plain = drawn_history(repository, seed, commits)
    fixes = [(found.sha, found.removed) for found in inspect(repository, plain)]
    by_blame = trace_by_blame(repository, fixes)
    assert LineHistory(repository, plain).trace(fixes) == by_blame
    one_by_one = LineHistory(repository, plain)
    assert [one_by_one.trace([fix])[0] for fix in reversed(fixes)] == by_blame[::-1]


def test_long_histories_compared_pair_by_pair_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_changes, "_PAIRS_AT_ONCE", 1)
    history = History(Random(7))
    for _ in range(90):
        history.grow()
    shas = history.make(tmp_path / "source.git")
    plain = [sha for sha, parents in zip(shas, history.parents, strict=True) if len(parents) < 2]
    fixes = [(found.sha, found.removed) for found in inspect(tmp_path / "source.git", plain)]
    by_blame = trace_by_blame(tmp_path / "source.git", fixes)
    assert LineHistory(tmp_path / "source.git", plain).trace(fixes) == by_blame
    assert sum(len(trace.introducing) for trace in by_blame) > 20


def test_links_kinds_and_white_space_at_the_end(tmp_path: Path) -> None:
    code = b"".join(b"weights[%d] = initial_value(%d)\n" % (n, n) for n in range(6))
    trees = [
        {b"a.py": (FILE, code), b"b.py": (LINK, b"a.py"), b"caf\xe9.py": (FILE, b"one(1)\r\n")},
        {b"a.py": (LINK, b"b.py"), b"b.py": (FILE, code), b"caf\xe9.py": (FILE, b"one(1)")},
        {b"b.py": (FILE, code[:-1]), b"caf\xe9.py": (FILE, b"one(1)\ntwo(2)\f\n")},
        {b"b.py": (FILE, b"done()\n"), b"caf\xe9.py": (FILE, b"done()\n")},
    ]
    commits = [Made(tree, [index - 1] if index else []) for index, tree in enumerate(trees)]
    shas = make(tmp_path / "source.git", commits)
    fixes = [(found.sha, found.removed) for found in inspect(tmp_path / "source.git", shas)]
    by_blame = trace_by_blame(tmp_path / "source.git", fixes)
    assert LineHistory(tmp_path / "source.git", shas).trace(fixes) == by_blame
    assert {path for path, *_ in by_blame[3].introducing} == {"b.py", "caf\\xe9.py"}


def test_many_commits_are_looked_at_as_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(Random(3))
    for _ in range(30):
        history.grow()
    shas = history.make(tmp_path / "source.git")
    plain = [sha for sha, parents in zip(shas, history.parents, strict=True) if len(parents) < 2]
    with monkeypatch.context() as patch:
        patch.setattr("perf_assets.sources.git.inspection._history", lambda clone, shas: None)
        few = list(inspect_commits(tmp_path / "source.git", plain))
    inspected = list(inspect(tmp_path / "source.git", plain))
    for name, value in (("_WORTH_A_HISTORY", 1), ("AT_ONCE", 4), ("_TRACED_AT_ONCE", 5)):
        monkeypatch.setattr(f"perf_assets.sources.git.inspection.{name}", value)
    monkeypatch.setattr("perf_assets.sources.git.inspection_worker._BYTES_AT_ONCE", 1)
    assert list(inspect_commits(tmp_path / "source.git", plain)) == few
    assert list(inspect(tmp_path / "source.git", plain)) == inspected


# ---- histories rich in merges


def write(random: Random, tree: list[list[bytes]], number: int) -> None:
    """Write a line into one of the files, in the place of another or beside it."""
    lines = tree[random.randrange(len(tree))]
    index = random.randrange(len(lines))
    lines[index : index + random.randint(0, 1)] = [b"value_%d = compute(%d)" % (number, number)]


def woven(random: Random, shape: str, commits: int) -> list[Made]:
    """A history in which branches part and meet again and again, after the ``shape``."""
    trees = [[[b"first_%d_%d = compute(%d)" % (file, n, n) for n in range(8)] for file in range(2)]]
    parents: list[list[int]] = [[]]
    heads = [0, 0, 0]

    def add(ancestors: list[int], *, written: bool) -> int:
        tree = [
            [*random.choice([trees[parent][file] for parent in ancestors])] for file in range(2)
        ]
        if written:
            write(random, tree, len(trees))
        trees.append(tree)
        parents.append(list(dict.fromkeys(ancestors)))
        return len(trees) - 1

    while len(trees) < commits:
        for branch in range(len(heads)):
            heads[branch] = add([heads[branch]], written=True)
        if shape == "criss-cross":
            heads[0], heads[1] = add(heads[:2], written=False), add(heads[1::-1], written=True)
        elif shape == "octopus":
            heads[0] = add(heads, written=random.random() < 0.3)
        elif shape == "merged back daily":
            heads[1] = add([heads[1], heads[0]], written=False)
            heads[0] = add([heads[0], heads[1]], written=False)
        elif shape == "reverted merges":
            before, heads[0] = heads[0], add(heads[:2], written=False)
            trees.append([[*lines] for lines in trees[before]])
            parents.append([heads[0]])
            heads[0] = len(trees) - 1
        elif random.random() < 0.1:  # long-lived
            heads[2] = add([heads[2], heads[0]], written=False)
    add(heads, written=False)
    return [
        Made(
            {b"%d.py" % file: (FILE, b"\n".join(tree[file])) for file in range(2)},
            ancestors,
            when=f"{1_500_000_000 + 3600 * number} +0000",
        )
        for number, (tree, ancestors) in enumerate(zip(trees, parents, strict=True))
    ]


SHAPES = ("criss-cross", "octopus", "merged back daily", "reverted merges", "long-lived")


def removals(repository: Path, shas: list[str], made: list[Made]) -> list[tuple[str, RemovedCode]]:
    plain = [sha for sha, commit in zip(shas, made, strict=True) if len(commit.parents) == 1]
    return [(found.sha, found.removed) for found in inspect(repository, plain)]


@settings(max_examples=examples(6, 50))
@given(st.integers(0, 2**32), st.sampled_from(SHAPES), st.integers(10, 60))
def test_each_version_is_visited_once_however_branches_part_and_meet(
    tmp_path_factory: pytest.TempPathFactory, seed: int, shape: str, commits: int
) -> None:
    repository = tmp_path_factory.mktemp("woven") / "source.git"
    made = woven(Random(seed), shape, commits)
    fixes = removals(repository, make(repository, made), made)
    history = LineHistory(repository, [sha for sha, _ in fixes])
    assert history.trace(fixes) == trace_by_blame(repository, fixes)
    assert history.versions.visits <= 2 * len(history.versions.blob_of)


@pytest.mark.exhaustive
def test_work_grows_with_the_versions_and_not_with_the_paths_through_merges(tmp_path: Path) -> None:
    """Of 400 criss-crosses there are more paths than atoms in the universe."""
    made = woven(Random(1), "criss-cross", 2_000)
    shas = make(tmp_path / "source.git", made)
    fixes = removals(tmp_path / "source.git", shas, made)
    last = [fix for fix in fixes if fix[1].count][-5:]
    history = LineHistory(tmp_path / "source.git", [sha for sha, _ in last])
    assert all(trace.introducing for trace in history.trace(last))
    assert history.versions.visits <= len(history.versions.blob_of)


def test_a_fix_that_takes_too_much_work_is_given_up_alike_whatever_it_is_traced_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = woven(Random(2), "octopus", 60)
    fixes = removals(tmp_path / "source.git", make(tmp_path / "source.git", made), made)
    shas = [sha for sha, _ in fixes]
    whole = LineHistory(tmp_path / "source.git", shas)
    traces = whole.trace(fixes)
    most = sorted(whole.steps)[len(fixes) // 2]
    monkeypatch.setattr(blame, "MOST_STEPS", most)
    expected = [
        trace if steps <= most else Trace(problem=blame.TOO_MUCH_WORK)
        for trace, steps in zip(traces, whole.steps, strict=True)
    ]
    assert 0 < sum(trace.problem is None for trace in expected) < len(fixes)
    assert LineHistory(tmp_path / "source.git", shas).trace(fixes) == expected
    alone = LineHistory(tmp_path / "source.git", shas)
    assert [alone.trace([fix])[0] for fix in fixes] == expected


@settings(max_examples=examples(6, 50))
@given(seed=st.integers(0, 2**32))
@example(seed=539)  # more objects than git leaves loose
def test_fixes_that_lead_to_a_missing_file_say_so_and_the_others_are_traced_as_ever(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    repository = tmp_path_factory.mktemp("lacking") / "source.git"
    random = Random(seed)
    history = History(random)
    for _ in range(25):
        history.grow()
    shas = history.make(repository)
    plain = [sha for sha, parents in zip(shas, history.parents, strict=True) if len(parents) < 2]
    fixes = [(found.sha, found.removed) for found in inspect(repository, plain)]
    traces = LineHistory(repository, plain).trace(fixes)
    listed = git(repository, "rev-list", "--objects", "--no-object-names", *shas).split()
    kinds = git(repository, "cat-file", "--batch-check", stdin="\n".join(listed).encode())
    lost = random.choice([line[:40] for line in kinds.split("\n") if " blob " in line])
    lose(repository, lost)
    found = LineHistory(repository, plain).trace(
        [fix for fix in fixes if all(file.blob != lost for file in fix[1].files)]
    )
    whole = [
        trace
        for trace, (_, removed) in zip(traces, fixes, strict=True)
        if all(file.blob != lost for file in removed.files)
    ]
    for trace, expected in zip(found, whole, strict=True):
        assert trace == expected or trace.problem == f"git cannot read object {lost}"
