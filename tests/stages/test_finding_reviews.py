"""Findings go out on a review sheet and come back as verdicts; what does not fit is refused."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.figures import shown
from perf_assets.sources.review_sheets.sheet import FINDINGS
from perf_assets.stages.reviewing import finding_sheet, import_sheet
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.publishing import publish
from perf_assets.storage.verdicts import read_log
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.paths import ROOT
from tests.review_sheets import written
from tests.rows import OTHER_SHA, REPOSITORY, SHA, repository, scanned_tree, static_finding

pytestmark = pytest.mark.slow

FIRST, SECOND = ("2020-03", "2020-Q1"), ("2020-06", "2020-Q2")
RULES = ("sequential-map", "loop-invariant-op")


def name(number: int) -> str:
    return f"f{number:016d}"


@pytest.fixture
def data_dir(empty_data_dir: DataDirectory) -> DataDirectory:
    return empty_data_dir


@pytest.fixture
def writer(data_dir: DataDirectory) -> Iterator[AuditedWriter]:
    """Five findings of one rule and one of another in the newest tree, and one that went."""
    with open_warehouse(data_dir.warehouse) as database:
        insert(database.connection, "meta.repositories", [repository()])
        trees = [scanned_tree(*FIRST, sha=OTHER_SHA), scanned_tree(*SECOND)]
        insert(database.connection, "raw.scanned_trees", trees)
        rows = [static_finding(number, *SECOND, code="=ds.map(parse)") for number in range(1, 6)]
        rows += [static_finding(6, *SECOND, rule=RULES[1])]
        rows += [static_finding(7, *FIRST, sha=OTHER_SHA)]
        rows += [static_finding(1, *FIRST, sha=OTHER_SHA, line=99, end_line=99)]
        insert(database.connection, "raw.static_findings", rows)
        yield AuditedWriter(database, data_dir)


def drawn(data_dir: DataDirectory, each: int, seed: int = 1) -> list[dict[str, str]]:
    publish(data_dir)
    text, number = finding_sheet(data_dir.published, each, seed)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == number
    return rows


@pytest.fixture
def rows(data_dir: DataDirectory, writer: AuditedWriter) -> list[dict[str, str]]:
    """A row of the sheet for each finding of the newest tree, by its name."""
    writer.database.connection.execute("CHECKPOINT")
    return sorted(drawn(data_dir, 10), key=lambda row: row["finding_id"])


def imported(writer: AuditedWriter, rater: str, rows: list[dict[str, str]]) -> tuple[int, int, int]:
    path = writer.data_dir.path / "sheet.csv"
    path.write_text(written(rows, form=FINDINGS), encoding="utf-8")
    imported = import_sheet(writer, path, rater)
    return imported.added, imported.superseding, imported.unchanged


def judged(rows: list[dict[str, str]], *words: str) -> list[dict[str, str]]:
    return [{**row, "verdict": word} for row, word in zip(rows, words, strict=False)]


def test_as_many_of_each_rule_as_there_are_come_from_the_newest_tree(
    data_dir: DataDirectory, writer: AuditedWriter, rows: list[dict[str, str]]
) -> None:
    assert [row["finding_id"] for row in rows] == [name(number) for number in range(1, 7)]
    few = drawn(data_dir, 2)
    assert sorted(row["rule"] for row in few) == [RULES[1], RULES[0], RULES[0]]
    assert few == drawn(data_dir, 2)
    more = [row["finding_id"] for row in drawn(data_dir, 3)]
    assert {row["finding_id"] for row in few} < set(more)
    assert {tuple(row["finding_id"] for row in drawn(data_dir, 2, seed)) for seed in range(9)} != {
        tuple(row["finding_id"] for row in few)
    }


def test_a_row_says_where_to_look_and_is_not_a_formula(rows: list[dict[str, str]]) -> None:
    first = rows[0]
    assert first["link"] == (f"https://github.com/{REPOSITORY}/blob/{SHA}/src/file%201.py#L1")
    assert first["code"] == "'=ds.map(parse)"
    assert (first["rule"], first["severity"], first["path"]) == (
        RULES[0],
        "warning",
        "src/file 1.py",
    )
    assert (first["verdict"], first["note"]) == ("", "")


def test_verdicts_are_added_and_the_last_one_is_in_force(
    writer: AuditedWriter, rows: list[dict[str, str]]
) -> None:
    assert imported(writer, "Ann", judged(rows, "right", " WRONG ", "unsure", "")) == (3, 0, 0)
    assert imported(writer, "Bob", judged(rows, "right")) == (1, 0, 0)
    assert imported(writer, "Ann", judged(rows, "right", "right")) == (0, 1, 1)
    query = "select rater, finding_id, verdict, rule from staging.finding_verdicts order by all"
    assert writer.database.frame(query).rows() == [
        ("Ann", name(1), "right", RULES[0]),
        ("Ann", name(2), "right", RULES[0]),
        ("Ann", name(3), "unsure", RULES[0]),
        ("Bob", name(1), "right", RULES[0]),
    ]
    kept = read_log(writer.data_dir.verdicts).rows["reviews.finding_verdicts"]
    stored = writer.database.frame("from reviews.finding_verdicts order by verdict_id")
    assert kept.sort("verdict_id").equals(stored.select(kept.columns))


def states_of(writer: AuditedWriter) -> list[tuple[object, ...]]:
    """The states of all findings, computed anew."""
    model = ROOT / "dbt_like_models" / "marts" / "finding_states.sql"
    writer.database.connection.execute("DELETE FROM marts.finding_states")
    text = model.read_text(encoding="utf-8")
    writer.database.connection.execute(f"INSERT INTO marts.finding_states BY NAME {text}")
    columns = "finding_id, is_gone, state, address, told_by"
    return writer.database.frame(f"select {columns} from marts.finding_states order by 1").rows()


REPORT = f"https://github.com/{REPOSITORY}/issues/12"


def test_what_became_of_a_finding_is_kept_though_later_runs_find_it_no_more(
    writer: AuditedWriter, rows: list[dict[str, str]]
) -> None:
    told = {"verdict": "right", "address": REPORT}
    states = ("Reported", "confirmed", "rejected")
    given = [{**row, **told, "state": state} for row, state in zip(rows, states, strict=False)]
    imported(writer, "Ann", [*given, {**rows[3], "verdict": "right"}])
    imported(writer, "Bob", [{**rows[0], **told, "state": "fixed"}])
    # Who judges without a word on the state takes nothing from what another said.
    imported(writer, "Cid", judged(rows, "wrong"))
    imported(writer, "Ann", judged(rows[1:], "unsure"))
    assert states_of(writer) == [
        (name(1), False, "fixed", REPORT, "Bob"),
        (name(2), False, "confirmed", REPORT, "Ann"),
        (name(3), False, "rejected", REPORT, "Ann"),
        *((name(number), False, None, None, None) for number in (4, 5, 6)),
        (name(7), True, None, None, None),
    ]
    later = [scanned_tree("2020-09", "2020-Q3")]
    insert(writer.database.connection, "raw.scanned_trees", later)
    later = [static_finding(2, "2020-09", "2020-Q3")]
    insert(writer.database.connection, "raw.static_findings", later)
    assert states_of(writer)[0] == (name(1), True, "fixed", REPORT, "Bob")
    found = shown(writer.database.connection, "marts.finding_states")
    assert found is not None
    assert found.verdicts == [
        (
            REPOSITORY,
            "findings: 7, 6 of them gone from the newest tree; 3 reported, 2 confirmed, "
            "1 fixed, 1 rejected",
        ),
        ("the study's checker", "488 found, 105 confirmed, 27 fixed"),
    ]
    assert [panel["title"] for panel in found.panels] == [REPOSITORY, "the study's checker"]
    funnel = (ROOT / "sql" / "from_findings_to_fixes.sql").read_text(encoding="utf-8")
    assert writer.database.frame(funnel.rstrip().removesuffix(";")).rows() == [
        (REPOSITORY, RULES[0], 6, 5, 3, 2, 1, 1),
        (REPOSITORY, RULES[1], 1, 1, 0, 0, 0, 0),
        ("all", "all", 7, 6, 3, 2, 1, 1),
    ]


def test_a_sheet_of_an_older_version_has_no_states_and_is_read(
    writer: AuditedWriter, rows: list[dict[str, str]]
) -> None:
    older = [
        {name: cell for name, cell in row.items() if name not in FINDINGS.newer}
        for row in judged(rows, "right")[:1]
    ]
    path = writer.data_dir.path / "sheet.csv"
    form = replace(FINDINGS, rated=("verdict", "note"))
    path.write_text(written(older, form=form), encoding="utf-8")
    assert import_sheet(writer, path, "Ann").added == 1
    query = "select verdict, state from reviews.finding_verdicts"
    assert writer.database.frame(query).rows() == [("right", None)]


def test_a_verdict_on_a_finding_that_is_no_longer_reported_stays_and_does_not_count(
    writer: AuditedWriter, rows: list[dict[str, str]]
) -> None:
    imported(writer, "Ann", judged(rows, "wrong"))
    writer.database.connection.execute("DELETE FROM raw.static_findings WHERE path LIKE '%1.py'")
    assert writer.database.frame("from staging.finding_verdicts").is_empty()
    assert writer.database.frame("from reviews.finding_verdicts").height == 1


def test_what_a_project_did_about_a_finding_outlives_its_rule(
    writer: AuditedWriter, rows: list[dict[str, str]]
) -> None:
    told = {"verdict": "right", "state": "fixed", "address": REPORT}
    imported(writer, "Ann", [{**rows[0], **told}])
    writer.database.connection.execute("DELETE FROM raw.static_findings")
    assert states_of(writer) == [(name(1), True, "fixed", REPORT, "Ann")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"finding_id": "f123"}, "column finding_id: owner/name has no finding 'f123'"),
        ({"repository": "a/b"}, "column finding_id: a/b has no finding 'f0000000000000001'"),
        ({"path": "src/file 2.py"}, "column path: is not that of f0000000000000001, src/file 1.py"),
        ({"verdict": "rihgt"}, "column verdict: 'rihgt' is unknown; write right, wrong or unsure"),
        ({"verdict": "", "note": "?"}, "column verdict: is empty although note is filled in"),
        (
            {"state": "mended", "address": REPORT},
            "'mended' is unknown; write reported, confirmed, fixed or rejected",
        ),
        (
            {"state": "fixed"},
            "column address: is not a web address such as https://..., although the finding was",
        ),
        ({"state": "fixed", "address": "javascript:a()"}, "column address: is not a web address"),
        ({"state": "fixed", "address": REPORT}, "verdict: is wrong although the project has fixed"),
        ({"address": REPORT}, "column state: is empty although address is filled in"),
        ({"verdict": "", "state": "fixed"}, "verdict: is empty although state is filled in"),
        ({"finding_id": name(2), "path": "src/file 2.py"}, "is in line 2 already"),
    ],
)
def test_a_mistake_is_reported_with_its_place_and_nothing_is_imported(
    writer: AuditedWriter, rows: list[dict[str, str]], change: dict[str, str], message: str
) -> None:
    sheet = judged([rows[1], {**rows[0], **change}], "right", "wrong")
    sheet[1] |= change
    with pytest.raises(PerfAssetsError) as refused:
        imported(writer, "Ann", sheet)
    assert "sheet.csv, line 3, " in str(refused.value)
    assert message in str(refused.value)
    assert str(refused.value).endswith("nothing was imported")
    assert writer.database.frame("from reviews.finding_verdicts").is_empty()


def test_without_findings_there_is_no_sheet(data_dir: DataDirectory, writer: AuditedWriter) -> None:
    writer.database.connection.execute("DELETE FROM raw.static_findings")
    publish(data_dir)
    with pytest.raises(PerfAssetsError, match="has no findings of static checks"):
        finding_sheet(data_dir.published, 5, 1)
    with pytest.raises(PerfAssetsError, match="--n 0 gives no sample"):
        finding_sheet(data_dir.published, 0, 1)
