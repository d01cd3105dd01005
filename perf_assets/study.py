"""The study: which repositories, from which month on, and by which rules. Read from study.toml."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perf_assets.core.labelling.labels import Rules
from perf_assets.core.linking.links import APPROACHES
from perf_assets.core.paper import constants as paper
from perf_assets.errors import PerfAssetsError
from perf_assets.loopback.corpus import newest_month
from perf_assets.months import add_months, is_month, last_full_month

PACKAGED = Path(__file__).parent / "studies"
SAMPLE = "sample"


VERIFY_MONTHS = 6
NAME_PATTERN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
STUDY_KEYS = {
    "name",
    "repositories",
    "performance_labels",
    "non_bug_labels",
    "keywords",
    "count_approaches",
    "verify_months",
}
REPOSITORY_KEYS = {"name", "start", "trend_start", "end", "git", "github_url", "corpus"}


@dataclass(frozen=True)
class Repository:
    """One repository of a study.

    ``name`` is owner/name; ``start`` the first month mined, ``trend_start`` the first month of the
    monthly series, ``last`` the last month mined where the study names one. ``git`` is the
    path or URL to clone from. Issues come from the API at ``github_url`` or, where
    ``corpus`` is given, from that corpus directory.
    """

    name: str
    start: str
    trend_start: str
    git: str
    github_url: str | None = None
    corpus: Path | None = None
    last: str | None = None

    @property
    def fixed_end(self) -> str | None:
        """The last month mined where it does not move: as the study says, or the corpus ends."""
        if self.last is None and self.corpus is not None:
            return newest_month(self.corpus) or self.start
        return self.last

    @property
    def end(self) -> str:
        """The last month mined; never one that is not over."""
        return min(self.fixed_end or "9999-12", last_full_month())


@dataclass(frozen=True)
class Study:
    """A study as read from ``path``, checked.

    ``verify_months`` is the number of monthly refreshes within which every issue is read again.
    """

    name: str
    path: Path
    repositories: tuple[Repository, ...]
    rules: Rules
    count_approaches: tuple[str, ...] = field(default=APPROACHES)
    verify_months: int = VERIFY_MONTHS

    def repository(self, name: str) -> Repository:
        """The repository called ``name``; PerfAssetsError when the study does not have it."""
        for repository in self.repositories:
            if repository.name == name:
                return repository
        known = ", ".join(repository.name for repository in self.repositories)
        raise PerfAssetsError(
            f"study {self.name} has no repository {name!r}: choose from {known}, "
            f"or add it to {self.path}"
        )


def load_study(source: str | Path) -> Study:
    """Read and check a study: a file, or the name of a packaged study (``dl-frameworks``).

    The packaged ``sample`` has its corpus generated on first use, see ``perf_assets.storage.home``.

    Raises
    ------
    PerfAssetsError
        One sentence with file, key and reason.
    """
    packaged = PACKAGED / f"{source}.toml"
    path = packaged if re.fullmatch(r"[\w-]+", str(source)) and packaged.is_file() else Path(source)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        names = ", ".join(sorted([SAMPLE, *(entry.stem for entry in PACKAGED.glob("*.toml"))]))
        raise PerfAssetsError(
            f"{path}: there is no such study file; name one that exists or a packaged study "
            f"({names})"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise PerfAssetsError(f"{path}: the study file cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise PerfAssetsError(f"{path}: this is not valid TOML: {error}") from None
    return _Reader(path).study(content)


class _Reader:
    """Checks each key where it enters and names file, key and reason when it is off."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def refuse(self, key: str, reason: str) -> PerfAssetsError:
        return PerfAssetsError(f"{self.path}: {key}: {reason}")

    def study(self, content: Mapping[str, Any]) -> Study:
        self.known(content, STUDY_KEYS, "")
        entries = content.get("repositories")
        if not isinstance(entries, list) or not entries:
            raise self.refuse("repositories", "a study needs at least one [[repositories]] table")
        repositories = tuple(self.repository(entry, place) for place, entry in enumerate(entries))
        seen: set[str] = set()
        for repository in repositories:
            if repository.name.casefold() in seen:
                raise self.refuse("repositories.name", f"{repository.name} is listed twice")
            seen.add(repository.name.casefold())
        approaches = self.texts(content, "count_approaches", APPROACHES)
        for approach in approaches:
            if approach not in APPROACHES:
                known = ", ".join(APPROACHES)
                raise self.refuse("count_approaches", f"unknown {approach!r}; choose from {known}")
        rules = Rules(
            performance_labels=self.texts(content, "performance_labels", ("performance",)),
            non_bug_labels=self.texts(content, "non_bug_labels", ()),
            keywords=self.texts(content, "keywords", paper.KEYWORDS),
        )
        return Study(
            self.text(content, "name", ""),
            self.path,
            repositories,
            rules,
            approaches,
            self.count(content, "verify_months", VERIFY_MONTHS),
        )

    def known(self, table: Mapping[str, Any], keys: Iterable[str], prefix: str) -> None:
        for key in table:
            if key not in keys:
                listed = ", ".join(sorted(keys))
                raise self.refuse(f"{prefix}{key}", f"unknown key; known are {listed}")

    def text(self, table: Mapping[str, Any], key: str, prefix: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.refuse(f"{prefix}{key}", "a text is needed here")
        return value

    def count(self, table: Mapping[str, Any], key: str, default: int) -> int:
        value = table.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.refuse(key, f"{value!r} is no number of months; write 1 or more")
        return value

    def texts(
        self, table: Mapping[str, Any], key: str, default: tuple[str, ...]
    ) -> tuple[str, ...]:
        value = table.get(key, list(default))
        if not isinstance(value, list) or not all(
            isinstance(entry, str) and entry.strip() for entry in value
        ):
            raise self.refuse(key, "a list of texts, none of them blank, is needed here")
        return tuple(dict.fromkeys(entry.strip() for entry in value))

    def month(self, table: Mapping[str, Any], key: str, default: str | None) -> str | None:
        value = table.get(key, default)
        if value is None and key not in table and key != "start":
            return None
        if not isinstance(value, str) or not is_month(value):
            raise self.refuse(f"repositories.{key}", f"{value!r} is no month; write it as YYYY-MM")
        return value

    def repository(self, entry: object, place: int) -> Repository:
        if not isinstance(entry, dict):
            raise self.refuse("repositories", "write each repository as a [[repositories]] table")
        self.known(entry, REPOSITORY_KEYS, "repositories.")
        name = self.text(entry, "name", "repositories.")
        if NAME_PATTERN.fullmatch(name) is None:
            raise self.refuse("repositories.name", f"{name!r} is no repository; write owner/name")
        start = self.month(entry, "start", None)
        assert start is not None
        trend_start = self.month(entry, "trend_start", add_months(start, paper.MONTHS_BEFORE_TREND))
        assert trend_start is not None
        end = self.month(entry, "end", None)
        if start > last_full_month():
            raise self.refuse("repositories.start", f"{start} is not over yet; nothing to mine")
        if trend_start < start:
            raise self.refuse("repositories.trend_start", f"{trend_start} is before start {start}")
        if end is not None and end < start:
            raise self.refuse("repositories.end", f"{end} is before start {start}")
        if "corpus" in entry and "github_url" in entry:
            raise self.refuse("repositories.corpus", "give either corpus or github_url, not both")
        return Repository(
            name,
            start,
            trend_start,
            git=self.git(entry, name),
            github_url=self.github_url(entry),
            corpus=self.corpus(entry),
            last=end,
        )

    def github_url(self, entry: Mapping[str, Any]) -> str | None:
        if "github_url" not in entry:
            return None
        value = self.text(entry, "github_url", "repositories.")
        if re.fullmatch(r"https?://[^/\s@]+(/\S*)?", value) is None:
            raise self.refuse(
                "repositories.github_url",
                "give an http(s) address without credentials; the token belongs in GITHUB_TOKEN",
            )
        return value

    def corpus(self, entry: Mapping[str, Any]) -> Path | None:
        if "corpus" not in entry:
            return None
        directory = self.beside(self.text(entry, "corpus", "repositories."))
        if not directory.is_dir():
            raise self.refuse("repositories.corpus", f"{directory} is no directory")
        return directory

    def git(self, entry: Mapping[str, Any], name: str) -> str:
        if "git" not in entry:
            return f"https://github.com/{name}.git"
        value = self.text(entry, "git", "repositories.")
        is_url = "://" in value or re.match(r"[\w.-]+@[\w.-]+:", value) is not None
        return value if is_url else str(self.beside(value))

    def beside(self, value: str) -> Path:
        """Paths in a study file are relative to the file."""
        return (self.path.parent / Path(value).expanduser()).resolve()
