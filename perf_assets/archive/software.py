"""What made an archive: perf-assets as a wheel, its rules, and the versions of all libraries."""

import base64
import hashlib
import io
import platform
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from perf_assets import __version__
from perf_assets.archive.manifest import CODEBOOKS, LOCK, RULES, SOFTWARE, Manifest
from perf_assets.base.code_version import code_version, libraries_of
from perf_assets.base.paths import PACKAGE, checks_dir, expectations_dir, models_dir, queries_dir
from perf_assets.config.hosts import KINDS
from perf_assets.schema.models.dependencies import analyses
from perf_assets.stages.transform.analyses import ENGINE_VERSION, version_of_analysis

MOMENT = (1980, 1, 1, 0, 0, 0)  # the oldest that a zip can say: no file has one of its own
PROJECT = "_project"
NAME = f"perf_assets-{__version__}"
WHEEL = f"{SOFTWARE}/{NAME}-py3-none-any.whl"

STAGES: Mapping[str, str] = {
    "commits": "mining.commits",
    "static findings": "mining.static_findings",
    "labels": "enrichment.labels",
    "links": "enrichment.links",
    "fix analysis": "enrichment.details",
    "releases": "enrichment.releases",
    "questions": "enrichment.performance_questions",
    "question kinds": "enrichment.question_kinds",
}
"""Stages by the name that people read, and the module below ``perf_assets.stages`` of each."""


def software_files() -> dict[str, bytes]:
    """Return the wheel of this perf-assets, and the exact versions of what is installed with it."""
    return {WHEEL: _wheel(), LOCK: lock_text().encode()}


def wheel_of(content: Path) -> Path | None:
    """Return the wheel in the archive that was unpacked to ``content``: the code of its maker."""
    return next(iter(sorted((content / SOFTWARE).glob("perf_assets-*.whl"))), None)


def rule_files() -> dict[str, bytes]:
    """Return what decides, as files: models, rules of audits, the cookbook, codebooks."""
    folders = {"sql_models": models_dir(), "expectations": expectations_dir(), "sql": queries_dir()}
    found = {
        f"{RULES}/{name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for name, folder in folders.items()
        for path in _files(folder)
    }
    books = PACKAGE / "sources" / "review_sheets"
    found |= {
        f"{CODEBOOKS}/{path.name}": path.read_bytes() for path in sorted(books.glob("*.toml"))
    }
    return found


def code_versions() -> dict[str, str]:
    """Return the version of the code and the libraries of each stage that decides on rows.

    The fields that are requested of GitHub have a number: a month is read again only for more.
    """
    return {
        **{stage: code_version(f"perf_assets.stages.{name}") for stage, name in STAGES.items()},
        "issue fields": str(KINDS["github"].fields_version),
        "models": ENGINE_VERSION,
        "statistics": hashlib.sha256(
            "".join(map(version_of_analysis, analyses())).encode()
        ).hexdigest()[:16],
    }


def deciding_libraries() -> list[str]:
    """Return the names of the libraries that decide what is computed, as they are installed."""
    functions = [analysis.function.rpartition(".")[0] for analysis in analyses().values()]
    stages = [f"perf_assets.stages.{name}" for name in STAGES.values()]
    return sorted({"duckdb", *libraries_of(*stages, *functions)})


def is_by_this_code(manifest: Manifest) -> bool:
    """Return whether the code that made an archive is that of here."""
    return manifest.rules == code_versions()


@cache
def lock_text() -> str:
    """Return the versions of all that perf-assets needs, as a file of requirements, sorted.

    What else is installed, of its extras too, decides nothing that is computed.
    """
    head = f"# Python {platform.python_version()}; perf-assets {__version__} is beside this file\n"
    lines = sorted(f"{name}=={version}\n" for name, version in _needed("perf-assets").items())
    return head + "".join(lines)


def _needed(distribution_name: str) -> dict[str, str]:
    """Return the installed versions of what a distribution needs, near or far."""
    found: dict[str, str] = {}
    waiting = [(distribution_name, frozenset[str]())]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        try:
            one = distribution(name)
        except PackageNotFoundError:
            continue
        if name != distribution_name:
            found[canonicalize_name(name)] = one.version
        for text in one.requires or ():
            needed = Requirement(text)
            wanted = needed.marker is None or any(
                needed.marker.evaluate({"extra": extra}) for extra in ("", *extras)
            )
            following = (canonicalize_name(needed.name), frozenset(needed.extras))
            if wanted and following not in seen:
                seen.add(following)
                waiting.append(following)
    return found


def _wheel() -> bytes:
    """Return a wheel of the package as it is installed; the same package gives the same bytes.

    Source of the form: https://packaging.python.org/specifications/binary-distribution-format
    """
    content = dict(_package())
    info = f"{NAME}.dist-info"
    installed = distribution("perf-assets").read_text("METADATA")
    least = f"Metadata-Version: 2.4\nName: perf-assets\nVersion: {__version__}\n"
    content[f"{info}/METADATA"] = (installed or least).encode()
    content[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: perf-assets\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    content[f"{info}/entry_points.txt"] = (
        b"[console_scripts]\nperf-assets = perf_assets.__main__:main\n"
    )
    record = f"{info}/RECORD"
    lines = [f"{path},sha256={_digest(file)},{len(file)}" for path, file in sorted(content.items())]
    content[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, file in sorted(content.items()):
            wheel.writestr(member(path), file, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def member(path: str) -> zipfile.ZipInfo:
    """Return a file of a zip that says neither when nor by whom it was made."""
    info = zipfile.ZipInfo(path, MOMENT)
    info.external_attr = 0o100644 << 16
    info.create_system = 3
    return info


def _package() -> Iterator[tuple[str, bytes]]:
    for path in _files(PACKAGE):
        yield f"{PACKAGE.name}/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes()
    if not (PACKAGE / PROJECT).is_dir():  # a checkout, whose files lie beside the package
        parts = {"dbt_like_models": models_dir(), "docs/checks": checks_dir()}
        parts |= {"expectations": expectations_dir(), "sql": queries_dir()}
        for name, folder in parts.items():
            for path in _files(folder):
                inside = path.relative_to(folder).as_posix()
                yield f"{PACKAGE.name}/{PROJECT}/{name}/{inside}", path.read_bytes()


def _files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    )


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
