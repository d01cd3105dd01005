"""Releases of a clone: the tags that are called after versions, with the commits they point to."""

import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perf_assets.core.releases.containing import RELEASES
from perf_assets.core.releases.versions import own_packages, version_tags
from perf_assets.sources.git.clone import reading
from perf_assets.sources.git.command import lines_of, read_clone
from perf_assets.sources.git.commits import each_object, moment

_TIME = re.compile(rb"^(?:tagger|committer) [^\n]*> (-?\d{1,18})", re.MULTILINE)


@dataclass(frozen=True)
class ReadTags:
    """The releases, and how many tags with the name of a version point to no commit.

    rows : columns as ``RELEASES``, by name of the tag. A release came out when its tag was made;
        where the tag is only a name, when its commit was committed.
    """

    rows: pl.DataFrame
    set_aside: int


def read_releases(clone: Path, repository: str) -> ReadTags:
    """Return the releases that the tags of a clone name; three git processes however many."""
    with reading(clone):
        objects = {name: sha for sha, name in _listed(clone)}
        versions = version_tags(objects)
        commits = _commits(clone, sorted({objects[name] for name in versions}))
        times = _times(clone, commits)
    own = own_packages(repository)
    rows = [
        {
            "tag": name,
            "release_version": version.version,
            "package": None if version.package in own else version.package,
            "release_kind": version.kind,
            "sha": commits[objects[name]],
            "released_at": times[objects[name]],
        }
        for name, version in sorted(versions.items())
        if objects[name] in commits
    ]
    found = pl.DataFrame(rows, schema={**RELEASES, "released_at": pl.Int64()})
    return ReadTags(found.with_columns(moment("released_at")), len(versions) - len(rows))


def tags_on_default_branch(clone: Path) -> set[str]:
    """Return the tags whose commits the default branch has; git walks the history once for it."""
    with reading(clone):
        return {name for _, name in _listed(clone, "--merged=HEAD")}


def _listed(clone: Path, *options: str) -> list[tuple[str, str]]:
    """Return object and name of each tag."""
    named = ("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/tags/")
    lines = (line.split(" ", 1) for line in lines_of(read_clone(clone, *named, *options)))
    return [(sha, name) for sha, name in lines]


def _commits(clone: Path, objects: list[str]) -> dict[str, str]:
    """Return the commit that each object leads to; trees, files and what is absent lead to none."""
    names = [f"{sha}^{{commit}}" for sha in objects]
    answers = lines_of(read_clone(clone, "cat-file", "--batch-check=%(objectname)", names=names))
    pairs = zip(objects, answers, strict=True)
    return {sha: answer for sha, answer in pairs if " " not in answer}


def _times(clone: Path, commits: dict[str, str]) -> dict[str, int]:
    """Return when each object was made, in seconds since 1970; else when its commit was."""
    found = {
        sha: _TIME.search(content.partition(b"\n\n")[0])
        for sha, content in each_object(clone, sorted({*commits, *commits.values()}))
    }
    return {
        sha: int(own[1]) if (own := found[sha] or found[commit]) else 0
        for sha, commit in commits.items()
    }
