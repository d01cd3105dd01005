"""CODEOWNERS at each commit, from where GitHub looks for it, whatever git cannot read."""

from pathlib import Path

from perf_assets.core.areas.code_owners import LARGEST_FILE
from perf_assets.sources.git.code_owners import code_owners_at
from tests.git_repositories import FILE, LINK, SUBMODULE, Made, git, lose, make

LOST = "f" * 40


def with_files(**contents: bytes) -> Made:
    paths = {"github": b".github/CODEOWNERS", "root": b"CODEOWNERS", "docs": b"docs/CODEOWNERS"}
    return Made({paths[name]: (FILE, content) for name, content in contents.items()})


def test_the_file_counts_as_it_was_at_the_commit_and_where_github_finds_it(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    commits = [
        with_files(docs=b"* @a/docs"),
        with_files(docs=b"* @a/docs", root=b"* @a/root"),
        with_files(docs=b"* @a/docs", root=b"* @a/root", github=b"* @a/github"),
        Made({b"a.py": (FILE, b"")}),
        with_files(root=b"* @a/team\n" + b"#" * LARGEST_FILE, docs=b"* @a/docs"),
        Made({b"CODEOWNERS": (SUBMODULE, b"1" * 40), b"docs/CODEOWNERS": (FILE, b"* @a/docs")}),
        Made({b"CODEOWNERS": (LINK, b"docs/CODEOWNERS"), b"docs/CODEOWNERS": (FILE, b"* @a/docs")}),
    ]
    shas = make(clone, commits)
    owned = code_owners_at(clone, [*shas, LOST])
    found = [owned(sha, "a.py") for sha in (*shas, LOST, "e" * 40)]
    teams = [None if area is None else area[0] for area in found]
    assert teams == ["docs", "root", "github", None, None, "docs", None, None, None]
    assert code_owners_at(clone, [])(shas[0], "a.py") is None


def test_a_version_that_the_mirror_lacks_leaves_the_others(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shas = make(clone, [with_files(root=b"* @a/one"), with_files(root=b"* @a/two")])
    lose(clone, git(clone, "rev-parse", f"{shas[0]}:CODEOWNERS"))
    owned = code_owners_at(clone, shas)
    assert (owned(shas[0], "a.py"), owned(shas[1], "a.py")) == (None, ("two", "*"))
