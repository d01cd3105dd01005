"""The published data through models, statistics and report, beside the figures of the paper."""

import logging
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.execution import run_replication
from perf_assets.schema.models.dependencies import analyses
from perf_assets.sources.replication.problems import PLAIN
from perf_assets.stages.replicating import TABLES, load_package
from perf_assets.stages.transform.derivation import derive, derived_tables
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.model_database import insert
from tests.paths import PROBLEMS, PYTORCH_PACKAGE
from tests.replication_package import replace_in, write_package
from tests.rows import Row, issue, label, loads, repository
from tests.support import perf_assets, stored_tables

pytestmark = pytest.mark.slow

PYTORCH, TENSORFLOW = "pytorch/pytorch", "tensorflow/tensorflow"


def replicate(data_dir: Path, folder: Path, *, accept_changes: bool = True) -> None:
    """Load, model and analyse, as the job does but without Dagster."""
    directory = DataDirectory.of(data_dir)
    with open_warehouse(directory.warehouse) as database:
        writer = AuditedWriter(database, directory)
        outcomes = [load_package(writer, folder, accept_changes=accept_changes)]
        outcomes += [one.outcome for one in derive(writer) if one.outcome is not None]
    assert [outcome.failure for outcome in outcomes if outcome.failure is not None] == []


@pytest.fixture(scope="module", autouse=True)
def quiet() -> None:
    logging.getLogger("great_expectations").setLevel(logging.WARNING)


@pytest.fixture(scope="module")
def replicated(once: Callable[..., Path]) -> Path:
    """The hand-made package of both frameworks in the data directory that it was replicated in."""

    def fill(directory: Path) -> None:
        directory.mkdir()
        replicate(directory, write_package(directory / "package"))

    return once("replicated", fill)


@pytest.fixture(scope="module")
def small(replicated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The hand-made package of both frameworks, replicated."""
    warehouse = replicated / "warehouse.duckdb"
    # One process at a time opens a warehouse.
    own = shutil.copy(warehouse, tmp_path_factory.mktemp("replicated") / warehouse.name)
    with open_warehouse(own) as database:
        yield database


@pytest.fixture(scope="module")
def real(once: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The published PyTorch files, replicated."""
    if not PYTORCH_PACKAGE.is_dir():
        pytest.skip(f"the published PyTorch files are not at {PYTORCH_PACKAGE}")

    def fill(directory: Path) -> None:
        directory.mkdir()
        replicate(directory, PYTORCH_PACKAGE, accept_changes=False)

    warehouse = once("pytorch", fill) / "warehouse.duckdb"
    own = shutil.copy(warehouse, tmp_path_factory.mktemp("real") / warehouse.name)
    with open_warehouse(own) as database:
        yield database


def rows(database: Database, query: str) -> list[tuple[Any, ...]]:
    return database.frame(query).rows()


def compared(database: Database) -> dict[str, dict[str, Any]]:
    frame = database.frame("FROM analysis.paper_comparison")
    return {row["figure"]: row for row in frame.iter_rows(named=True)}


def test_pytorch_gives_the_known_trend_tests(real: Database) -> None:
    found = rows(
        real,
        """
        SELECT series, n_positive, n_pairs, p_value FROM analysis.trend_tests
        WHERE method = 'cox_stuart' AND series IN ('open', 'fixed')
        """,
    )
    assert sorted(found) == [
        ("fixed", 23, 26, pytest.approx(4.398822784e-05, rel=1e-9)),
        ("open", 20, 26, pytest.approx(0.0046776533, rel=1e-7)),
    ]
    comparison = compared(real)
    for series, p_value in (("open", 0.0046776533), ("fixed", 4.398822784e-05)):
        published = comparison[f"cox_stuart.{PYTORCH}.{series}.published"]
        assert published["reproduced"] == pytest.approx(p_value, rel=1e-7)
        assert published["verdict"] == "within_rounding"


def test_the_points_of_figure_1_are_those_of_the_published_series(real: Database) -> None:
    comparison = compared(real)
    name = f"figure_1.{PYTORCH}.open"
    for point in ("first", "last", "change"):
        published = comparison[f"{name}.{point}.published"]
        assert published["verdict"] in ("exact", "within_rounding"), point
    counted = comparison[f"{name}.last.reproduced"]
    assert (counted["verdict"], round(counted["reproduced"], 2)) == ("differs", 9.30)
    assert "31 have fewer" in counted["reason"] and "20 have more" in counted["reason"]
    # Counted from other bug reports, the trend test gives the same value nevertheless.
    tested = comparison[f"cox_stuart.{PYTORCH}.open.reproduced"]
    assert tested["verdict"] == "coincides"
    assert tested["reason"].endswith("51 of 53 months have other counts")
    assert comparison[f"cox_stuart.{PYTORCH}.fixed.reproduced"]["verdict"] == "within_rounding"


def test_pytorch_gives_the_known_counts(real: Database) -> None:
    breakdown = "SELECT is_performance, open + closed, fixed FROM marts.dataset_breakdown"
    assert sorted(rows(real, breakdown)) == [(False, 15_276, 2_675), (True, 1_008, 113)]


def test_pytorch_gives_the_known_comparisons(real: Database) -> None:
    found = real.frame(
        f"FROM analysis.group_comparisons WHERE repository = '{PYTORCH}'"
    ).rows_by_key("metric", named=True, unique=True)
    known = {
        "fix_size": (50, 28, 0.125),
        "fix_time_days": (19.64, 11.49, 0.198),
        "comments": (4, 2, 0.216),
        "commentators": (3, 2, 0.216),
    }
    for metric, (performance, other, delta) in known.items():
        assert round(found[metric]["median_performance"], 2) == performance
        assert round(found[metric]["median_other"], 2) == other
        assert round(found[metric]["cliffs_delta"], 3) == delta
    assert round(found["fix_size"]["p_value"], 3) == 0.024


def test_pytorch_agrees_with_the_published_fixed_series_in_every_month(real: Database) -> None:
    agreeing = """
        SELECT series, count(*), count(*) FILTER (
            published_performance = reproduced_performance AND published_total = reproduced_total)
        FROM marts.paper_trend GROUP BY series ORDER BY series
    """
    assert rows(real, agreeing) == [("fixed", 53, 53), ("open", 53, 2)]
    shifted = """
        SELECT count(*) FROM marts.trend_monthly AS ours JOIN replication.paper_series AS theirs
        ON ours.fixed_total = theirs.bug_reports AND ours.fixed_performance = theirs.performance
        AND strptime(ours.month, '%Y-%m') + INTERVAL 1 MONTH = strptime(theirs.month, '%Y-%m')
        WHERE theirs.series = 'fixed'
    """
    assert rows(real, shifted) == [(53,)]


def test_what_needs_both_frameworks_is_not_derived_from_one(real: Database) -> None:
    comparison = compared(real)
    assert comparison[f"table_1.{PYTORCH}.performance.fixed"]["verdict"] == "exact"
    for name in ("table_1.pooled.performance.fixed", "table_2.comments.performance"):
        assert comparison[name]["verdict"] == "not_derivable"
        assert comparison[name]["reason"] == f"the loaded data have no bug reports of {TENSORFLOW}"
    differs = comparison[f"table_1.{PYTORCH}.performance.open"]
    assert (differs["published"], differs["reproduced"], differs["difference"]) == (405, 388, -17)
    assert "reopening" in differs["reason"]


def test_the_same_models_measure_published_bugs(small: Database) -> None:
    query = f"""
        SELECT number, is_performance, is_fixed, round(fix_time_days, 6), fix_size, fix_commits,
               hours_to_first_comment, comments, commentators
        FROM marts.bug_metrics WHERE dataset = 'replication' AND repository = '{PYTORCH}'
        ORDER BY number
    """
    half_a_minute = 10 + 30 / 86_400
    assert rows(small, query) == [
        (7, True, True, 1.0, 4, 1, 1.0, 2, 1),
        (101, True, True, round(half_a_minute, 6), 40, 2, 1.0, 2, 1),
        (102, True, True, 30.0, 120, 1, 1.0, 2, 1),
        (103, True, False, None, None, 0, 1.0, 2, 1),
        (104, False, True, 2.0, 5, 1, 1.0, 2, 1),
        (105, False, True, 1.0, 7, 1, None, 2, 1),  # only the reporter commented
        (106, False, False, None, None, 0, 1.0, 2, 1),
        (107, False, False, None, None, 0, None, 0, 0),
    ]


def test_the_series_is_counted_at_the_cut_off_of_each_framework(small: Database) -> None:
    query = """
        SELECT repository, month, reproduced_performance, reproduced_total,
               published_performance, published_total
        FROM marts.paper_trend WHERE series = 'fixed' ORDER BY repository, month
    """
    assert rows(small, query) == [
        (PYTORCH, "2017-02", 2, 4, 2, 4),
        (PYTORCH, "2017-03", 3, 5, 3, 5),
        (TENSORFLOW, "2017-02", 3, 5, 3, 5),
        (TENSORFLOW, "2017-03", 3, 5, 3, 5),
    ]


def test_every_analysis_has_rows_of_each_framework_and_of_both_together(small: Database) -> None:
    # Nobody judged the published bugs; no changed lines are published to date their origin by, and
    # no texts to look for words in; no outcomes to count by; no forum is loaded, and no tree;
    # too few are fixed for a curve.
    missing = {
        "labelling_quality",
        "corrected_shares",
        "rater_agreement",
        "rater_disagreements",
        "lifetime_comparisons",
        "labelling_rule_agreement",
        "keyword_stem_hits",
        "question_bug_correlation",
        "question_difficulty",
        "question_kind_quality",
        "question_agreement",
        "static_findings",
        "finding_precision",
        "finding_agreement",
        "endorsement_precision",
        "label_sensitivity",
        "keyword_proposals",
        "fix_curves",
        "trend_variants",
    }
    of_repositories = {"analysis.open_share_changes", "analysis.closing_rates"}
    # These are of what is mined: what is published is over, and tells of no labels, duplicates
    # and benchmarks.
    mined = {
        *("marts.alerts", "marts.duplicate_groups", "marts.instrument_changes"),
        *("marts.benchmark_changes", "marts.benchmark_areas", "marts.regression_reports"),
    }
    # Who wrote the published fixes is not published. Pairs and means are of no one repository.
    missing |= {"fixing_concentration", "project_comparisons", "pooled_effects"}
    left_out = mined | {*(f"analysis.{name}" for name in missing)}
    for table in analyses().keys() - left_out:
        query = f"SELECT repository FROM {table} WHERE dataset = 'replication'"
        found = {name for (name,) in rows(small, query)}
        pooled = set() if table in of_repositories else {"pooled"}
        assert found == {PYTORCH, TENSORFLOW} | pooled, table


def test_doubtful_links_are_left_out_by_rule(small: Database) -> None:
    query = f"""
        SELECT parameters, links, links_left_out FROM analysis.link_sensitivity
        WHERE repository = '{PYTORCH}' AND metric = 'fix_size' ORDER BY links_left_out, parameters
    """
    found = {parameters: (links, out) for parameters, links, out in rows(small, query)}
    assert found['{"left_out": []}'] == (6, 0)
    assert found['{"left_out": ["issue_number_below_100"]}'] == (6, 1)


def test_both_frameworks_give_every_figure_a_verdict_and_a_reason(small: Database) -> None:
    comparison = compared(small)
    table_1 = comparison["table_1.pooled.performance.fixed"]
    assert (table_1["published"], table_1["reproduced"], table_1["verdict"]) == (160, 6, "differs")
    assert comparison["taxonomy.categories"]["reproduced"] == 4
    memory = comparison["table_3.Memory inefficiency: Unreleased memory resources.bugs"]
    assert memory["reproduced"] == 2
    impact = comparison["table_3.Other.speed"]
    assert impact["verdict"] == "not_derivable"
    assert impact["reason"] == "the package's taxonomy has no impacts"
    # The verified ones without issue 7: 101 and 102 of TensorFlow, 101 of PyTorch.
    fix_time = comparison["table_2.fix_time_days.performance"]
    assert fix_time["reproduced"] == pytest.approx(10 + 30 / 86_400)
    for row in comparison.values():
        assert row["reason"] or row["verdict"] in ("exact", "within_rounding"), row
        assert (row["reproduced"] is None) == (row["verdict"] == "not_derivable"), row


def stored(database: Path) -> dict[str, pl.DataFrame]:
    tables = stored_tables(database)
    return {name: tables[name] for name in TABLES}


def test_a_package_that_is_refused_leaves_the_previous_one(tmp_path: Path) -> None:
    folder, data_dir = write_package(tmp_path / "package"), DataDirectory.of(tmp_path / "home")
    with open_warehouse(data_dir.warehouse) as database:
        load_package(AuditedWriter(database, data_dir), folder, accept_changes=True)
    before = stored(data_dir.warehouse)
    assert before["replication.bugs"].height == 16
    file = folder / "tensorflow_fixed_perf_trend_analysis.csv"
    whole = file.read_bytes()
    file.write_bytes(whole[:-8])
    with (
        open_warehouse(data_dir.warehouse) as database,
        pytest.raises(PerfAssetsError, match="cut short"),
    ):
        load_package(AuditedWriter(database, data_dir), folder, accept_changes=True)
    # One table that fails its audit keeps all of them out.
    file.write_bytes(whole.replace(b"2017-02,3,5", b"2017-02,6,5"))
    replace_in(folder / "pytorch_perf_bugs_information.csv", "102,", "202,")
    with open_warehouse(data_dir.warehouse) as database:
        outcome = load_package(AuditedWriter(database, data_dir), folder, accept_changes=True)
    assert "bug_reports_is_not_below_performance" in str(outcome.failure)
    assert not outcome.is_written
    assert (data_dir.quarantine / "replication.paper_series" / "candidate.parquet").exists()
    after = stored(data_dir.warehouse)
    assert all(after[name].equals(before[name]) for name in TABLES)


def mined(data_dir: Path) -> dict[str, pl.DataFrame]:
    """The tables that a run over live data writes, and what is derived from them."""
    tables = stored_tables(data_dir / "warehouse.duckdb")
    tables.pop("meta.build_state")  # of the derived tables too
    kept = {name: frame for name, frame in tables.items() if name.split(".")[0] in MINED}
    return kept | {"live": tables["marts.bug_metrics"].filter(dataset="live")}


MINED = ("meta", "raw", "labels", "links")
LIVE: dict[str, list[Row]] = {
    "meta.repositories": [repository()],
    "meta.partition_loads": loads("2020-01", "2020-02"),
    "raw.issues": [issue(1, "2020-01-05", "2020-02-07"), issue(2, "2020-02-06")],
    "labels.performance_labels": [label(1, is_performance=True), label(2)],
}


STUDY = """
name = "tiny"
[[repositories]]
name = "owner/name"
start = "2020-01"
end = "2020-03"
"""


def loaded(database: Database, folder: Path, problems: Path | None = None) -> None:
    data_dir = DataDirectory.of(folder.parent)
    outcome = load_package(AuditedWriter(database, data_dir), folder, problems, accept_changes=True)
    assert outcome.failure is None


def test_the_problems_are_those_of_the_file_the_folder_or_before(tmp_path: Path) -> None:
    folder, file = write_package(tmp_path / "package"), tmp_path / "other.csv"
    rows = [problem_line("1"), problem_line("2", "Tine: slow")]
    file.write_text("".join([problem_line(), *rows]), encoding="utf-8")

    def held() -> tuple[list[Any], list[Any]]:
        names = database.frame("SELECT problem_id, file FROM replication.problems ORDER BY ALL")
        return names.rows(), database.frame(
            "SELECT file, line FROM replication.rejected_rows"
        ).rows()

    with open_warehouse(tmp_path / "warehouse.duckdb") as database:
        loaded(database, folder)
        assert held() == ([], [])
        loaded(database, folder, file)
        assert held() == ([("1", "other.csv")], [("other.csv", 3)])
        loaded(database, folder)  # without a file of them what is stored stays, its rejects too
        assert held() == ([("1", "other.csv")], [("other.csv", 3)])
        inside = "".join([problem_line(), problem_line("7")])
        (folder / "problems.csv").write_text(inside, encoding="utf-8")
        loaded(database, folder)
        assert held() == ([("7", "problems.csv")], [])


def test_the_published_problems_give_every_figure_of_their_study(
    replicated: Path, tmp_path: Path
) -> None:
    if not PROBLEMS.is_file():
        pytest.skip(f"the published problems are not at {PROBLEMS}")
    data_dir = shutil.copytree(replicated, tmp_path / "home")
    arguments = ("--data", data_dir / "package", "--accept-changes", "--data-dir", data_dir)
    alone = perf_assets("replicate", *arguments)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert "give its published file by --problems" in alone.stdout
    both = perf_assets("replicate", *arguments, "--problems", PROBLEMS)
    assert both.returncode == 0, both.stdout + both.stderr
    assert "The study of performance problems, " in both.stdout
    assert "by --problems" not in both.stdout
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        figures = connection.execute(
            """
            SELECT published_text, reproduced, verdict FROM analysis.paper_comparison
            WHERE study = 'performance_problems' AND figure NOT LIKE 'problems.checker.%'
            """
        ).fetchall()
        stated = connection.execute(
            """
            SELECT published_text FROM analysis.paper_comparison
            WHERE figure LIKE 'problems.checker.%' AND verdict = 'not_derivable'
            """
        ).fetchall()
    assert {verdict for *_, verdict in figures} == {"exact"}
    counts = {text: value for text, value, _ in figures if "-" not in text}
    assert counts == {text: float(text) for text in counts}
    assert {"224", "210", "117", "126", "115"} <= counts.keys() and len(figures) == 153
    assert {text for (text,) in stated} == {"488", "130", "105", "27", "33", "9", "24"}
    page = (data_dir / "replication_report.html").read_text(encoding="utf-8")
    assert "Performance problems that users have" in page and ">2018-01-02<" in page


def problem_line(name: str = "id", symptom: str = "Unknown") -> str:
    """A line of the file of problems; its header without arguments."""
    if name == "id":
        return ",".join(PLAIN) + "\n"
    cells = [name, "2020-12-06T01:43:50.000Z", "Slow", f"https://so/questions/{name}"]
    return ",".join([*cells, "env", "training", symptom, "", "Data: improper data input"]) + "\n"


def test_only_the_job_replicate_loads_the_published_data(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    definitions = build_definitions(load_study(tmp_path / "study.toml"), DataDirectory.of(tmp_path))
    loading = {}
    for name in ("full_pipeline", "mine", "label_and_link", "build_models", "replicate"):
        keys = definitions.resolve_job_def(name).asset_layer.executable_asset_keys
        loading[name] = {key.path[0] for key in keys} & {"replication", "raw"}
    assert loading == {
        "full_pipeline": {"raw"},
        "mine": {"raw"},
        "label_and_link": set(),
        "build_models": set(),
        "replicate": {"replication"},
    }


@pytest.mark.exhaustive
@pytest.mark.usefixtures("trusting_auditor")  # of the same package, which `small` was audited with
def test_the_command_prints_the_comparison_writes_the_report_and_leaves_live_data_alone(
    tmp_path: Path,
) -> None:
    data_dir = DataDirectory.of(tmp_path / "home").path
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        for table, live_rows in LIVE.items():
            insert(database.connection, table, live_rows)
        writer = AuditedWriter(database, DataDirectory.of(data_dir))
        assert [one.table for one in derive(writer)] == list(derived_tables())
    before = mined(data_dir)
    assert before["live"].height == 2
    folder = write_package(tmp_path / "package")
    with pytest.raises(PerfAssetsError, match="the content differs from the published file"):
        run_replication(DataDirectory.of(data_dir), folder)
    arguments = ("--data", folder, "--accept-changes", "--data-dir", data_dir)
    ran = perf_assets("replicate", *arguments, "--all")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    words = " ".join(ran.stdout.split())
    assert "Cox-Stuart p-value of the open series" in words
    assert "not derivable: the package's taxonomy has no impacts" in words
    after = mined(data_dir)
    assert before.keys() == after.keys()
    assert [name for name, frame in before.items() if not frame.equals(after[name])] == []
    page = (data_dir / "replication_report.html").read_text(encoding="utf-8")
    seen = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert seen.count("<svg") == seen.count('role="img" aria-label="') >= 9
    assert "The same data, read by tests that hold" in seen
    assert "the paper&#39;s test: " in seen
    assert "<link" not in seen and "src=" not in seen and "<script src" not in page
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        ((comment,),) = connection.execute(
            "SELECT comment FROM duckdb_tables() WHERE table_name = 'paper_comparison'"
        ).fetchall()
    assert "as published and as reproduced" in comment
