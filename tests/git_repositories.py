"""Git repositories made by hand: commits as they should be, brought in by git fast-import."""

import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

FILE, EXECUTABLE, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
SOME_COMMIT = b"1234567890123456789012345678901234567890"
OTHER_COMMIT = b"abcdefabcdefabcdefabcdefabcdefabcdefabcd"
BINARY = b"\0\1\2" * 40


@dataclass
class Made:
    """A commit to make: all its files (path → mode, content), and the numbers of its parents."""

    files: dict[bytes, tuple[str, bytes]] = field(default_factory=dict)
    parents: list[int] = field(default_factory=list)
    message: bytes = b"message"
    when: str = "1500000000 +0000"
    encoding: bytes | None = None
    branch: str = "main"
    author: str = "A U Thor <author@example.org>"


def git(repository, *arguments, stdin=b""):
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    command = ["git", f"--git-dir={repository}", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def make(path: Path, commits: list[Made], branch: str = "main") -> list[str]:
    """Add commits to the repository at ``path`` with git fast-import; their shas."""
    if not path.exists():
        git(path, "init", "--quiet", "--bare", f"--initial-branch={branch}")
    stream = b"".join(_imported(number, made) for number, made in enumerate(commits, 1))
    with tempfile.NamedTemporaryFile() as marks:
        git(path, "fast-import", "--quiet", "--force", f"--export-marks={marks.name}", stdin=stream)
        named = dict(line.split() for line in Path(marks.name).read_text().splitlines())
    return [named[f":{number}"] for number in range(1, len(commits) + 1)]


def lose(repository: Path, name: str) -> None:
    """Take an object away, as public mirrors lack one now and then."""
    for pack in (repository / "objects" / "pack").glob("*.pack"):
        content = pack.read_bytes()
        for file in pack.parent.glob(f"{pack.stem}.*"):
            file.unlink()  # git does not unpack what it has
        git(repository, "unpack-objects", "-q", stdin=content)
    (repository / "objects" / name[:2] / name[2:]).unlink()


def _imported(number: int, made: Made) -> bytes:
    lines = [b"commit refs/heads/%s\nmark :%d\n" % (made.branch.encode(), number)]
    for role, person in (("author", made.author), ("committer", "A U Thor <author@example.org>")):
        lines.append(f"{role} {person} {made.when}\n".encode())
    if made.encoding:
        lines.append(b"encoding %s\n" % made.encoding)
    lines.append(b"data %d\n%s\n" % (len(made.message), made.message))
    if not made.parents:
        lines.insert(0, b"reset refs/heads/%s\n" % made.branch.encode())
    for word, parent in zip([b"from", *[b"merge"] * 9], made.parents, strict=False):
        lines.append(b"%s :%d\n" % (word, parent + 1))
    lines.append(b"deleteall\n")
    for name, (mode, content) in made.files.items():
        quoted = b'"%s"' % b"".join(b"\\%03o" % byte for byte in name)
        if mode == SUBMODULE:
            lines.append(b"M 160000 %s %s\n" % (content, quoted))
        else:
            lines.append(b"M %s inline %s\n" % (mode.encode(), quoted))
            lines.append(b"data %d\n%s\n" % (len(content), content))
    return b"".join(lines)


def damage(repository, name):
    """Spoil the end of a loose object."""
    file = repository / "objects" / name[:2] / name[2:]
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-4] + b"\0\0\0\0")
