"""Releases as git's tags name them: their commits, their times, and what points nowhere useful."""

from datetime import UTC, datetime

import pytest

from perf_assets.sources.git.clone import update_clone
from perf_assets.sources.git.tags import read_releases
from tests.git_repositories import git

JANUARY = datetime(2017, 1, 1, tzinfo=UTC)


def annotated(source, name: str, target: str, at: int | None = 1_500_000_000, kind="commit"):
    tagger = "" if at is None else f"tagger T <t@example.org> {at} +0200\n"
    content = f"object {target}\ntype {kind}\ntag {name}\n{tagger}\nmessage\n"
    sha = git(
        source, "hash-object", "-t", "tag", "-w", "--literally", "--stdin", stdin=content.encode()
    )
    git(source, "update-ref", f"refs/tags/{name}", sha)
    return sha


@pytest.fixture
def tagged(three_months, source):
    _, shas = three_months
    git(source, "update-ref", "refs/tags/v1.0", shas[0])
    inner = annotated(source, "v1.1", shas[1])
    annotated(source, "name-2.0rc1", inner, 1_600_000_000, "tag")
    annotated(source, "other-v3.0", shas[2], None)
    return source


def test_reads_commits_and_times_of_tags(three_months, tagged, tmp_path):
    _, shas = three_months
    clone = update_clone(str(tagged), tmp_path / "again.git")
    read = read_releases(clone.path, "owner/name")
    assert read.set_aside == 0
    assert read.rows.rows() == [
        ("name-2.0rc1", "2.0rc1", None, "rc", shas[1], datetime.fromtimestamp(1_600_000_000, UTC)),
        ("other-v3.0", "3.0", "other", "final", shas[2], datetime(2017, 2, 1, 0, 0, 1, tzinfo=UTC)),
        ("v1.0", "1.0", None, "final", shas[0], JANUARY),
        ("v1.1", "1.1", None, "final", shas[1], datetime.fromtimestamp(1_500_000_000, UTC)),
    ]


def test_tags_without_a_commit_are_set_aside(three_months, source, tagged, tmp_path):
    _, shas = three_months
    blob = git(source, "hash-object", "-w", "--stdin", stdin=b"file")
    git(source, "update-ref", "refs/tags/v4.0", blob)
    annotated(source, "v4.1", blob, kind="blob")
    git(source, "update-ref", "refs/tags/v4.2", git(source, "rev-parse", f"{shas[0]}^{{tree}}"))
    clone = update_clone(str(source), tmp_path / "again.git")
    (clone.path / "refs" / "tags" / "v4.3").write_text("a" * 40 + "\n")
    read = read_releases(clone.path, "owner/name")
    assert (read.rows.height, read.set_aside) == (4, 4)


def test_a_clone_without_tags_has_no_releases(three_months):
    clone, _ = three_months
    read = read_releases(clone.path, "owner/name")
    assert (read.rows.height, read.set_aside) == (0, 0)
