"""The data directory: where everything a study produces is kept."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import is_utf8, shortened

DEFAULT = Path("data")
IN_ADDRESSES = re.compile(r"\?|%[0-9A-Fa-f]{2}")
PUBLISHED = "perf_bugs.duckdb"


class _Below:
    """A path below a data directory, or below the shared one of a worker."""

    def __init__(self, name: str, *, is_shared: bool = False) -> None:
        self._name, self._is_shared = name, is_shared

    def __get__(self, directory: "DataDirectory", _: type) -> Path:
        shared = directory.shared if self._is_shared else None
        return (shared or directory.path) / self._name


@dataclass(frozen=True)
class DataDirectory:
    """Paths below one data directory.

    shared : where the key of addresses is and who is forgotten, if not at ``path``: a worker has
        both of the data directory that it works for, so that hashes are the same everywhere.
    """

    path: Path
    shared: Path | None = None

    warehouse = _Below("warehouse.duckdb")
    """The database that runs write."""

    published = _Below(PUBLISHED)
    """The analysts' copy of the database."""

    verdicts = _Below("verdicts.jsonl")
    """What people judged, once more: a line for each import."""

    address_key = _Below("address.key", is_shared=True)
    """The key by which addresses of commits are hashed."""

    pseudonym_key = _Below("pseudonym.key")
    """The key of the pseudonyms in archives; neither these nor backups hold it."""

    forgotten = _Below("forgotten.json", is_shared=True)
    """Hashes of the people who want to be forgotten."""

    review_answers = _Below("review/review.sqlite")
    """What raters answered on the review page."""

    model = _Below("performance_model.json.gz")
    """A model of performance reports that was trained here."""

    added = _Below("added_repositories.json")
    """The repositories that were added to a study without its file."""

    report = _Below("report.md")
    """The report in plain text."""

    report_page = _Below("report/index.html")
    """The report to look at and to send on: one file, which opens offline."""

    report_summary = _Below("report/summary.md")
    """The first screen of the report as Markdown, for an issue, a chat or a wiki."""

    pictures = _Below("report/pictures")
    """Each picture of the report as SVG and PNG, by a name that stays the same."""

    replication = _Below("replication")
    """The published package of the study, where it was downloaded."""

    replication_report = _Below("replication_report.html")
    """The published study against its reproduction, to look at."""

    quarantine = _Below("quarantine")
    """Candidates that failed their audit, each with its report."""

    dagster = _Below("dagster")
    """Dagster's own records: runs, events, schedules."""

    @classmethod
    def existing(cls, path: Path) -> "DataDirectory":
        """Return the data directory at ``path``.

        Raises
        ------
        PerfAssetsError
            There is none.
        """
        if not path.is_dir():
            raise PerfAssetsError(
                f"{path}: there is no such data directory; perf-assets run makes one"
            )
        return cls.of(path)

    @classmethod
    def of(cls, path: str | Path | None = None) -> "DataDirectory":
        """Return the data directory at ``path``, by default ``./data``; made if missing.

        Raises
        ------
        PerfAssetsError
            It cannot be made, or Dagster, which puts it into the addresses of its files, would
            write elsewhere.
        """
        try:
            directory = Path(path or DEFAULT).expanduser()
        except RuntimeError:
            raise _refused(path, " (there is no such user here)") from None
        if not is_utf8(directory.absolute()):
            raise _refused(directory, ", as its path is not UTF-8, which the database needs")
        if found := IN_ADDRESSES.search(str(directory.absolute())):
            raise _refused(
                directory, f", as {found[0]!r} in its path means something else to Dagster"
            )
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise _refused(directory, f" ({reason})") from None
        return cls(directory.resolve())

    def backup_of_format(self, version: int) -> Path:
        """Return the backup that is taken before a migration from format ``version``."""
        return self.path / "backups" / f"before-format-{version + 1}.zip"

    def worker(self, repository: str) -> "DataDirectory":
        """Return where ``repository`` alone is mined in a study with a lake; made if missing."""
        directory = DataDirectory.of(self.path / "workers" / repository.replace("/", "+"))
        return replace(directory, shared=self.shared or self.path)

    @property
    def workers(self) -> list["DataDirectory"]:
        """Return where repositories were mined alone."""
        paths = sorted(path for path in self.path.glob("workers/*") if path.is_dir())
        return [DataDirectory(path, self.path) for path in paths]

    def clone(self, repository: str) -> Path:
        """Return the bare clone of ``repository``."""
        return self.path / "clones" / f"{repository.replace('/', '+')}.git"


def _refused(path: str | Path | None, reason: str) -> PerfAssetsError:
    return PerfAssetsError(
        f"{shortened(path, 200)}: this cannot be the data directory{reason}: choose another with "
        "--data-dir or PERF_ASSETS_DATA_DIR"
    )
