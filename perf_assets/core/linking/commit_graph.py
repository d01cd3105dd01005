"""The graph of a history: its main line, and what a merge brought into it."""

from collections.abc import Collection, Mapping, Sequence
from heapq import heappop, heappush


class CommitGraph:
    """Commits and their parents; parents that are not among the commits end the history.

    ``main`` are the commits of the default branch: its main line is the longest line of first
    parents among them, so that a branch that is not merged yet is none.
    """

    def __init__(self, parents: Mapping[str, Sequence[str]], main: Collection[str]) -> None:
        """Number the commits so that every parent has a lower number than its children."""
        self.parents = parents
        self._height = _heights(parents)
        self.main_line = self._main_line(main)

    def _main_line(self, main: Collection[str]) -> frozenset[str]:
        lengths: dict[str, int] = {}
        for sha in sorted(main, key=self._height.__getitem__):
            first = self.parents[sha][0] if self.parents[sha] else ""
            lengths[sha] = lengths.get(first, 0) + 1
        tip = max(lengths, key=lambda sha: (lengths[sha], sha), default=None)
        line = set()
        while tip in lengths:
            line.add(tip)
            tip = self.first_parent(tip)
        return frozenset(line)

    def first_parent(self, sha: str) -> str | None:
        """The first parent, None where the history ends."""
        parents = self.parents.get(sha, ())
        return parents[0] if parents else None

    def is_merge(self, sha: str) -> bool:
        """Whether the commit has several parents."""
        return len(self.parents[sha]) > 1

    def brought_by(self, merge: str) -> list[str]:
        """The commits that ``merge`` brought, newest first.

        Those reachable from its second and further parents and not from its first one, as
        ``git rev-list M^2 ^M^1`` lists them. The walk goes from children to parents and ends where
        everything left is reachable from the first parent: it costs what lies between, not the
        history.
        """
        first, *others = self.parents[merge]
        is_known: dict[str, bool] = {}  # reachable from the first parent, as far as seen
        heap: list[tuple[int, str]] = []
        left = 0

        def reach(sha: str, is_reachable: bool) -> int:
            """Note a way to ``sha``; how many more commits are left that may have been brought."""
            if sha not in self.parents:
                return 0
            if sha not in is_known:
                is_known[sha] = is_reachable
                heappush(heap, (-self._height[sha], sha))
                return 0 if is_reachable else 1
            if is_reachable and not is_known[sha]:
                is_known[sha] = True
                return -1
            return 0

        left += reach(first, True)
        for parent in others:
            left += reach(parent, False)
        brought = []
        while left:
            _, sha = heappop(heap)
            if not is_known[sha]:
                brought.append(sha)
                left -= 1
            for parent in self.parents[sha]:
                left += reach(parent, is_known[sha])
        return brought


def _heights(parents: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """For every commit the length of the longest way down to a root."""
    heights: dict[str, int] = {}
    for start in parents:
        stack = [start]
        while stack:
            sha = stack[-1]
            waiting = [p for p in parents[sha] if p in parents and p not in heights]
            if sha in heights or not waiting:
                stack.pop()
                parent_heights = (heights[parent] for parent in parents[sha] if parent in heights)
                heights[sha] = 1 + max(parent_heights, default=0)
            else:
                stack.extend(waiting)
    return heights
