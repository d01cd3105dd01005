"""What the database of an archive defines, held against the models that it was made by."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import duckdb

from perf_assets.archive.findings import Check
from perf_assets.archive.manifest import RULES
from perf_assets.archive.software import PROJECT, is_by_this_code, wheel_of
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import digest_of
from perf_assets.base.paths import PACKAGE, models_dir
from perf_assets.base.zips import open_zip
from perf_assets.storage.definitions import declared_definitions, definitions_by

IN_WHEEL = f"{PACKAGE.name}/{PROJECT}/{models_dir().name}/"
IN_RULES = f"{RULES}/sql_models/"
LARGEST_MODEL = 1_000_000  # bytes
MOST_MODELS = 10_000
SUBJECT = "views and macros"


def compare_definitions(content: Path, found: Mapping[str, str], check: Check) -> None:
    """Hold what a database defines, by name, against what its maker's version declares, and ours.

    What another version declares is read from the models in the wheel of the archive, of which
    nothing is run.
    """
    ours = declared_definitions()
    if is_by_this_code(check.manifest):
        _add(check, found, ours, "this version declares it")
        return
    if others := _others(found, ours):
        check.notes.append(f"Defined otherwise than by this version: {', '.join(others)}.")
    try:
        with _models(content) as models:
            changed = [
                name
                for name in sorted({*_files(models), *_files(content / IN_RULES)})
                if _read(models / name) != _read(content / IN_RULES / name)
            ]
            theirs = definitions_by(models)
    except (PerfAssetsError, duckdb.Error, OSError, ValueError) as error:
        check.add(SUBJECT, "differs", f"the models in its wheel cannot be read: {error}")
        return
    if changed:
        check.add("rules", "differs", *(f"{name} is not that of its wheel" for name in changed))
    _add(check, found, theirs, "its wheel declares it")


def code_warning(content: Path) -> str:
    """Return what to know of the wheel in an archive before anybody installs it."""
    wheel = wheel_of(content)
    if wheel is None:
        return ""
    return (
        f"The wheel in it ({wheel.name}) is the code of the archive's maker, and would run "
        "with all your rights: do not install it unless its SHA-256 is that of the file of the "
        f"same release; here it is {digest_of(wheel)}."
    )


def _add(check: Check, found: Mapping[str, str], declared: Mapping[str, str], whose: str) -> None:
    if others := _others(found, declared):
        check.add(SUBJECT, "differs", *(f"{name} is not as {whose}" for name in others))
    else:
        check.add(SUBJECT, "equal")


def _others(found: Mapping[str, str], declared: Mapping[str, str]) -> list[str]:
    """Return what is defined otherwise or is missing, but for tables, which others look for."""
    missing = {name for name in declared.keys() - found.keys() if not name.startswith("table ")}
    return sorted(missing | dict(found.items() - declared.items()).keys())


@contextmanager
def _models(content: Path) -> Iterator[Path]:
    """Provide the models in the wheel of an archive, unpacked as files to read."""
    wheel = wheel_of(content)
    if wheel is None:
        raise PerfAssetsError("it has none")
    with TemporaryDirectory(dir=content.parent) as temporary, open_zip(wheel) as packed:
        folder = Path(temporary)
        names = [name for name in packed.sizes if name.startswith(IN_WHEEL)]
        if len(names) > MOST_MODELS:
            raise PerfAssetsError(f"it has {len(names):,} files of models")
        for name in names:
            path = folder / PurePosixPath(name).relative_to(IN_WHEEL)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(packed.read(name, LARGEST_MODEL))
        yield folder


def _files(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
