"""The rules by which labels and paths are areas of the code."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field, field_validator

from perf_assets.base.config_files import Distinct, StrictModel, TextOrBlank
from perf_assets.base.sanitize import shortened
from perf_assets.core.areas.path_patterns import PathPattern, last_match
from perf_assets.core.labelling.environments import ALIASES
from perf_assets.core.languages import is_test, language_of

PATTERN, CODEOWNERS, DIRECTORY = "pattern", "codeowners", "directory"
DEEPEST = 20  # directories below a root
TOP_LEVEL = "top level"
"""The area of files that are in no directory."""
UNKNOWN = "unknown"
"""The area of reports of which nothing tells one: no place that could change, or be measured."""

LABELS = {
    "module: *": "*",
    "comp:*": "*",
    "component: *": "*",
    "area: *": "*",
    "area/*": "*",
}
"""Labels that name areas by themselves, as the trackers of many projects have them."""

CONTAINERS = frozenset({"src", "python", "lib", "source", "packages"})
"""Directories that say nothing of what is in them."""

_DOCUMENTATION = frozenset({"doc", "docs", "documentation"})
_PROSE = frozenset({"Markdown", "reStructuredText", "TeX"})


class PathArea(NamedTuple):
    """The area of a path, and by which rule it is that."""

    area: str
    rule: str


def _path(value: str) -> str:
    PathPattern(value)
    return value


def _directory(value: str) -> str:
    names = value.strip("/").split("/")
    if "" in names or {".", "..", "*", "**"} & set(names):
        raise ValueError("a directory of the repository is needed here, as in src/package")
    return "/".join(names)


class AreaRules(StrictModel):
    """The [repositories.areas] table of a study file: which areas a repository has."""

    labels: dict[TextOrBlank, TextOrBlank] = Field(
        default=LABELS,
        description="patterns of labels, each with the area that it names; `*` stands for any "
        "text, in the area for the text that it matched; an empty area is none; the last one that "
        "matches wins; default: `module: *`, `comp:*`, `component: *`, `area: *`, `area/*`",
    )
    files: dict[Annotated[str, AfterValidator(_path)], TextOrBlank] = Field(
        default={},
        description="patterns of paths, as CODEOWNERS has them, each with its area; an empty area "
        "is none; the last one that matches wins; default: none",
    )
    roots: Distinct[Annotated[str, AfterValidator(_directory)]] | None = Field(
        default=None,
        description="directories whose own directories are areas; default: the package called as "
        "the repository, also within `src`, `python`, `lib`, `source` or `packages`",
    )
    depth: int = Field(
        default=1, ge=1, le=DEEPEST, description="how many directories below a root make an area"
    )
    codeowners: bool = Field(
        default=False,
        description="whether files that no pattern means are areas by CODEOWNERS as it was at the "
        "commit that changed them: the team that owns them, or the pattern of the line",
    )

    @field_validator("labels")
    @classmethod
    def _means_what_it_names(cls, labels: dict[str, str]) -> dict[str, str]:
        for pattern, area in labels.items():
            if not pattern.strip(" *"):
                raise ValueError("a pattern that is not blank, and not * alone, is needed here")
            if pattern.count("*") > 1:
                raise ValueError(f"{shortened(pattern, 60)!r} has more than one *; leave one")
            if "*" in area and "*" not in pattern:
                raise ValueError(
                    f"{shortened(pattern, 60)!r} has no * whose text the area could have; write "
                    "the name of the area"
                )
        return labels

    @cached_property
    def version(self) -> str:
        """Return a digest of the rules, e.g. ``3f2a9c0b``."""
        patterns = [list(self.labels.items()), list(self.files.items())]
        rules = [*patterns, self.roots, self.depth, self.codeowners]
        return hashlib.sha256(json.dumps(rules).encode()).hexdigest()[:8]

    @cached_property
    def _labels(self) -> list[tuple[re.Pattern[str], str]]:
        return [(_label_pattern(pattern), area) for pattern, area in self.labels.items()]

    @cached_property
    def _files(self) -> list[PathPattern]:
        return [PathPattern(pattern) for pattern in self.files]

    def area_of_label(self, label: str) -> str | None:
        """Return the area that ``label`` names, in lower case; None for other labels.

        Examples
        --------
        >>> AreaRules().area_of_label("module: cuDNN"), AreaRules().area_of_label("bug")
        ('cudnn', None)
        """
        for pattern, area in reversed(self._labels):
            if match := pattern.fullmatch(label.strip()):
                matched = match[1] if match.re.groups else ""
                return area.replace("*", matched).strip().lower() or None
        return None

    def named_area(self, path: str) -> str | None:
        """Return the area by the study's patterns: empty for none, None if no pattern matches."""
        index = last_match(path, self._files)
        return None if index is None else [*self.files.values()][index].strip()


def _label_pattern(pattern: str) -> re.Pattern[str]:
    """Whatever the case and spaces; the text that the only ``*`` stands for is a group."""
    parts = (r"\s*".join(map(re.escape, part.split())) for part in pattern.split("*"))
    return re.compile(r"\s*(.*?)\s*".join(parts), re.IGNORECASE | re.DOTALL)


@dataclass
class PathAreas:
    """The areas of paths of one repository by its rules; each path is looked up once."""

    repository: str
    rules: AreaRules
    _known: dict[str, PathArea | None] = field(default_factory=dict)

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """Under which names the repository's package may go."""
        name = self.repository.rpartition("/")[2].casefold().replace("-", "_")
        return (name, *ALIASES.get(name.replace("_", "-"), ()))

    def area(
        self, path: str, owned: Callable[[str], tuple[str, str] | None] | None = None
    ) -> PathArea | None:
        """Return the area of ``path``; None where the study says that it is none.

        Parameters
        ----------
        owned : the area of a path by CODEOWNERS and the line it follows from.
        """
        named = self.rules.named_area(path) if self.rules.files else None
        if named is not None:
            return PathArea(named, PATTERN) if named else None
        if owned is not None and (owner := owned(path)) is not None:
            return PathArea(owner[0], CODEOWNERS)
        if path not in self._known:
            self._known[path] = PathArea(self._directory(path), DIRECTORY)
        return self._known[path]

    def _directory(self, path: str) -> str:
        directories = path.split("/")[:-1]
        if not directories:
            return TOP_LEVEL
        return "/".join(directories[: self._root(directories) + self.rules.depth])

    def _root(self, directories: list[str]) -> int:
        """Return how many of the ``directories`` are the root that a path is in."""
        if self.rules.roots is not None:
            return max(
                (len(root) for root in self._roots if tuple(directories[: len(root)]) == root),
                default=0,
            )
        for index, directory in enumerate(directories):
            if directory.casefold() in self.packages:
                return index + 1
            if directory.casefold() not in CONTAINERS:
                return index
        return len(directories)

    @cached_property
    def _roots(self) -> list[tuple[str, ...]]:
        return [tuple(filter(None, root.split("/"))) for root in self.rules.roots or ()]


def is_aside(path: str) -> bool:
    """Return whether a file is a test or documentation, which follow what they are about."""
    return (
        is_test(path)
        or language_of(path) in _PROSE
        or not _DOCUMENTATION.isdisjoint(part.casefold() for part in path.split("/")[:-1])
    )
