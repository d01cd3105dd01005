"""What the page of an asset shows of its rows: figures are computed once all they read is there."""

import duckdb
import polars as pl
import pytest

from perf_assets.dagster_app import runtime_metadata
from perf_assets.dagster_app.runtime_metadata import Figures
from perf_assets.reports import figures as module
from perf_assets.reports.figures import Shown, figures, shown
from perf_assets.reports.sql_files import sql_of
from perf_assets.schema import declared
from perf_assets.schema.models.dependencies import made_from
from perf_assets.schema.models.files import tables_behind
from perf_assets.stages.transform.derivation import derived_tables
from tests.model_database import ModelDatabase, insert
from tests.rows import REPOSITORY, comparison, effect

TREND, TESTS = "marts.trend_monthly", "analysis.trend_tests"
EFFECTS = "analysis.effect_sizes"


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables whose figures were computed, in order."""
    found: list[str] = []

    def noted(connection: object, table: str) -> None:
        found.append(table)

    monkeypatch.setattr(module, "shown", noted)
    return found


@pytest.mark.slow
def test_a_figure_waits_for_every_table_that_it_reads(computed: list[str]) -> None:
    (read,) = tables_behind(sql_of("passed_over"))
    assert read in figures()[TREND].reads
    read_by_tests = sorted({*figures()[TESTS].reads} - {TESTS, read})
    assert read_by_tests, "the figure of the tests reads more than their table"
    of = Figures(ModelDatabase().connection, [TESTS, read, *read_by_tests, "marts.alerts"])
    for table in (TESTS, *read_by_tests):
        of.note(table, is_new=table == TESTS)
        assert not computed
    of.note(read, is_new=False)
    assert computed == [TESTS], "of the others nobody will ask, and alerts are not read"
    of.note("marts.alerts", is_new=False)
    assert computed == [TESTS]


@pytest.mark.slow
def test_a_figure_waits_for_what_is_behind_a_view(computed: list[str]) -> None:
    views = {
        table: {one for one in figure.reads if declared()[one].is_view}
        for table, figure in figures().items()
    }
    table, view = next((table, min(found)) for table, found in views.items() if found)
    behind = next(one for one in made_from()[view] if not declared()[one].is_view)
    of = Figures(ModelDatabase().connection, [behind])
    of.note(table, is_new=True)
    assert not computed
    of.note(behind, is_new=False)
    assert computed == [table]


@pytest.mark.slow
def test_figures_computed_early_are_those_that_are_computed_at_the_end() -> None:
    database = ModelDatabase()
    insert(database.connection, "analysis.group_comparisons", [comparison("comments")])
    known = effect("comments", method="cliffs_delta", n_performance=5, n_other=9)
    known |= {"repository": REPOSITORY, "dataset": "live", "is_too_few": False}
    insert(database.connection, EFFECTS, [known])
    of = Figures(database.connection, derived_tables())
    for table in derived_tables():
        of.note(table, is_new=True)
    early, late = of.of(EFFECTS), shown(database.connection, EFFECTS)
    assert early is not None and late is not None
    assert early.panels == late.panels and early.found.equals(late.found)
    parts = runtime_metadata.figure_of(database.connection, EFFECTS)
    assert {part.split()[0] for part in parts} == {"verdict", "figure", "table"}


def test_result_is_last_column_of_table(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pl.DataFrame({"series": ["opened"], "result": ["The share rose."], "p": [0.01]})
    drawn = Shown("title", [], rows, "", "", "", [])
    monkeypatch.setattr(module, "shown", lambda *_: drawn)
    table = runtime_metadata.figure_of(duckdb.connect(), TESTS)["table"]
    assert str(table.value).splitlines()[0] == "| series | p | result |"
