"""The study: which repositories, from which month on, and by which rules. Read from study.toml."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import MinLen
from pydantic import Field, PrivateAttr, model_validator

from perf_assets.base.config_files import Distinct, Many, StrictModel, Text, nearest, validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.repository_names import forum_of
from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.config.benchmarks import Benchmarks
from perf_assets.config.forums import Forum, TagSet
from perf_assets.config.lakehouse import Lakehouse
from perf_assets.config.partitions import Subject
from perf_assets.config.people import People
from perf_assets.config.repositories import Repository
from perf_assets.core.labelling.labels import Rules
from perf_assets.core.labelling.rule_sets import PAPER
from perf_assets.core.labelling.strength import (
    STRONG_KEYWORDS,
    WEAK_KEYWORDS,
    WIDENED_KEYWORDS,
)
from perf_assets.core.labelling.vocabulary import WORDS
from perf_assets.core.linking.links import APPROACHES, Approach
from perf_assets.core.paper import constants as paper
from perf_assets.core.questions.classifier_assumptions import KindMethod

PACKAGED = Path(__file__).parent / "studies"
SAMPLE = "sample"

LARGEST_FILE = 1_000_000  # bytes

RuleSet = Literal["paper", "performance-2026"]
Kind = Literal["speed", "memory", "hang"]
Until = Literal["labels", "links", "fix-analysis", "published"]
"""How far a run goes: ``labels`` ends with these, and nothing is derived or published; ``links``
leaves out the analysis of fixes, ``fix-analysis`` takes it, and all else is done; ``published``
does all that the study wants."""
S = TypeVar("S", bound=Subject)


class Study(StrictModel):
    """A study file, and ``path``, from which it was read."""

    name: Text = Field(description="name of the study")
    repositories: Many[Repository] = Field(
        default=(), description="a `[[repositories]]` table for each repository"
    )
    forums: Many[Forum] = Field(
        default=(),
        description="a `[[forums]]` table for each forum of Stack Exchange, Discourse or "
        "GitHub Discussions",
    )
    benchmarks: Many[Benchmarks] = Field(
        default=(), description="a `[[benchmarks]]` table for each source of benchmark results"
    )
    performance_labels: Distinct[Text] = Field(
        default=("performance",), description="labels that mark a performance bug"
    )
    non_bug_labels: Distinct[Text] = Field(
        default=(), description="labels that mark an issue as something other than a bug report"
    )
    rule_set: RuleSet = Field(
        default="performance-2026",
        description="by which words and places a performance bug is recognised: `paper` has the "
        "29 keywords of the study of 2022 in title and body",
    )
    counted_kinds: Annotated[Distinct[Kind], MinLen(1)] = Field(
        default=("speed", "memory"),
        description="which kinds of trouble count in `performance-2026` and by the classifier, of "
        "`speed`, `memory` and `hang`",
    )
    keywords: Distinct[Text] | None = Field(
        default=None,
        description="words in title or body that mark a performance bug; a list here replaces all "
        "words of the rule set: to add words, write `extend_keywords`; default: those of the set",
    )
    extend_keywords: Distinct[Text] = Field(
        default=(), description="words that mark a performance bug beside those of the rule set"
    )
    strong_keywords: Distinct[Text] | None = Field(
        default=None,
        description="those of the keywords that make a label strong; default: `memory leak`",
    )
    weak_keywords: Distinct[Text] | None = Field(
        default=None, description="those of the keywords that leave a label weak; default: `slow`"
    )
    widened_keywords: Distinct[Text] = Field(
        default=WIDENED_KEYWORDS,
        description="further words of titles, for the sensitivity analysis only; default: forms of "
        "leak, speed, overhead, memory",
    )
    count_approaches: Distinct[Approach] = Field(
        default=APPROACHES,
        description="how a commit may be linked to count as a fix; default: all; the paper's "
        "rule is `url`, `id`",
    )
    reconcile_months: int = Field(
        default=6,
        ge=1,
        le=1200,
        description="monthly refreshes within which every stored issue is read again",
    )
    analyze_fixes: bool = Field(
        default=True,
        description="whether fixes are analysed in detail: methods, languages, who introduced "
        "the bug",
    )
    pull_requests: bool = Field(
        default=False,
        description="whether all pull requests are read that landed or are linked to an issue; "
        "without it, those of performance work and bug reports, by at most 2 requests more for "
        "each 1,000 issues",
    )
    kind_method: KindMethod = Field(
        default="better", description="how the kinds of questions are classified"
    )
    people: People = Field(default_factory=People, description="a `[people]` table: who is who")
    lake: Lakehouse | None = Field(
        default=None, description="a `[lake]` table, where several repositories are mined at once"
    )
    _path: Path = PrivateAttr(default=Path())

    def model_post_init(self, context: Any) -> None:  # noqa: ANN401
        """Keep the path of the file."""
        self._path = context["path"] if context else Path()

    @model_validator(mode="after")
    def _grades_keywords_once(self) -> "Study":
        strong, weak = (set(words or ()) for words in (self.strong_keywords, self.weak_keywords))
        known = {*self.keywords_in_use, *(WORDS if self.rules.rule_set != PAPER else ())}
        for key, words in (("strong_keywords", strong), ("weak_keywords", weak)):
            for word in sorted(words - known):
                raise ValueError(
                    f"{key}: {shortened(word, 60)!r} is not a keyword; add it to extend_keywords"
                )
        for word in sorted(strong & weak):
            raise ValueError(
                f"{shortened(word, 60)!r} is a strong and a weak keyword; remove it from one"
            )
        return self

    @model_validator(mode="after")
    def _names_each_subject_once(self) -> "Study":
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

    @model_validator(mode="after")
    def _has_the_repositories_of_its_tag_sets(self) -> "Study":
        names = {repository.name for repository in self.repositories}
        for index, forum in enumerate(self.forums, 1):
            for label, name in forum.repositories.items():
                if name not in names:
                    raise ValueError(
                        f"forums[{index}].repositories.{label}: the study has no repository "
                        f"{shortened(name, 60)!r}"
                    )
        return self

    @model_validator(mode="after")
    def _has_the_repositories_of_its_benchmarks(self) -> "Study":
        names = {repository.name for repository in self.repositories}
        seen: set[tuple[str, str]] = set()
        for index, source in enumerate(self.benchmarks, 1):
            if source.repository not in names:
                raise ValueError(
                    f"benchmarks[{index}].repository: the study has no repository "
                    f"{shortened(source.repository, 60)!r}"
                )
            if (source.repository, source.name) in seen:
                raise ValueError(
                    f"benchmarks[{index}]: {source.repository} has benchmarks called "
                    f"{shortened(source.name, 60)!r} already; give each a name"
                )
            seen.add((source.repository, source.name))
        return self

    @property
    def path(self) -> Path:
        """The study file."""
        return self._path

    @property
    def keywords_in_use(self) -> tuple[str, ...]:
        """The keywords that are found anywhere in title and body, each once."""
        of_set = paper.KEYWORDS if self.rule_set == PAPER else ()
        words = of_set if self.keywords is None else self.keywords
        return tuple(dict.fromkeys((*words, *self.extend_keywords)))

    @property
    def rule_sentence(self) -> str:
        """Say in a sentence by which words issues are labelled."""
        kinds = " and ".join(self.counted_kinds)
        if self.keywords is not None:
            number = len(self.keywords)
            verb = (
                "keyword of the study replaces" if number == 1 else "keywords of the study replace"
            )
            return (
                f"Labels: {number} {verb} the words of the rule "
                f"set {self.rule_set}; to add words to them instead, write extend_keywords."
            )
        of_set = "the 29 keywords of the paper" if self.rule_set == PAPER else f"it counts {kinds}"
        more = f", and {len(self.extend_keywords)} of the study" if self.extend_keywords else ""
        return f"Labels: rule set {self.rule_set} ({of_set}){more}."

    @property
    def rules(self) -> Rules:
        """The rules by which issues are labelled, unless their repository has its own labels."""
        return Rules(
            performance_labels=self.performance_labels,
            non_bug_labels=self.non_bug_labels,
            keywords=self.keywords_in_use,
            strong_keywords=self._graded(self.strong_keywords, STRONG_KEYWORDS),
            weak_keywords=self._graded(self.weak_keywords, WEAK_KEYWORDS),
            widened_keywords=self.widened_keywords,
            rule_set=PAPER if self.keywords is not None else self.rule_set,
            counted_kinds=self.counted_kinds,
        )

    def _graded(self, words: tuple[str, ...] | None, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the ``words`` of a grade; by default, the keywords among the ``default``."""
        if words is not None:
            return words
        return tuple(word for word in default if word in self.keywords_in_use)

    def rules_of(self, repository: str) -> Rules:
        """Return the rules by which issues of ``repository`` are labelled."""
        for entry in self.repositories:
            if entry.name == repository:
                keys = {"performance_labels", "non_bug_labels"}
                return replace(self.rules, **entry.model_dump(include=keys, exclude_none=True))
        return self.rules

    def reads_all_pull_requests(self, repository: Repository) -> bool:
        """Return whether all pull requests of ``repository`` are read."""
        own = repository.pull_requests
        return self.pull_requests if own is None else own

    @property
    def tag_sets(self) -> tuple[TagSet, ...]:
        """The tag sets of all forums."""
        return tuple(tag_set for forum in self.forums for tag_set in forum.tag_sets)

    def forum_of(self, tag_set: TagSet) -> Forum:
        """Return the forum that ``tag_set`` is of."""
        return next(forum for forum in self.forums if tag_set in forum.tag_sets)

    def repository_of(self, tag_set: TagSet) -> str | None:
        """Return the repository that is named for ``tag_set``, or else is called like it."""
        named = self.forum_of(tag_set).repositories.get(tag_set.label)
        names = sorted(repository.name for repository in self.repositories)
        alike = (
            name for name in names if name.rpartition("/")[2].casefold() == tag_set.label.casefold()
        )
        return named or next(alike, None)

    def as_far_as(self, until: Until) -> "Study":
        """Return the study for a run up to ``until``, which overrules the study file."""
        analyze = {"links": False, "fix-analysis": True}.get(until, self.analyze_fixes)
        return self.model_copy(update={"analyze_fixes": analyze})

    def repository(self, name: str) -> Repository:
        """Return the repository called ``name``; PerfAssetsError if the study has none."""
        return self._named(name, self.repositories, "repository", "repositories")

    def subject(self, name: str) -> Subject:
        """Return the repository or tag set called ``name``; PerfAssetsError if there is neither."""
        if forum_of(name) is not None and ":" in name:
            return self._named(name, self.tag_sets, "tag set", "tag sets")
        return self.repository(name)

    def _named(self, name: str, subjects: Sequence[S], kind: str, kinds: str) -> S:
        for subject in subjects:
            if subject.name == name:
                return subject
        names = ", ".join(subject.name for subject in subjects)
        known = f"choose from {names}, or" if names else f"the study has no {kinds};"
        raise PerfAssetsError(
            f"study {self.name} has no {kind} {name!r}: {known} add it to {self.path}"
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
    return validate(Study, _parsed(path, _read(path)), path, {"path": path})


def is_packaged(name: str) -> bool:
    """Return whether a study of this name comes with perf-assets."""
    return name == SAMPLE or _packaged(name) is not None


def _packaged(name: str) -> Path | None:
    """Return the file of a packaged study."""
    path = PACKAGED / f"{name}.toml"
    return path if re.fullmatch(r"[\w-]{1,100}", name) and path.is_file() else None


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise PerfAssetsError(
                f"{path}: this is not a study file: it has more than {LARGEST_FILE:,} bytes; name "
                "another"
            )
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        names = sorted([SAMPLE, *(entry.stem for entry in PACKAGED.glob("*.toml"))])
        raise PerfAssetsError(
            f"{shortened(path, 200)}: there is no such study file; name one that exists or a "
            f"packaged study: {nearest(path, names)}"
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
    """Return the TOML in ``text``; PerfAssetsError where it is none, or not that of a study."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PerfAssetsError(f"{path}: this is not valid TOML: {escape_text(error)}") from None
    except (ValueError, RecursionError, OverflowError):
        # Numbers of thousands of digits, tables in tables in tables.
        raise PerfAssetsError(
            f"{path}: this is not a study: it has a value that is too long or too deep to read; "
            "remove it"
        ) from None
