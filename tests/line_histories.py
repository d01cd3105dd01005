"""Histories in which code is written, moved, copied, indented and renamed, by chance."""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.git_repositories import FILE, Made, make

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
            index = self.random.randint(0, min(len(ours), len(theirs)))
            tree[path] = list(self.random.choice([ours, theirs, ours[:index] + theirs[index:]]))
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
        index = self.random.randint(0, len(lines))
        lines[index:index] = new

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
            index = self.random.randint(0, len(target))
            target[index:index] = block

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


def drawn_history(repository: Path, seed: int, commits: int) -> tuple[Random, list[str], list[str]]:
    """Make a history of so many commits; what drew it, its hashes, and those of no merge."""
    history = History(Random(seed))
    for _ in range(commits):
        history.grow()
    shas = history.make(repository)
    plain = [sha for sha, parents in zip(shas, history.parents, strict=True) if len(parents) < 2]
    return history.random, shas, plain
