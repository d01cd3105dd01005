"""Asking the published database from the command line: what is shown, written, drawn, refused."""

import csv
import io
import json
import shlex
import shutil
import subprocess
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.base.sanitize import escape_text, for_markdown, for_spreadsheet, from_spreadsheet
from perf_assets.reports.formats import as_csv, as_json, as_markdown, as_text
from perf_assets.reports.query_result import fetch_result
from perf_assets.schema.models.cookbook import GROUPS, by_group, cookbook
from tests.support import Prepared, Ran, command, environment, perf_assets

pytestmark = pytest.mark.slow

HOSTILE = "=cmd|' /C calc'!A1\x1b[31m\u202e](javascript:x)|</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def data_dir_with_data(small: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory of which only the published database is there: queries need no more."""
    data_dir = tmp_path_factory.mktemp("asked")
    shutil.copyfile(small.data_dir / "perf_bugs.duckdb", data_dir / "perf_bugs.duckdb")
    return data_dir


def query(data_dir: Path, *arguments: str | Path) -> Ran:
    return perf_assets("query", *arguments, "--data-dir", data_dir)


def table(sql: str):
    return fetch_result(duckdb.sql(sql))


def test_without_a_name_the_cookbook_is_listed_with_questions_and_parameters() -> None:
    ran = perf_assets("query")
    assert ran.returncode == 0
    for name, one in cookbook().items():
        assert f"{name}\n" in ran.stdout
        assert one.question.split()[-1] in ran.stdout
        assert all(f"--param {name}=" in ran.stdout for name in one.parameters)


def test_questions_are_listed_by_group_each_before_its_name() -> None:
    lines = [line.strip() for line in perf_assets("query").stdout.splitlines()]
    headings = [lines.index(group.capitalize()) for group in GROUPS]
    assert headings == sorted(headings)
    for group, queries in by_group(cookbook().values()).items():
        for one in queries:
            place = lines.index(one.name)
            assert one.question.endswith(lines[place - 1])
            assert place > lines.index(group.capitalize())


def test_search_lists_the_questions_it_finds_or_says_that_there_are_none() -> None:
    ran = perf_assets("query", "--search", "slow fix")
    assert "slowest_fixes\n" in ran.stdout and "who_fixes" not in ran.stdout
    ran = perf_assets("query", "--search", "zebra")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "--search zebra: no question of the cookbook has these words" in ran.stderr
    ran = perf_assets("query", "who_fixes", "--search", "slow")
    assert ran.returncode == 2 and "leave out the query" in ran.stderr


@pytest.mark.parametrize("sql", ["COPY (SELECT 1) TO '{}'", "FROM read_text('{}')"])
def test_a_query_reaches_no_file(data_dir_with_data: Path, sql: str) -> None:
    file = data_dir_with_data / "warehouse.duckdb"
    file.write_text("rows")
    ran = query(data_dir_with_data, sql.format(file))
    assert ran.returncode == 2 and "--output writes its answer to a file" in ran.stderr
    assert "Traceback" not in ran.stderr and file.read_text() == "rows"
    file.unlink()


@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [
        ("| true", 141, ""),
        (">&-", 0, ""),
        (">&- 2>&- <&-", 0, ""),
        ("> /dev/full", 2, "Error: standard output cannot be written (No space left on device)"),
    ],
)
def test_output_that_cannot_be_written_gives_no_traceback(
    data_dir_with_data: Path, redirection: str, code: int, message: str
) -> None:
    before = (data_dir_with_data / "perf_bugs.duckdb").read_bytes()
    line = shlex.join(map(str, command("query", "FROM range(8000)", "--rows", "0")))
    ran = subprocess.run(
        [
            "bash",
            "-c",
            f"{line} --data-dir {shlex.quote(str(data_dir_with_data))} {redirection}; exit "
            f"${{PIPESTATUS[0]}}",
        ],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == code
    assert ran.stderr.startswith(message) and ran.stderr.count("\n") == bool(message)
    assert (data_dir_with_data / "perf_bugs.duckdb").read_bytes() == before


def test_a_parameter_takes_the_place_of_its_default(data_dir_with_data: Path) -> None:
    query_of = "bug_reports_as_of_a_month"
    months = [
        json.loads(query(data_dir_with_data, query_of, "--format", "json", *given).stdout)
        for given in ((), ("--param", "month=2020-02"), ("--param", "month=2020-01"))
    ]
    assert months[0] == months[1]
    assert months[2][0]["open_total"] < months[1][0]["open_total"]


def test_a_file_a_table_and_sql_are_asked_too(data_dir_with_data: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.sql"
    file.write_text(
        "select getvariable('word') || '!' as word from meta.schema_version;", encoding="utf-8"
    )
    assert (
        query(data_dir_with_data, file, "--param", "word=so", "--format", "csv").stdout
        == "word\nso!\n"
    )
    assert "version" in query(data_dir_with_data, "meta.schema_version").stdout
    assert (
        query(data_dir_with_data, "select 1 as a; select 2 as b", "--format", "csv").stdout
        == "b\n2\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trend_monthly"], ["is a table", "perf-assets query marts.trend_monthly"]),
        (["--param", "month=2020-01"], ["name the query before it"]),
        (["fix_coverage", "--output", "x.xlsx"], [".csv, .json, .parquet or .md"]),
        (["fix_coverage", "--output", "x"], ["x: an answer is written as"]),
        (["drop table raw.issues"], ["read-only: ask with a SELECT"]),
        (["fix_covrage"], ["no such query", "did you mean fix_coverage?"]),
        (["fix_coverage", "--param", "month=1"], ["no parameter month", "it has none"]),
        (["slowest_fixes", "--param", "row=1"], ["did you mean rows?"]),
        (["slowest_fixes", "--param", "rows"], ["NAME=VALUE"]),
        (["slowest_fixes", "--param", "rows=many"], ["rows: 'many' is not a whole number"]),
        (["select\n nix from raw.issues"], ["nix", "(line 2)"]),
        (["selct 1"], ["syntax error"]),
        (["raw.isues"], ["issues"]),
        (["none.sql"], ["none.sql", "No such file"]),
        ([""], ["a SELECT is needed"]),
        (["--\x00"], []),
        (["delete from raw.issues"], ["read-only"]),
        (["select 1", "--output", "/nowhere/x.csv"], ["/nowhere/x.csv", "No such file"]),
        (["select 1", "--format", "csv", "--output", "data.duckdb"], ["replace a database"]),
        (["select 1 as a where false", "--plot", "x.html"], ["no rows"]),
        (["select 'x' as a", "--plot", "x.html"], ["no column of numbers"]),
        (["select 1 as a", "--plot", "x.gif"], [".html, .png or .svg"]),
        (["select 1 as a", "--plot", "x.png", "--y", "aa"], ["no column aa", "did you mean a?"]),
        (["select date 'infinity' as a", "--format", "json"], ["cast its column to VARCHAR"]),
        (["select interval 1 month as a", "--format", "parquet"], ["a, INTERVAL", "cast"]),
        (["select [{'x': interval 1 day}] as a", "--format", "parquet"], ["cast the column"]),
    ],
)
def test_a_mistake_is_one_sentence(
    data_dir_with_data: Path, arguments: list[str], words: list[str]
) -> None:
    ran = query(data_dir_with_data, *arguments)
    assert "Traceback" not in ran.stderr
    if words:
        assert ran.returncode == 2
        assert len(ran.stderr.splitlines()) == 1
    assert all(word in ran.stderr for word in words), ran.stderr


def test_a_data_directory_that_is_none_is_said_and_not_made(tmp_path: Path) -> None:
    ran = query(tmp_path / "none", "fix_coverage")
    assert (ran.returncode, (tmp_path / "none").exists()) == (2, False)
    assert "no such data directory" in ran.stderr
    assert "perf-assets run makes it" in query(tmp_path, "fix_coverage").stderr
    (tmp_path / "perf_bugs.duckdb").write_bytes(b"no database")
    assert query(tmp_path, "fix_coverage").returncode == 2


def test_a_long_answer_is_cut_and_says_so(data_dir_with_data: Path) -> None:
    ran = query(data_dir_with_data, "from range(105)")
    assert "100 of 105 rows: --rows 0 shows all" in ran.stdout
    assert query(data_dir_with_data, "from range(105)", "--rows", "0").stdout.count("\n") == 107
    assert query(data_dir_with_data, "from range(105)", "--format", "csv").stdout.count("\n") == 106


def test_the_format_follows_the_name_of_the_file(data_dir_with_data: Path, tmp_path: Path) -> None:
    sql = "select 1 as a, [1, 2] as b, timestamptz '2020-01-01 00:00:00+00' as c"
    for name in ("x.csv", "x.json", "x.parquet", "x.md"):
        assert query(data_dir_with_data, sql, "--output", tmp_path / name).returncode == 0
    assert (tmp_path / "x.csv").read_text() == 'a,b,c\n1,"[1, 2]",2020-01-01 00:00:00+00:00\n'
    assert json.loads((tmp_path / "x.json").read_text()) == [
        {"a": 1, "b": [1, 2], "c": "2020-01-01T00:00:00+00:00"}
    ]
    assert pq.read_table(tmp_path / "x.parquet").column_names == ["a", "b", "c"]
    assert (tmp_path / "x.md").read_text().startswith("| a | b | c |\n| ---: | --- | --- |\n| 1 |")
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


# Texts of strangers


class Scripts(HTMLParser):
    """Counts the scripts of a page, and gathers what stands outside them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.scripts += tag == "script"


def test_no_text_of_a_stranger_becomes_a_script_of_the_page(
    data_dir_with_data: Path, tmp_path: Path
) -> None:
    sql = f"select '{HOSTILE.replace(chr(39), chr(39) * 2)}' as \"a</script>b\", 1 as n"
    assert query(data_dir_with_data, sql, "--plot", tmp_path / "x.html").returncode == 0
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert Scripts(page).scripts == 3
    assert "alert(1)" in page
    assert "<script>alert(1)" not in page
    assert "<script src" not in page


def test_a_picture_is_written(data_dir_with_data: Path, tmp_path: Path) -> None:
    for name, begins in (("x.png", b"\x89PNG"), ("x.svg", b"<svg")):
        ran = query(data_dir_with_data, "monthly_share_of_new_bugs", "--plot", tmp_path / name)
        assert ran.returncode == 0, ran.stderr
        assert (tmp_path / name).read_bytes().startswith(begins)


texts = st.text(max_size=30) | st.just(HOSTILE)


@given(texts)
def test_a_terminal_gets_text_alone(text: str) -> None:
    kinds = {unicodedata.category(character) for character in escape_text(text)}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(texts)
def test_a_cell_of_a_spreadsheet_is_given_back_as_it_was(text: str) -> None:
    assert from_spreadsheet(for_spreadsheet(text)) == text
    assert not for_spreadsheet(text).startswith(("=", "+", "-", "@"))


def test_each_format_makes_hostile_text_harmless() -> None:
    answer = table(f"select '{HOSTILE.replace(chr(39), chr(39) * 2)}' as title, -1 as n")
    (_, (cell, number)) = csv.reader(io.StringIO(as_csv(answer).decode()))
    assert (cell[0], number) == ("'", "-1")
    assert json.loads(as_json(answer)) == [{"title": HOSTILE, "n": -1}]
    assert not {"\x1b", "\u202e"} & set(as_json(answer).decode())
    line = as_markdown(answer).decode().splitlines()[2]
    assert for_markdown("](x)|<b>") == r"\](x)\|&lt;b&gt;"
    assert line.count(" | ") == 1
    assert "\x1b" not in as_text(answer, None)


def test_what_is_too_wide_for_the_terminal_stands_below_each_other() -> None:
    answer = table("select 'a long title with words' as title, 'x' as b, 123456789 as number")
    assert as_text(answer, 80).count("\n") == 3
    assert as_text(answer, 30) == (
        "— 1 —\ntitle   a long title with\n        words\nb       x\nnumber  123456789\n"
    )


def test_series_is_a_table_in_a_narrow_terminal() -> None:
    answer = table(
        "select 'owner/name' as repository, '2020-0' || n as month, n as newly_fixed_total "
        "from range(1, 3) months(n)"
    )
    assert as_text(answer, 80).splitlines()[0].split() == [*answer.columns]
    assert as_text(answer, 30).splitlines()[:3] == [
        "                      newly_",
        "                      fixed_",
        " repository  month     total",
    ]
    lines = as_text(answer, 24).splitlines()
    assert lines[0] == "repository: owner/name"
    assert [line.split() for line in lines[-2:]] == [["2020-01", "1"], ["2020-02", "2"]]
    assert max(map(len, lines)) <= 24


def test_special_values_are_shown() -> None:
    answer = table(
        "select null as a, true as b, 'nan'::double as c, 2::hugeint as d, {'x': 1} as e, "
        "['a, b', 'é'] as f"
    )
    assert json.loads(as_json(answer)) == [
        {"a": None, "b": True, "c": None, "d": 2, "e": {"x": 1}, "f": ["a, b", "é"]}
    ]
    written = ',true,nan,2,"{""x"": 1}","[""a, b"", ""é""]"'
    assert as_csv(answer).decode().splitlines()[1] == written
