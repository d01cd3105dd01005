"""The figure of each table of statistics: a verdict in words, a small table, a small picture."""

import re
from pkgutil import resolve_name
from xml.etree import ElementTree

import polars as pl
import pytest

from perf_assets.reports import drawing_process
from perf_assets.reports.figures import Shown, figures, shown
from perf_assets.reports.figures.drawing import LARGEST_INLINE, SPACING, picture
from perf_assets.reports.figures.figure import MOST_ROWS, MOST_SENTENCES
from perf_assets.reports.figures.panels import series
from perf_assets.reports.monthly.contents import SECTIONS
from perf_assets.schema import declared
from perf_assets.storage.warehouse import reading
from tests.model_database import ModelDatabase, insert
from tests.rows import (
    REPOSITORY,
    Row,
    activity,
    comparison,
    effect,
    flow_test,
    loads,
    trend_month,
)
from tests.storage.good_rows import GOOD
from tests.support import Prepared

pytestmark = pytest.mark.slow

HOSTILE = "x/<script>harm()</script>\x1b[2J"


@pytest.fixture(scope="module")
def empty() -> ModelDatabase:
    return ModelDatabase()


@pytest.fixture
def database() -> ModelDatabase:
    return ModelDatabase()


def of(database: ModelDatabase, table: str) -> Shown:
    found = shown(database.connection, table)
    assert found is not None
    return found


def one_of_family(series: str, p_adjusted: float, **changes: object) -> tuple[Row, Row]:
    """A test of the trend, and what is adjusted for."""
    test = flow_test(series, **changes)
    family = {name: test[name] for name in ("dataset", "repository", "method", "p_value")}
    adjusted = {"source": "trend_tests", "result_of": series, "p_value_holm": p_adjusted}
    return test, family | adjusted | {"tests": 9}


def findings_of_quarter(quarter: str, **changes: object) -> Row:
    month = f"{quarter[:4]}-{3 * int(quarter[-1]):02}"
    counts = dict.fromkeys(("new", "gone", "rewritten", "warnings", "in_library_code"), 0)
    row = {"repository": REPOSITORY, "quarter": quarter, "month": month, "rule": "sync-in-loop"}
    files = {"findings": 2, "files_with_findings": 1, "files_scanned": 9}
    return {**row, "sha": "0" * 40, **counts, **files, **changes}


def values_of(found: Shown) -> list[dict[str, object]]:
    """The values in all panels of its picture."""
    return [value for panel in found.panels for value in panel["data"]["values"]]


def test_every_table_of_statistics_is_in_a_figure() -> None:
    statistics = {name for name in declared() if name.startswith("analysis.")}
    read = {table for figure in figures().values() for table in figure.reads}
    assert statistics <= read
    # Its curves are the picture of how soon bugs are fixed.
    assert statistics - set(figures()) == {"analysis.fix_curves"}


def test_every_figure_has_a_section_of_the_report_and_a_place_of_its_own() -> None:
    declarations = [figure.declared for figure in figures().values()]
    places = [(one.section, one.place) for one in declarations if one.section]
    assert len(places) == len({*places})
    assert {section for section, _ in places} == {section.name for section in SECTIONS}
    for one in filter(None, (declaration.draw for declaration in declarations)):
        assert callable(resolve_name(f"perf_assets.reports.figures.{one.replace('.', ':')}"))
    only_of_the_paper = [name for name, one in figures().items() if not one.declared.section]
    assert only_of_the_paper == ["replication.benchmark"]


@pytest.mark.parametrize("table", figures())
def test_a_table_without_rows_has_none(empty: ModelDatabase, table: str) -> None:
    assert shown(empty.connection, table) is None


@pytest.mark.parametrize("table", figures())
def test_each_query_of_a_figure_names_columns_that_are_there(
    empty: ModelDatabase, table: str
) -> None:
    figure = figures()[table]
    for query in (figure.rows, figure.verdicts, figure.drawn):
        assert empty.connection.sql(query).columns


def test_each_figure_of_the_sample_has_words_rows_and_a_picture_that_fits_into_dagster(
    sampled: Prepared,
) -> None:
    drawn = 0
    with reading(sampled.data_dir / "perf_bugs.duckdb") as connection:
        for table in figures():
            found = shown(connection, table)
            if found is None:
                continue
            assert found.sentences and all(found.sentences), table
            assert connection.sql(found.query).pl().equals(found.found), table
            if found.panels:
                one = found.picture
                assert ElementTree.fromstring(one).tag.endswith("svg")
                assert 1_000 < len(one) * 4 / 3 < LARGEST_INLINE
                names = re.findall(r' id="([^"]+)"', one)
                assert len(names) == len({*names})
                assert {*re.findall(r"url\(#([^)]+)\)", one)} <= {*names}
                drawn += 1
    assert drawn > 12


@pytest.mark.parametrize(
    ("p_adjusted", "odds", "verdict"),
    [(0.04, 1.5, "rises"), (0.04, 0.5, "falls"), (0.06, 1.5, "no change shown")],
)
def test_the_trend_is_reported_in_words_adjusted_for_all_tests(
    database: ModelDatabase, p_adjusted: float, odds: float, verdict: str
) -> None:
    limits = {"odds_ratio_low": odds - 0.1, "odds_ratio_high": odds + 0.1}
    test, family = one_of_family("opened", p_adjusted, odds_ratio_per_year=odds, **limits)
    insert(database.connection, "analysis.trend_tests", [test])
    insert(database.connection, "analysis.adjusted_tests", [family])
    (sentence,) = of(database, "analysis.trend_tests").sentences
    assert sentence == (
        f"owner/name: share among new bug reports: {verdict}; odds x {odds:.2f} a year "
        f"[{odds - 0.1:.2f}, {odds + 0.1:.2f}], p = 0.019, adjusted for all headline "
        f"tests p = {p_adjusted}"
    ).replace("= 0.04", "= 0.040").replace("= 0.06", "= 0.060")


def test_says_that_members_are_not_known_where_nobody_is(database: ModelDatabase) -> None:
    rows = [{**row, "by_members_share": None} for row in GOOD["analysis.fixing_concentration"]]
    insert(database.connection, "analysis.fixing_concentration", rows)
    found = of(database, "analysis.fixing_concentration")
    (sentence,) = found.sentences
    assert sentence.count("which of them are members is not known") == 2
    assert "known members" not in sentence


def test_live_data_go_before_published_ones(database: ModelDatabase) -> None:
    published = {"dataset": "replication", "repository": "of/paper"}
    insert(database.connection, "marts.trend_monthly", [trend_month("2019-01", **published)])
    assert of(database, "marts.trend_monthly").rows["repository"].to_list() == ["of/paper"]
    insert(database.connection, "marts.trend_monthly", [trend_month("2020-02")])
    assert of(database, "marts.trend_monthly").rows["repository"].to_list() == ["owner/name"]


def test_of_a_repository_at_rest_pictures_end_with_its_activity(database: ModelDatabase) -> None:
    rest = activity("2023-06", "2021-02", is_at_rest=True, last_series_month="2021-02")
    insert(database.connection, "marts.activity", [rest])
    quarters = ("2020-Q4", "2021-Q1", "2021-Q2", "2021-Q3", "2023-Q2")
    changes = ({"new": 2}, {}, {"gone": 1}, {}, {})
    found = [
        findings_of_quarter(quarter, **change)
        for quarter, change in zip(quarters, changes, strict=True)
    ]
    insert(database.connection, "analysis.static_findings", found)
    drawn = of(database, "analysis.static_findings")
    assert {value["quarter"] for value in values_of(drawn)} == set(quarters[:3])
    assert drawn.verdicts[0][1].startswith("2020-Q4 to 2021-Q2: at the end 2 findings")
    months = loads("2021-01", "2021-02", "2021-03", "2023-06")
    months += loads("2022-01", status="failed")
    insert(database.connection, "meta.partition_loads", months)
    cells = {value["month"] for value in values_of(of(database, "meta.partition_loads"))}
    assert cells == {"2021-01", "2021-02", "2022-01"}


def test_how_often_findings_are_right_stands_beside_their_number(database: ModelDatabase) -> None:
    insert(database.connection, "analysis.static_findings", [findings_of_quarter("2021-Q1")])
    assert "right" not in of(database, "analysis.static_findings").verdicts[0][1]
    judged = {"repository": "owner/name", "rule": "sync-in-loop", "judged": 20, "right_ones": 17}
    shares = {"estimate_percent": 85.0, "low_percent": 64.0, "high_percent": 94.8}
    rows = [
        judged
        | shares
        | {"wrong_ones": 3, "unsure_ones": 0, "rater": rater, "confidence_level": 0.95}
        for rater in ("Ann", "consensus")
    ]
    insert(database.connection, "analysis.finding_precision", rows)
    drawn = of(database, "analysis.static_findings")
    assert "(sync-in-loop 2: 85 % right [64, 95] of 20 judged)" in drawn.verdicts[0][1]
    assert drawn.rows.select("judged", "right_percent").rows() == [(20, 85.0)]


def test_many_repositories_are_cut_in_words_and_the_picture_stays_small(
    database: ModelDatabase,
) -> None:
    months = [f"{year}-{month:02d}" for year in range(2010, 2022) for month in range(1, 13)]
    rows = [
        trend_month(
            month,
            repository=f"{HOSTILE}{number:02d}",
            open_performance=7 * place % 97,
            open_total=100,
            fixed_total=20,
        )
        for number in range(20)
        for place, month in enumerate(months)
    ]
    database.connection.register("made", pl.DataFrame(rows))
    database.connection.execute("insert into marts.trend_monthly by name from made")
    found = of(database, "marts.trend_monthly")
    assert found.rows.height == MOST_ROWS and found.found.height == 120
    assert len(found.sentences) == MOST_SENTENCES + 2
    assert found.sentences[-2:] == [
        "and 8 more verdicts: see the report",
        "the picture shows 4 of 20 panels: see the report",
    ]
    drawn = found.picture
    assert len(drawn) * 4 / 3 < LARGEST_INLINE
    assert "<script" not in drawn and "harm()" in drawn and "\x1b" not in drawn
    assert not re.search(r"\.\d{3}", re.sub(r">[^<]*<", "><", drawn))


def test_what_is_pooled_stands_last_and_not_where_it_says_the_same_again(
    database: ModelDatabase,
) -> None:
    for repository in ("b/b", "pooled"):
        fill(database, repository)
    assert of(database, "analysis.effect_sizes").rows["repository"].to_list() == ["b/b"]
    fill(database, "z/z")
    found = of(database, "analysis.effect_sizes")
    assert found.rows["repository"].to_list() == ["b/b", "z/z", "pooled"]
    assert found.rows["low"].to_list() == [0.1] * 3
    assert [sentence.split(":")[0] for sentence in found.sentences] == ["b/b", "z/z", "pooled"]


def fill(database: ModelDatabase, repository: str) -> None:
    rows = [comparison("comments", repository=repository)]
    insert(database.connection, "analysis.group_comparisons", rows)
    known = effect("comments", method="cliffs_delta", n_performance=5, n_other=9)
    known |= {"repository": repository, "dataset": "live", "is_too_few": False}
    insert(database.connection, "analysis.effect_sizes", [known])


def test_the_panels_of_a_picture_stand_beside_each_other_on_white() -> None:
    months = [f"2020-{month:02}" for month in range(1, 13)]
    rows = pl.DataFrame({"month": months, "color": "bugs", "value": range(12)})
    panels = [series(title, rows, "bugs", {"bugs": "#000"}) for title in ("one", "two", "three")]
    panels[1]["height"] = 300
    whole = ElementTree.fromstring(picture(panels))
    ground, *parts = whole
    assert ground.attrib == {"width": "100%", "height": "100%", "fill": "white"}

    def numbers(part: ElementTree.Element, *names: str) -> list[float]:
        return [float(part.get(name, 0)) for name in names]

    first, second, third = (numbers(part, "x", "y", "width", "height") for part in parts)
    assert first[:2] == [0, 0]
    assert second[:2] == [first[2] + SPACING, 0]
    assert third[:2] == [0, second[3] + SPACING] and second[3] > first[3]
    assert numbers(whole, "width", "height") == [second[0] + second[2], third[1] + third[3]]
    (alone,) = list(ElementTree.fromstring(picture(panels[:1])))[1:]
    assert numbers(alone, "x", "y") == [0, 0]


def test_a_picture_is_the_same_wherever_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = '{"data": {"values": [{"a": 1}, {"a": 2}]}, "mark": "point"}'
    monkeypatch.setattr(drawing_process, "_started", [])
    here = drawing_process.svg(chart)
    drawing_process.prepare.__wrapped__()
    (python,) = drawing_process._started
    assert drawing_process.svg(chart) == here
    assert python.process.poll() is None
    python.process.kill()
    assert drawing_process.svg(chart) == here
