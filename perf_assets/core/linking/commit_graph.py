"""The graph of a history: its main line, what merges brought into it, what is not part of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush


class CommitGraph:
    """Commits and their parents; parents that are not among the commits end the history.

    ``main`` are the commits of the default branch. Its main line are the first parents of
    ``tip``, as ``git rev-list --first-parent`` lists them. Where the tip is not among the commits
    (it is newer than the last stored month), it is the longest line that ends at a commit without
    a child.
    """

    def __init__(
        self, parents: Mapping[str, Sequence[str]], main: Collection[str], tip: str | None = None
    ) -> None:
        """Give each commit a number so that every parent has a lower number than its children."""
        self.parents = parents
        self._height = _heights(parents)
        self.main = frozenset(main)
        self._line = self._first_parents(tip if tip in self.main else self._longest())
        self.main_line = frozenset(self._line)

    def _first_parents(self, tip: str | None) -> list[str]:
        line = []
        while tip in self.main:
            line.append(tip)
            tip = self.first_parent(tip)
        return line

    def _longest(self) -> str | None:
        """Return the commit without a child in the default branch whose line is the longest."""
        lengths: dict[str, int] = {}
        inner: set[str] = set()
        for sha in self.ordered(self.main):
            lengths[sha] = lengths.get(self.first_parent(sha) or "", 0) + 1
            inner.update(self.parents[sha])
        ends = (sha for sha in lengths if sha not in inner)
        return max(ends, key=lambda sha: (lengths[sha], sha), default=None)

    def ordered(self, shas: Iterable[str]) -> list[str]:
        """Return the commits ``shas``, every one after its parents."""
        return sorted(shas, key=lambda sha: (self._height[sha], sha))

    def first_parent(self, sha: str) -> str | None:
        """Return the first parent, None where the history ends."""
        parents = self.parents.get(sha, ())
        return parents[0] if parents else None

    def is_merge(self, sha: str) -> bool:
        """Return whether the commit has several parents."""
        return len(self.parents[sha]) > 1

    def is_on_line(self, earlier: str, later: str) -> bool:
        """Return whether ``earlier`` is ``later`` or reached from it by first parents alone."""
        start, end = self._spans[earlier]
        return start <= self._spans[later][0] < end

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """Number the forest of first parents: each commit's place, and where its children end."""
        children: dict[str | None, list[str]] = {}
        for sha in self.parents:
            parent = self.first_parent(sha)
            children.setdefault(parent if parent in self.parents else None, []).append(sha)
        spans: dict[str, tuple[int, int]] = {}
        order: list[str] = []
        stack = list(children.get(None, ()))
        while stack:
            sha = stack.pop()
            order.append(sha)
            stack += children.get(sha, ())
        sizes = dict.fromkeys(order, 1)
        for place in range(len(order) - 1, -1, -1):
            sha = order[place]
            spans[sha] = (place, place + sizes[sha])
            if (parent := self.first_parent(sha)) in sizes:
                sizes[parent] += sizes[sha]
        return spans

    @cached_property
    def unrelated(self) -> frozenset[str]:
        """Return the commits of another repository's history that was merged in.

        They are reachable from the main line and share no first commit with it. A history that
        ends where older commits are not stored may be its own.
        """
        related: set[str] = set(self._line[-1:])
        for sha in self.ordered(self.main):
            if any(parent in related or parent not in self.main for parent in self.parents[sha]):
                related.add(sha)
        reached = set(self._line)
        waiting = list(self._line)
        while waiting:
            for parent in self.parents[waiting.pop()]:
                if parent in self.main and parent not in reached:
                    reached.add(parent)
                    waiting.append(parent)
        return frozenset(reached - related - self.main_line)

    def brought_by(self, merge: str) -> list[str]:
        """Return the commits that ``merge`` brought, newest first.

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
