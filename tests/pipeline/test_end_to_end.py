"""The main job on generated corpora: every number equals the planted truth."""

import gzip
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import dagster as dg
import duckdb
import polars as pl
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.core.labelling.labels import label_issues
from perf_assets.core.labelling.rule_sets import PERFORMANCE_2026
from perf_assets.core.people.addresses import hashed_address
from perf_assets.dagster_app.execution import run_study
from perf_assets.schema import schema_of
from perf_assets.stand_ins.generator import generate
from tests.effort import KILLS
from tests.support import (
    Prepared,
    assert_same_tables,
    command,
    environment,
    materialize,
    stored_tables,
)

pytestmark = pytest.mark.slow

KEYS = {
    "performance_labels": ["repository", "number"],
    "fix_links": ["repository", "number", "sha", "approach"],
    "introducing_commits": ["repository", "sha", "path", "introducing_sha"],
    "bug_metrics": ["dataset", "repository", "number"],
    "bug_lifetimes": ["dataset", "repository", "number"],
    "bug_releases": ["dataset", "repository", "number"],
    "releases": ["repository", "tag"],
    "bug_areas": ["dataset", "repository", "number", "area"],
    "area_monthly": ["dataset", "repository", "area", "month"],
    "hot_spots": ["dataset", "repository", "code_unit", "name"],
    "trend_monthly": ["dataset", "repository", "month"],
    "dataset_breakdown": ["dataset", "repository", "is_performance"],
    "static_findings": ["repository", "quarter", "path", "line", "rule"],
}
SCHEMAS = {
    "performance_labels": "labels",
    "fix_links": "links",
    "introducing_commits": "details",
    "bug_lifetimes": "marts",
    "bug_releases": "marts",
    "releases": "raw",
    "bug_metrics": "marts",
    "bug_areas": "marts",
    "area_monthly": "marts",
    "hot_spots": "marts",
    "trend_monthly": "marts",
    "dataset_breakdown": "marts",
    "static_findings": "raw",
}
LINES = 6  # that a run writes before its figures
MICROSECOND_IN_DAYS = 1 / 86_400_000_000


def as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists joined, timestamps as ISO text, so that CSV and database can be compared."""
    columns = []
    for name, kind in frame.schema.items():
        column = pl.col(name)
        if isinstance(kind, pl.List):
            column = column.list.sort().list.join("|")
        elif isinstance(kind, pl.Datetime):
            column = column.dt.convert_time_zone("UTC").dt.strftime("%Y-%m-%dT%H:%M:%SZ")
        columns.append(column)
    return frame.select(columns)


def assert_equals_truth(corpus: Path, database: Path, table: str) -> None:
    file = corpus / "truth" / f"{table}.csv"
    names = schema_of(f"{SCHEMAS[table]}.{table}").names()
    truth = (
        pl.read_csv(file, infer_schema=False)
        if file.exists()
        else pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    )
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        found = as_text(connection.sql(f"FROM {SCHEMAS[table]}.{table}").pl())
    assert set(truth.columns) <= set(found.columns)
    found = found.select(truth.columns)
    floats = [name for name, kind in found.schema.items() if kind.is_float()]
    typed = truth.with_columns(
        [
            pl.col(name) == "true" if kind == pl.Boolean else pl.col(name).cast(kind)
            for name, kind in found.schema.items()
            if kind != pl.String
        ]
    ).with_columns(pl.col(pl.String).fill_null(""))
    found = found.with_columns(pl.col(pl.String).fill_null("")).sort(KEYS[table])
    typed = typed.sort(KEYS[table])
    assert found.height == typed.height
    for name in truth.columns:
        if name in floats:
            assert found[name].is_null().equals(typed[name].is_null()), name
            difference = (found[name] - typed[name]).abs().max()
            assert difference is None or difference < MICROSECOND_IN_DAYS, name
        else:
            wrong = found.filter(found[name].ne_missing(typed[name]))
            assert wrong.is_empty(), f"{table}.{name}: {wrong.head(3)}"


# Over a smaller corpus, tests/dagster_app/test_event_reporting.py has it.
@pytest.mark.exhaustive
def test_dagster_makes_the_tables_of_the_plain_pipeline(middling: Prepared, tmp_path: Path) -> None:
    data_dir = DataDirectory.of(tmp_path / "home")
    with dg.DagsterInstance.ephemeral() as instance:
        assert run_study(load_study(middling.study), data_dir, instance=instance) == []
    plain = DataDirectory.of(middling.data_dir)
    assert_same_tables(stored_tables(data_dir.published), stored_tables(plain.published))


def test_a_copied_fix_ships_with_the_branch_of_releases(sampled: Prepared) -> None:
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        tags = "SELECT tag FROM raw.releases WHERE NOT is_on_default_branch"
        (copied,) = connection.sql(tags).fetchall()
        shipped = """
            SELECT DISTINCT first_fixed_release
            FROM marts.bug_releases
            WHERE fix_copied_as IS NOT NULL
        """
        assert connection.sql(shipped).fetchall() == [copied]
        kinds = "SELECT DISTINCT release_kind FROM raw.releases ORDER BY ALL"
        assert connection.sql(kinds).fetchall() == [("final",), ("nightly",), ("rc",)]


@pytest.mark.parametrize("table", KEYS)
def test_every_number_of_the_sample_equals_the_planted_truth(sampled: Prepared, table: str) -> None:
    assert_equals_truth(sampled.corpus, sampled.data_dir / "perf_bugs.duckdb", table)


def test_the_environments_that_fields_state_are_the_planned_ones(sampled: Prepared) -> None:
    planned = pl.read_csv(sampled.corpus / "truth" / "environments.csv", infer_schema=False)
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        stated = connection.sql(
            "select number, environment_aspect, environment_value from labels.environments "
            "where stated_in = 'form_field'"
        ).fetchall()
    expected = planned.with_columns(pl.col("number").cast(pl.Int64)).rows()
    assert len(expected) > 100 and sorted(stated) == sorted(expected)


def test_who_fixed_and_which_accounts_are_programs_is_as_planned(sampled: Prepared) -> None:
    planned = pl.read_csv(sampled.corpus / "truth" / "fixers.csv")
    key = bytes.fromhex(os.environ["PERF_ASSETS_ADDRESS_KEY"])
    expected = [
        (number, hashed_address(person, key) if "@" in person else person, *rest)
        for number, person, *rest in planned.rows()
    ]
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        found = connection.sql(f"SELECT {', '.join(planned.columns)} FROM marts.bug_fixers")
        programs = connection.sql("SELECT login, bot_reason FROM staging.accounts WHERE is_bot")
        merged = connection.sql(
            "SELECT count(*) FROM staging.identities "
            "WHERE login IS NOT NULL AND len(merge_evidence) = 0"
        )
        # An account whose association is not known anywhere is not known to be no member.
        fixers = [(*row, bool(is_member)) for *row, is_member in found.fetchall()]
        assert len(expected) > 50 and sorted(fixers) == sorted(expected)
        assert merged.fetchall() == [(0,)]
        assert {("tensorkit-robot", "name"), ("helpdesk", "behaviour")} < set(programs.fetchall())


def test_what_became_of_reports_is_as_planned(sampled: Prepared) -> None:
    planned = pl.read_csv(
        sampled.corpus / "truth" / "outcomes.csv", infer_schema_length=None
    ).rows()
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        found = connection.sql(
            "SELECT number, outcome, cast(split_part(repeats, '#', 2) as bigint) "
            "FROM marts.bug_metrics WHERE dataset = 'live'"
        ).fetchall()
        groups = connection.sql(
            "SELECT number FROM marts.duplicate_groups WHERE NOT is_first"
        ).fetchall()
    assert sorted(found) == sorted(planned)
    assert {outcome for _, outcome, _ in found} > {"duplicate", "invalid", "not_planned"}
    assert sorted(groups) == [(number,) for number, _, repeats in sorted(planned) if repeats]


def test_the_planted_work_is_found_as_what_it_is(sampled: Prepared) -> None:
    planted = json.loads((sampled.corpus / "truth" / "work.json").read_text())
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        labels = connection.sql("SELECT sha, work FROM labels.performance_commits").pl()
        months = connection.sql("FROM marts.performance_work_monthly WHERE area = 'all'").pl()
    work = dict(labels.iter_rows())
    assert planted.keys() == {"optimisation", "fix", "guard", "none"}
    for kind, shas in planted.items():
        assert {work[sha] for sha in shas} == {kind}
    assert months["optimisations"].sum() == len(planted["optimisation"])
    assert months["guards"].sum() == len(planted["guard"])
    assert months["reports"].sum() > months["fixes_with_report"].sum() > 0


def test_pull_requests_are_as_planned(sampled: Prepared) -> None:
    """Every row is that of the plan, and none is missing that is linked to a bug report."""
    planted = {
        one.pop("pull_request"): one
        for one in json.loads((sampled.corpus / "truth" / "pull_requests.json").read_text())
    }
    linked = {number for number, one in planted.items() if one.pop("bug_reports")}
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        found = connection.sql("FROM details.pull_requests").pl()
        times = connection.sql("FROM marts.pull_request_times").pl()
    moments = [name for name, kind in found.schema.items() if isinstance(kind, pl.Datetime)]
    rows = found.with_columns(pl.col(moments).dt.strftime("%Y-%m-%dT%H:%M:%SZ"))
    stored = {row.pop("pull_request"): row for row in rows.iter_rows(named=True)}
    assert linked <= stored.keys() <= planted.keys()
    for number, row in stored.items():
        assert {name: row[name] for name in planted[number]} == planted[number], number
    assert not all(row["is_review_list_complete"] for row in stored.values())
    assert times.height == found.height
    assert set(times.filter("is_bug")["pull_request"]) >= linked
    joined = times.join(found, on="pull_request")
    hours = (pl.col("first_review_at") - pl.col("opened_at")).dt.total_seconds() / 3600
    assert joined.filter((hours - pl.col("hours_to_first_review")).abs() > 1e-9).is_empty()
    assert joined.filter(pl.col("size") != pl.col("additions") + pl.col("deletions")).is_empty()


def test_the_planted_form_is_known_from_its_month_on(sampled: Prepared) -> None:
    planted = json.loads((sampled.corpus / "truth" / "form.json").read_text())
    path, reports = planted["path"], planted["reports"]
    judged = pl.read_csv(sampled.corpus / "truth" / "judgements.csv").filter("is_performance")
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        issues, templates, forms, changes = (
            connection.sql(f"FROM {table}").pl()
            for table in (
                *("raw.issues", "raw.issue_templates"),
                *("labels.report_forms", "marts.instrument_changes"),
            )
        )
    versions = templates.filter(path=path).select("sha", "month")
    used = forms.filter(form_path=path).sort("number")
    assert versions.rows() == [(planted["sha"], planted["month"])]
    assert used["number"].to_list() == reports and set(reports) <= set(judged["number"])
    assert used["form_name"].unique().to_list() == [planted["name"]]
    assert used["template_sha"].unique().to_list() == [planted["sha"]]
    assert used["is_performance_form"].all() and used["month"].min() == planted["month"]
    began = changes.filter(name=path).select("instrument", "month", "begins", "used_on")
    assert began.rows() == [("form", planted["month"], True, len(reports))]
    # The rule set of the sample is the paper's, which reads no forms.
    study = load_study(sampled.corpus / "study.toml")
    rules = replace(study.rules_of("sample-lab/tensorkit"), rule_set=PERFORMANCE_2026)
    labels, evidence = label_issues(issues, templates, rules, forms)
    found = evidence.filter(pl.col("number").is_in(reports), field="form")
    assert found.select("rule", "match").unique().rows() == [("keyword", planted["name"])]
    assert found["number"].to_list() == reports
    assert labels.filter(pl.col("number").is_in(reports))["is_performance"].all()
    assert evidence.filter(~pl.col("number").is_in(reports), field="form").is_empty()


def test_areas_are_planted_for_every_source_and_rule(sampled: Prepared) -> None:
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        counts = dict(
            connection.sql(
                "select coalesce(area_source, 'none'), count(*) from marts.bug_areas group by all"
            ).fetchall()
        )
        named = connection.sql(
            "select distinct area_rule from intermediate.area_evidence where area_source = 'fix'"
        ).fetchall()
        triaged = connection.sql("select count(*) from intermediate.first_triage").fetchall()
    assert set(counts) == {"label", "fix", "stack_trace", "none"}
    assert min(counts.values()) > 4 and triaged > [(20,)]
    assert sorted(named) == [("directory",), ("pattern",)]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("seed", "sizes"),
    [
        (2, {"issues": 260, "months": 10, "commits": 300, "topics": 0.6}),
        (1, {"issues": 60, "months": 8, "commits": 120}),
        (3, {"issues": 30, "months": 5, "commits": 40}),
        *((seed, {}) for seed in range(4, 8)),
    ],
)
def test_every_number_equals_the_planted_truth(
    tmp_path: Path, seed: int, sizes: dict[str, float]
) -> None:
    corpus, data_dir = tmp_path / "corpus", tmp_path / "home"
    generate(corpus, seed=seed, **sizes)
    materialize(corpus / "study.toml", data_dir)
    for table in KEYS:
        assert_equals_truth(corpus, data_dir / "perf_bugs.duckdb", table)


def test_a_second_run_loads_nothing_and_changes_nothing(
    middling: Prepared, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for table in KEYS:
        assert_equals_truth(middling.corpus, middling.data_dir / "perf_bugs.duckdb", table)
    data_dir = shutil.copytree(middling.data_dir, tmp_path / "home")
    with caplog.at_level(logging.INFO, "perf_assets"):
        materialize(middling.study, data_dir)
    assert caplog.messages and not any("loading" in line for line in caplog.messages)
    assert not any("mining" in line or "scanning" in line for line in caplog.messages)
    assert_same_tables(stored(middling.data_dir), stored(data_dir))


def stored(data_dir: Path) -> dict[str, pl.DataFrame]:
    return stored_tables(data_dir / "warehouse.duckdb")


def change(corpus: Path) -> None:
    """Let the tracker and the branch of ``corpus`` live on, and rewrite the branch's tip."""
    lines = gzip.decompress((corpus / "issues.jsonl.gz").read_bytes()).splitlines()
    issues = [json.loads(line) for line in lines]
    newest = max(issue["updated_at"] for issue in issues)
    chance = random.Random(0)
    comments = gzip.decompress((corpus / "comments.jsonl.gz").read_bytes()).splitlines()
    for index, issue in enumerate(chance.sample(issues, 12)):
        issue["updated_at"] = newest
        if index % 3 == 0:
            issue["title"] += ", which is slow"
        elif index % 3 == 1:
            issue["labels"] = [{"name": "module: performance"}]
        else:
            issue["comments"] += 1
            added = {
                "id": 10**9 + index,
                "issue_number": issue["number"],
                "user": {"login": "latecomer"},
                "created_at": newest,
                "body": "Any news?",
            }
            comments.append(json.dumps(added).encode())
    text = "\n".join(map(json.dumps, issues)).encode()
    (corpus / "issues.jsonl.gz").write_bytes(gzip.compress(text))
    (corpus / "comments.jsonl.gz").write_bytes(gzip.compress(b"\n".join(comments)))
    git = ["git", "--git-dir", str(corpus / "repository.git")]
    subprocess.run([*git, "update-ref", "refs/heads/main", "main~3"], check=True)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("trusting_auditor")
def test_a_refresh_gives_the_tables_of_a_fresh_load(middling: Prepared, tmp_path: Path) -> None:
    corpus = shutil.copytree(middling.corpus, tmp_path / "corpus")
    refreshed = shutil.copytree(middling.data_dir, tmp_path / "refreshed")
    (clone,) = (refreshed / "clones").glob("*.git")
    origin = str(corpus / "repository.git")
    subprocess.run(
        ["git", "--git-dir", str(clone), "config", "remote.origin.url", origin], check=True
    )
    change(corpus)
    for data_dir in (refreshed, tmp_path / "fresh"):
        materialize(corpus / "study.toml", data_dir)
    assert_same_tables(stored(refreshed), stored(tmp_path / "fresh"))


@pytest.mark.exhaustive
def test_the_order_in_which_months_are_loaded_does_not_matter(
    middling: Prepared, tmp_path: Path
) -> None:
    backwards = tmp_path / "backwards"
    for first, last in (("2020-03", None), (None, None)):
        materialize(middling.study, backwards, first, last)
    assert_same_tables(stored(middling.data_dir), stored(backwards))


@pytest.mark.exhaustive
def test_a_killed_run_is_finished_by_the_next_one(middling: Prepared, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    chance = random.Random(KILLS)
    for _ in range(KILLS):
        with subprocess.Popen(
            command("run", "--study", middling.study, "--data-dir", killed),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None
            # It tells of its work as it goes: let it die some moments after one of its lines.
            for _, _ in zip(range(chance.randint(1, LINES)), process.stdout, strict=False):
                pass
            time.sleep(chance.uniform(0, 3))
            process.send_signal(signal.SIGKILL)
    materialize(middling.study, killed)
    assert_same_tables(stored(middling.data_dir), stored(killed))


def test_the_planted_changes_of_benchmarks_are_those_that_are_found(sampled: Prepared) -> None:
    planted = json.loads((sampled.corpus / "truth" / "benchmarks.json").read_text())
    with duckdb.connect(str(sampled.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        changes, lives, silences = (
            connection.sql(f"FROM marts.{table}").pl()
            for table in ("benchmark_changes", "regression_lifetimes", "benchmark_silences")
        )
    columns = ("benchmark", "machine", "last_sha_before", "sha")
    expected = {
        (change["benchmark"], machine, change["last_sha_before"], change["sha"]): change["ratio"]
        for change in planted["changes"]
        for machine in change["machines"]
    }
    found = {(*row[:4],): row[4] for row in changes.select(*columns, "ratio").iter_rows()}
    assert found.keys() == expected.keys()
    assert all(found[change] == pytest.approx(expected[change], rel=0.05) for change in expected)
    life = lives.row(0, named=True)
    assert (lives.height, life["changed_benchmarks"], life["machines"]) == (1, 3, 2)
    assert life["reported_in"] == planted["reported_in"] is not None
    assert life["recovery_id"] in changes.filter(~pl.col("is_regression"))["regression_id"]
    stopped = planted["silent"]
    assert silences.select("is_machine", "first_benchmark", "last_sha").unique().rows() == [
        (False, stopped["benchmark"], stopped["last_sha"])
    ]
