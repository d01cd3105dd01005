"""Archives that somebody changed on purpose, with checksums that fit."""

import json
import zipfile
from hashlib import sha256
from pathlib import Path

from perf_assets.archive.manifest import MANIFEST, SUMS, sums_text

Files = dict[str, bytes]


def files_of(archive: Path) -> Files:
    """The files of an archive by their names."""
    with zipfile.ZipFile(archive) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def forged(path: Path, files: Files) -> Path:
    """A zip of ``files`` with checksums that fit."""
    sums = {name: sha256(file).hexdigest() for name, file in files.items() if name != SUMS}
    with zipfile.ZipFile(path, "w") as made:
        for name, content in {**files, SUMS: sums_text(sums)}.items():
            made.writestr(name, content)
    return path


def with_manifest(files: Files, **changes: object) -> Files:
    """``files``, of which archive.json says something else."""
    return {**files, MANIFEST: json.dumps({**json.loads(files[MANIFEST]), **changes}).encode()}


def with_row_count(files: Files, table: str, rows: int) -> Files:
    """``files``, of which archive.json says that ``table`` has ``rows``."""
    held = json.loads(files[MANIFEST])["rows"]
    return with_manifest(files, rows={**held, table: rows})


def with_rules(files: Files, **changes: str) -> Files:
    """``files``, of which archive.json says other versions of rules."""
    held = json.loads(files[MANIFEST])["rules"]
    return with_manifest(files, rules={**held, **changes})
