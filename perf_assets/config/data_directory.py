"""The data directory: where everything a study produces is kept."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import is_utf8, shortened

DEFAULT = Path("data")
IN_ADDRESSES = re.compile(r"\?|%[0-9A-Fa-f]{2}")
PUBLISHED = "perf_bugs.duckdb"


@dataclass(frozen=True)
class DataDirectory:
    """Paths below one data directory.

    shared : where the key of addresses is and who is forgotten, if not at ``path``: a worker has
        both of the data directory that it works for, so that hashes are the same everywhere.
    """

    path: Path
    shared: Path | None = None

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
            raise PerfAssetsError(
                f"{shortened(path, 200)}: this cannot be the data directory (there is no such user "
                "here): choose another with --data-dir or PERF_ASSETS_DATA_DIR"
            ) from None
        shown = shortened(directory, 200)
        if not is_utf8(directory.absolute()):
            raise PerfAssetsError(
                f"{shown}: this cannot be the data directory, as its path is not UTF-8, which the "
                "database needs: choose another with --data-dir or PERF_ASSETS_DATA_DIR"
            )
        if found := IN_ADDRESSES.search(str(directory.absolute())):
            raise PerfAssetsError(
                f"{shown}: this cannot be the data directory, as {found[0]!r} in its path "
                "means something else to Dagster: choose another with --data-dir or "
                "PERF_ASSETS_DATA_DIR"
            )
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PerfAssetsError(
                f"{shown}: this cannot be the data directory ({reason}): "
                "choose another with --data-dir or PERF_ASSETS_DATA_DIR"
            ) from None
        return cls(directory.resolve())

    @property
    def warehouse(self) -> Path:
        """The database that runs write."""
        return self.path / "warehouse.duckdb"

    @property
    def published(self) -> Path:
        """The analysts' copy of the database."""
        return self.path / PUBLISHED

    @property
    def verdicts(self) -> Path:
        """Return what people judged, once more: a line for each import."""
        return self.path / "verdicts.jsonl"

    @property
    def address_key(self) -> Path:
        """The key by which addresses of commits are hashed."""
        return (self.shared or self.path) / "address.key"

    @property
    def pseudonym_key(self) -> Path:
        """The key of the pseudonyms in archives; neither these nor backups hold it."""
        return self.path / "pseudonym.key"

    @property
    def forgotten(self) -> Path:
        """Hashes of the people who want to be forgotten."""
        return (self.shared or self.path) / "forgotten.json"

    @property
    def review_answers(self) -> Path:
        """Return what raters answered on the review page."""
        return self.path / "review" / "review.sqlite"

    @property
    def model(self) -> Path:
        """A model of performance reports that was trained here."""
        return self.path / "performance_model.json.gz"

    @property
    def added(self) -> Path:
        """The repositories that were added to a study without its file."""
        return self.path / "added_repositories.json"

    def backup_of_format(self, version: int) -> Path:
        """Return the backup that is taken before the warehouse is migrated from format
        ``version``.
        """
        return self.path / "backups" / f"before-format-{version + 1}.zip"

    @property
    def report(self) -> Path:
        """The report in plain text."""
        return self.path / "report.md"

    @property
    def report_page(self) -> Path:
        """The report to look at and to send on: one file, which opens offline."""
        return self.path / "report" / "index.html"

    @property
    def replication(self) -> Path:
        """The published package of the study, where it was downloaded."""
        return self.path / "replication"

    @property
    def replication_report(self) -> Path:
        """The published study against its reproduction, to look at."""
        return self.path / "replication_report.html"

    @property
    def quarantine(self) -> Path:
        """Candidates that failed their audit, each with its report."""
        return self.path / "quarantine"

    @property
    def dagster(self) -> Path:
        """Dagster's own records: runs, events, schedules."""
        return self.path / "dagster"

    def worker(self, repository: str) -> "DataDirectory":
        """Return where ``repository`` alone is mined, in a study that has a lake; made if
        missing.
        """
        own = DataDirectory.of(self.path / "workers" / repository.replace("/", "+"))
        return replace(own, shared=self.shared or self.path)

    @property
    def workers(self) -> list["DataDirectory"]:
        """Return where repositories were mined alone."""
        paths = sorted(path for path in self.path.glob("workers/*") if path.is_dir())
        return [DataDirectory(path, self.path) for path in paths]

    def clone(self, repository: str) -> Path:
        """Return the bare clone of ``repository``."""
        return self.path / "clones" / f"{repository.replace('/', '+')}.git"
