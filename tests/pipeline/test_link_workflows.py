"""Links of generated corpora with merge, squash and rebase workflows, against the planted truth."""

from pathlib import Path

import polars as pl
import pytest

from perf_assets.base.corpus import read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.study import load_study
from perf_assets.core.linking.links import APPROACHES, link_fixes
from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.history import list_branch_commits, list_commits
from perf_assets.sources.git.mining import read_commits
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.batches import joined
from perf_assets.stand_ins.generator import GeneratedCorpus, generate
from perf_assets.stand_ins.github.server import CorpusServer
from tests.effort import SEEDS
from tests.github_stand_in import batches_of

pytestmark = pytest.mark.slow

SIZES = {"issues": 60, "months": 9, "commits": 240}
KEY = ["number", "sha", "approach"]
FLAGS = ["is_counted", "is_repeated"]


def found_links(made: GeneratedCorpus, clone_at: Path) -> pl.DataFrame:
    """The links that the real sources and the linking give for a corpus."""
    clone = update_clone(str(made.repository), clone_at)
    commits = pl.concat(
        [
            _mined(clone, list_commits(clone)).with_columns(branch=pl.lit(None, pl.String)),
            _mined(clone, list_branch_commits(clone)),
        ],
        how="diagonal",
    )
    corpus = read_corpus(made.directory)
    with CorpusServer([corpus]) as server:
        source = GitHubIssues(GitHubClient(server.url, "t0ken"), corpus.repository)
        months = sorted({record["created_at"][:7] for record in corpus.issues.values()})
        batches = batches_of(source, source.counts(months))
    batch = joined(batches)
    closed = batch.events.filter(event="closed")
    (studied,) = load_study(made.study).repositories
    return link_fixes(
        commits,
        batch.issues,
        closed,
        batch.pull_requests,
        APPROACHES,
        comments=batch.comments,
        aliases=studied.aliases,
    )


def _mined(clone: Clone, listed: pl.DataFrame) -> pl.DataFrame:
    commits = pl.concat([batch for batch, _ in read_commits(clone, listed)])
    more = listed.select(pl.col("sha"), pl.selectors.by_name("branch", require_all=False))
    return commits.join(more, on="sha").with_columns(repository=pl.lit("sample-lab/tensorkit"))


@pytest.mark.parametrize("workflow", ["merge", "squash", "rebase"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_links_equal_the_planted_truth(tmp_path: Path, workflow: str, seed: int) -> None:
    made = generate(tmp_path / "corpus", seed=seed, workflow=workflow, **SIZES)
    truth = pl.read_csv(
        made.truth / "fix_links.csv", schema_overrides=dict.fromkeys(FLAGS, pl.Boolean)
    )
    found = found_links(made, tmp_path / "clone.git")
    columns = [*KEY, *FLAGS]
    assert found.select(columns).sort(KEY).rows() == truth.select(columns).sort(KEY).rows()
    by_pull = truth.filter(approach="pull_request")
    assert by_pull["number"].n_unique() >= 10
    assert found["branch"].is_null().eq(found["is_counted"]).all()
    if workflow == "merge":  # merges are linked, and add nothing to the size beside their commits
        assert truth.filter("is_repeated").height >= 10


def test_an_unknown_workflow_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PerfAssetsError, match="--workflow is 'trunk', and must be one of merge, "):
        generate(tmp_path / "corpus", workflow="trunk", **SIZES)
