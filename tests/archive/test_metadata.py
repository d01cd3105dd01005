"""What an archive says of itself: the same each time, whole, and as the standards have it."""

import hashlib
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import duckdb
import polars as pl
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perf_assets.archive.description import ArchivedFile, ArchivedTable, Description, Source
from perf_assets.archive.metadata import metadata_files
from perf_assets.config.data_directory import DataDirectory
from perf_assets.schema import declared
from tests.effort import examples
from tests.support import Prepared

pytestmark = pytest.mark.slow

PROGRAMS = os.environ.get("PERF_ASSETS_VALIDATORS")
NAMES = {
    *("README.md", "LICENSES.md", "CITATION.cff"),
    *("ro-crate-metadata.json", "datapackage.json", "croissant.json"),
}
PUBLISHED = datetime(2020, 3, 1, 14, 0, 5, tzinfo=UTC)
SOURCES = (
    Source(
        *("deeplab/tensorkit", "https://github.com/deeplab/tensorkit", "2019-01", "2020-02"),
        *(datetime(2020, 3, 1, 12, tzinfo=UTC), "a" * 40),
    ),
    Source(
        *("stackoverflow:tensorkit", "https://stackoverflow.com/questions/tagged/tensorkit"),
        *("2018-11", "2020-01", datetime(2020, 2, 3, tzinfo=UTC), None),
    ),
    Source("deeplab/empty", "https://github.com/deeplab/empty", None, None, None, None),
)


def file(path: str, content: bytes = b"x", media_type: str = "text/plain") -> ArchivedFile:
    return ArchivedFile(
        path, media_type, f"What {path} is.", len(content), hashlib.sha256(content).hexdigest()
    )


def described(*others: str, rows: int = 3, **changes: Any) -> Description:
    """An archive with all tables and the usual other files, as ``changes`` have it."""
    paths = {name: f"tables/{name}.parquet" for name in declared()}
    tables = tuple(
        ArchivedTable(
            table, file(paths[name], name.encode(), "application/vnd.apache.parquet"), rows
        )
        for name, table in declared().items()
    )
    usual = ("perf_bugs.duckdb", "report/index.html", "software/perf_assets-0.1.0-py3-none-any.whl")
    files = [*(table.file for table in tables), *(file(path) for path in (*usual, *others))]
    given = Description(
        study="dl-frameworks",
        version="0.1.0",
        published_at=PUBLISHED,
        sources=SOURCES,
        files=tuple(sorted(files, key=lambda one: one.path)),
        tables=tables,
        has_replication=True,
        is_pseudonymised=True,
        has_texts=True,
    )
    return replace(given, **changes)


def crate_of(description: Description) -> dict[str, dict[str, Any]]:
    """The entities of the crate, by their ids, of which each is there once."""
    graph = json.loads(metadata_files(description)["ro-crate-metadata.json"])["@graph"]
    assert [id_ for id_, number in Counter(one["@id"] for one in graph).items() if number > 1] == []
    return {entity["@id"]: entity for entity in graph}


def references_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if set(value) == {"@id"}:
            yield value["@id"]
        for inner in value.values():
            yield from references_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references_in(inner)


def parts_of(entity: dict[str, Any]) -> list[str]:
    return list(references_in(entity.get("hasPart", [])))


def test_it_is_the_same_each_time_and_everywhere() -> None:
    there = timezone(timedelta(hours=9))
    elsewhere = described(published_at=PUBLISHED.astimezone(there))
    assert metadata_files(described()) == metadata_files(elsewhere)
    assert set(metadata_files(described())) == NAMES
    assert all(text.endswith("\n") for text in metadata_files(described()).values())


def test_a_crate_has_each_file_once_and_all_that_it_refers_to() -> None:
    description = described("rules/sql/a.sql")
    entities = crate_of(description)
    files = {one["@id"] for one in entities.values() if "File" in one["@type"]}
    assert files == {one.path for one in description.files} | NAMES - {"ro-crate-metadata.json"}
    parts = Counter(part for entity in entities.values() for part in parts_of(entity))
    assert set(parts) == files | {"tables/", "report/", "rules/", "software/"}
    assert set(parts.values()) == {1}
    referred = set(references_in(list(entities.values())))
    assert referred - entities.keys() == {"https://w3id.org/ro/crate/1.2"}


def test_a_crate_knows_the_files_that_are_made_with_it() -> None:
    texts = metadata_files(described())
    entities = crate_of(described())
    for path in NAMES - {"ro-crate-metadata.json"}:
        assert entities[path]["sha256"] == hashlib.sha256(texts[path].encode()).hexdigest()
        assert entities[path]["contentSize"] == str(len(texts[path].encode()))


def test_a_crate_says_what_was_mined_when() -> None:
    entities = crate_of(described())
    root = entities["./"]
    assert root["temporalCoverage"] == "2018-11/2020-02"
    assert root["datePublished"] == "2020-03-01T14:00:05Z"
    assert [one["@id"] for one in root["isBasedOn"]] == [source.url for source in SOURCES]
    assert entities[SOURCES[0].url]["version"] == "a" * 40
    assert entities[SOURCES[1].url]["dateModified"] == "2020-02-03T00:00:00Z"
    assert "no month" in entities[SOURCES[2].url]["description"]


def test_tag_sets_of_one_page_are_one_source() -> None:
    page = "https://stackoverflow.com/"
    both = tuple(replace(SOURCES[1], name=name, url=page) for name in ("so:a", "so:b"))
    entities = crate_of(described(sources=both))
    assert entities[page]["name"] == "so:a, so:b"
    assert entities["./"]["isBasedOn"] == {"@id": page}


def test_an_archive_of_nothing_can_be_described() -> None:
    empty = described(sources=(), tables=(), files=(), has_replication=False)
    assert crate_of(empty)["./"]["name"]
    assert set(metadata_files(empty)) == NAMES


def test_a_data_package_has_all_columns_with_their_types_and_units() -> None:
    package = json.loads(metadata_files(described())["datapackage.json"])
    resources = {one["name"]: one for one in package["resources"]}
    assert list(resources) == list(declared())
    for name, table in declared().items():
        fields = resources[name]["schema"]["fields"]
        assert [field["name"] for field in fields] == [column.name for column in table.columns]
        for field, column in zip(fields, table.columns, strict=True):
            assert column.description in field["description"]
            assert column.unit is None or column.unit in field["description"]
    assert resources["raw.issues"]["schema"]["primaryKey"] == ["repository", "number"]
    assert resources["raw.issues"]["hash"] == f"sha256:{file('', b'raw.issues').sha256}"
    types = {one["name"]: one["type"] for one in resources["raw.issues"]["schema"]["fields"]}
    assert (types["number"], types["title"], types["created_at"]) == (
        "integer",
        "string",
        "datetime",
    )


def test_a_data_package_says_what_values_are_allowed() -> None:
    package = json.loads(metadata_files(described())["datapackage.json"])
    (resource,) = (one for one in package["resources"] if one["name"] == "details.commit_metrics")
    fields = {field["name"]: field for field in resource["schema"]["fields"]}
    assert fields["test_share"]["constraints"] == {"minimum": 0, "maximum": 1}
    assert fields["sha"]["constraints"] == {"required": True}
    assert fields["languages"]["description"].endswith(
        "A list; each entry has language, is_test, files, additions, deletions."
    )


def test_croissant_has_all_columns_and_checksums() -> None:
    content = json.loads(metadata_files(described())["croissant.json"])
    files = {one["@id"]: one["sha256"] for one in content["distribution"]}
    assert files == {one.file.path: one.file.sha256 for one in described().tables}
    for records, archived in zip(content["recordSet"], described().tables, strict=True):
        columns = [column.name for column in archived.table.columns]
        assert [field["name"] for field in records["field"]] == columns
    (metrics,) = (one for one in content["recordSet"] if one["name"] == "details.commit_metrics")
    fields = {field["name"]: field for field in metrics["field"]}
    assert fields["changed_methods"]["isArray"] is True
    assert fields["changed_methods"]["dataType"] == "sc:Text"
    assert [part["name"] for part in fields["languages"]["subField"]] == [
        *("language", "is_test", "files", "additions", "deletions")
    ]


def test_a_citation_has_its_day_and_the_papers() -> None:
    content = yaml.safe_load(
        metadata_files(described(authors=("Ann Lee", "Ødegård")))["CITATION.cff"]
    )
    assert content["cff-version"] == "1.2.0"
    assert content["type"] == "dataset"
    assert content["authors"] == [{"name": "Ann Lee"}, {"name": "Ødegård"}]
    assert str(content["date-released"]) == "2020-03-01"
    assert content["version"] == "2020.3.1"
    families = [one["authors"][0].get("family-names") for one in content["references"]]
    assert families == ["Makkouk", "Cao", "Zhang", None]


@pytest.mark.parametrize(
    ("changes", "absent"),
    [
        ({"rows": 0}, ["GitHub", "Stack Exchange", "Commits"]),
        ({"has_replication": False}, ["Published data"]),
        ({"files": ()}, ["Software and rules"]),
    ],
)
def test_a_note_on_terms_is_about_what_is_there(changes: dict[str, Any], absent: list[str]) -> None:
    whole = metadata_files(described())["LICENSES.md"]
    part = metadata_files(described(**changes))["LICENSES.md"]
    assert "no legal advice" in part
    for word in absent:
        assert word in whole
        assert word not in part


def test_people_read_what_is_in_it_and_what_not() -> None:
    text = metadata_files(described())["README.md"]
    row = f"| 2019-01 to 2020-02 | 2020-03-01T12:00:00Z | `{'a' * 40}` |"
    assert f"[deeplab/tensorkit](<{SOURCES[0].url}>) {row}" in text
    assert "`software/perf_assets-0.1.0-py3-none-any.whl` is the perf-assets that made" in text
    assert "runs\nwith all your rights" in text
    assert "FROM 'tables/marts.trend_monthly.parquet'" in text
    assert "are pseudonyms" in text
    assert "Texts are as the sources have them." in text
    assert "`codebooks/`" not in text
    other = metadata_files(
        described("codebooks/a.md", is_pseudonymised=False, has_texts=False, removed_secrets=3)
    )["README.md"]
    assert "as the sources have them" in other
    assert "Titles and bodies were left out" in other
    assert "In 3 places a password or token" in other
    assert "`codebooks/`" in other


STRANGE = 'a|b <script>alert(1)</script>\n# "x": `y` [z](http://q) - é \x85\x07 \u202e %41 #1?'


@settings(max_examples=examples(20, 200))
@given(name=st.text() | st.just(STRANGE))
@example("\x85")
@example("a\u2028\x85é")
def test_strange_names_stay_what_they_are(name: str) -> None:
    name = name.encode("utf-8", "replace").decode()
    source = replace(SOURCES[0], name=name, url=f"https://example.org/{name}")
    few = described().tables[:1]
    description = described(study=name, sources=(source,), tables=few, files=(), authors=(name,))
    texts = metadata_files(description)
    assert yaml.safe_load(texts["CITATION.cff"])["authors"] == [{"name": name}]
    assert json.loads(texts["croissant.json"])["creator"][0]["name"] == name
    assert json.loads(texts["datapackage.json"])["sources"][0]["title"] == name
    entities = crate_of(description)
    assert entities["#author-1"]["name"] == name
    (address,) = references_in(entities["./"]["isBasedOn"])
    assert re.fullmatch(r"[!-~]+", address)
    for path in ("README.md", "LICENSES.md"):
        assert "<script" not in texts[path]
        assert texts[path].count("\n# ") == 0


@pytest.mark.parametrize("path", ["rules/50% of #1?.sql", "study/größe (1).toml", "rules/a&b.sql"])
def test_strange_paths_are_addresses(path: str) -> None:
    entities = crate_of(described(path))
    (id_,) = (one for one, entity in entities.items() if entity.get("name") == path)
    assert id_ == quote(path)
    assert unquote(urlsplit(id_).path) == path
    assert not urlsplit(id_).query and not urlsplit(id_).fragment


# The validators of others, in an environment of their own.


@pytest.fixture(scope="session")
def archive(sampled: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with all tables of the sample, and what is said of them."""
    directory = tmp_path_factory.mktemp("archive")
    (directory / "tables").mkdir()
    tables = []
    with duckdb.connect(
        str(DataDirectory.of(sampled.data_dir).published), read_only=True
    ) as connection:
        connection.execute("SET timezone = 'UTC'")
        for name, table in declared().items():
            path = directory / "tables" / f"{name}.parquet"
            connection.execute(f"COPY (FROM {name}) TO '{path}' (FORMAT parquet)")
            rows = pl.scan_parquet(path).select(pl.len()).collect().item()
            entry = file(f"tables/{path.name}", path.read_bytes(), "application/vnd.apache.parquet")
            tables.append(ArchivedTable(table, entry, rows))
    description = described(files=tuple(one.file for one in tables), tables=tuple(tables))
    for name, text in metadata_files(description).items():
        (directory / name).write_text(text, encoding="utf-8")
    return directory


def run(archive: Path, program: str, *arguments: str) -> str:
    """What a validator says of ``archive``, which it finds to be right."""
    if PROGRAMS is None:
        pytest.skip(
            "PERF_ASSETS_VALIDATORS names no directory of validators (make validators-test)"
        )
    done = subprocess.run(
        [str(Path(PROGRAMS) / program), *arguments],
        cwd=archive,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    said = done.stdout + done.stderr
    if "URLError" in said:
        pytest.skip(f"{program} reads its vocabulary from the network, which is not there")
    assert done.returncode == 0, said[-3000:]
    return said


@pytest.mark.exhaustive
def test_frictionless_finds_each_row_as_it_is_described(archive: Path) -> None:
    said = run(archive, "frictionless", "validate", "--json", "datapackage.json")
    report = json.loads(said)
    assert report["valid"] is True
    assert len(report["tasks"]) == len(declared())


@pytest.mark.exhaustive
def test_croissant_is_valid_and_gives_records(archive: Path) -> None:
    said = run(archive, "mlcroissant", "validate", "--jsonld", "croissant.json")
    assert "Done." in said
    assert "WARNING" not in said
    for table in ("raw.issues", "details.commit_metrics", "staging.identities"):
        options = ("--record_set", table, "--num_records", "3")
        said = run(archive, "mlcroissant", "load", "--jsonld", "croissant.json", *options)
        assert f"{table}/" in said


@pytest.mark.exhaustive
def test_a_crate_is_valid(archive: Path) -> None:
    cache = Path(PROGRAMS or "", "..", "rocrate-cache")
    offline = (
        ("--offline", "--cache-path", str(cache)) if cache.with_suffix(".sqlite").exists() else ()
    )
    options = ("-p", "ro-crate-1.2", "-l", "required", "-v", "--no-paging", *offline)
    said = run(archive, "rocrate-validator", "-y", "--disable-color", "validate", *options, ".")
    assert "RO-Crate is a valid ro-crate-1.2" in said
