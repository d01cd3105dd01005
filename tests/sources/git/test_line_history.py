"""Lines followed back through made histories: as git's own blame follows each of them."""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perf_assets.sources.git import line_changes
from perf_assets.sources.git.inspection import inspect, inspect_commits
from perf_assets.sources.git.introducing import trace_by_blame
from perf_assets.sources.git.line_history import LineHistory
from tests.git_repositories import FILE, LINK, Made, make
from tests.thoroughness import examples

pytestmark = pytest.mark.slow

Tree = dict[bytes, list[bytes]]
PATHS = [b"a.py", b"b.py", b"src/c.py", b"notes.txt"]


@dataclass
class History:
    """A history with merges in which code is written, moved, copied, indented and renamed."""

    random: Random
    trees: list[Tree] = field(default_factory=list)
    parents: list[list[int]] = field(default_factory=list)
    written: int = 0

    def grow(self) -> None:
        known = range(len(self.trees))
        if len(self.trees) > 2 and self.random.random() < 0.2:
            parents = self.random.sample(known, 2)
            tree = self._merged(*(self.trees[parent] for parent in parents))
        else:
            parents = [self.random.choice(known[-3:])] if self.trees else []
            tree = (
                {path: list(lines) for path, lines in self.trees[parents[0]].items()}
                if parents
                else {}
            )
        for _ in range(self.random.randint(1, 3)):
            self._change(tree)
        self.trees.append({path: lines for path, lines in tree.items() if lines})
        self.parents.append(parents)

    def _merged(self, one: Tree, other: Tree) -> Tree:
        tree: Tree = {}
        for path in sorted({*one, *other}):
            ours, theirs = one.get(path, []), other.get(path, [])
            place = self.random.randint(0, min(len(ours), len(theirs)))
            tree[path] = list(self.random.choice([ours, theirs, ours[:place] + theirs[place:]]))
        return tree

    def _change(self, tree: Tree) -> None:
        change = self.random.choice(
            [
                self._write,
                self._write,
                self._remove,
                self._move,
                self._copy,
                self._indent,
                self._rename,
            ]
        )
        change(tree)

    def _write(self, tree: Tree) -> None:
        path = self.random.choice(PATHS)
        lines = tree.setdefault(path, [])
        self.written += 1
        short = self.random.random() < 0.3
        new = [
            b"x()" if short else b"value_%d_%d = compute(%d)" % (self.written, n, self.written)
            for n in range(self.random.randint(1, 6))
        ]
        place = self.random.randint(0, len(lines))
        lines[place:place] = new

    def _cut(self, tree: Tree) -> tuple[list[bytes], slice] | None:
        if not tree:
            return None
        lines = tree[self.random.choice(sorted(tree))]
        first = self.random.randint(0, len(lines))
        return lines, slice(first, first + self.random.randint(1, 5))

    def _remove(self, tree: Tree) -> None:
        if cut := self._cut(tree):
            del cut[0][cut[1]]

    def _copy(self, tree: Tree, *, moved: bool = False) -> None:
        if cut := self._cut(tree):
            lines, span = cut
            block = lines[span]
            if moved:
                del lines[span]
            target = tree.setdefault(self.random.choice(PATHS), [])
            place = self.random.randint(0, len(target))
            target[place:place] = block

    def _move(self, tree: Tree) -> None:
        self._copy(tree, moved=True)

    def _indent(self, tree: Tree) -> None:
        if cut := self._cut(tree):
            lines, span = cut
            lines[span] = [b"    " + line for line in lines[span]]

    def _rename(self, tree: Tree) -> None:
        if tree:
            path, other = self.random.choice(sorted(tree)), self.random.choice(PATHS)
            tree[other] = tree.pop(path)

    def make(self, repository: Path) -> list[str]:
        end = self.random.choice([b"\n", b""])
        return make(
            repository,
            [
                Made(
                    {path: (FILE, b"\n".join(lines) + end) for path, lines in tree.items()},
                    parents,
                    when=f"{1_500_000_000 + 3600 * number} +0000",
                )
                for number, (tree, parents) in enumerate(zip(self.trees, self.parents, strict=True))
            ],
        )


@settings(max_examples=examples(15))
@given(seed=st.integers(0, 2**32), commits=st.integers(3, 25))
@example(seed=6166672, commits=25)  # a version that was dropped is needed once more
def test_lines_are_followed_as_git_blame_follows_them(
    tmp_path_factory: pytest.TempPathFactory, seed: int, commits: int
) -> None:
    repository = tmp_path_factory.mktemp("history") / "source.git"
    history = History(Random(seed))
    for _ in range(commits):
        history.grow()
    shas = history.make(repository)
    plain = [sha for sha, parents in zip(shas, history.parents, strict=True) if len(parents) < 2]
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
    commits = [Made(tree, [place - 1] if place else []) for place, tree in enumerate(trees)]
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
    few = list(inspect_commits(tmp_path / "source.git", plain))
    for name, value in (("_WORTH_A_HISTORY", 1), ("_AT_ONCE", 4), ("_TRACED_AT_ONCE", 5)):
        monkeypatch.setattr(f"perf_assets.sources.git.inspection.{name}", value)
    monkeypatch.setattr("perf_assets.sources.git.inspection._BYTES_AT_ONCE", 1)
    assert list(inspect_commits(tmp_path / "source.git", plain)) == few
