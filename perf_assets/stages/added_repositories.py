"""The repositories that were added to a study without its file, kept in the data directory."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from perf_assets.base.config_files import SensitiveValueError
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.config.addresses import git_address
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Repository, Study, new_repository
from perf_assets.stages.study_loader import open_study


@dataclass(frozen=True)
class Added:
    """A repository that was added.

    study : the name of the study that it belongs to.
    name, start, git, github_url : as a study file has them.
    added_at : when, in UTC, as ISO 8601.
    """

    study: str
    name: str
    start: str
    git: str | None
    github_url: str | None
    added_at: str

    @classmethod
    def now(
        cls, study: Study, name: str, start: str, git: str | None, github_url: str | None
    ) -> "Added":
        """What is to be added at this moment."""
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(study.name, name, start, git or None, github_url or None, moment)


ADDED = TypeAdapter(list[Added])


def open_study_of(source: str | Path | None, data_dir: DataDirectory) -> Study:
    """The study at ``source``, by default the sample, with what was added to it in ``data_dir``.

    What its file names by now is as the file says.

    Raises
    ------
    PerfAssetsError
        There is no such study, or a file has a mistake.
    """
    study = open_study(source, data_dir.path)
    names = {one.name.casefold() for one in study.repositories}
    own = [one for one in read_added(data_dir) if one.study == study.name]
    added = [added_to(study, one) for one in own if one.name.casefold() not in names]
    return replace(study, repositories=(*study.repositories, *added))


def read_added(data_dir: DataDirectory) -> list[Added]:
    """What was added to any study of ``data_dir``, oldest first.

    Raises
    ------
    PerfAssetsError
        The file that has it is damaged.
    """
    if not data_dir.added.exists():
        return []
    try:
        return ADDED.validate_json(data_dir.added.read_bytes(), strict=True)
    except (OSError, ValueError):
        raise PerfAssetsError(
            f"{data_dir.added}: this is no list of added repositories any more: take it from "
            f"a backup, "
            "or remove it and add them again"
        ) from None


def added_to(study: Study, added: Added) -> Repository:
    """The repository that ``added`` is for ``study``.

    Raises
    ------
    PerfAssetsError
        It is no repository, no month, an address that holds a secret, or the study has it already.
    """
    try:
        is_secret = added.git is not None and bool(git_address(added.git).secrets)
    except SensitiveValueError as error:
        raise PerfAssetsError(f"the new repository: git: {error}") from None
    if is_secret:
        raise PerfAssetsError(
            "the new repository: git: this address holds a secret, which would be written down: "
            "name the repository in the study file"
        )
    given = {"name": added.name, "start": added.start, "git": added.git}
    given["github_url"] = added.github_url
    return new_repository(study, {name: value for name, value in given.items() if value})


def add_repository(study: Study, data_dir: DataDirectory, added: Added) -> None:
    """Keep a repository that was added to ``study``, in one step.

    Raises
    ------
    PerfAssetsError
        See :func:`added_to`.
    """
    added_to(study, added)
    _write(data_dir.added, [*read_added(data_dir), added])


def _write(path: Path, added: Sequence[Added]) -> None:
    write_file(path, json.dumps([asdict(one) for one in added], indent=2) + "\n")
