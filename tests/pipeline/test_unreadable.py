"""A study of a repository that lacks a file which a fix changed: everything else is as it was."""

from pathlib import Path

import polars as pl
import pytest

from perf_assets.stand_ins.generator import generate
from tests.git_repositories import git, lose
from tests.support import materialize, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]


def test_a_fix_that_git_cannot_read_has_no_size_and_holds_up_nothing(tmp_path: Path) -> None:
    corpus = generate(tmp_path / "corpus", seed=2, issues=60, months=6, commits=60)
    links = pl.read_csv(corpus.truth / "fix_links.csv").filter(pl.col("is_counted"))
    merges = pl.read_csv(corpus.truth / "commits.csv").filter(pl.col("is_merge"))
    sha = links.join(merges, on="sha", how="anti")["sha"][0]
    changed = git(corpus.repository, "diff-tree", "-r", "--no-commit-id", "--root", "--raw", sha)
    blob = git(corpus.repository, "rev-parse", f"{sha}:{changed.splitlines()[0].split(chr(9))[1]}")
    lose(corpus.repository, blob)

    data_dir = tmp_path / "home"
    materialize(corpus.study, data_dir)
    tables = stored_tables(data_dir / "perf_bugs.duckdb")
    unreadable = tables["raw.commits"].filter(pl.col("unreadable").is_not_null())
    assert sha in unreadable["sha"]
    metrics = tables["marts.bug_metrics"]
    assert metrics.height
    fixed_by = links.filter(sha=sha)["number"].implode()
    unknown = metrics.filter(pl.col("number").is_in(fixed_by), pl.col("fix_commits") > 0)
    assert unknown.height
    assert unknown["fix_size"].null_count() == unknown["fix_files"].null_count() == unknown.height
    assert tables["marts.trend_monthly"].height and tables["analysis.trend_tests"].height
