"""Opening an archive: unpacked to a temporary folder, and each file held against its checksum."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from perf_assets.archive.manifest import (
    DATABASE,
    LOCK,
    MANIFEST,
    REPORT,
    REPORT_PAGE,
    SUMS,
    Manifest,
    digest_of,
    read_manifest,
    read_sums,
)
from perf_assets.archive.zip_reading import open_zip, unpack
from perf_assets.errors import PerfAssetsError
from perf_assets.processes.progress import phase
from perf_assets.storage.warehouse import FORMAT as WAREHOUSE_FORMAT

NEEDED = (DATABASE, LOCK, REPORT, REPORT_PAGE)
LARGEST_MANIFEST = 10_000_000  # bytes


@contextmanager
def unpacked(path: Path, folder: Path | None = None) -> Iterator[tuple[Path, Manifest]]:
    """The archive at ``path`` unpacked to a new folder for as long as the block lasts.

    Raises
    ------
    PerfAssetsError
        It is no archive, damaged, of a newer version, or there is no room for it.
    """
    with open_zip(path) as packed:
        names = {one.name for one in packed.members}
        if MANIFEST not in names or SUMS not in names:
            raise PerfAssetsError(
                f"{path} is no archive of perf-assets: it has no {MANIFEST} or no {SUMS}; "
                "perf-assets archive makes one"
            )
        manifest = read_manifest(packed.read(MANIFEST, LARGEST_MANIFEST), str(path))
    if manifest.warehouse_format > WAREHOUSE_FORMAT:
        raise PerfAssetsError(
            f"{path} was made by a newer perf-assets ({manifest.perf_assets}, tables of format "
            f"{manifest.warehouse_format}; this one knows {WAREHOUSE_FORMAT}): upgrade "
            "perf-assets, or install the one in its folder software"
        )
    with TemporaryDirectory(prefix="perf-assets-archive-", dir=folder) as temporary:
        content = Path(temporary) / "content"
        with phase(f"unpacking {path.name}"):
            unpack(path, content)
        yield content, manifest


def damaged_files(content: Path, origin: str) -> list[str]:
    """What is wrong with the files below ``content`` by their checksums, a sentence each."""
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
    # Checksums that fit say nothing of what whoever changed them left out.
    faults += [f"{name} is missing" for name in NEEDED if name not in found and name not in sums]
    return faults
