"""Objects that a clone lacks: which commits they make unreadable, and whether they came since.

Public mirrors lack an object now and then. A commit that needs it is stored with the reason, and
read again once the object is there.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.git.changes import diff_tree
from perf_assets.sources.git.clone import TIDY, Clone
from perf_assets.sources.git.command import (
    LACKS,
    GitError,
    in_lines,
    lines_of,
    local_environment,
    read_clone,
    reason_of,
    run,
    streamed,
)
from perf_assets.sources.git.remote import Address, remote_git

_HEADER = re.compile(rb"(?:[0-9a-f]{40}|[0-9a-f]{64})\n")
_FETCH_SECONDS = 120.0
MOST_ALONE = 20  # objects that are requested one by one


def unreadable_commits(clone: Clone, shas: Sequence[str]) -> dict[str, str]:
    """Return the commits among ``shas`` that need an object which the clone lacks, with the reason.

    A damaged object is not such a reason: a new clone repairs it.
    """
    found: dict[str, str] = {}
    left = list(shas)
    while left:
        done, failure = _count_changes(clone, left)
        if failure is None:
            break
        # git fails at the commit whose name it printed last, or at the next.
        for sha in left[max(0, done - 1) : done + 1]:
            alone = _count_changes(clone, [sha])[1]
            reason = "" if alone is None else reason_of(alone)
            if _named([reason]) and not now_readable(clone.path, [reason]):
                found[sha] = reason
        left = left[done + 1 :] if done else left[1:]
    return found


def _count_changes(clone: Clone, shas: Sequence[str]) -> tuple[int, GitError | None]:
    """Return the number of ``shas`` that git names before it fails, and the failure."""
    command = diff_tree(clone, "--numstat")
    named = 0
    try:
        with streamed(command, local_environment(), in_lines(shas)) as output:
            for line in output:
                named += _HEADER.fullmatch(line) is not None
    except GitError as failure:
        return named, failure
    return named, None


def missing_objects(clone: Path, names: Iterable[str]) -> set[str]:
    """Return the objects among ``names`` that the clone lacks."""
    requested = sorted(set(names))
    if not requested:
        return set()
    options = ("cat-file", "--batch-check=%(objectname)")
    answers = lines_of(read_clone(clone, *options, names=requested))
    return {name for name, answer in zip(requested, answers, strict=True) if answer != name}


def _named(reasons: Iterable[str | None]) -> dict[str, str]:
    """Return the object that each of the ``reasons`` names as missing; none for other reasons."""
    return {
        reason: reason.removeprefix(LACKS)
        for reason in reasons
        if reason is not None and reason.startswith(LACKS)
    }


def now_readable(clone: Path, reasons: Iterable[str | None]) -> set[str]:
    """Return the ``reasons`` that name an object which the clone now has."""
    named = _named(reasons)
    missing = missing_objects(clone, named.values())
    return {reason for reason, name in named.items() if name not in missing}


def fetch_missing(clone: Path, url: str, reasons: Iterable[str | None]) -> None:
    """Ask the remote at ``url`` for the objects that ``reasons`` name; it may lack them too."""
    missing = sorted(missing_objects(clone, _named(reasons).values()))
    if not missing:
        return
    options = (
        *("--stdin", "--quiet", "--no-write-fetch-head", "--no-tags"),
        "--no-recurse-submodules",
    )
    with suppress(PerfAssetsError):
        address = Address.of(url)
        command = remote_git(f"--git-dir={clone}", *TIDY, "fetch", *options, "--", address.url)
        # A remote that lacks one object sends none: then each is requested alone.
        for requests in ([missing], [[name] for name in missing[:MOST_ALONE]]):
            for requested in requests:
                with suppress(GitError):
                    run(command, address.environment(), in_lines(requested), _FETCH_SECONDS)
            if not (missing := sorted(missing_objects(clone, missing))):
                return
