"""The list of steps: their order is that of their inputs, and a run ends where it should."""

from typing import Any

import pytest

from perf_assets.config.study import Study, Until, load_study
from perf_assets.schema.models.dependencies import made_from
from perf_assets.stages.steps import REPOSITORY_STEPS, TAG_SET_STEPS, repository_steps

MINED = ["github_issues", "git_commits", "static_findings", "benchmark_results"]
LABELLED = ["performance_labels", "performance_commits"]
DETAILED = ["fix_details", "pull_requests"]


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study("dl-frameworks")


@pytest.mark.parametrize("steps", [REPOSITORY_STEPS, TAG_SET_STEPS])
def test_each_step_reads_what_steps_before_it_stored(steps: tuple[Any, ...]) -> None:
    stored: set[str] = set()
    for step in steps:
        for table in step.tables:
            assert set(made_from()[table]) <= stored, table
        stored |= {*step.tables}


@pytest.mark.parametrize(
    ("until", "analyze_fixes", "ends"),
    [
        ("labels", True, LABELLED),
        ("links", True, [*LABELLED, "fix_links"]),
        ("fix-analysis", False, [*LABELLED, "fix_links", *DETAILED]),
        ("published", True, [*LABELLED, "fix_links", *DETAILED]),
        ("published", False, [*LABELLED, "fix_links"]),
    ],
)
def test_a_run_ends_after_the_stage_that_it_is_to_reach(
    study: Study, until: Until, analyze_fixes: bool, ends: list[str]
) -> None:
    steps = repository_steps(study.model_copy(update={"analyze_fixes": analyze_fixes}), until)
    assert [step.name for step in steps] == MINED + ends
