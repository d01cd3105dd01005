"""The project of dbt: each text as it is written, and the same tables, computed by dbt."""

import json
import os
import re
import shutil
import socket
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from perf_assets.config.data_directory import PUBLISHED
from perf_assets.reports.dbt_project import project_files, write_project
from perf_assets.reports.dbt_project.project import (
    DATABASE,
    PROJECT,
    escaped,
    model_name,
    with_references,
)
from perf_assets.schema.models.files import load_models, models_by_name
from tests.effort import IS_THOROUGH
from tests.support import Prepared, perf_assets

DBT = os.environ.get("PERF_ASSETS_DBT")
with_dbt = pytest.mark.skipif(
    DBT is None, reason="PERF_ASSETS_DBT names no program dbt (make test)"
)
MODELS = ("staging.issues", "marts.activity")
OWN = "perf_assets_dbt.duckdb"
AS_OF = "staging.bug_reports_as_of('2021-06')"

# Pieces of SQL, and what the project has in their place.
PIECES = {
    "select 1 from raw.issues\n": "select 1 from {{ source('raw', 'issues') }}\n",
    "left join  staging.issues as it\n": "left join  {{ ref('staging__issues') }} as it\n",
    "FROM marts.activity)": "FROM {{ ref('marts__activity') }})",
    "from /* of */ raw.commits,\n": "from /* of */ {{ source('raw', 'commits') }},\n",
    "-- from raw.issues, it's\n": None,
    "/* join raw.issues */": None,
    "'from raw.issues, it''s'": None,
    "with issues as (select 1) select * from issues\n": None,
    "select raw.issues.number\n": None,
    "from staging.bug_reports_as_of('2020-01')\n": None,
    "join staging.bug_reports_as_of (x)\n": None,
}
BRACES = {
    "-- {{ ref('x') }} {# %}\n": "-- {{ '{' }}{ ref('x') }} {{ '{' }}# %}\n",
    "'[0-9]{4}'": None,
}

TREND = "marts.trend_monthly"
# Tests by their names, and how a row breaks each.
BROKEN = {
    "accepted_range_marts__trend_monthly_opened_performance__0": (TREND, "opened_performance = -1"),
    "accepted_range_marts__trend_monthly_open_total___open_performance_": (
        *(TREND, "open_performance = open_total + 1"),
    ),
    "expression_is_true_marts__trend_monthly__open_total_0_open_percentage_is_null_": (
        *(TREND, "open_percentage = NULL"),
    ),
    "matches_pattern_marts__trend_monthly_month___0_9_4_0_1_9_1_0_2_": (TREND, "month = '2020-13'"),
    "not_null_marts__trend_monthly_is_complete": (TREND, "is_complete = NULL"),
    "accepted_values_marts__issue_history_state__open__closed": (
        *("marts.issue_history", "state = 'ajar'"),
    ),
}
REPEATED = {
    "unique_combination_of_columns_marts__trend_monthly_dataset__repository__month": TREND,
}


def rendered(text: str) -> str:
    """What Jinja makes of a file, where tables are called as they are here."""
    return (
        Environment(keep_trailing_newline=True)
        .from_string(text)
        .render(ref=lambda name: name.replace("__", ".", 1), source=lambda *parts: ".".join(parts))
    )


@given(st.lists(st.sampled_from(sorted(PIECES | BRACES))))
def test_tables_are_replaced_and_all_else_stays(pieces: list[str]) -> None:
    sql = " ".join(pieces)
    expected = " ".join((PIECES | BRACES)[piece] or piece for piece in pieces)
    assert with_references(sql, MODELS) == expected
    assert rendered(expected) == sql


@given(st.text(st.sampled_from("{}%#'-*/ \\nfrom a.b")))
def test_a_description_means_nothing_to_jinja(text: str) -> None:
    assert rendered(escaped(text)) == text
    assert yaml.safe_load(yaml.safe_dump(escaped(text))) == escaped(text)


def test_each_model_is_the_text_that_is_computed_here() -> None:
    files = project_files()
    for model in load_models():
        text = files[f"models/{model.table.schema_name}/{model_name(model.name)}.sql"]
        assert rendered(text) == model.sql + "\n"
        assert {*re.findall(r"\{\{ (.*?) \}\}", text)} == {
            f"ref('{model_name(table)}')"
            if table in models_by_name()
            else "source('{}', '{}')".format(*table.split("."))
            for table in model.upstream
        }


def test_every_table_is_described_once_as_a_model_or_a_source() -> None:
    files = {path: yaml.safe_load(text) for path, text in project_files().items() if "yml" in path}
    models = {
        entry["name"]: {column["name"]: column["data_type"] for column in entry["columns"]}
        for path, content in files.items()
        for entry in content.get("models", [])
        if path.startswith("models/")
    }
    assert models == {
        model_name(model.name): {column.name: column.type for column in model.table.columns}
        for model in load_models()
    }
    sources = files["models/sources.yml"]["sources"]
    assert {source["database"] for source in sources} == {DATABASE}
    named = {f"{source['name']}.{one['name']}" for source in sources for one in source["tables"]}
    read = {table for model in load_models() for table in model.upstream}
    assert read <= named | {model.name for model in load_models()}
    assert not {model_name(name) for name in named} & models.keys()


def test_a_project_that_is_written_again_is_the_same_and_keeps_what_is_beside_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "project"
    first = perf_assets("export-dbt", path)
    assert first.returncode == 0, first.stderr
    assert re.search(rf": {len(load_models())} models, (\d+) files; \1 of them are", first.stdout)
    (path / "models" / "own.sql").write_text("select 1")
    (path / "dbt_project.yml").write_text("spoiled")
    again = perf_assets("export-dbt", path)
    assert "; 1 of them are new or changed" in again.stdout
    assert (path / "models" / "own.sql").read_text() == "select 1"
    assert write_project(path).written == 0


@pytest.mark.parametrize("manifest", [None, "{", '{"made_by": "perf-assets site"}'])
def test_a_directory_with_other_files_is_refused(tmp_path: Path, manifest: str | None) -> None:
    (tmp_path / "dbt_project.yml").write_text("mine")
    if manifest is not None:
        (tmp_path / PROJECT.manifest).write_text(manifest)
    ran = perf_assets("export-dbt", tmp_path)
    assert ran.returncode == 2
    assert ran.stderr == (
        f"Error: {tmp_path}: this directory has files and no dbt project of perf-assets: name "
        "another one, or empty it\n"
    )
    assert (tmp_path / "dbt_project.yml").read_text() == "mine"


def dbt(project: Path, published: Path, *arguments: str) -> dict[str, str]:
    """Run dbt over ``project``; returns what became of each model and test, by its name."""
    assert DBT is not None
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        done = subprocess.run(
            [
                DBT,
                "--no-use-colors",
                *arguments,
                "--project-dir",
                project,
                "--profiles-dir",
                project,
            ],
            cwd=project,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(project),
                "PERF_ASSETS_DATABASE": str(published),
                **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "https_proxy"), address),
            },
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        proxy.setblocking(False)
        with pytest.raises(BlockingIOError):  # as nobody asked for another host
            proxy.accept()
    results = project / "target" / "run_results.json"
    assert results.exists(), done.stdout[-3000:] + done.stderr[-3000:]
    return {
        result["unique_id"].split(".")[2]: result["status"]
        for result in json.loads(results.read_text())["results"]
    }


@pytest.fixture(scope="module")
def built(sampled: Prepared, once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The project after dbt built it from the sample; not to be changed."""

    def build(directory: Path) -> None:
        write_project(directory)
        # A thousand tests are most of the time; the next test tries each kind of them.
        how_far = "build" if IS_THOROUGH else "run"
        ended = dbt(directory, sampled.data_dir / PUBLISHED, how_far)
        assert {name: how for name, how in ended.items() if how not in ("success", "pass")} == {}
        assert sum(how == "success" for how in ended.values()) == len(load_models())
        assert not IS_THOROUGH or sum(how == "pass" for how in ended.values()) > 1000

    return once("dbt", build)


@with_dbt
@pytest.mark.slow
def test_dbt_computes_the_tables_that_are_published(built: Path, sampled: Prepared) -> None:
    compared = 0
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        published = sampled.data_dir / PUBLISHED
        for path, name in ((published, DATABASE), (built / OWN, "own")):
            connection.execute(f"ATTACH '{path}' AS {name} (READ_ONLY)")
        names = [model.name for model in load_models()]
        for table in [*names, AS_OF]:
            found = []
            for database in (DATABASE, "own"):  # a macro reads the one that is in use
                connection.execute(f"USE {database}")
                rows = connection.sql(f"FROM {table}")
                found.append((rows.columns, rows.types, Counter(map(repr, rows.fetchall()))))
            assert found[0] == found[1], table
            compared += found[0][2].total()
        made = connection.sql(
            "SELECT table_schema || '.' || table_name FROM information_schema.tables "
            "WHERE table_catalog = 'own' ORDER BY 1"
        ).fetchall()
    assert [name for (name,) in made] == sorted(names)
    assert compared > 10_000


@with_dbt
@pytest.mark.slow
def test_each_kind_of_test_finds_a_row_that_breaks_it(
    built: Path, sampled: Prepared, tmp_path: Path
) -> None:
    project = shutil.copytree(built, tmp_path / "project")
    with duckdb.connect(str(project / OWN)) as connection:
        for table, change in BROKEN.values():
            connection.execute(f"UPDATE {table} SET {change} WHERE rowid = 1")
        for table in REPEATED.values():
            connection.execute(f"INSERT INTO {table} FROM {table} LIMIT 1")
    tables = {*(table for table, _ in BROKEN.values()), *REPEATED.values()}
    chosen = ("--select", *map(model_name, tables))
    ended = dbt(project, sampled.data_dir / PUBLISHED, "test", *chosen)
    found = {name for name, how in ended.items() if how == "fail"}
    # A row may break other rules too: a closed issue that is ajar has a time of closing.
    assert found >= BROKEN.keys() | REPEATED.keys()
