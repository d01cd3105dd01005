"""Opening an archive: unpacked to a temporary folder, and each file held against its checksum."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.archive.manifest import MANIFEST, SUMS, Manifest, read_manifest, read_sums
from perf_assets.archive.work_folder import temporary_folder
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.errors.messages import disk_or_memory_message
from perf_assets.base.files import digest_of
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import shortened
from perf_assets.base.zips import ANOTHER, open_zip, unpack
from perf_assets.storage.migrations import FORMAT as WAREHOUSE_FORMAT

LARGEST_MANIFEST = 10_000_000  # bytes
LONGEST_REASON = 200


@contextmanager
def unpacked(path: Path, folder: Path | None = None) -> Iterator[tuple[Path, Manifest]]:
    """Provide the archive at ``path`` unpacked to a new folder for as long as the block lasts.

    Raises
    ------
    PerfAssetsError
        It is not an archive, damaged, of a newer version, or there is no room for it.
    """
    with open_zip(path) as packed:
        if not {MANIFEST, SUMS} <= packed.sizes.keys():
            raise PerfAssetsError(
                f"{path} is not an archive of perf-assets: it has no {MANIFEST} or no {SUMS}; "
                "perf-assets archive makes one"
            )
        manifest = read_manifest(packed.read(MANIFEST, LARGEST_MANIFEST), str(path))
    if manifest.warehouse_format > WAREHOUSE_FORMAT:
        raise PerfAssetsError(
            f"{path} was made by a newer perf-assets ({manifest.perf_assets}, tables of format "
            f"{manifest.warehouse_format}; this one knows {WAREHOUSE_FORMAT}): upgrade "
            "perf-assets"
        )
    with temporary_folder(folder) as temporary:
        content = temporary / "content"
        with phase(f"unpacking {path.name}"):
            unpack(path, content)
        yield content, manifest


@contextmanager
def readable(path: Path, content: Path) -> Iterator[None]:
    """Say of the archive at ``path`` what is found wrong with its files, unpacked to ``content``.

    Checksums fit what somebody wrote on purpose, too.

    Raises
    ------
    PerfAssetsError
        A file in it cannot be read.
    """
    here = re.compile(rf"{re.escape(str(content.parent))}/(?:content|tmp\w+)/")
    try:
        yield
    except (duckdb.Error, pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        text = str(error)
        if disk_or_memory_message(text, content) is not None:
            raise
        why = shortened(here.sub("", text.splitlines()[0]), LONGEST_REASON)
        raise PerfAssetsError(f"{path}: what it holds cannot be read ({why}): {ANOTHER}") from None
    except PerfAssetsError as error:
        if here.search(str(error)) is None:
            raise
        raise PerfAssetsError(here.sub(f"{path}: ", str(error))) from None


def check_whole(path: Path, content: Path) -> None:
    """Refuse an archive of which a file is not what was archived.

    Raises
    ------
    PerfAssetsError
        One is not, or is missing.
    """
    faults = damaged_files(content, str(path))
    if faults:
        raise PerfAssetsError(f"{path} is damaged: {faults[0]}: take another copy")


def damaged_files(content: Path, origin: str) -> list[str]:
    """Return what is wrong with the files below ``content`` by their checksums, a sentence each."""
    sums = read_sums((content / SUMS).read_bytes(), origin)
    found = {
        path.relative_to(content).as_posix(): path
        for path in sorted(content.rglob("*"))
        if path.is_file()
    }
    faults = []
    for name in sorted({*sums, *found} - {SUMS}):
        if name not in found:
            faults.append(f"{name} is missing")
        elif name not in sums:
            faults.append(f"{name} is not in {SUMS}")
        elif digest_of(found[name]) != sums[name]:
            faults.append(f"{name} is not what was archived")
    return faults
