"""The files of the main line and of branches, and how two sides of a file are merged."""

from collections.abc import Sequence

Lines = list[str]


class MainFiles(dict[str, Lines]):
    """The files of the main line; branches that are open keep what they began with."""

    def __init__(self) -> None:
        """Start without files and branches."""
        super().__init__()
        self.branches: list[BranchFiles] = []

    def __setitem__(self, path: str, lines: Lines) -> None:
        """Write a file; open branches keep it as it was."""
        for branch in self.branches:
            branch.main_before.setdefault(path, self.get(path))
        super().__setitem__(path, lines)


class BranchFiles:
    """The files as a branch has them: its own, and those of main when it was last up to date.

    own : files that the branch changed, or brought up to date.
    touched : paths that the branch changed.
    main_before : files that main changed since, as they were; None where there were none.
    others : how many commits main had then that do other things than edit lines.
    """

    def __init__(self, main: MainFiles, others: int) -> None:
        """Begin where main is."""
        self.main = main
        self.own: dict[str, Lines] = {}
        self.touched: dict[str, None] = {}
        self.main_before: dict[str, Lines | None] = {}
        self.others = others
        main.branches.append(self)

    def base(self, path: str) -> Lines:
        """Return a file as main had it when the branch was last up to date."""
        if path in self.main_before:
            return self.main_before[path] or []
        return self.main.get(path, [])

    def get(self, path: str, default: Lines) -> Lines:
        """Return a file of the branch; ``default`` where it has none."""
        return self.own.get(path) or self.base(path) or default

    def __contains__(self, path: object) -> bool:
        """Return whether the branch has a file with lines at ``path``."""
        return isinstance(path, str) and bool(self.get(path, []))

    def __getitem__(self, path: str) -> Lines:
        """Return a file of the branch."""
        return self.get(path, [])

    def __setitem__(self, path: str, lines: Lines) -> None:
        """Write a file of the branch."""
        self.own[path] = lines

    def close(self) -> None:
        """Close the view of a branch that was merged."""
        self.main.branches.remove(self)


def merged(
    base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]
) -> tuple[Lines, int, int]:
    """Return ``ours`` with the changes of ``theirs`` to the ``base``; lines are unique.

    Returns
    -------
    The lines, and how many of ours were added and removed.
    """
    base_lines = set(base)
    removed = base_lines.difference(theirs)
    kept = [line for line in ours if line not in removed]
    added = [line for line in theirs if line not in base_lines]
    return kept + added, len(added), len(ours) - len(kept)
