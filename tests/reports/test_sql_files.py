"""The SQL of figures and reports: each file parses, is used, and runs over the tables there are."""

import re
from pathlib import Path

import duckdb
import pytest

from perf_assets.base.paths import models_dir
from perf_assets.reports.figures import figures
from perf_assets.reports.sql_files import MACROS, QUERIES, read_sql, sql_of
from perf_assets.schema.models.files import check_query
from tests.model_database import ModelDatabase
from tests.paths import ROOT

OF_FIGURES = sorted(models_dir().glob("*/figures/*.sql"))
OF_REPORTS = sorted(QUERIES.glob("*.sql"))
FILES = [*OF_FIGURES, *OF_REPORTS]


@pytest.fixture(scope="module")
def empty() -> ModelDatabase:
    return ModelDatabase()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file_is_one_select_in_short_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert check_query(path, text)
    assert check_query(path, read_sql(path))
    assert max(map(len, text.splitlines())) <= 100
    assert text == text.strip() + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("path", OF_REPORTS, ids=lambda path: path.stem)
def test_query_of_reports_names_tables_and_columns_that_exist(
    empty: ModelDatabase, path: Path
) -> None:
    query = sql_of(path.stem).replace("?", "null::timestamptz")
    assert empty.connection.sql(query).columns


def test_every_query_of_reports_is_used() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "perf_assets").rglob("*.py")
    )
    queries = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    read = set(re.findall(r"from queries\.(\w+)", queries))
    unused = [path.stem for path in OF_REPORTS if f'"{path.stem}"' not in code]
    assert [name for name in unused if name not in read] == []


def test_every_query_beside_a_table_is_that_of_a_declared_figure() -> None:
    found = {f"{path.parents[1].name}.{path.name.partition('.')[0]}" for path in OF_FIGURES}
    assert found == figures().keys()
    kinds = {path.name.partition(".")[2] for path in OF_FIGURES}
    assert kinds == {"sql", "verdicts.sql", "drawn.sql"}


def test_macros_are_written_out_as_duckdb_computes_them(tmp_path: Path) -> None:
    path = tmp_path / "query.sql"
    path.write_text(
        "select p_text(n / 1000.0), p_text(null), wilson_low(n - 1, 7), wilson_high(n - 1, 7),\n"
        "    wilson_low(n * 2, case when n > 3 then 20 end),\n"
        "    is_listed(\n"
        "        case when n > 3 then 'pooled' else 'a/b' end,\n"
        "        (select count(distinct one) from range(n // 2) as other(one))\n"
        "    )\n"
        "from range(1, 8) as numbers(n)\n",
        encoding="utf-8",
    )
    with duckdb.connect() as without, duckdb.connect() as with_macros:
        with_macros.execute(MACROS.read_text(encoding="utf-8"))
        expected = with_macros.execute(path.read_text(encoding="utf-8")).fetchall()
        assert without.execute(read_sql(path)).fetchall() == expected
    assert expected[1][:2] == ("p = 0.002", "not testable")
