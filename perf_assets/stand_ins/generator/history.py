"""Writes the planned commits as a bare git repository, in one ``git fast-import`` stream.

Every line of a file is unique, lines are only appended or removed whole: so what a commit adds
and deletes is determined exactly, however git compares.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import IO

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import child
from perf_assets.stand_ins.generator.branch_views import BranchFiles, MainFiles, merged
from perf_assets.stand_ins.generator.model import Branch, Commit, Edit
from perf_assets.stand_ins.generator.program import CHANGES
from perf_assets.stand_ins.generator.texts import (
    FIRST_FORM,
    FRONT_MATTER,
    SECOND_FORM,
    TEMPLATE_PATH,
)

AREAS = ("core", "nn", "data", "optim", "io", "export", "jit", "sparse", "dist", "text", "vision")
RENAMED = [f"src/tensorkit/legacy/loop{n}.py" for n in range(2)]
DELETED = "src/tensorkit/legacy/table.py"
SCRIPT = "scripts/run"
LINKED = "docs/latest"
ODD_PATHS = ("docs/résumé notes.md", 'docs/a "quoted" name.txt', "docs/{old => new}.txt")
TESTS = "tests/"
MAX_FILES = 3
FULL_FILE = 240


def write_history(path: Path, commits: Sequence[Commit], rng: Random) -> None:
    """Create the bare repository at ``path`` and fill in sizes and sha of every commit.

    Raises
    ------
    PerfAssetsError
        When git is missing or refuses.
    """
    _git("init", "--quiet", "--bare", "--initial-branch=main", "--template=", str(path))
    marks = path / "planned-marks"
    ordered = in_order(commits)
    with fast_import(path, marks) as (stream, answers):
        _Writer(stream, answers, rng).write(ordered)
    for mark, sha in read_marks(marks).items():
        ordered[mark - 1].sha = sha


def in_order(commits: Sequence[Commit]) -> list[Commit]:
    """Return the commits in the order in which they are written; each after its parents."""
    return sorted(commits, key=lambda commit: (commit.order, commit.merges is not None))


@contextmanager
def fast_import(path: Path, marks: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Provide what git reads commits from, and where it answers questions about them."""
    read, write = os.pipe()
    with (
        os.fdopen(read, "rb") as answers,
        child.start(
            ["git", "fast-import", "--quiet", f"--export-marks={marks}", f"--cat-blob-fd={write}"],
            cwd=path,
            env=_environment(),
            stdin=child.PIPE,
            stderr=child.PIPE,
            pass_fds=(write,),
        ) as git,
    ):
        os.close(write)
        assert git.stdin is not None and git.stderr is not None
        with suppress(BrokenPipeError):  # git says why below
            yield git.stdin, answers
            git.stdin.close()
        message = git.stderr.read().decode(errors="replace").strip()
        if git.wait():
            raise PerfAssetsError(f"git fast-import failed: {message}")


def read_marks(marks: Path) -> dict[int, str]:
    """Return the hash of each mark that git wrote to the file, which is removed."""
    lines = (line.split() for line in marks.read_text().splitlines())
    hashes = {int(mark[1:]): sha for mark, sha in lines}
    marks.unlink()
    return hashes


def _environment() -> dict[str, str]:
    """Return the environment without anything by which the user steers git."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}


def _git(*arguments: str) -> None:
    try:
        result = child.run(["git", *arguments], env=_environment())
    except FileNotFoundError:
        raise PerfAssetsError(
            "git is not installed, and the sample needs it to build its repository: install git"
        ) from None
    if result.returncode:
        raise PerfAssetsError(f"git {arguments[0]} failed: {result.stderr.strip()}")


def header_of(commit: Commit, ref: str, at: int, message: bytes) -> bytes:
    """Return the beginning of a commit that was committed to ``ref`` at a time, with its message,
    as git fast-import reads it."""
    sign, minutes = "-" if commit.offset_minutes < 0 else "+", abs(commit.offset_minutes)
    zone = f"{sign}{minutes // 60:02d}{minutes % 60:02d}"
    name = f"{commit.author_name} " if commit.author_name else ""
    header = (
        f"commit {ref}\n"
        f"author {name}<{commit.email}> {commit.authored} {zone}\n"
        f"committer Keeper <keeper@example.org> {at} {zone}\n"
        f"data {len(message)}\n"
    )
    return header.encode() + message


class _Writer:
    """The files as they are after each commit, and the stream for git fast-import."""

    def __init__(self, stream: IO[bytes], answers: IO[bytes], rng: Random) -> None:
        self.stream = stream
        self.answers = answers
        self.marks: dict[Commit, int] = {}
        self.rng = rng
        self.main = MainFiles()
        self.files: MainFiles | BranchFiles = self.main
        self.branches: dict[Branch, BranchFiles] = {}
        self.others = 0
        self.editable: list[str] = []
        self.locked: set[str] = set()
        self.lines = 0
        self.created = 0
        self.renamed = 0
        self.operations: list[bytes] = []
        self.changed: dict[str, tuple[int, int]] = {}
        self.written: dict[str, Commit] = {}
        self.edits: dict[str, Callable[[Edit], None]] = {
            "root": self.root,
            "lines": self.edit_lines,
            "rename": self.rename,
            "binary": self.binary,
            "empty": lambda edit: None,
            "delete": self.delete,
            "mode": self.mode,
            "symlink": self.symlink,
            "odd_names": self.odd_names,
            "template": self.template,
            "second_template": self.second_template,
        }

    def write(self, ordered: Sequence[Commit]) -> None:
        """Write all commits; the head of main is the last that belongs to it."""
        head = 0
        heads: dict[Branch, int] = {}
        for mark, commit in enumerate(ordered, 1):
            self.operations, self.changed, self.commit = [], {}, commit
            parents = [head] if head else []
            if commit.merges is not None:
                parents.append(heads[commit.merges])
                self.merge(commit.merges)
            elif commit.branch is not None:
                is_first = commit.branch not in heads
                parents = [head if is_first else heads[commit.branch]]
                if is_first:
                    self.branches[commit.branch] = BranchFiles(self.main, self.others)
                files = self.branches[commit.branch]
                if commit.updates_branch and files.others == self.others:
                    parents.append(head)
                    self.update(files)
                else:
                    commit.updates_branch = False
                    self.edit_on(commit.branch, commit.edit, is_first=is_first)
            elif commit.is_on_main:
                self.edits[commit.edit.kind](commit.edit)
                self.program(commit.program_step)
                if commit.form is not None:
                    self.form(*commit.form)
                is_plain = commit.edit.kind == "lines" and not (commit.program_step or commit.form)
                self.others += not is_plain
            else:
                self.put("wip.txt", ["work in progress\n"])
            self.emit(mark, commit, parents)
            if commit.branch is not None:
                heads[commit.branch] = mark
            elif commit.is_on_main:
                head = mark
        self.stream.write(f"reset refs/heads/main\nfrom :{head}\n\n".encode())

    def emit(self, mark: int, commit: Commit, parents: Sequence[int]) -> None:
        """Write one commit and note its sizes."""
        self.marks[commit] = mark
        if commit.quotes is not None:
            commit.quotes.sha = self.sha_of(commit.quotes)
        commit.additions = sum(added for added, _ in self.changed.values())
        commit.deletions = sum(deleted for _, deleted in self.changed.values())
        commit.changed_files = len(self.changed)
        commit.files = self.changed
        message = commit.message().encode(commit.encoding)
        branch = "main" if commit.is_on_main else f"wip-{mark}"
        header = header_of(commit, f"refs/heads/{branch}\nmark :{mark}", commit.at, message)
        lineage = "".join(
            f"{'merge' if index else 'from'} :{parent}\n" for index, parent in enumerate(parents)
        )
        self.stream.write(header + b"\n" + lineage.encode())
        self.stream.write(b"".join(self.operations) + b"\n")

    def sha_of(self, commit: Commit) -> str:
        """Return the hash that git gave to a commit written before."""
        self.stream.write(f"get-mark :{self.marks[commit]}\n".encode())
        self.stream.flush()
        return self.answers.readline().decode().strip()

    # Changes of single files

    def fresh(self, count: int) -> list[str]:
        """``count`` lines that no file has ever had."""
        first = self.lines
        self.lines += count
        lines = [f"value_{line} = step({line % 7}, {line})\n" for line in range(first, self.lines)]
        self.written |= dict.fromkeys(lines, self.commit)
        return lines

    def put(self, path: str, lines: list[str], mode: str = "100644") -> None:
        """Write ``lines`` as the content of ``path``."""
        self.put_bytes(path, "".join(lines).encode(), mode)

    def put_bytes(self, path: str, content: bytes, mode: str = "100644") -> None:
        """Write ``content`` to ``path``."""
        head = f"M {mode} inline {_quoted(path)}\ndata {len(content)}\n"
        self.operations.append(head.encode() + content + b"\n")

    def change(self, path: str, additions: int, deletions: int) -> None:
        """Append and remove whole lines; a file keeps at least one of its lines."""
        lines = self.files.get(path, [])
        deletions = min(deletions, max(0, len(lines) - 1))
        gone = set(self.rng.sample(range(len(lines)), deletions))
        self.remove(path, [lines[index] for index in gone])
        kept = [line for index, line in enumerate(lines) if index not in gone]
        self.files[path] = kept + self.fresh(additions)
        self.put(path, self.files[path])
        self.changed[path] = (additions, deletions)

    def remove(self, path: str, lines: list[str]) -> None:
        """Note who wrote the lines that the commit takes from ``path``."""
        self.commit.origins.update((path, self.written[line]) for line in lines)

    def new_file(self, path: str, additions: int) -> None:
        """Add a file that everyday commits may edit."""
        self.change(path, additions, 0)
        self.editable.append(path)

    def pick(self) -> str | None:
        """Return a file that neither this commit nor an open branch has touched."""
        for _ in range(20):
            path = self.rng.choice(self.editable)
            if path not in self.locked and path not in self.changed and path in self.files:
                return path
        return None

    # Kinds of commits

    def root(self, edit: Edit) -> None:
        """Add the first files, among them those that unusual commits will change."""
        for path in ("README.md", *(f"src/tensorkit/{area}/base.py" for area in AREAS)):
            self.new_file(path, 30)
        for path in (*RENAMED, DELETED, LINKED, SCRIPT):
            self.change(path, 40, 0)

    def edit_lines(self, edit: Edit, only_new: bool = False) -> None:
        """Spread the additions and deletions over one to three files."""
        count = min(MAX_FILES, 1 + edit.additions // 60)
        for index in range(count):
            additions = edit.additions // count + (index < edit.additions % count)
            deletions = edit.deletions // count + (index < edit.deletions % count)
            path = None if only_new or self.rng.random() < 0.1 else self.pick()
            if path is None:
                self.created += 1
                area = AREAS[self.created % len(AREAS)]
                name = f"part{self.created:04d}.py"
                is_test = self.created % 4 == 0
                begin = f"{TESTS}{area}/test_" if is_test else f"src/tensorkit/{area}/"
                self.new_file(begin + name, additions)
            else:
                surplus = len(self.files[path]) - FULL_FILE
                self.change(path, additions, max(deletions, surplus))

    def rename(self, edit: Edit) -> None:
        """Move a file, at times with an edit small enough for git to see the move."""
        old = RENAMED[self.renamed]
        self.renamed += 1
        new = old.replace("legacy", "core")
        self.operations.append(f"D {_quoted(old)}\n".encode())
        self.files[new] = self.main.pop(old)
        self.change(new, edit.additions, edit.deletions)

    def binary(self, edit: Edit) -> None:
        """Add a file without lines."""
        self.put_bytes("assets/logo.png", b"\x89PNG\r\n\x1a\n\0" + self.rng.randbytes(400))
        self.changed["assets/logo.png"] = (0, 0)

    def delete(self, edit: Edit) -> None:
        """Remove a whole file."""
        self.operations.append(f"D {DELETED}\n".encode())
        lines = self.main.pop(DELETED)
        self.remove(DELETED, lines)
        self.changed[DELETED] = (0, len(lines))

    def mode(self, edit: Edit) -> None:
        """Make a file executable and leave its content."""
        self.put(SCRIPT, self.files[SCRIPT], mode="100755")
        self.changed[SCRIPT] = (0, 0)

    def symlink(self, edit: Edit) -> None:
        """Replace a file by a link: git counts the link as one line."""
        self.put(LINKED, ["latest.md"], mode="120000")
        self.changed[LINKED] = (1, len(self.main.pop(LINKED)))

    def odd_names(self, edit: Edit) -> None:
        """Add files whose names git quotes or that look like a rename."""
        for path in ODD_PATHS:
            self.change(path, edit.additions, 0)

    def template(self, edit: Edit) -> None:
        """Add the issue template."""
        content = FRONT_MATTER + FIRST_FORM
        self.put(TEMPLATE_PATH, [content])
        self.changed[TEMPLATE_PATH] = (content.count("\n"), 0)

    def second_template(self, edit: Edit) -> None:
        """Replace one line of the issue template and add one."""
        self.put(TEMPLATE_PATH, [FRONT_MATTER + SECOND_FORM])
        self.changed[TEMPLATE_PATH] = (2, 1)

    def program(self, step: int) -> None:
        """Make a step of the planted program, beside whatever else the commit does."""
        for change in CHANGES[step - 1] if step else ():
            if change.moved_from is not None:
                self.operations.append(f"D {_quoted(change.moved_from)}\n".encode())
            self.put(change.path, [change.text])
            self.changed[change.path] = (change.added, change.deleted)

    def form(self, path: str, text: str) -> None:
        """Add an issue form, beside whatever else the commit does."""
        self.put(path, [text])
        self.changed[path] = (text.count("\n"), 0)

    # Branches

    def edit_on(self, branch: Branch, edit: Edit, *, is_first: bool) -> None:
        """Edit lines in the files that a branch has.

        Nobody else edits those of a branch that is not a topic until it is merged. Only its first
        commit changes files that are there: later ones add some.
        """
        files = self.files = self.branches[branch]
        self.edit_lines(edit, only_new=not (is_first or branch.is_topic))
        self.files = self.main
        files.touched |= dict.fromkeys(self.changed)
        if not branch.is_topic:
            self.locked |= self.changed.keys()

    def merge(self, branch: Branch) -> None:
        """Bring what the branch changed to main: the difference to the first parent."""
        files = self.branches.pop(branch)
        files.close()
        for path in files.touched:
            self.bring(path, files.base(path), files[path], self.main)
        if not branch.is_topic:
            self.locked -= files.touched.keys()

    def update(self, branch: BranchFiles) -> None:
        """Bring what main changed to the branch: the difference to the first parent."""
        for path in branch.main_before:
            self.bring(path, branch.base(path), self.main[path], branch)
        branch.main_before = {}

    def bring(
        self, path: str, base: list[str], theirs: list[str], target: MainFiles | BranchFiles
    ) -> None:
        """Merge into a file of the ``target`` what ``theirs`` made of the ``base``."""
        lines, added, removed = merged(base, theirs, target.get(path, []))
        target[path] = lines
        self.put(path, lines)
        if added or removed:
            self.changed[path] = (added, removed)


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
