"""What an archive says of itself: the file archive.json, and the checksums of all others."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import copy_file
from perf_assets.config.data_directory import DataDirectory

FORMAT = 1
MANIFEST = "archive.json"
SUMS = "manifest-sha256.txt"
DATABASE = "perf_bugs.duckdb"
TABLES = "tables"
REPORT = "report.md"
REPORT_PAGE = "report/index.html"
DICTIONARY = "dictionary.html"
STUDY = "study/study.toml"
MODEL = "study/performance_model.json.gz"
ADDED = "study/added_repositories.json"
VERDICTS = "verdicts.jsonl"
CODEBOOKS = "codebooks"
RULES = "rules"
SOFTWARE = "software"
LOCK = f"{SOFTWARE}/requirements.lock"


def kept_files(data_dir: DataDirectory) -> dict[str, Path]:
    """Return the files of ``data_dir`` beside the database, by their paths in an archive."""
    return {VERDICTS: data_dir.verdicts, MODEL: data_dir.model, ADDED: data_dir.added}


def copy_kept(content: Path, data_dir: DataDirectory) -> None:
    """Copy those of them that the archive below ``content`` has into ``data_dir``."""
    for name, path in kept_files(data_dir).items():
        if (content / name).exists():
            copy_file(content / name, path)


@dataclass(frozen=True)
class Manifest:
    """How an archive was made.

    format : of archives.
    perf_assets, python : the versions that made it.
    warehouse_format : of its tables.
    study : its name.
    packaged : whether the study comes with perf-assets, so that its sources are known everywhere.
    local_sources : repositories, forums and benchmarks that were read from files of the machine
        that made it.
    published_at : when the database was published, as it says itself.
    texts : ``all``; ``none`` where titles and bodies were left out.
    is_pseudonymised, secrets_removed : what was changed in it before it was written.
    rules : the version of each rule by which it was decided and computed.
    rows : the number of rows of each table.
    """

    format: int
    perf_assets: str
    python: str
    warehouse_format: int
    study: str
    packaged: bool
    local_sources: tuple[str, ...]
    published_at: str
    texts: Literal["all", "none"]
    is_pseudonymised: bool
    secrets_removed: bool
    rules: dict[str, str]
    rows: dict[str, int]


MANIFESTS = TypeAdapter(Manifest)


def as_json(manifest: Manifest) -> bytes:
    """Return the content of archive.json."""
    return MANIFESTS.dump_json(Manifest(**asdict(manifest)), indent=2) + b"\n"


def read_manifest(content: bytes, origin: str) -> Manifest:
    """Return what ``content`` of the archive ``origin`` says.

    Raises
    ------
    PerfAssetsError
        It is not a manifest, or that of a newer version.
    """
    try:
        raw = TypeAdapter(dict[str, object]).validate_json(content)
    except ValueError:
        raise PerfAssetsError(
            f"{origin} is not an archive of perf-assets: {MANIFEST} is damaged"
        ) from None
    version = raw.get("format")
    if isinstance(version, int) and version > FORMAT:
        raise PerfAssetsError(
            f"{origin} was made by a newer perf-assets ({raw.get('perf_assets')}, archives of "
            f"format {version}; this one knows {FORMAT}): upgrade perf-assets"
        )
    try:
        return MANIFESTS.validate_json(content)
    except ValueError:
        raise PerfAssetsError(
            f"{origin} is not an archive of perf-assets: {MANIFEST} is damaged"
        ) from None


def sums_text(sums: Mapping[str, str]) -> bytes:
    """Return the checksums as ``sha256sum -c`` reads them, in the order of paths."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(sums.items())).encode()


def read_sums(content: bytes, origin: str) -> dict[str, str]:
    """Return the checksum of each path.

    Raises
    ------
    PerfAssetsError
        A line is none.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        digest, gap, path = line.partition("  ")
        if not gap or len(digest) != 64 or path in found:
            raise PerfAssetsError(
                f"{origin}: line {number} of {SUMS} is not a checksum: take another copy"
            )
        found[path] = digest
    return found
