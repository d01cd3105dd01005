"""The study: which repositories, from which month on, and by which rules. Read from study.toml."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from perf_assets.addresses import CONTROL, LONGEST, api_address, git_address
from perf_assets.core.labelling.labels import Rules
from perf_assets.core.labelling.strength import STRONG_KEYWORDS, WEAK_KEYWORDS, WIDENED_KEYWORDS
from perf_assets.core.linking.links import APPROACHES
from perf_assets.core.paper import constants as paper
from perf_assets.core.questions.choices import KindMethod
from perf_assets.documents import Document, Many, checked
from perf_assets.errors import PerfAssetsError
from perf_assets.forums import Forum, ForumEntry, TagSet
from perf_assets.lakehouse import LakeEntry, Lakehouse
from perf_assets.loopback.corpus import newest_month
from perf_assets.months import add_months, is_month, last_full_month
from perf_assets.partitions import Subject
from perf_assets.plain import plain, shortened

PACKAGED = Path(__file__).parent / "studies"
SAMPLE = "sample"

VERIFY_MONTHS = 6
FIRST_MONTH = "1970-01"  # git knows no earlier commits
LARGEST_FILE = 1_000_000  # bytes
Until = Literal["labels", "links", "details", "published"]
"""How far a run goes: ``labels`` ends with these, and nothing is derived or published; ``links``
leaves out the close look at fixes, ``details`` takes it, and all else is done; ``published`` does
all that the study wants."""
S = TypeVar("S", bound=Subject)
NAME_PATTERN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True)
class Repository(Subject):
    """One repository of a study; ``name`` is owner/name.

    ``trend_start`` is the first month of the monthly series, ``git`` the path or URL to clone from.
    Issues come from the API at ``github_url`` or, where ``corpus`` is given, from that corpus
    directory, with which the study of it ends. With ``checks`` its trees go through the static
    checks. ``aliases`` are the names that it had before.
    """

    trend_start: str
    git: str
    github_url: str | None = None
    corpus: Path | None = None
    checks: bool = True
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """A study as read from ``path``, checked.

    ``verify_months`` is the number of monthly refreshes within which every issue is read again.
    Without a ``close_look`` nobody looks at what fixes touch and who introduced the bugs.
    ``kind_method`` is what decides of which kinds questions are. With a ``lake`` each repository is
    mined in a home of its own, and what changed of it goes there.
    """

    name: str
    path: Path
    repositories: tuple[Repository, ...]
    rules: Rules
    count_approaches: tuple[str, ...] = field(default=APPROACHES)
    verify_months: int = VERIFY_MONTHS
    close_look: bool = True
    forums: tuple[Forum, ...] = ()
    kind_method: KindMethod = "better"
    lake: Lakehouse | None = None

    @property
    def tag_sets(self) -> tuple[TagSet, ...]:
        """The tag sets of all forums."""
        return tuple(tag_set for forum in self.forums for tag_set in forum.tag_sets)

    def forum_of(self, tag_set: TagSet) -> Forum:
        """The forum that ``tag_set`` is of."""
        return next(forum for forum in self.forums if tag_set in forum.tag_sets)

    def as_far_as(self, until: Until) -> "Study":
        """The study for a run that goes as far as ``until``, which overrules the study file."""
        looks = {"links": False, "details": True}
        return replace(self, close_look=looks.get(until, self.close_look))

    def repository(self, name: str) -> Repository:
        """The repository called ``name``; PerfAssetsError when the study does not have it."""
        return _named(self, name, self.repositories, "repository")

    def subject(self, name: str) -> Subject:
        """The repository or tag set called ``name``; PerfAssetsError when there is neither."""
        if ":" in name:
            return _named(self, name, self.tag_sets, "tag set")
        return self.repository(name)


def _named(study: Study, name: str, known: Sequence[S], sort: str) -> S:
    for one in known:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in known) or "none, for it has none"
    raise PerfAssetsError(
        f"study {study.name} has no {sort} {name!r}: choose from {names}, or add it to {study.path}"
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
    is_packaged = re.fullmatch(r"[\w-]{1,100}", str(source)) and packaged.is_file()
    path = packaged if is_packaged else Path(source)
    content = _parsed(path, _read(path))
    return _study(path, checked(_StudyEntry, content, path))


def new_repository(study: Study, given: Mapping[str, str]) -> Repository:
    """A repository that is not in the study file, from the keys that it would have there.

    Raises
    ------
    PerfAssetsError
        A key is wrong, or the study has it already.
    """
    place = "the new repository"
    entry = checked(_RepositoryEntry, given, place)
    for known in study.repositories:
        if entry.name.casefold() in {one.casefold() for one in (known.name, *known.aliases)}:
            raise PerfAssetsError(
                f"{place}: study {study.name} has {entry.name} already, as {known.name} from "
                f"{known.start} on"
            )
    return _repository(study.path, len(study.repositories) + 1, entry)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise PerfAssetsError(
                f"{path}: this is no study file: it has more than {LARGEST_FILE:,} bytes; name "
                "another"
            )
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        names = ", ".join(sorted([SAMPLE, *(entry.stem for entry in PACKAGED.glob("*.toml"))]))
        raise PerfAssetsError(
            f"{shortened(path, 200)}: there is no such study file; name one that exists or a "
            f"packaged study ({names})"
        ) from None
    except UnicodeDecodeError:
        raise PerfAssetsError(
            f"{path}: the study file is not UTF-8 text; save it as that"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PerfAssetsError(
            f"{shortened(path, 200)}: the study file cannot be read ({reason}); name another"
        ) from None


def _parsed(path: Path, text: str) -> object:
    """The TOML in ``text``; PerfAssetsError where it is none, or more than a study can say."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PerfAssetsError(f"{path}: this is not valid TOML: {plain(error)}") from None
    except (ValueError, RecursionError, OverflowError):
        # Numbers of thousands of digits, tables in tables in tables.
        raise PerfAssetsError(
            f"{path}: this is no study: it has a value that is too long or too deep to read; "
            "remove it"
        ) from None


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("a text that is not blank is needed here")
    if CONTROL.search(value) or len(value) > LONGEST:
        raise ValueError(
            f"a text of at most {LONGEST:,} characters without control characters is needed here"
        )
    return value.strip()


def _month(value: str) -> str:
    if not is_month(value):
        raise ValueError("this is no month; write it as YYYY-MM")
    if value < FIRST_MONTH:
        raise ValueError(f"nothing is mined from before {FIRST_MONTH}")
    return value


def _name(value: str) -> str:
    if NAME_PATTERN.fullmatch(value) is None:
        raise ValueError("this is no repository; write owner/name")
    return value


def _git(value: str) -> str:
    git_address(value)
    return value


_Text = Annotated[str, AfterValidator(_text)]
_Month = Annotated[str, AfterValidator(_month)]


class _RepositoryEntry(Document):
    """A [[repositories]] table as it is written."""

    name: Annotated[str, AfterValidator(_name)]
    start: _Month
    trend_start: _Month | None = None
    end: _Month | None = None
    git: Annotated[_Text, AfterValidator(_git)] | None = None
    github_url: Annotated[str, AfterValidator(api_address)] | None = None
    corpus: _Text | None = None
    checks: bool = True
    aliases: Many[Annotated[str, AfterValidator(_name)]] = ()

    @model_validator(mode="after")
    def _is_in_order(self) -> "_RepositoryEntry":
        if self.start > last_full_month():
            raise ValueError(f"start {self.start} is not over yet; nothing to mine")
        for key, month in (("trend_start", self.trend_start), ("end", self.end)):
            if month is not None and month < self.start:
                raise ValueError(f"{key} {month} is before start {self.start}")
        if self.trend_start is not None and self.trend_start > last_full_month():
            raise ValueError(f"trend_start {self.trend_start} is not over yet; nothing to show")
        if self.corpus is not None and self.github_url is not None:
            raise ValueError("give either corpus or github_url, not both")
        return self


class _StudyEntry(Document):
    """A study file as it is written."""

    name: _Text
    repositories: Many[_RepositoryEntry] = ()
    forums: Many[ForumEntry] = ()
    performance_labels: Many[_Text] = ("performance",)
    non_bug_labels: Many[_Text] = ()
    keywords: Many[_Text] = paper.KEYWORDS
    strong_keywords: Many[_Text] | None = None
    weak_keywords: Many[_Text] | None = None
    widened_keywords: Many[_Text] = WIDENED_KEYWORDS
    count_approaches: Many[Literal[APPROACHES]] = APPROACHES  # type: ignore[valid-type]
    verify_months: int = Field(VERIFY_MONTHS, ge=1, le=1200)
    close_look: bool = True
    kind_method: KindMethod = "better"
    lake: LakeEntry | None = None

    @model_validator(mode="after")
    def _grades_keywords_once(self) -> "_StudyEntry":
        strong, weak = (set(words or ()) for words in (self.strong_keywords, self.weak_keywords))
        for key, words in (("strong_keywords", strong), ("weak_keywords", weak)):
            for word in sorted(words - set(self.keywords)):
                raise ValueError(
                    f"{key}: {shortened(word, 60)!r} is none of the keywords; add it there"
                )
        for word in sorted(strong & weak):
            raise ValueError(
                f"{shortened(word, 60)!r} is a strong and a weak keyword; remove it from one"
            )
        return self

    def graded(self, words: Sequence[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
        """The keywords of a grade: those given, else those of the ``default`` that are keywords."""
        chosen = [word for word in default if word in self.keywords] if words is None else words
        return tuple(dict.fromkeys(chosen))

    @model_validator(mode="after")
    def _names_each_subject_once(self) -> "_StudyEntry":
        if not self.repositories and not self.forums:
            raise ValueError("there is nothing to study: add [[repositories]] or [[forums]]")
        seen: set[str] = set()
        for repository in self.repositories:
            if repository.name.casefold() in seen:
                raise ValueError(f"repositories: {repository.name} is listed twice")
            seen.add(repository.name.casefold())
        for repository in self.repositories:
            for alias in repository.aliases:
                if alias.casefold() in seen:
                    raise ValueError(
                        f"repositories: {alias}, an alias of {repository.name}, is a repository of "
                        "the study or an alias already; a name belongs to one repository"
                    )
                seen.add(alias.casefold())
        names = [forum.name.casefold() for forum in self.forums]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"forums: {name} is listed twice")
        return self


def _study(path: Path, entry: _StudyEntry) -> Study:
    return Study(
        entry.name,
        path,
        tuple(
            _repository(path, place, repository)
            for place, repository in enumerate(entry.repositories, 1)
        ),
        Rules(
            performance_labels=tuple(dict.fromkeys(entry.performance_labels)),
            non_bug_labels=tuple(dict.fromkeys(entry.non_bug_labels)),
            keywords=tuple(dict.fromkeys(entry.keywords)),
            strong_keywords=entry.graded(entry.strong_keywords, STRONG_KEYWORDS),
            weak_keywords=entry.graded(entry.weak_keywords, WEAK_KEYWORDS),
            widened_keywords=tuple(dict.fromkeys(entry.widened_keywords)),
        ),
        tuple(dict.fromkeys(entry.count_approaches)),
        entry.verify_months,
        entry.close_look,
        tuple(_forum(path, place, forum, entry) for place, forum in enumerate(entry.forums, 1)),
        entry.kind_method,
        None if entry.lake is None else entry.lake.lakehouse(path),
    )


def _forum(path: Path, place: int, entry: ForumEntry, study: _StudyEntry) -> Forum:
    """The forum with its paths, which are relative to the study file at ``path``."""
    known = {one.name for one in study.repositories}
    for label, name in entry.repositories.items():
        if name not in known:
            raise PerfAssetsError(
                f"{path}: forums[{place}].repositories.{label}: the study has no repository "
                f"{shortened(name, 60)!r}"
            )
    dump, labelled = (
        None if value is None else _beside(path, place, key, value, "forums")
        for key, value in (("dump", entry.dump), ("labelled", entry.labelled))
    )
    short = {name.rpartition("/")[2].casefold(): name for name in sorted(known, reverse=True)}
    return entry.forum(dump, labelled, short)


def _repository(path: Path, place: int, entry: _RepositoryEntry) -> Repository:
    """The repository with its paths, which are relative to the study file at ``path``."""
    corpus = _beside(path, place, "corpus", entry.corpus) if entry.corpus is not None else None
    if corpus is not None and not corpus.is_dir():
        raise PerfAssetsError(f"{path}: repositories[{place}].corpus: {corpus} is no directory")
    git = entry.git or f"https://github.com/{entry.name}.git"
    last = entry.end
    if last is None and corpus is not None:
        last = newest_month(corpus) or entry.start
    return Repository(
        entry.name,
        entry.start,
        last,
        entry.trend_start or add_months(entry.start, paper.MONTHS_BEFORE_TREND),
        str(_beside(path, place, "git", git)) if git_address(git).is_path else git,
        entry.github_url,
        corpus,
        entry.checks,
        tuple(entry.aliases),
    )


def _beside(path: Path, place: int, key: str, value: str, table: str = "repositories") -> Path:
    """The path that ``value`` is, seen from the study file."""
    try:
        beside = (path.parent / Path(value).expanduser()).resolve()
        beside.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PerfAssetsError(
            f"{path}: {table}[{place}].{key}: this is no path that can be read ({reason})"
        ) from None
    return beside
