"""The keys by which a data directory hashes addresses and people; they never leave it."""

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from perf_assets.errors import PerfAssetsError
from perf_assets.storage.data_directory import DataDirectory

VARIABLE = "PERF_ASSETS_ADDRESS_KEY"
BYTES = 32
_KEY = re.compile(r"[0-9a-f]{64}")


def address_key(data_dir: DataDirectory) -> bytes:
    """The key of ``data_dir``, made the first time; that of the environment goes before it.

    Several machines that mine for one lake hash alike by the same key in their environment.

    Raises
    ------
    PerfAssetsError
        The key is none, or cannot be read or written.
    """
    given = os.environ.get(VARIABLE, "").strip().lower()
    if given:
        return _parsed(given, VARIABLE)
    return _kept(data_dir.address_key)


def pseudonym_key(data_dir: DataDirectory) -> bytes:
    """The key of pseudonyms in the archives of ``data_dir``, made the first time.

    Raises
    ------
    PerfAssetsError
        The key is none, or cannot be read or written.
    """
    return _kept(data_dir.pseudonym_key)


def _kept(path: Path) -> bytes:
    try:
        if not path.exists():
            _make(path)
        return _parsed(path.read_text(encoding="ascii", errors="replace").strip(), str(path))
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: the key cannot be read or made ({error.strerror or error})"
        ) from None


def _make(path: Path) -> None:
    """Write a new key in one step; where another process was faster its key stays."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{secrets.token_hex(BYTES)}\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _parsed(text: str, origin: str) -> bytes:
    if _KEY.fullmatch(text) is None:
        raise PerfAssetsError(
            f"{origin}: this is no key, which has 64 hexadecimal digits: "
            "openssl rand -hex 32 prints one"
        )
    return bytes.fromhex(text)
