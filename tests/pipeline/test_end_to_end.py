"""The main job on generated corpora: every number equals the planted truth."""

import gzip
import json
import logging
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import duckdb
import polars as pl
import pytest

from perf_assets.sample.generator import generate
from tests.support import (
    assert_same_tables,
    command,
    environment,
    materialize,
    perf_assets,
    stored_tables,
)

KEYS = {
    "performance_labels": ["repository", "number"],
    "fix_links": ["repository", "number", "sha", "approach"],
    "introducing_commits": ["repository", "sha", "path", "introducing_sha"],
    "bug_metrics": ["dataset", "repository", "number"],
    "bug_lifetimes": ["dataset", "repository", "number"],
    "trend_monthly": ["dataset", "repository", "month"],
    "dataset_breakdown": ["dataset", "repository", "is_performance"],
}
SCHEMAS = {
    "performance_labels": "labels",
    "fix_links": "links",
    "introducing_commits": "links",
    "bug_lifetimes": "marts",
    "bug_metrics": "marts",
    "trend_monthly": "marts",
    "dataset_breakdown": "marts",
}
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
    truth = pl.read_csv(corpus / "truth" / f"{table}.csv", infer_schema=False)
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


@pytest.mark.parametrize(
    ("seed", "sizes"),
    [
        (1, {"issues": 60, "months": 8, "commits": 120}),
        (2, {"issues": 260, "months": 10, "commits": 300}),
        (3, {"issues": 30, "months": 5, "commits": 40}),
    ],
)
def test_every_number_equals_the_planted_truth(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, seed: int, sizes: dict[str, int]
) -> None:
    corpus, home = tmp_path / "corpus", tmp_path / "home"
    generate(corpus, seed=seed, **sizes)
    materialize(corpus / "study.toml", home)
    for table in KEYS:
        assert_equals_truth(corpus, home / "perf_bugs.duckdb", table)
    before = stored_tables(home / "warehouse.duckdb")
    caplog.clear()
    with caplog.at_level(logging.INFO, "perf_assets"):
        materialize(corpus / "study.toml", home)
    assert caplog.messages and not any("loading" in line for line in caplog.messages)
    assert not any("mining" in line for line in caplog.messages)
    assert_same_tables(before, stored_tables(home / "warehouse.duckdb"))


def change(corpus: Path) -> None:
    """Let the tracker and the branch of ``corpus`` live on, and rewrite the branch's tip."""
    lines = gzip.decompress((corpus / "issues.jsonl.gz").read_bytes()).splitlines()
    issues = [json.loads(line) for line in lines]
    newest = max(issue["updated_at"] for issue in issues)
    chance = random.Random(0)
    comments = gzip.decompress((corpus / "comments.jsonl.gz").read_bytes()).splitlines()
    for place, issue in enumerate(chance.sample(issues, 12)):
        issue["updated_at"] = newest
        if place % 3 == 0:
            issue["title"] += ", which is slow"
        elif place % 3 == 1:
            issue["labels"] = [{"name": "module: performance"}]
        else:
            issue["comments"] += 1
            added = {
                "id": 10**9 + place,
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


def test_a_refresh_gives_the_tables_of_a_fresh_load(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    generate(corpus, seed=7, issues=60, months=3, commits=80)
    materialize(corpus / "study.toml", tmp_path / "refreshed")
    change(corpus)
    for home in ("refreshed", "fresh"):
        materialize(corpus / "study.toml", tmp_path / home)
    assert_same_tables(
        *(stored_tables(tmp_path / name / "warehouse.duckdb") for name in ("refreshed", "fresh"))
    )


def test_the_order_in_which_months_are_loaded_does_not_matter(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    generate(corpus, seed=4, issues=60, months=4, commits=80)
    homes = tmp_path / "forwards", tmp_path / "backwards"
    materialize(corpus / "study.toml", homes[0])
    for first, last in (("2020-03", None), (None, None)):
        materialize(corpus / "study.toml", homes[1], first, last)
    assert_same_tables(*(stored_tables(home / "warehouse.duckdb") for home in homes))


def test_a_killed_run_is_finished_by_the_next_one(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    generate(corpus, seed=5, issues=60, months=4, commits=80)
    arguments = ("run", "--study", corpus / "study.toml", "--home")
    started = time.monotonic()
    assert perf_assets(*arguments, tmp_path / "whole").returncode == 0
    length = time.monotonic() - started
    chance = random.Random(5)
    for _ in range(int(os.environ.get("PERF_ASSETS_KILLS", "1"))):
        with subprocess.Popen(
            command(*arguments, tmp_path / "killed"),
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            time.sleep(chance.uniform(0.2, 0.9) * length)
            process.send_signal(signal.SIGKILL)
    materialize(corpus / "study.toml", tmp_path / "killed")
    assert_same_tables(
        *(stored_tables(tmp_path / name / "warehouse.duckdb") for name in ("whole", "killed"))
    )
