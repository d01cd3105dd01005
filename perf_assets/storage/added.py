"""The repositories that were added to a study without its file, kept in the home."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from perf_assets.errors import PerfAssetsError
from perf_assets.storage.home import Home
from perf_assets.study import Study, new_repository

@dataclass(frozen=True)
class Added:
    """A repository that was added.

    study : the name of the study that it belongs to.
    name, start : as a study file has them.
    added_at : when, in UTC, as ISO 8601.
    """

    study: str
    name: str
    start: str
    added_at: str


def read_added(home: Home) -> list[Added]:
    """What was added to any study of ``home``, oldest first.

    Raises
    ------
    PerfAssetsError
        The file that has it is damaged.
    """
    if not home.added.exists():
        return []
    try:
        return [Added(**entry) for entry in json.loads(home.added.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        raise PerfAssetsError(
            f"{home.added}: this is no list of added repositories any more: take it from a backup, "
            "or remove it and add them again"
        ) from None


def with_added(study: Study, home: Home) -> Study:
    """The study with what was added to it; what its file names by now is as the file says."""
    known = {one.name.casefold() for one in study.repositories}
    added = [
        new_repository(study, one.name, one.start)
        for one in read_added(home)
        if one.study == study.name and one.name.casefold() not in known
    ]
    return replace(study, repositories=(*study.repositories, *added))


def add_repository(study: Study, home: Home, name: str, start: str) -> None:
    """Add a repository of GitHub to ``study``, from the month ``start`` on, in one step.

    Raises
    ------
    PerfAssetsError
        It is no repository, no month, or the study has it already.
    """
    new_repository(study, name, start)
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    _write(home.added, [*read_added(home), Added(study.name, name, start, moment)])


def _write(path: Path, added: Sequence[Added]) -> None:
    temporary = path.with_name(f".{path.name}.new")
    text = json.dumps([asdict(one) for one in added], indent=2)
    temporary.write_text(f"{text}\n", encoding="utf-8")
    temporary.replace(path)
