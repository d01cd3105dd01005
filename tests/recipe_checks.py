"""Name the files of a recipe that do not work, in a copy of the project that follows the recipe.

``python -m tests.recipe_checks "An analysis"`` prints as JSON what is wrong with which file.
"""

import json
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import duckdb
import polars as pl
from click.testing import CliRunner

from perf_assets.cli.commands import commands
from perf_assets.lint.linter import check
from perf_assets.lint.rules import RULES, named
from perf_assets.reports.figures import Shown, figures, shown
from perf_assets.reports.monthly import contents
from perf_assets.schema import schema_of, table_of
from perf_assets.schema.models.asset_graph import upstream
from perf_assets.schema.models.cookbook import cookbook
from perf_assets.schema.models.dependencies import made_from
from perf_assets.schema.models.files import models_by_name
from perf_assets.stages.transform.analyses import function_of
from perf_assets.stages.transform.derivation import derived_tables
from perf_assets.stand_ins.generator import generate
from perf_assets.storage.migrations import create_tables
from tests.model_database import ModelDatabase, insert
from tests.rows import REPOSITORY, activity

Checks = Mapping[str, Callable[[], None]]

MART, COLUMN = "marts.bug_metrics", "is_reopened"
ANALYSIS = "analysis.reopened_bugs"
LINT_RULE = "anomaly-detection"
PLANTED = "import torch\ntorch.autograd.set_detect_anomaly(True)\n"
QUERY = "repositories_at_rest"


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


def rows_of_figure() -> None:
    """Check that the figure is in its section of the report, with its rows."""
    (part,) = (
        one
        for one in contents._parts(database_at_rest().connection, "data")
        if one.name == "marts-activity"
    )
    assert part.table is not None and part.table.rows() == [(REPOSITORY, "2021-02", 28)]


def verdicts_of_figure() -> None:
    (sentence,) = figure_at_rest().sentences
    assert sentence == f"{REPOSITORY}: at rest since 2021-02", sentence


def drawing_of_figure() -> None:
    (panel,) = figure_at_rest().panels
    assert panel["data"]["values"] == [{"what": REPOSITORY, "value": 28}], panel


def test_of_figure() -> None:
    tests = runpy.run_path("tests/reports/test_figures.py")
    tests["test_repositories_at_rest_have_a_verdict_and_a_bar"](ModelDatabase())


def module_of_lint_rule() -> None:
    from perf_assets.lint.rules.anomaly_detection import ANOMALY_DETECTION  # noqa: PLC0415

    (finding,) = check(PLANTED, "project/train.py", [ANOMALY_DETECTION])
    assert (finding.line, finding.rule) == (2, LINT_RULE), finding


def registration_of_lint_rule() -> None:
    assert [one.rule for one in check(PLANTED, "project/train.py", RULES)] == [LINT_RULE]


def page_of_lint_rule() -> None:
    tests = runpy.run_path("tests/lint/test_formats.py")
    tests["test_each_rule_has_a_page_with_bad_good_and_why"](named([LINT_RULE])[0])


def index_of_lint_rule() -> None:
    assert named([LINT_RULE])
    tests = runpy.run_path("tests/lint/test_formats.py")
    tests["test_the_page_of_all_names_each_rule_and_whether_it_is_on"]()


def corpus_of_lint_rule() -> None:
    tests = runpy.run_path("tests/lint/test_corpus.py")
    assert named([LINT_RULE])
    tests["test_the_corpus_is_there"]()
    planted = Path("tests/lint/corpus/torch/anomaly_detection.py")
    tests["test_what_is_planted_is_found_and_nothing_else"](planted)


def sql_of_query() -> None:
    query = cookbook()[QUERY]
    assert query.question and query.reading and set(query.parameters) == {"dataset"}
    answer = database_at_rest().connection.execute(query.sql).fetchall()
    assert answer == [(REPOSITORY, "2021-02")], answer


def answer_of_query() -> None:
    tests = runpy.run_path("tests/schema/test_cookbook.py")
    database = ModelDatabase()
    database.fill(tests["FILLED"])
    answer = database.connection.execute(cookbook()[QUERY].sql).fetchall()
    assert answer == tests["EXPECTED"][QUERY], answer


def module_of_command() -> None:
    from perf_assets.cli.queries import queries  # noqa: PLC0415

    printed = CliRunner().invoke(queries).output
    assert printed.splitlines() == list(cookbook()), printed


def registration_of_command() -> None:
    assert "\n  queries " in CliRunner().invoke(commands, ["--help"]).output


def test_of_command() -> None:
    tests = runpy.run_path("tests/cli/test_queries.py")
    tests["test_queries_prints_the_names_of_the_cookbook"]()


@cache
def database_at_rest() -> ModelDatabase:
    """Return a database in which one repository is at rest."""
    database = ModelDatabase()
    rest = activity("2023-06", "2021-02", is_at_rest=True, last_series_month="2021-02")
    insert(database.connection, "marts.activity", [rest])
    return database


def figure_at_rest() -> Shown:
    found = shown(database_at_rest().connection, "marts.activity")
    assert found is not None
    return found


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
    "A figure": {
        "dbt_like_models/marts/activity.yml": rows_of_figure,
        "dbt_like_models/marts/figures/activity.sql": rows_of_figure,
        "dbt_like_models/marts/figures/activity.verdicts.sql": verdicts_of_figure,
        "perf_assets/reports/figures/rest.py": drawing_of_figure,
        "tests/reports/test_figures.py": test_of_figure,
    },
    "A lint rule": {
        "perf_assets/lint/rules/anomaly_detection.py": module_of_lint_rule,
        "perf_assets/lint/rules/__init__.py": registration_of_lint_rule,
        "docs/checks/anomaly-detection.md": page_of_lint_rule,
        "docs/checks/index.md": index_of_lint_rule,
        "tests/lint/corpus/torch/anomaly_detection.py": corpus_of_lint_rule,
    },
    "A query": {
        "sql/repositories_at_rest.sql": sql_of_query,
        "tests/schema/test_cookbook.py": answer_of_query,
    },
    "A command": {
        "perf_assets/cli/queries.py": module_of_command,
        "perf_assets/cli/commands.py": registration_of_command,
        "tests/cli/test_queries.py": test_of_command,
    },
}
"""The check of each file of a recipe."""


def failures(recipe: str) -> Iterator[tuple[str, str]]:
    """The files of a recipe that do not do their part, each with the reason."""
    for file, does_its_part in CHECKS[recipe].items():
        try:
            does_its_part()
        except Exception as error:  # whatever it is, it is about this file
            yield file, f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    print(json.dumps(dict(failures(sys.argv[1]))))
