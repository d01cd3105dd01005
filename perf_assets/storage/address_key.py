"""The keys by which a data directory hashes addresses and people; they never leave it.

What is stored elsewhere is a fingerprint, by which two keys are known to be the same or not.
"""

import hashlib
import hmac
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.config.data_directory import DataDirectory

VARIABLE = "PERF_ASSETS_ADDRESS_KEY"
BYTES = 32
FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_KEY = re.compile(r"[0-9a-f]{64}")


def address_key(data_dir: DataDirectory) -> bytes:
    """Return the key of ``data_dir``, made the first time; that of the environment goes before it.

    Several machines that mine for one lake hash alike by the same key in their environment.

    Raises
    ------
    PerfAssetsError
        The key is none, or cannot be read or written.
    """
    return given_key() or _kept(data_dir.address_key)


def given_key() -> bytes | None:
    """Return the key of the environment; None if it has none.

    Raises
    ------
    PerfAssetsError
        The variable holds something else than a key.
    """
    given = os.environ.get(VARIABLE, "").strip().lower()
    return _parsed(given, VARIABLE) if given else None


def existing_key(data_dir: DataDirectory) -> bytes | None:
    """Return the key that ``address_key`` returns; None where that function would make one.

    Raises
    ------
    PerfAssetsError
        The key is not a key, or cannot be read.
    """
    return given_key() or _read(data_dir.address_key)


def fingerprint(key: bytes, purpose: str = "address key") -> str:
    """Return 16 hexadecimal digits that identify ``key`` and reveal nothing of it.

    purpose : separates fingerprints; two of the same key with other purposes have nothing in
        common.
    """
    return hmac.new(key, purpose.encode(), hashlib.sha256).hexdigest()[:16]


def pseudonym_key(data_dir: DataDirectory) -> bytes:
    """Return the key of pseudonyms in the archives of ``data_dir``, made the first time.

    Raises
    ------
    PerfAssetsError
        The key is none, or cannot be read or written.
    """
    return _kept(data_dir.pseudonym_key)


def _kept(path: Path) -> bytes:
    while (key := _read(path)) is None:
        with suppress(FileExistsError):  # another process was faster: its key stays
            content = f"{secrets.token_hex(BYTES)}\n"
            write_file(path, content, mode=0o600, replaces=False)
    return key


def _read(path: Path) -> bytes | None:
    """Return the key in the file at ``path``; None if there is no file."""
    try:
        text = path.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: the key cannot be read ({error.strerror or error})"
        ) from None
    return _parsed(text.strip(), str(path))


def _parsed(text: str, origin: str) -> bytes:
    if _KEY.fullmatch(text) is None:
        raise PerfAssetsError(
            f"{origin}: this is not a key, which has 64 hexadecimal digits: "
            "openssl rand -hex 32 prints one"
        )
    return bytes.fromhex(text)
