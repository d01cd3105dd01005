"""What was stored: databases, backups of them, lakes of several machines."""

import json
import random
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from perf_assets.config.data_directory import DataDirectory
from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import sizes
from perf_assets.lake.pull import pull, subjects_of
from perf_assets.lake.push import push
from perf_assets.lake.snapshots import released
from perf_assets.reports.directory import OwnDirectory, text_file
from perf_assets.reports.site.writing import SITE
from perf_assets.stages.health import find_damage, repair
from perf_assets.storage.backups import MANIFEST, open_backup, write_backup
from perf_assets.storage.restoring import restore
from perf_assets.storage.verdicts import read_log
from perf_assets.storage.warehouse import open_warehouse, reading
from tests.damaged_inputs.damage import BYTE_MISTAKES, damaged, json_of, spoilt
from tests.damaged_inputs.kinds import Kind, Surroundings, TryOne, unchanged_where_refused
from tests.damaged_inputs.sheets import lines_damaged, verdict_lines
from tests.lakes import ENTRY, MONTHS, REPOSITORIES, TAG_SETS, fill, memory

HEADERS = 3 * 4096  # of a database, where it says what is where
SMALL_BLOCKS = 16_384
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def _small(source: Path, target: Path) -> None:
    """A copy of a database in small blocks: a damaged byte of it is seldom of an empty block."""
    target.unlink(missing_ok=True)
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{source}' AS old (READ_ONLY)")
        connection.execute(f"ATTACH '{target}' AS new (BLOCK_SIZE {SMALL_BLOCKS})")
        connection.execute("COPY FROM DATABASE old TO new")


def database_damaged(valid: bytes, chance: random.Random) -> bytes:
    """A database with its headers or blocks damaged."""
    if chance.random() < 0.3:
        head = bytearray(valid[:HEADERS])
        for _ in range(chance.choice((1, 2, 5))):
            chance.choice(BYTE_MISTAKES[:3])(head, chance)
        return bytes(head) + valid[HEADERS:]
    if chance.random() < 0.3:
        return damaged(valid, chance)
    content = bytearray(valid)
    for _ in range(chance.choice((1, 4, 30))):
        index = chance.randrange(len(content))
        content[index] = chance.randrange(256)
    return bytes(content)


def _databases(surroundings: Surroundings) -> TryOne:
    room = surroundings.room("databases")
    data_dir = DataDirectory.of(room / "home")
    _small(surroundings.prepared.data_dir / data_dir.warehouse.name, room / "valid.duckdb")
    valid = (room / "valid.duckdb").read_bytes()

    def look() -> object:
        return [str(damage) for damage in find_damage(data_dir)]

    def mend() -> object:
        return [(str(damage), why) for damage, why in repair(data_dir)]

    def ask() -> object:
        with reading(data_dir.warehouse) as connection:
            return connection.sql("FROM raw.issues").pl().to_arrow()

    def open_it() -> object:
        with open_warehouse(data_dir.warehouse) as database:
            return database.frame("FROM raw.commits").to_arrow()

    ways: tuple[Callable[[], object], ...] = (look, look, ask, ask, open_it, mend)

    def try_one(chance: random.Random) -> object:
        shutil.rmtree(data_dir.path)
        data_dir.path.mkdir()
        data_dir.warehouse.write_bytes(database_damaged(valid, chance))
        if chance.random() < 0.3:
            data_dir.published.write_bytes(database_damaged(valid, chance))
        if chance.random() < 0.1:
            journal = data_dir.warehouse.with_name(f"{data_dir.warehouse.name}.wal")
            journal.write_bytes(damaged(valid[:500], chance))
        return chance.choice(ways)()

    return try_one


def _backups(surroundings: Surroundings) -> TryOne:
    room = surroundings.room("backups")
    data_dir, other = DataDirectory.of(room / "home"), DataDirectory.of(room / "other")
    _small(surroundings.prepared.data_dir / data_dir.warehouse.name, other.warehouse)
    lines = verdict_lines(other.verdicts)
    path = room / "backup.zip"
    manifest = asdict(write_backup(other, path))
    packed = path.read_bytes()
    parts = {name: zipfile.ZipFile(path).read(name) for name in manifest["sha256"]}
    shutil.copytree(other.path, room / "template")

    def fresh() -> None:
        shutil.rmtree(data_dir.path, ignore_errors=True)
        shutil.copytree(room / "template", data_dir.path)

    fresh()

    def try_one(chance: random.Random) -> object:
        if chance.random() < 0.3:
            path.write_bytes(_zip_damaged(packed, chance))
        else:
            path.write_bytes(_packed_anew(manifest, parts, lines, chance, room))
        if chance.random() < 0.3:
            with open_backup(path) as (_, read):
                return read
        with unchanged_where_refused(data_dir.path):
            restore(data_dir, path)
        read_log(data_dir.verdicts)
        fresh()
        return None

    return try_one


def _zip_damaged(packed: bytes, chance: random.Random) -> bytes:
    """An archive damaged where it says what is in it: at its end, and before each of its files."""
    tail = chance.choice((60, 300, 1000))
    if chance.random() < 0.6:
        return packed[:-tail] + damaged(packed[-tail:], chance)
    return damaged(packed[:400], chance) + packed[400:]


def _packed_anew(
    manifest: dict[str, Any],
    parts: dict[str, bytes],
    lines: list[bytes],
    chance: random.Random,
    room: Path,
) -> bytes:
    """A backup that somebody made to deceive: each file in it has the checksum that it says."""
    parts = dict(parts)
    kind = chance.random()
    if kind < 0.4:
        parts["warehouse.duckdb"] = database_damaged(parts["warehouse.duckdb"], chance)
    elif kind < 0.7:
        parts["verdicts.jsonl"] = lines_damaged(lines, chance)
    sums = {name: sha256(content).hexdigest() for name, content in parts.items()}
    content_of_manifest: object = {**manifest, "sha256": sums}
    if kind >= 0.7:
        content_of_manifest = spoilt(content_of_manifest, chance)
    path = room / "made.zip"
    with zipfile.ZipFile(path, "w", chance.choice(METHODS), compresslevel=1) as archive:
        archive.writestr(MANIFEST, json_of(content_of_manifest, chance))
        for name, content in parts.items():
            archive.writestr(name, content)
    return path.read_bytes()


def _lakes(surroundings: Surroundings) -> TryOne:
    room = surroundings.room("lakes")
    template, directory = room / "template", room / "lake"
    shutil.rmtree(template, ignore_errors=True)
    database = memory()
    subjects = (*REPOSITORIES[:2], TAG_SETS[0])
    for number in range(2):
        entry = {**ENTRY, "title": f"Slow {number}"}
        fill(database, {(one, MONTHS[0]): [entry, entry] for one in subjects})
        for subject in subjects:
            push(database, Lake(str(template)), subject)
    files = sorted(path.relative_to(template) for path in template.rglob("*") if path.is_file())
    shutil.copytree(template, directory, dirs_exist_ok=True)
    lake = Lake(str(directory))

    def try_one(chance: random.Random) -> object:
        name = chance.choice(files)
        valid = (template / name).read_bytes()
        path = directory / name
        try:
            path.write_bytes(_lake_file_damaged(path, valid, chance))
            if chance.random() < 0.05:
                path.unlink()
            kind = chance.random()
            if kind < 0.25:
                return sizes(lake)
            if kind < 0.5:
                return released(lake)
            return pull(memory(), lake, subjects_of(lake), only=False)
        finally:
            path.write_bytes(valid)

    return try_one


def _lake_file_damaged(path: Path, valid: bytes, chance: random.Random) -> bytes:
    if path.suffix == ".parquet" and chance.random() < 0.5:
        return _other_parquet(valid, chance)
    if path.suffix == ".json" and chance.random() < 0.7:
        lines = [json.loads(line) for line in valid.splitlines()]
        return b"\n".join(json_of(line, chance) for line in _list(spoilt(lines, chance)))
    return damaged(valid, chance)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _other_parquet(valid: bytes, chance: random.Random) -> bytes:
    """A table with a column of another type, under another name, or gone; or without rows."""
    table = pq.read_table(pa.BufferReader(valid))
    index = chance.randrange(table.num_columns)
    name = table.column_names[index]
    kind = chance.random()
    if kind < 0.2:
        table = table.drop_columns([name])
    elif kind < 0.4:
        table = table.rename_columns(
            [f"{one}x" if one == name else one for one in table.schema.names]
        )
    elif kind < 0.5:
        table = table.slice(0, 0)
    elif kind < 0.6:
        table = pa.concat_tables([table, table])
    else:
        other = chance.choice((pa.nulls(table.num_rows), pa.array(["x"] * table.num_rows)))
        table = table.set_column(index, name, other)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


def _site_lists(surroundings: Surroundings) -> TryOne:
    """The list of files of a site: whatever it says, the site is as it was, and nothing else."""
    room = surroundings.room("site_lists")
    files = [text_file(path, lambda: "text") for path in ("index.html", "tables/a.html")]

    def write() -> dict[str, bytes]:
        site = OwnDirectory(room / "site", SITE)
        site.plan([file.path for file in files])
        for file in files:
            site.keep(file)
        site.finish()
        return {str(path): path.read_bytes() for path in room.rglob("*") if path.is_file()}

    (room / "beside").touch()
    write()
    whole = write()
    path = room / "site" / SITE.manifest
    valid = path.read_bytes()

    def try_one(chance: random.Random) -> object:
        content = json_of(spoilt(json.loads(valid), chance), chance)
        path.write_bytes(content if chance.random() < 0.5 else damaged(valid, chance))
        try:
            assert write() == whole
        finally:
            path.write_bytes(valid)
        return "the same"

    return try_one


KINDS = (
    Kind("databases", 3, _databases),
    Kind("backups", 2, _backups),
    Kind("lakes", 3, _lakes),
    Kind("lists_of_sites", 20, _site_lists),
)
