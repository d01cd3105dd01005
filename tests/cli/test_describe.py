"""The dictionary in the terminal, and the database as files."""

import csv
import re
from pathlib import Path

import duckdb
import pytest

from perf_assets.reports.dictionary import first_sentence
from perf_assets.reports.exporting import file_name
from perf_assets.schema.models.files import described_tables
from tests.paths import ROOT
from tests.support import Prepared, perf_assets


@pytest.mark.parametrize("name", sorted(described_tables()))
def test_a_table_is_explained_within_80_columns(name: str) -> None:
    ran = perf_assets("describe", name, COLUMNS="80")
    assert ran.returncode == 0
    assert max(map(len, ran.stdout.splitlines())) <= 80
    words = " ".join(ran.stdout.split())
    for column in described_tables()[name].columns:
        assert " ".join(column.comment.split()) in words
    assert "Made from: Read" not in words  # each is made from a table, or said to come from outside


def test_all_tables_are_listed_within_80_columns() -> None:
    ran = perf_assets("describe", COLUMNS="80")
    assert max(map(len, ran.stdout.splitlines())) <= 80
    assert all(f"  {name}\n" in ran.stdout for name in described_tables())


def test_main_tables_of_the_read_me_come_first_and_are_marked() -> None:
    text = perf_assets("describe", COLUMNS="80").stdout
    first, _, _ = text.partition("\n\n")
    listed = {line.strip() for line in first.splitlines() if re.match(r"  \w", line)}
    read_me = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+\.\w+)` \|", read_me, re.MULTILINE)
    assert listed == set(named) and len(named) == 6
    assert all(f"  {name} (main table)\n" in text for name in named)


def test_first_sentence_ends_at_no_abbreviation() -> None:
    assert first_sentence("Stems of Cao et al. (2022). More.") == "Stems of Cao et al. (2022)."
    assert first_sentence("Words, e.g. slow. More.") == "Words, e.g. slow."
    assert first_sentence("One sentence.") == "One sentence."
    text = perf_assets("describe", COLUMNS="80").stdout
    assert not re.search(r"et al\.\n", text.replace("et al.\n      ", ""))


def test_tables_with_pooled_rows_say_so_in_their_first_sentence() -> None:
    # Its pooled rows are there only where there are several repositories: they repeat no other.
    tables = {**described_tables()}
    del tables["analysis.adjusted_tests"]
    for table in tables.values():
        column = table.column.get("repository")
        if column and "repository" in table.key and "pooled for all" in column.description:
            assert "pooled" in first_sentence(table.description), table.name


def test_a_table_may_be_named_without_its_schema() -> None:
    assert perf_assets("describe", "bug_metrics").stdout.startswith("marts.bug_metrics, a table")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bug_metric", "did you mean bug_metrics?"),
        ("raw.isues", "did you mean raw.issues?"),
        ("issues", "there are several: raw.issues, staging.issues"),
        ("\x1b[31m", "there is no such table"),
    ],
)
def test_an_unknown_table_is_reported_with_the_nearest_name(name: str, words: str) -> None:
    ran = perf_assets("describe", name)
    assert ran.returncode == 2
    assert words in ran.stderr


# Files


pytestmark = pytest.mark.slow


def exported(data_dir: Path, output: Path, *arguments: str):
    return perf_assets("export", "--data-dir", data_dir, "--output", output, *arguments)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_every_row_of_every_stored_table_is_in_a_file(
    small: Prepared, tmp_path: Path, kind: str
) -> None:
    assert exported(small.data_dir, tmp_path, "--format", kind).returncode == 0
    with duckdb.connect(str(small.data_dir / "perf_bugs.duckdb"), read_only=True) as connection:
        for table in ("raw.issues", "marts.trend_monthly", "meta.schema_version"):
            (stored,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            files = [*tmp_path.glob(f"{table}/*.{kind}"), *tmp_path.glob(f"{table}.{kind}")]
            assert stored == sum(duckdb.sql(f"FROM '{file}'").shape[0] for file in files), table
    assert (tmp_path / "raw.issues" / f"sample-lab+tensorkit.{kind}").is_file()
    assert list(tmp_path.rglob(".*")) == []


def test_only_what_is_requested_is_written(small: Prepared, tmp_path: Path) -> None:
    ran = exported(
        small.data_dir, tmp_path, "--format", "csv", "--tables", "analysis,raw.issues",
        "--repository", "sample-lab/tensorkit",
    )  # fmt: skip
    assert ran.returncode == 0
    kinds = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.csv")}
    assert {"raw.issues", "analysis.trend_tests"} <= kinds
    assert not any(kind.startswith("marts") for kind in kinds)


def test_no_title_of_an_issue_runs_as_a_formula(data_dir: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(data_dir / "perf_bugs.duckdb")) as connection:
        connection.execute("UPDATE raw.issues SET title = '=1+1', author = '@x'")
    ran = exported(data_dir, tmp_path / "out", "--format", "csv", "--tables", "raw.issues")
    assert ran.returncode == 0
    with (tmp_path / "out/raw.issues/sample-lab+tensorkit.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["title"], row["author"]) for row in rows} == {("'=1+1", "'@x")}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--tables", "raw.isues"), "did you mean raw.issues?"),
        (("--repository", "sample-lab/tensorkid"), "did you mean sample-lab/tensorkit?"),
        (("--output", "/proc/nothing"), "choose another --output"),
    ],
)
def test_what_cannot_be_exported_is_said(
    small: Prepared, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    ran = exported(small.data_dir, tmp_path, "--format", "csv", *arguments)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)
    assert words in ran.stderr


@pytest.mark.parametrize(
    ("name", "file"),
    [("owner/name", "owner+name"), ("../../etc", "_.+..+etc"), ("a b\n;c", "a_b__c"), ("..", "_.")],
)
def test_the_name_of_a_file_leads_nowhere_else(name: str, file: str) -> None:
    assert file_name(name) == file
