"""Open the study that a person names, with the repositories that were added without its file."""

import hashlib
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote

import duckdb
from pydantic import TypeAdapter

from perf_assets.base.config_files import SensitiveValueError, StrictModel, validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.base.sanitize import escape_text
from perf_assets.config.addresses import git_address
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.config.study import SAMPLE, Study, load_study

NEW = "the new repository"
STUDY_NAME = "SELECT value FROM meta.about WHERE topic = 'study' AND fact = 'name'"


class Added(StrictModel):
    """A repository that was added, as the data directory keeps it.

    study : the name of the study that it belongs to.
    name, start, git, github_url, source, api_url : as a study file has them.
    added_at : when, in UTC, as ISO 8601.
    """

    study: str
    name: str
    start: str
    git: str | None
    github_url: str | None
    source: str | None = None
    api_url: str | None = None
    added_at: str

    @classmethod
    def now(
        cls, study: Study, name: str, start: str, git: str | None = None, **others: str | None
    ) -> "Added":
        """Return the addition of a repository, as of now; ``others`` are further keys."""
        return cls(
            study=study.name,
            name=name,
            start=start,
            git=git or None,
            github_url=others.get("github_url") or None,
            source=others.get("source") or None,
            api_url=others.get("api_url") or None,
            added_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )


ADDED = TypeAdapter(list[Added])


def open_study(source: str | Path | None, data_dir: DataDirectory) -> Study:
    """Open the study at ``source``, by default the sample, with what was added in ``data_dir``.

    If the study file names an added repository, the file counts. The sample's corpus is generated
    below ``data_dir`` on first use, and its made-up raters have judged it in a new data directory.

    Raises
    ------
    PerfAssetsError
        The study does not exist, a file has a mistake, or ``data_dir`` holds another study.
    """
    path, sample = str(source or SAMPLE), data_dir.path / SAMPLE
    if path == SAMPLE and not Path(path).is_file():
        check_holds(data_dir, SAMPLE)
        if not sample.is_dir():
            _generate(sample)
        if not data_dir.verdicts.exists() and not data_dir.warehouse.exists():
            _judge(sample / "verdicts.csv", data_dir)
        path = str(sample / "study.toml")
    return with_added(load_study(path), data_dir)


def with_added(study: Study, data_dir: DataDirectory) -> Study:
    """Return the study with the repositories that were added in ``data_dir``.

    Raises
    ------
    PerfAssetsError
        ``data_dir`` holds another study, or what was added is damaged.
    """
    check_holds(data_dir, study.name)
    names = {repository.name.casefold() for repository in study.repositories}
    added = [
        added_to(study, entry)
        for entry in read_added(data_dir)
        if entry.study == study.name and entry.name.casefold() not in names
    ]
    return study.model_copy(update={"repositories": (*study.repositories, *added)})


def check_holds(data_dir: DataDirectory, name: str) -> None:
    """Refuse the study called ``name`` where ``data_dir`` holds the data of another one.

    A study is known by its name: its repositories and rules may change.

    Raises
    ------
    PerfAssetsError
        It holds another one.
    """
    from perf_assets.storage.warehouse import reading  # noqa: PLC0415

    rows: list[tuple[str]] = []
    # What cannot be read is reported by who reads more of it.
    with suppress(PerfAssetsError, duckdb.Error), reading(data_dir.warehouse) as connection:
        rows = connection.execute(STUDY_NAME).fetchall()
    if rows and rows[0][0] != name:
        held, here = escape_text(rows[0][0]), data_dir.path
        raise PerfAssetsError(
            f"{here} holds the study {held}, and a data directory has one study: choose another "
            f"directory for {name} with --data-dir, name the file of {held} with --study, or "
            f"remove what is there (rm -r {quote(str(here))})"
        )


def read_added(data_dir: DataDirectory) -> list[Added]:
    """Read what was added to any study of ``data_dir``, oldest first.

    Raises
    ------
    PerfAssetsError
        The file is damaged.
    """
    if not data_dir.added.exists():
        return []
    try:
        return ADDED.validate_json(data_dir.added.read_bytes())
    except (OSError, ValueError):
        raise PerfAssetsError(
            f"{data_dir.added}: not a list of added repositories: restore it from a backup, or "
            "remove it and add them again"
        ) from None


def added_to(study: Study, added: Added) -> Repository:
    """Return the repository that ``added`` is for ``study``.

    Raises
    ------
    PerfAssetsError
        A key is wrong, an address holds a secret, or the study has the repository already.
    """
    try:
        is_secret = added.git is not None and bool(git_address(added.git).secrets)
    except SensitiveValueError as error:
        raise PerfAssetsError(f"{NEW}: git: {error}") from None
    if is_secret:
        raise PerfAssetsError(
            f"{NEW}: git: this address holds a secret, which would be stored: "
            "name the repository in the study file"
        )
    keys = added.model_dump(exclude={"study", "added_at"}, exclude_none=True)
    repository = validate(Repository, keys, NEW, {"path": study.path})
    for existing in study.repositories:
        known = {name.casefold() for name in (existing.name, *existing.aliases)}
        if repository.name.casefold() in known:
            raise PerfAssetsError(
                f"{NEW}: study {study.name} has {repository.name} already, as {existing.name} from "
                f"{existing.start} on"
            )
    return repository


def add_repository(study: Study, data_dir: DataDirectory, added: Added) -> None:
    """Keep a repository that was added to ``study``, in one step.

    Raises
    ------
    PerfAssetsError
        See :func:`added_to`.
    """
    added_to(study, added)
    content = ADDED.dump_json([*read_added(data_dir), added], indent=2).decode()
    write_file(data_dir.added, f"{content}\n")


def _generate(directory: Path) -> None:
    """Generate the corpus at ``directory``: all of it or nothing, and once where two want it."""
    # Most who open it have it, and it takes long to import.
    from perf_assets.stand_ins.generator import QUESTIONS, SAMPLE_TOPICS, generate  # noqa: PLC0415

    with tempfile.TemporaryDirectory(dir=directory.parent) as temporary:
        made = Path(temporary) / SAMPLE
        generate(made, questions=QUESTIONS, topics=SAMPLE_TOPICS, benchmarks=True)
        with suppress(OSError):  # another process was first
            made.rename(directory)


def _judge(path: Path, data_dir: DataDirectory) -> None:
    """Put the made-up verdicts at ``path`` into the log of verdicts; none where there are none."""
    if not path.exists():  # a sample of an older version
        return
    import polars as pl  # noqa: PLC0415

    from perf_assets.schema import schema_of  # noqa: PLC0415
    from perf_assets.storage.verdicts import TABLE, write_log  # noqa: PLC0415

    schema = pl.Schema(schema_of(TABLE))
    rows = pl.read_csv(path, schema_overrides={"imported_at": pl.String}).with_row_index()
    verdicts = rows.with_columns(
        pl.col("imported_at").str.to_datetime("%Y-%m-%dT%H:%M:%SZ", time_zone="UTC"),
        verdict_id=pl.col("index") + 1,
        line=pl.col("index") + 2,
        note=None,
        file=pl.lit(path.name),
        file_sha256=pl.lit(hashlib.sha256(path.read_bytes()).hexdigest()),
    )
    write_log(data_dir.verdicts, {TABLE: verdicts.select(*schema).cast(schema)})
