"""Says which file of a recipe does not work, in a copy of the project that follows the recipe.

``python -m tests.recipe_checks "An analysis"`` prints as JSON what is wrong with which file.
"""

import json
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.reports.figures import figures, shown
from perf_assets.schema import schema_of, table_of
from perf_assets.schema.models.asset_graph import upstream
from perf_assets.schema.models.dependencies import made_from
from perf_assets.schema.models.files import models_by_name
from perf_assets.stages.transform.analyses import function_of
from perf_assets.stages.transform.derivation import derived_tables
from perf_assets.stand_ins.generator import generate
from perf_assets.storage.migrations import create_tables
from tests.model_database import ModelDatabase, insert

Checks = Mapping[str, Callable[[], None]]

MART, COLUMN = "marts.bug_metrics", "is_reopened"
ANALYSIS = "analysis.reopened_bugs"


def declaration_of_analysis() -> None:
    """It appears with its dependencies: among the tables, in their order, in the asset graph."""
    assert made_from()[ANALYSIS] == (MART,), made_from()[ANALYSIS]
    order = derived_tables()
    assert order.index(MART) < order.index(ANALYSIS), "it comes before its input"
    assert upstream()[ANALYSIS] == (MART,), upstream()[ANALYSIS]
    assert ANALYSIS in upstream()["published.perf_bugs"], "it is not published"


def function_of_analysis() -> None:
    rows = function_of(ANALYSIS)(schema_of(MART).to_frame())
    assert rows.schema == schema_of(ANALYSIS), rows.schema


def figure_of_analysis() -> None:
    assert ANALYSIS in figures(), "it has no figure"
    connection = duckdb.connect()
    create_tables(connection)
    row = {"dataset": "live", "repository": "a/b", "bugs": 3, "reopened": 2}
    insert(connection, ANALYSIS, [row])
    found = shown(connection, ANALYSIS)
    assert found is not None and found.sentences == ["a/b: 2 of 3"], found


def test_of_analysis() -> None:
    runpy.run_path("tests/core/analyses/test_reopened_bugs.py")["test_reopened_bugs_are_counted"]()


def good_rows_of_analysis() -> None:
    good = runpy.run_path("tests/storage/good_rows.py")["GOOD"]
    assert ANALYSIS in good, "it has no good rows"
    assert all(row.keys() == table_of(ANALYSIS).column.keys() for row in good[ANALYSIS])


def query_of_column() -> None:
    sources = models_by_name()[MART].column_lineage[COLUMN]
    assert sources == models_by_name()[MART].column_lineage["reopenings"], sources


def declaration_of_column() -> None:
    assert COLUMN in table_of(MART).column, f"{MART} is declared without it"


def test_of_column() -> None:
    units = runpy.run_path("tests/schema/test_units.py")
    database = ModelDatabase()

    def build(tables: dict[str, list[dict[str, object]]]) -> ModelDatabase:
        database.fill({"meta.repositories": [units["repository"]()], **tables})
        return database

    units["test_bug_metrics_measure_a_fixed_bug"](build)


def truth_of_column() -> None:
    with tempfile.TemporaryDirectory() as directory:
        made = generate(Path(directory) / "corpus", issues=20, commits=20, months=8)
        truth = pl.read_csv(made.truth / "bug_metrics.csv", schema_overrides={COLUMN: pl.Boolean})
    assert COLUMN in truth.columns, "the planted truth is without it"
    planted = truth[COLUMN].to_list()
    assert planted == (truth["reopenings"] > 0).to_list(), planted


CHECKS: Mapping[str, Checks] = {
    "An analysis": {
        "dbt_like_models/analysis/reopened_bugs.yml": declaration_of_analysis,
        "perf_assets/core/analyses/reopened_bugs.py": function_of_analysis,
        "dbt_like_models/analysis/figures/reopened_bugs.sql": figure_of_analysis,
        "dbt_like_models/analysis/figures/reopened_bugs.verdicts.sql": figure_of_analysis,
        "tests/core/analyses/test_reopened_bugs.py": test_of_analysis,
        "tests/storage/good_rows.py": good_rows_of_analysis,
    },
    "A column of a mart": {
        "dbt_like_models/marts/bug_metrics.sql": query_of_column,
        "dbt_like_models/marts/bug_metrics.yml": declaration_of_column,
        "tests/schema/test_units.py": test_of_column,
        "perf_assets/stand_ins/generator/truth.py": truth_of_column,
    },
}
"""What shows that a file of a recipe does its part."""


def failures(recipe: str) -> Iterator[tuple[str, str]]:
    """The files of a recipe that do not do their part, each with the reason."""
    for file, check in CHECKS[recipe].items():
        try:
            check()
        except Exception as error:  # whatever it is, it is about this file
            yield file, f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    print(json.dumps(dict(failures(sys.argv[1]))))
