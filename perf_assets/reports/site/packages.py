"""The npm packages that the console needs: pinned, fetched once, checked before they are used.

``packages.json`` pins them by the SHA-512 of the whole package, as npm's own lock files do, so it
does not matter from which registry, cache or file a package comes.
"""

import base64
import hashlib
import io
import json
import os
import tarfile
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.files import write_output_file
from perf_assets.base.processes.progress import phase

PINNED = Path(__file__).with_name("packages.json")
REGISTRY = "https://registry.npmjs.org"
VARIABLES = ("NPM_CONFIG_REGISTRY", "npm_config_registry")
TIMEOUT_SECONDS = 60  # for a part of the answer
LONGEST_SECONDS = 1800  # for all of it
CHUNK = 1 << 20
ROOT = "package"  # the directory in which npm packs everything
HOW_TO_MEND = (
    "allow this machine to reach it, name another registry in NPM_CONFIG_REGISTRY, hand in the "
    "files of 'npm pack {all}' with --duckdb-wasm, or write the site with --no-console"
)


@dataclass(frozen=True)
class Package:
    """A package as it is pinned: its size and SHA-512, and which of its files are needed."""

    name: str
    version: str
    size: int
    integrity: str
    files: tuple[str, ...]

    @property
    def title(self) -> str:
        """Name and version, as npm takes them."""
        return f"{self.name}@{self.version}"

    @property
    def file_name(self) -> str:
        """The name of the package's file, the last part of its address."""
        return f"{self.name.rpartition('/')[2]}-{self.version}.tgz"

    def is_in(self, content: bytes) -> bool:
        """Return whether ``content`` is this very package."""
        digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
        return self.integrity == f"sha512-{digest}"


@cache
def packages() -> tuple[Package, ...]:
    """Return the pinned packages."""
    entries = json.loads(PINNED.read_text(encoding="utf-8"))
    return tuple(Package(**{**entry, "files": tuple(entry["files"])}) for entry in entries)


def registry() -> str:
    """Return the address of the npm registry, without a slash at its end."""
    given = next(filter(None, map(os.environ.get, VARIABLES)), REGISTRY)
    return given.rstrip("/")


def cache_directory() -> Path:
    """Return where packages are kept: below the cache directory of the user."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "perf-assets" / "npm"


def package_files(given: Sequence[Path] = ()) -> Mapping[str, bytes]:
    """Return the needed files of all packages, by their names without directories.

    Each package is taken from ``given``, else from the cache, else from the registry; what was
    given or fetched is kept in the cache.

    Raises
    ------
    PerfAssetsError
        A given file is none of the packages.
    TransientError
        A package is nowhere, and the registry cannot be reached.
    """
    handed_in = _handed_in(given)
    files: dict[str, bytes] = {}
    for package in packages():
        content = handed_in.get(package.name) or _cached(package) or _fetched(package)
        files |= _unpacked(package, content)
    return files


def _handed_in(given: Sequence[Path]) -> dict[str, bytes]:
    contents = {}
    for path in given:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise PerfAssetsError(f"{path}: this cannot be read: {error.strerror}") from None
        package = next((package for package in packages() if package.is_in(content)), None)
        if package is None:
            titles = " nor ".join(package.title for package in packages())
            raise PerfAssetsError(
                f"{path}: this is neither {titles} as npm has them (its SHA-512 is another): "
                f"get them with 'npm pack {_all_titles()}'"
            )
        _keep(package, content)
        contents[package.name] = content
    return contents


def _cached(package: Package) -> bytes | None:
    with suppress(OSError):
        content = (cache_directory() / package.file_name).read_bytes()
        return content if package.is_in(content) else None
    return None


def _keep(package: Package, content: bytes) -> None:
    """Keep a package for the next time; where there is no room for it, that time fetches it too."""
    path = cache_directory() / package.file_name
    with suppress(OSError, PerfAssetsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output_file(path, content)


def _fetched(package: Package) -> bytes:
    """Return the package from the registry, and keep it."""
    address = f"{registry()}/{package.name}/-/{package.file_name}"
    parts = urlsplit(address)  # a registry's address may have a password, which no message has
    shown = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    try:
        content = _downloaded(address, package)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise TransientError(
            f"{package.title}, which the console needs, cannot be had from {shown} ({reason}): "
            f"{HOW_TO_MEND.format(all=_all_titles())}"
        ) from None
    if not package.is_in(content):
        raise PerfAssetsError(
            f"{shown} is not {package.title} as it is pinned (its SHA-512 is another): name "
            "another registry in NPM_CONFIG_REGISTRY, or hand in the file with --duckdb-wasm"
        )
    _keep(package, content)
    return content


def _downloaded(address: str, package: Package) -> bytes:
    """Return what the address gives, up to a byte more than the package has."""
    if not address.startswith(("https://", "http://")):
        raise ValueError("its address is not an http address")
    content = bytearray()
    until = time.monotonic() + LONGEST_SECONDS
    with (
        phase(f"fetching {package.title}", package.size, "bytes") as report,
        urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as answer,
    ):
        while len(content) <= package.size and (chunk := answer.read(CHUNK)):
            content += chunk
            report(len(content))
            if time.monotonic() > until:
                raise TimeoutError(f"it is not there after {LONGEST_SECONDS} s")
    return bytes(content)


def _unpacked(package: Package, content: bytes) -> dict[str, bytes]:
    """Return the needed files in memory; names in the package are not used as paths."""
    wanted = {f"{ROOT}/{name}": Path(name).name for name in package.files}
    files = {}
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        for member in archive:
            if member.name in wanted and (file := archive.extractfile(member)) is not None:
                files[wanted[member.name]] = file.read()
    return files


def _all_titles() -> str:
    return " ".join(package.title for package in packages())
