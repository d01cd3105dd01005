"""Both sides of a framework in the report: sentences, and a picture that fits into Dagster's."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from perf_assets.core.questions.both_sides import both_sides
from perf_assets.months import add_months
from perf_assets.reports.both_sides import BothSides, draw, sentences
from perf_assets.reports.summary import summary_markdown
from perf_assets.reports.writing import LARGEST_INLINE
from perf_assets.stages.deriving.derivation import derive
from perf_assets.storage.gate import Gate
from perf_assets.storage.home import Home
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import Database, open_warehouse
from perf_assets.tables import schema_of
from tests.model_database import insert
from tests.question_rows import both_sides_month

SVG = b"<svg "


def sides(n: int = 60, frameworks: int = 1, lead: int = 3) -> BothSides:
    shocks = np.random.default_rng(1).normal(size=n + lead)
    rows = [
        both_sides_month(
            add_months("2016-01", place),
            repository=f"owner/framework-{number}",
            questions=200,
            answered_performance_questions=0,
            accepted_performance_questions=0,
            performance_questions=int(np.exp(3 + 0.5 * shocks[place + lead])),
            performance_bugs=int(np.exp(3 + 0.5 * shocks[place])),
            bug_reports=200,
        )
        for number in range(frameworks)
        for place in range(n)
    ]
    months = pl.DataFrame(rows, schema=schema_of("marts.both_sides"))
    return BothSides(months, both_sides(months))


def test_a_sentence_tells_numbers_and_the_lags_outside_the_band() -> None:
    (told,) = sentences(sides())
    assert told.startswith("owner/framework-0 and stackoverflow, 2016-01 to 2020-12: ")
    months = sides().months
    asked = months["performance_questions"].sum()
    assert f"{asked:,} of 12,000 questions are about performance ({asked / 120:.1f} %)" in told
    assert " of 12,000 bug reports are (" in told
    assert "; 60 performance bugs were fixed; they go together" in told
    assert "where performance bugs are later by so many months: +3 (+1.00) " in told


def test_without_a_correlation_the_sentence_says_why() -> None:
    (told,) = sentences(sides(12))
    assert told.endswith("no correlation: 12 complete months in a row; at least 36 are needed")
    (told,) = sentences(BothSides(sides(12).months, sides(12).correlations.clear()))
    assert told.endswith("no correlation: not computed")


def test_series_without_anything_in_common_are_not_called_related() -> None:
    flat = sides().correlations.with_columns(is_outside_band=pl.lit(value=False))
    (told,) = sentences(BothSides(sides().months, flat))
    assert told.endswith("at no lag of a year each way do they go together more than by chance")


def test_the_picture_is_drawn_once_and_fits_into_dagster(tmp_path: Path) -> None:
    path = tmp_path / "both_sides.svg"
    inline = draw(sides(60, 6), path, is_new=True)
    assert path.read_bytes().startswith(SVG)
    assert inline.startswith("data:image/svg+xml;base64,")
    assert 10_000 < len(inline) < LARGEST_INLINE
    path.write_bytes(SVG)
    draw(sides(), path, is_new=False)
    assert path.read_bytes() == SVG
    draw(sides(12), path, is_new=True)
    assert len(path.read_bytes()) > 5_000


def test_where_there_is_nothing_to_draw_there_is_no_picture(tmp_path: Path) -> None:
    path = tmp_path / "both_sides.svg"
    path.write_bytes(SVG)
    nothing = BothSides(sides().months.clear(), sides().correlations.clear())
    assert draw(nothing, path, is_new=False) == ""
    assert not path.exists()


def test_a_picture_that_is_too_large_is_not_put_into_the_page(tmp_path: Path) -> None:
    path = tmp_path / "both_sides.svg"
    path.write_bytes(bytes(LARGEST_INLINE))
    assert draw(sides(), path, is_new=False) == ""


def test_other_data_are_known_by_their_fingerprint() -> None:
    assert sides().fingerprint == sides().fingerprint != sides(59).fingerprint


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.of(tmp_path)
    with open_warehouse(home.warehouse) as database:
        list(derive(Gate(database, home)))
    publish(home)
    return home


@pytest.mark.slow
def test_the_report_has_the_picture_with_a_text_for_who_cannot_see_it(home: Home) -> None:
    assert "both_sides.svg" not in summary_markdown(home.published)
    with open_warehouse(home.warehouse) as database:
        _fill(database)
    publish(home)
    text = summary_markdown(home.published)
    assert "## what users ask and what is reported, month by month\n\n![owner/framework" in text
    assert '(both\\_sides.svg "data ' not in text
    assert '(both_sides.svg "data ' in text
    assert "(data:x" in summary_markdown(home.published, {"both_sides": "data:x"})


def _fill(database: Database) -> None:
    known = sides()
    for table, rows in (
        ("marts.both_sides", known.months),
        ("analysis.both_sides", known.correlations),
    ):
        insert(database.connection, table, rows.iter_rows(named=True))
