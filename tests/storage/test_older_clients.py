"""Clients that are older than the DuckDB that runs here open what is published."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tests.paths import ROOT
from tests.support import Prepared, environment

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

OLDEST = "1.1.3"
READER = """
import json, sys
import duckdb
path, *queries = sys.argv[1:]
connection = duckdb.connect(path, read_only=True)
tables = connection.execute(
    "SELECT schema_name || '.' || table_name FROM duckdb_tables() UNION ALL "
    "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"
).fetchall()
rows = {t: connection.execute(f"SELECT count(*) FROM {t}").fetchall()[0][0] for (t,) in tables}
comments = connection.execute(
    "SELECT count(comment) FROM duckdb_columns() WHERE NOT internal"
).fetchall()[0][0]
for query in queries:
    connection.execute(open(query, encoding="utf-8").read()).fetchall()
print(json.dumps({"version": duckdb.__version__, "rows": rows, "comments": comments}))
"""


@pytest.fixture(scope="module")
def client(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The oldest client, in an environment of its own."""

    def install(directory: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, "--no-deps", "--target", str(directory), f"duckdb=={OLDEST}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            pytest.skip(f"DuckDB {OLDEST} cannot be installed: {done.stderr.splitlines()[-1]}")

    return once("oldest-client", install)


def test_the_oldest_client_reads_every_table_view_and_comment_and_answers_the_cookbook(
    client: Path, small: Prepared
) -> None:
    published = small.data_dir / "perf_bugs.duckdb"
    queries = [str(path) for path in sorted((ROOT / "sql").glob("*.sql"))]
    done = subprocess.run(
        [sys.executable, "-c", READER, str(published), *queries],
        capture_output=True,
        text=True,
        check=False,
        env=environment(PYTHONPATH=str(client)),
    )
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)
    assert output["version"] == OLDEST
    with duckdb.connect(str(published), read_only=True) as connection:
        for table, number in output["rows"].items():
            ((here,),) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
            assert number == here, table
        ((comments,),) = connection.execute(
            "SELECT count(comment) FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    assert output["comments"] == comments > 100
