"""The bare clone of a repository: made once, brought up to date after, never half there."""

import glob
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.processes.progress import phase
from perf_assets.sources.git.command import (
    GitError,
    IdleError,
    error_line,
    in_lines,
    lines_of,
    local_environment,
    read_clone,
    readable,
    run,
)
from perf_assets.sources.git.remote import TAGS, Address, Heads, read_heads, remote_git

_OLDEST_GIT = (2, 32)
_REMOTE = "perf-assets"  # a name without settings of the user
# Each fetch becomes one pack, and git merges packs when there are many: no loose objects pile up.
# Done before it returns, as a job left behind would write while others read.
TIDY = (
    *("-c", "fetch.unpackLimit=1"),
    *("-c", "gc.autoDetach=false"),
    *("-c", "maintenance.autoDetach=false"),
)
_LOCK_SECONDS = 600.0  # longer than cloning any repository takes
_BRANCHES = "+refs/heads/*:refs/heads/*"


@dataclass(frozen=True)
class Clone:
    """A bare clone as it was when it was last brought up to date.

    path : the bare repository.
    url : where it comes from, without secrets.
    branch : the default branch of the remote.
    tip : sha of the newest commit of that branch.
    is_updated : whether anything was fetched; False if the remote had nothing new.
    moved_from : the former address, if it changed.
    """

    path: Path
    url: str
    branch: str
    tip: str
    is_updated: bool = False
    moved_from: str | None = None


def update_clone(url_or_path: str, clone_dir: Path) -> Clone:
    """Make the bare clone of ``url_or_path`` at ``clone_dir``, or bring it up to date.

    Every branch is cloned in full, and the tags that are called after versions; other tags and
    pull requests are not. Branches and tags that the remote dropped are dropped, and its default
    branch is followed. Nothing but one look at the remote happens when no branch and no such tag
    moved. Killing this at any moment leaves either no clone or one that the next call mends.

    Raises
    ------
    PerfAssetsError : git is missing or too old; the address does not clone, is out of reach, is
        empty, or is a shallow clone; the disk is full; ``clone_dir`` holds something else.
    """
    _require_git()
    address = Address.of(url_or_path)
    clone_dir = clone_dir.expanduser().absolute()
    try:
        clone_dir.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(clone_dir.with_name(f"{clone_dir.name}.lock"), timeout=_LOCK_SECONDS):
            return _update(address, clone_dir)
    except Timeout:
        raise TransientError(
            f"another process has been updating the clone at {clone_dir} for {_LOCK_SECONDS:g} s: "
            "wait until it is done, or stop it, and run again"
        ) from None
    except OSError as error:
        raise PerfAssetsError(
            f"could not write the git clone at {clone_dir}: {error.strerror or error}; make that "
            "path writable and run again"
        ) from None


def damaged(path: Path, failure: GitError) -> PerfAssetsError:
    """Return the error for a clone that git cannot read."""
    if isinstance(failure, IdleError):
        return TransientError(
            f"git gets no answer from the disk of the clone at {path} "
            f"({error_line(failure.stderr)}): repair that disk and run again"
        )
    return PerfAssetsError(
        f"the git clone at {path} cannot be read (git says {error_line(failure.stderr)!r}): delete "
        "that directory and run again, which clones it anew"
    )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise the error for a clone that cannot be read if git fails inside the block."""
    try:
        yield
    except GitError as failure:
        raise damaged(path, failure) from None


def _update(address: Address, path: Path) -> Clone:
    with phase(f"looking at {address.url}"):
        heads = read_heads(address)
        _refuse_partial(address)
    if not path.exists() or not any(path.iterdir()):
        _make(address, path, heads)
        return _opened(address, path, heads, is_updated=True, moved_from=None)
    previous = _source_of(path)
    _drop_stale_locks(path)
    is_updated = _follow(address, path, heads)
    moved_from = previous if previous != address.url else None
    if moved_from is not None:
        _git(path, "config", f"remote.{_REMOTE}.url", address.url)
    return _opened(address, path, heads, is_updated=is_updated, moved_from=moved_from)


def _make(address: Address, path: Path, heads: Heads) -> None:
    """Clone beside ``path`` and rename, so that what is at ``path`` is always whole."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.partial-*"):
        shutil.rmtree(left, ignore_errors=True)
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    settings = ("-c", f"clone.defaultRemoteName={_REMOTE}")
    options = ("clone", "--quiet", "--progress", "--bare", "--no-tags", "--template=")
    try:
        command = remote_git(*settings, *options, "--", address.url, str(partial))
        with phase(f"cloning {address.url}"):
            run(command, address.environment(), growing=partial / "objects")
        _refuse_shallow(address, partial)
        if heads.tags:
            _fetch(address, partial, [_refspec(tag) for tag in heads.tags])
    except GitError as failure:
        shutil.rmtree(partial, ignore_errors=True)
        raise address.failed("clone", failure) from None
    except PerfAssetsError:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    if path.exists():
        path.rmdir()
    partial.rename(path)


def _follow(address: Address, path: Path, heads: Heads) -> bool:
    """Bring branches and tags to where the remote has them; return whether any had to be."""
    tags = _refs(path, TAGS)
    moved = [_refspec(tag) for tag, sha in heads.tags.items() if tags.get(tag) != sha]
    branches = [_BRANCHES] if _refs(path, "refs/heads/") != heads.tips else []
    dropped = [tag for tag in tags if tag not in heads.tags]
    if dropped:
        with reading(path):
            read_clone(path, "update-ref", "--stdin", names=(f"delete {tag}" for tag in dropped))
    if branches or moved:
        _fetch(address, path, [*branches, *moved])
    return bool(branches or moved or dropped)


def _refspec(tag: str) -> str:
    return f"+{tag}:{tag}"


def _fetch(address: Address, path: Path, refspecs: Sequence[str]) -> None:
    options = (
        "--quiet --progress --prune --force --no-tags --no-write-fetch-head --no-recurse-submodules"
    )
    command = remote_git(
        f"--git-dir={path}", *TIDY, "fetch", *options.split(), "--stdin", "--", address.url
    )
    try:
        with phase(f"fetching from {address.url}"):
            run(command, address.environment(), in_lines(refspecs), growing=path / "objects")
    except GitError as failure:
        mend = f"delete {path} if the clone there is damaged, and run again"
        raise address.failed("update the clone of", failure, mend) from None
    _refuse_shallow(address, path)


def _opened(
    address: Address, path: Path, heads: Heads, *, is_updated: bool, moved_from: str | None
) -> Clone:
    """Point HEAD to the remote's default branch and describe the clone."""
    ref = f"refs/heads/{heads.branch}"
    if (path / "HEAD").read_bytes() != f"ref: {ref}\n".encode():
        _git(path, "symbolic-ref", "HEAD", ref)
    tip = _git(path, "rev-parse", "--verify", f"{ref}^{{commit}}")
    return Clone(path, address.url, heads.branch, tip, is_updated, moved_from)


def _source_of(path: Path) -> str:
    """Return the address a clone was made from; PerfAssetsError if perf-assets did not make it."""
    try:
        return readable(read_clone(path, "config", f"remote.{_REMOTE}.url"))
    except GitError:
        raise PerfAssetsError(
            f"{path} holds something other than a git clone made by perf-assets: move "
            "it away, or delete it, and run again"
        ) from None


def _refs(path: Path, under: str) -> Mapping[str, str]:
    listing = _git(path, "for-each-ref", "--format=%(objectname) %(refname)", under)
    return {ref: sha for sha, ref in (line.split(" ", 1) for line in lines_of(listing))}


def _drop_stale_locks(path: Path) -> None:
    """Remove what a killed git left; nobody else is at work while our own lock is held."""
    patterns = (
        *("*.lock", "refs/**/*.lock", "objects/info/**/*.lock", "gc.pid"),
        "objects/pack/tmp_*",
    )
    for left in (file for pattern in patterns for file in path.glob(pattern)):
        left.unlink(missing_ok=True)


def _refuse_shallow(address: Address, path: Path) -> None:
    if (path / "shallow").exists():
        raise PerfAssetsError(
            f"the git repository at {address.url} is a shallow clone, whose oldest commits would "
            "count whole files: complete it there with 'git fetch --unshallow' and run again"
        )


def _refuse_partial(address: Address) -> None:
    """Refuse a local clone without its files, of which git would ask the network one by one."""
    if not address.is_path:
        return
    partial = r"^(extensions\.partialclone|remote\..*\.promisor)$"
    command = ["git", "-C", address.url, "config", "--local", "--get-regexp", partial]
    try:
        run(command, address.environment())
    except GitError:  # The setting is absent.
        return
    raise PerfAssetsError(
        f"the git repository at {address.url} is a partial clone, which lacks some files: "
        "clone it anew without --filter, or name the address that it was cloned from, and run "
        "again"
    )


def _require_git() -> None:
    version = readable(run(["git", "version"], local_environment()))
    found = re.search(r"(?<!\d)(\d++)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST_GIT:
        raise PerfAssetsError(
            f"git 2.32 or newer is needed, and PATH has {version!r}: update git and run again"
        )


def _git(path: Path, *arguments: str) -> str:
    with reading(path):
        return readable(read_clone(path, *arguments))
