"""Every answer that GitHub's published schema allows is kept, null, set aside, or waits."""

from collections import Counter

import pytest
from graphql import GraphQLSchema

from tests.allowed_answers import Harness, variants
from tests.effort import IS_THOROUGH

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def harness() -> Harness:
    return Harness()


@pytest.mark.parametrize("name", ["Changed", "Counts", "Search", "Rest", "ChangedCount", "Removed"])
def test_no_answer_that_the_schema_allows_ends_a_run(
    published: GraphQLSchema, harness: Harness, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = list(variants(published, harness.documents[name], harness.answers[name]))
    tried = found if IS_THOROUGH else found[:: max(1, len(found) // 60)]
    outcomes: Counter[tuple[str, str]] = Counter()
    refused = []
    for variant in tried:
        outcome = harness.outcome(name, variant)
        outcomes[variant.kind, outcome] += 1
        if outcome == "refused":
            refused.append(str(variant))
    with capsys.disabled():
        print(f"\n{name}: {len(found)} answers, {len(tried)} tried: {dict(outcomes)}")
    # Without the repository there is nothing to read: one sentence says so.
    assert [text for text in refused if text != "repository: null: null"] == []
