"""The package from where its authors published it, checked, and kept below the data directory."""

import hashlib
import logging
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.sources.replication.package import Pinned, pinned

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 60  # for the next bytes
LONGEST_SECONDS = 900  # for a file: the largest has some megabytes
CHUNK = 1 << 16


def fetch_package(directory: Path, source: Pinned | None = None) -> Path:
    """Return the folder of the pinned package below ``directory``; download it if it is missing.

    The folder appears in one step, once every file is there with the right sha256.

    Raises
    ------
    PerfAssetsError
        A file cannot be had (no network, mostly), or is not the published one.
    """
    package = source or pinned()
    folder = directory / package.stored_as
    if folder.is_dir():
        return folder
    unfinished = directory / f".{folder.name}.new"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        for file, digest in package.sums.items():
            log.info("downloading %s", file)
            (unfinished / file).write_bytes(_downloaded(package, file, digest))
        unfinished.replace(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _downloaded(package: Pinned, file: str, digest: str) -> bytes:
    url = package.address(file)
    try:
        content = b"".join(_chunks(url))
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise TransientError(
            f"{url} cannot be downloaded ({reason}): check the network, or give {package.instead}"
        ) from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise PerfAssetsError(
            f"{url}: what came differs from the published file (its sha256 is another); try again "
            f"later, or give {package.instead}"
        )
    return content


def _chunks(url: str) -> Iterator[bytes]:
    until = time.monotonic() + LONGEST_SECONDS
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:
        while chunk := answer.read1(CHUNK):
            yield chunk
            if time.monotonic() > until:
                raise TimeoutError(f"it is not there after {LONGEST_SECONDS} s")
