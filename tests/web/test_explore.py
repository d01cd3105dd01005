"""The page of explore: a mistake in a parameter is a sentence beside the query."""

import pytest

from perf_assets.schema.models.cookbook import cookbook
from perf_assets.web.explore import answered
from tests.support import Prepared

pytestmark = pytest.mark.slow


def test_refuses_a_wrong_parameter_as_the_command_does(small: Prepared) -> None:
    database = small.data_dir / "perf_bugs.duckdb"
    query = cookbook()["bug_reports_as_of_a_month"]
    wrong = answered(database, query, {"month": " 2020-3 "})
    assert wrong.rows is None
    assert wrong.mistake.endswith("month: '2020-3' is not a month: write it as YYYY-MM")
    assert answered(database, query, {"month": "2020-03 "}).rows is not None
