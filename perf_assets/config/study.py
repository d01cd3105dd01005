"""The study: which repositories, from which month on, and by which rules. Read from study.toml."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar

from perf_assets.base.config_files import validate
from perf_assets.base.corpus import newest_month
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import add_months
from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.config.addresses import git_address
from perf_assets.config.forums import Forum, ForumEntry, TagSet
from perf_assets.config.lakehouse import Lakehouse
from perf_assets.config.partitions import Subject
from perf_assets.config.people import People
from perf_assets.config.study_file import RECONCILE_MONTHS, Miner, RepositoryEntry, StudyEntry
from perf_assets.core.areas.rules import AreaRules
from perf_assets.core.labelling.labels import Rules
from perf_assets.core.labelling.strength import STRONG_KEYWORDS, WEAK_KEYWORDS
from perf_assets.core.linking.links import APPROACHES
from perf_assets.core.paper import constants as paper
from perf_assets.core.people.addresses import AddressPolicy
from perf_assets.core.questions.classifier_assumptions import KindMethod

PACKAGED = Path(__file__).parent / "studies"
SAMPLE = "sample"

LARGEST_FILE = 1_000_000  # bytes
FORMER_KEYS = {"close_look": "analyze_fixes", "verify_months": "reconcile_months"}
"""What keys of a study file were called; the old names are read too."""

Until = Literal["labels", "links", "fix-analysis", "published"]
"""How far a run goes: ``labels`` ends with these, and nothing is derived or published; ``links``
leaves out the analysis of fixes, ``fix-analysis`` takes it, and all else is done; ``published``
does all that the study wants."""
S = TypeVar("S", bound=Subject)


@dataclass(frozen=True)
class Repository(Subject):
    """One repository of a study; ``name`` is owner/name.

    ``trend_start`` is the first month of the monthly series, ``git`` the path or URL to clone from.
    Issues come from the API at ``github_url`` or, where ``corpus`` is given, from that corpus
    directory, with which the study of it ends. With ``checks`` its trees go through the static
    checks. ``aliases`` are the names that it had before; ``areas`` say which parts of its code
    there are. ``addresses`` says how those of its commits are stored. ``performance_labels`` and
    ``non_bug_labels`` stand in place of the study's, where they are given. ``miner`` reads the
    commits.
    """

    trend_start: str
    git: str
    github_url: str | None = None
    corpus: Path | None = None
    checks: bool = True
    aliases: tuple[str, ...] = ()
    addresses: AddressPolicy = "hashed"
    areas: AreaRules = field(default_factory=AreaRules)
    performance_labels: tuple[str, ...] | None = None
    non_bug_labels: tuple[str, ...] | None = None
    miner: Miner = "git"


@dataclass(frozen=True)
class Study:
    """A study as read from ``path``, checked.

    ``reconcile_months`` is the number of monthly refreshes within which every issue is read again.
    Without a ``analyze_fixes`` nobody looks at what fixes touch and who introduced the bugs.
    ``kind_method`` is what decides of which kinds questions are. With a ``lake`` each repository is
    mined in a data directory of its own, and what changed of it goes there. ``people`` is what it
    says of accounts.
    """

    name: str
    path: Path
    repositories: tuple[Repository, ...]
    rules: Rules
    count_approaches: tuple[str, ...] = field(default=APPROACHES)
    reconcile_months: int = RECONCILE_MONTHS
    analyze_fixes: bool = True
    forums: tuple[Forum, ...] = ()
    kind_method: KindMethod = "better"
    lake: Lakehouse | None = None
    people: People = field(default_factory=People)

    @property
    def tag_sets(self) -> tuple[TagSet, ...]:
        """The tag sets of all forums."""
        return tuple(tag_set for forum in self.forums for tag_set in forum.tag_sets)

    def forum_of(self, tag_set: TagSet) -> Forum:
        """The forum that ``tag_set`` is of."""
        return next(forum for forum in self.forums if tag_set in forum.tag_sets)

    def as_far_as(self, until: Until) -> "Study":
        """The study for a run that goes as far as ``until``, which overrules the study file."""
        looks = {"links": False, "fix-analysis": True}
        return replace(self, analyze_fixes=looks.get(until, self.analyze_fixes))

    def repository(self, name: str) -> Repository:
        """The repository called ``name``; PerfAssetsError when the study does not have it."""
        return _named(self, name, self.repositories, "repository")

    def rules_of(self, repository: str) -> Rules:
        """By what issues of ``repository`` are labelled, which may have labels of its own."""
        own = next((one for one in self.repositories if one.name == repository), None)
        if own is None:
            return self.rules
        labels = {
            "performance_labels": own.performance_labels,
            "non_bug_labels": own.non_bug_labels,
        }
        given = {key: entries for key, entries in labels.items() if entries is not None}
        return replace(self.rules, **given) if given else self.rules

    def subject(self, name: str) -> Subject:
        """The repository or tag set called ``name``; PerfAssetsError when there is neither."""
        if ":" in name:
            return _named(self, name, self.tag_sets, "tag set")
        return self.repository(name)


def _named(study: Study, name: str, subjects: Sequence[S], sort: str) -> S:
    for one in subjects:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in subjects) or "none, for it has none"
    raise PerfAssetsError(
        f"study {study.name} has no {sort} {name!r}: choose from {names}, or add it to {study.path}"
    )


def load_study(source: str | Path) -> Study:
    """Read and check a study: a file, or the name of a packaged study (``dl-frameworks``).

    The packaged ``sample`` has its corpus generated on first use, see
    ``perf_assets.config.data_directory``.

    Raises
    ------
    PerfAssetsError
        One sentence with file, key and reason.
    """
    path = _packaged(str(source)) or Path(source)
    content = _parsed(path, _read(path))
    for former, key in FORMER_KEYS.items():
        if former in content and key not in content:
            content[key] = content.pop(former)
    return _study(path, validate(StudyEntry, content, path))


def new_repository(study: Study, given: Mapping[str, str]) -> Repository:
    """A repository that is not in the study file, from the keys that it would have there.

    Raises
    ------
    PerfAssetsError
        A key is wrong, or the study has it already.
    """
    origin = "the new repository"
    entry = validate(RepositoryEntry, given, origin)
    for existing in study.repositories:
        if entry.name.casefold() in {one.casefold() for one in (existing.name, *existing.aliases)}:
            raise PerfAssetsError(
                f"{origin}: study {study.name} has {entry.name} already, as {existing.name} from "
                f"{existing.start} on"
            )
    addresses = study.people.addresses
    return _repository(study.path, len(study.repositories) + 1, entry, addresses)


def is_packaged(name: str) -> bool:
    """Whether a study of this name comes with perf-assets."""
    return name == SAMPLE or _packaged(name) is not None


def _packaged(name: str) -> Path | None:
    """The file of a packaged study."""
    path = PACKAGED / f"{name}.toml"
    return path if re.fullmatch(r"[\w-]{1,100}", name) and path.is_file() else None


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


def _parsed(path: Path, text: str) -> dict[str, object]:
    """The TOML in ``text``; PerfAssetsError where it is none, or more than a study can say."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PerfAssetsError(f"{path}: this is not valid TOML: {escape_text(error)}") from None
    except (ValueError, RecursionError, OverflowError):
        # Numbers of thousands of digits, tables in tables in tables.
        raise PerfAssetsError(
            f"{path}: this is no study: it has a value that is too long or too deep to read; "
            "remove it"
        ) from None


def _study(path: Path, entry: StudyEntry) -> Study:
    people = People() if entry.people is None else entry.people.people()
    return Study(
        entry.name,
        path,
        tuple(
            _repository(path, index, repository, people.addresses)
            for index, repository in enumerate(entry.repositories, 1)
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
        entry.reconcile_months,
        entry.analyze_fixes,
        tuple(_forum(path, index, forum, entry) for index, forum in enumerate(entry.forums, 1)),
        entry.kind_method,
        None if entry.lake is None else entry.lake.lakehouse(path),
        people,
    )


def _forum(path: Path, index: int, entry: ForumEntry, study: StudyEntry) -> Forum:
    """The forum with its paths, which are relative to the study file at ``path``."""
    names = {one.name for one in study.repositories}
    for label, name in entry.repositories.items():
        if name not in names:
            raise PerfAssetsError(
                f"{path}: forums[{index}].repositories.{label}: the study has no repository "
                f"{shortened(name, 60)!r}"
            )
    dump, labelled, keywords = (
        None if value is None else _beside(path, index, key, value, "forums")
        for key, value in (
            ("dump", entry.dump),
            ("labelled", entry.labelled),
            ("keywords", entry.keywords),
        )
    )
    short = {name.rpartition("/")[2].casefold(): name for name in sorted(names, reverse=True)}
    return entry.forum(dump, labelled, keywords, short)


def _repository(
    path: Path, index: int, entry: RepositoryEntry, addresses: AddressPolicy
) -> Repository:
    """The repository with its paths, which are relative to the study file at ``path``."""
    corpus = _beside(path, index, "corpus", entry.corpus) if entry.corpus is not None else None
    if corpus is not None and not corpus.is_dir():
        raise PerfAssetsError(f"{path}: repositories[{index}].corpus: {corpus} is no directory")
    git = entry.git or f"https://github.com/{entry.name}.git"
    last = entry.end
    if last is None and corpus is not None:
        last = newest_month(corpus) or entry.start
    return Repository(
        entry.name,
        entry.start,
        last,
        entry.trend_start or add_months(entry.start, paper.MONTHS_BEFORE_TREND),
        str(_beside(path, index, "git", git)) if git_address(git).is_path else git,
        entry.github_url,
        corpus,
        entry.checks,
        tuple(entry.aliases),
        addresses,
        AreaRules() if entry.areas is None else entry.areas.rules(),
        _distinct(entry.performance_labels),
        _distinct(entry.non_bug_labels),
        entry.miner,
    )


def _distinct(labels: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if labels is None else tuple(dict.fromkeys(labels))


def _beside(path: Path, index: int, key: str, value: str, table: str = "repositories") -> Path:
    """The path that ``value`` is, seen from the study file."""
    try:
        beside = (path.parent / Path(value).expanduser()).resolve()
        beside.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PerfAssetsError(
            f"{path}: {table}[{index}].{key}: this is no path that can be read ({reason})"
        ) from None
    return beside
