"""Commits: what landed as one, and which of it is performance work."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.config.classifier import commit_model
from perf_assets.core.labelling.commits.changes import changes_of
from perf_assets.core.labelling.commits.files import files_of_commits
from perf_assets.core.labelling.commits.labels import label_changes, performance_commits
from perf_assets.core.labelling.commits.titles import read_title
from perf_assets.core.linking.pull_requests import History

OWN = "owner/name"
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)


def history(*rows: tuple[str, list[str], str]) -> tuple[pl.DataFrame, History]:
    """Return commits of name, parents and message, each an hour after the one before."""
    frame = pl.DataFrame(
        {
            "repository": [OWN] * len(rows),
            "sha": [name for name, *_ in rows],
            "parents": [parents for _, parents, _ in rows],
            "message": [message for *_, message in rows],
            "committed_at": [BEGIN + timedelta(hours=place) for place in range(len(rows))],
            "month": ["2024-01"] * len(rows),
            "branch": [None] * len(rows),
        },
        schema_overrides={"branch": pl.String, "parents": pl.List(pl.String)},
    )
    return frame, History(frame, (), (), rows[-1][0])


def labelled(title: str, body: str = "", *paths: str) -> tuple[str, str | None]:
    """Return work and strength of a change."""
    changes = pl.DataFrame({"sha": ["a"], "title": [title], "body": [body]})
    files = pl.DataFrame({"sha": ["a"] * len(paths), "path": list(paths)}) if paths else None
    found = label_changes(changes, files, commit_model())
    return found["work"][0], found["strength"][0]


def test_a_merged_pull_request_is_one_change_with_its_commits() -> None:
    commits, graph = history(
        ("a", [], "Begin"),
        ("b", ["a"], "wip"),
        ("c", ["b"], "Use a table instead of the loop"),
        ("d", ["a", "c"], "Merge pull request #7 from ann/fast\n\nSpeed up reading"),
        ("e", ["d"], "Tidy up (#8)"),
    )
    found = {row["sha"]: row for row in changes_of(commits, graph).iter_rows(named=True)}
    assert {sha: row["landed_by"] for sha, row in found.items()} == {
        **dict.fromkeys("ade"),
        **dict.fromkeys("bc", "d"),
    }
    assert {row["title"] for sha, row in found.items() if sha in "bcd"} == {"Speed up reading"}
    assert "instead of the loop" in found["d"]["body"]
    assert (found["e"]["title"], found["e"]["pull_request"]) == ("Tidy up", 8)


def test_the_merge_of_a_release_branch_is_not_one_change() -> None:
    commits, graph = history(
        ("a", [], "Begin"),
        ("b", ["a"], "Speed up reading (#5)"),
        ("c", ["a", "b"], "Merge pull request #7 from owner/develop\n\nRelease 2"),
    )
    assert changes_of(commits, graph)["landed_by"].to_list() == [None, None, None]


@given(st.data())
def test_every_commit_of_the_default_branch_has_one_change(data: st.DataObject) -> None:
    rows: list[tuple[str, list[str], str]] = [("c0", [], "Begin")]
    for place in range(1, data.draw(st.integers(1, 12))):
        names = [name for name, *_ in rows]
        parents = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
        message = data.draw(
            st.sampled_from(["Work", f"Merge pull request #{place} from x/y\n\nTitle", "Do (#3)"])
        )
        rows.append((f"c{place}", parents, message))
    commits, graph = history(*rows)
    found = changes_of(commits, graph)
    assert found["sha"].to_list() == sorted(name for name, *_ in rows)
    # What lands a change is a change by itself.
    landings = found.filter(pl.col("landed_by").is_not_null())["landed_by"]
    assert found.filter(pl.col("sha").is_in(landings.to_list()))["landed_by"].null_count() == (
        landings.n_unique()
    )


@pytest.mark.parametrize(
    ("title", "tags", "plain"),
    [
        ("PERF: Avoid copies in loadtxt", "PERF:", "Avoid copies in loadtxt"),
        ("perf(tsdb): cache postings", "perf(tsdb):", "cache postings"),
        ("[Perf][Core] Batch `a.item()` reads", "[Perf][Core]", "Batch reads"),
        ("ENH: optimize.curve_fit: less overhead", "ENH: optimize.curve_fit:", "less overhead"),
        ("Fix typo", "", "Fix typo"),
    ],
)
def test_tags_and_code_are_told_from_words(title: str, tags: str, plain: str) -> None:
    assert read_title(title) == (tags, plain)


def test_the_tool_perf_is_no_tag_of_performance() -> None:
    assert not read_title("perf/x86/intel: Update the counters").is_tagged
    assert read_title("perf: skip empty blocks").is_tagged


@pytest.mark.parametrize(
    ("title", "work"),
    [
        ("Speed up the tokenizer", "optimisation"),
        ("perf: skip empty blocks", "optimisation"),
        ("Reduce memory usage of the optimizer states", "optimisation"),
        ("Avoid unnecessary copies in the loader", "optimisation"),
        ("Fix memory leak in the iterator", "fix"),
        ("Fix performance regression in groupby", "fix"),
        ("Reverted changes to the printer due to performance issues", "fix"),
        ("Revert the printer because of wrong output", "none"),
        ("Reduce copy in tensordot", "optimisation"),
        ("More efficient copy constructor", "optimisation"),
        ("BENCH: add a benchmark of sorting", "guard"),
        ("Add a regression test for the memory leak", "guard"),
        ("Mark slow tests", "none"),
        ("DOC: describe how to speed up reading", "none"),
        ("Add Faster R-CNN", "none"),
        ('Revert "Speed up the tokenizer"', "none"),
        ("Fix typo in the readme", "none"),
        ("Merge branch 'master' into performance-improvements", "none"),
        ("", "none"),
    ],
)
def test_titles_say_what_kind_of_work_it_is(title: str, work: str) -> None:
    assert labelled(title)[0] == work


def test_files_decide_over_words() -> None:
    assert labelled("Speed up collecting", "", "tests/test_a.py", ".github/ci.yml")[0] == "none"
    assert labelled("Speed up collecting", "", "src/collect.py", "tests/test_a.py")[0] == (
        "optimisation"
    )
    assert labelled("Add cases", "", "asv_bench/benchmarks/io.py") == ("guard", "strong")
    assert labelled("Speed up io", "", "asv_bench/benchmarks/io.py", "src/io.py")[0] == (
        "optimisation"
    )


def test_a_measured_gain_in_the_text_counts() -> None:
    assert labelled("Rewrite the parser", "Large files are read 3.5x faster.")[0] == "optimisation"
    assert labelled("Rewrite the parser", "It is shorter.")[0] == "none"


def test_paths_are_the_product_benchmarks_or_neither() -> None:
    paths = {
        "src/core.py": (1, 0),
        "benchmarks/run.py": (0, 1),
        "asv_bench/asv.conf.json": (0, 1),
        "pkg/bench_sort.go": (0, 1),
        "pkg/sort_benchmark.cc": (0, 1),
        "docs/guide.rst": (0, 0),
        "tests/test_core.py": (0, 0),
        ".github/workflows/ci.yml": (0, 0),
        "src/workbench/view.ts": (1, 0),
    }
    files = pl.DataFrame({"sha": list(paths), "path": list(paths)})
    found = files_of_commits(files)
    assert {sha: tuple(numbers) for sha, *numbers in found.iter_rows()} == paths


def test_commits_of_a_pull_request_have_its_label() -> None:
    commits, graph = history(
        ("a", [], "Begin"),
        ("b", ["a"], "wip"),
        ("c", ["a", "b"], "Merge pull request #7 from ann/fast\n\nSpeed up reading of large files"),
    )
    files = pl.DataFrame({"sha": ["b", "c"], "path": ["src/read.py"] * 2})
    found = performance_commits(commits, files, graph, commit_model())
    assert found["work"].to_list() == ["none", "optimisation", "optimisation"]
    assert found["landed_by"].to_list() == [None, "c", None]
    assert found["pull_request"].to_list() == [None, 7, 7]
