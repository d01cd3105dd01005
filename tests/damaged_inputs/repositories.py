"""Git repositories of others: damaged files of them, and objects that no git would write."""

import os
import random
import shutil
import subprocess
from pathlib import Path

from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.history import list_commits
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.git.trees import list_files, quarter_ends, read_files
from tests.damaged_inputs.damage import damaged, hostile
from tests.damaged_inputs.kinds import Kind, Surroundings, TryOne

REPOSITORY = "repository.git"
MOMENTS = (
    *(b"0", b"-1", b"1", b"4102444800", b"253402300799", b"253402300800", b"9223372036854775807"),
    *(b"9223372036854775808", b"18446744073709551615", b"9" * 40, b"1e9", b"", b"soon", b"1.5"),
)
ZONES = (b"+0000", b"-1200", b"+9999", b"+99999999", b"0", b"", b"UTC")
NAMES = (
    *(b"a", b"\xff\xfe.py", b"a\nb.py", b'"q".py', b"-x", b"..", b"\t", b"x" * 5000, b"\xc3\xa9"),
    *(b"", b".git", b"a/b", b"\\", b"CON", b"\xed\xa0\x80"),
)
MODES = (b"100644", b"100755", b"120000", b"160000", b"40000", b"0", b"777777", b"100664", b"x")
ENCODINGS = (b"utf-8", b"latin-1", b"utf-16", b"base64", b"nonsense", b"\xff", b"idna", b"x" * 5000)


def _repositories(surroundings: Surroundings) -> TryOne:
    """Damaged files of a repository: where it is mined from, or in the clone."""
    room = surroundings.room("git")
    source = surroundings.prepared.corpus / REPOSITORY
    template, clone = room / "template", room / REPOSITORY
    shutil.rmtree(template, ignore_errors=True)
    update_clone(str(source), template)
    files = sorted(path.relative_to(template) for path in template.rglob("*") if path.is_file())
    wanted = [path for path in files if "hooks" not in path.parts]

    def try_one(chance: random.Random) -> object:
        shutil.rmtree(clone, ignore_errors=True)
        shutil.copytree(template, clone)
        path = clone / chance.choice(wanted)
        path.chmod(0o644)
        if chance.random() < 0.1:
            path.unlink()
        elif path.stat().st_size < 300 and chance.random() < 0.4:
            text = str(hostile(path.read_text(errors="replace"), chance))
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
        else:
            path.write_bytes(damaged(path.read_bytes(), chance))
        if chance.random() < 0.5:
            return _mined(update_clone(str(source), clone))
        shutil.rmtree(room / "clone.git", ignore_errors=True)
        return _mined(update_clone(str(clone), room / "clone.git"))

    return try_one


def _commits(surroundings: Surroundings) -> TryOne:
    """A commit or a tree that no git would write, as the newest one of a branch."""
    room = surroundings.room("git_commits")
    source = surroundings.prepared.corpus / REPOSITORY
    clone = room / REPOSITORY
    shutil.rmtree(clone, ignore_errors=True)
    shutil.copytree(source, clone)
    tip = _git(clone, "rev-parse", "HEAD").decode().strip()
    tree = _git(clone, "rev-parse", "HEAD^{tree}").decode().strip()
    branch = clone / _git(clone, "symbolic-ref", "HEAD").decode().strip()
    commit, entries = _git(clone, "cat-file", "commit", tip), _git(clone, "cat-file", "tree", tree)

    def try_one(chance: random.Random) -> object:
        content = commit
        if chance.random() < 0.35:
            made = _written(clone, "tree", _tree(entries, chance))
            content = content.replace(tree.encode(), made)
        if chance.random() < 0.7:
            content = _commit(content, chance)
        branch.parent.mkdir(parents=True, exist_ok=True)
        branch.write_bytes(_written(clone, "commit", content) + b"\n")
        shutil.rmtree(room / "clone.git", ignore_errors=True)
        return _mined(update_clone(str(clone), room / "clone.git"))

    return try_one


def _commit(content: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        return damaged(content, chance)
    head, _, message = content.partition(b"\n\n")
    lines = head.split(b"\n")
    for index, line in enumerate(lines):
        if line.startswith((b"author ", b"committer ")) and chance.random() < 0.6:
            who, _, _ = line.rpartition(b"> ")
            lines[index] = b"%s> %s %s" % (who, chance.choice(MOMENTS), chance.choice(ZONES))
    if chance.random() < 0.3:
        lines.append(b"encoding " + chance.choice(ENCODINGS))
    if chance.random() < 0.2:
        lines.insert(1, b"parent " + chance.choice((b"0" * 40, b"x", lines[0][5:])))
    if chance.random() < 0.3:
        message = str(hostile("It is #12", chance)).encode("utf-8", "surrogatepass")
    return b"\n".join(lines) + b"\n\n" + message


def _tree(entries: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        return damaged(entries, chance)
    first, _, rest = entries.partition(b"\0")
    mode, _, name = first.partition(b" ")
    if chance.random() < 0.7:
        name = chance.choice(NAMES)
    if chance.random() < 0.4:
        mode = chance.choice(MODES)
    return mode + b" " + name + b"\0" + rest


def _mined(clone: Clone) -> object:
    listed = list_commits(clone)
    frames = [
        (commits.to_arrow(), files.to_arrow()) for commits, files in read_commits(clone, listed)
    ]
    trees = quarter_ends(clone.path, sorted(set(listed["month"].to_list())))
    for tree in trees[-1:]:
        list(read_files(clone.path, list_files(clone.path, tree.sha)))
    return frames


def _written(clone: Path, kind: str, content: bytes) -> bytes:
    return _git(
        clone, "hash-object", "-t", kind, "-w", "--stdin", "--literally", given=content
    ).strip()


def _git(clone: Path, *arguments: str, given: bytes | None = None) -> bytes:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-C", str(clone), *arguments],
        input=given,
        stdout=subprocess.PIPE,
        check=True,
        env=variables,
    )
    return done.stdout


KINDS = (
    Kind("git_repositories", 4, _repositories),
    Kind("git_commits", 2, _commits),
)
