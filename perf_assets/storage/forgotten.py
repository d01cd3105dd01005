"""Who is forgotten in a data directory: the file that says so, by hashes."""

import json
from functools import lru_cache
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.people.forgetting import Forgotten
from perf_assets.storage.address_key import VARIABLE, address_key, fingerprint

SETS = ("logins", "emails", "names")
PURPOSE = "forgotten"  # of the fingerprint in the file


def read_forgotten(data_dir: DataDirectory) -> Forgotten | None:
    """Return who is forgotten in ``data_dir``; None where nobody is.

    Raises
    ------
    PerfAssetsError
        The file that says so is damaged, or was written by another key of addresses.
    """
    return read_file(data_dir.forgotten, data_dir)


def read_file(path: Path, data_dir: DataDirectory) -> Forgotten | None:
    """Return the same, of another file at ``path``."""
    try:
        changed = path.stat().st_mtime_ns
    except FileNotFoundError:
        return None
    return _read(path, changed, address_key(data_dir))


def write_forgotten(data_dir: DataDirectory, forgotten: Forgotten) -> None:
    """Say from now on who is forgotten, in one step."""
    path = data_dir.forgotten
    content: dict[str, object] = {name: sorted(getattr(forgotten, name)) for name in SETS}
    content["key"] = fingerprint(forgotten.key, PURPOSE)
    write_file(path, json.dumps(content, indent=1) + "\n")


@lru_cache(maxsize=4)
def _read(path: Path, _: int, key: bytes) -> Forgotten:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        sets = [frozenset(map(str, content[name])) for name in SETS]
        mark = content["key"]
    except (OSError, ValueError, KeyError, TypeError):
        raise PerfAssetsError(
            f"{path}: this file says who is forgotten, and cannot be read: bring it back from a "
            "backup, so that nobody in it is stored again"
        ) from None
    if mark != fingerprint(key, PURPOSE):
        raise PerfAssetsError(
            f"{path}: this file says who is forgotten by another key of addresses than is given "
            f"now, by which nobody in it would be recognised: give that key again, in {VARIABLE} "
            "or in the file address.key beside it"
        )
    return Forgotten(key, *sets)
