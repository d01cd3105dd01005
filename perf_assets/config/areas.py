"""Areas of the code as a study file says them."""

from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from perf_assets.base.config_files import Many, StrictModel
from perf_assets.base.sanitize import shortened
from perf_assets.config.addresses import CONTROL, LONGEST
from perf_assets.core.areas.path_patterns import PathPattern
from perf_assets.core.areas.rules import LABELS, AreaRules

DEEPEST = 20


def _path(value: str) -> str:
    PathPattern(value)
    return value


def _directory(value: str) -> str:
    names = value.strip("/").split("/")
    if "" in names or {".", "..", "*", "**"} & set(names):
        raise ValueError("a directory of the repository is needed here, as in src/package")
    return "/".join(names)


def _name(value: str) -> str:
    if CONTROL.search(value) or len(value) > LONGEST:
        raise ValueError(
            f"a text of at most {LONGEST:,} characters without control characters is needed here"
        )
    return value.strip()


_Name = Annotated[str, AfterValidator(_name)]


class AreasEntry(StrictModel):
    """A [repositories.areas] table as it is written."""

    labels: dict[_Name, _Name] = Field(
        LABELS,
        description="patterns of labels, each with the area that it names; `*` stands for any "
        "text, in the area for the text that it matched; an empty area is none; the last one that "
        "matches wins; default: `module: *`, `comp:*`, `component: *`, `area: *`, `area/*`",
    )
    files: dict[Annotated[str, AfterValidator(_path)], _Name] = Field(
        {},
        description="patterns of paths, as CODEOWNERS has them, each with its area; an empty area "
        "is none; the last one that matches wins; default: none",
    )
    roots: Many[Annotated[str, AfterValidator(_directory)]] | None = Field(
        None,
        description="directories whose own directories are areas; default: the package called as "
        "the repository, also within `src`, `python`, `lib`, `source` or `packages`",
    )
    depth: int = Field(
        1, ge=1, le=DEEPEST, description="how many directories below a root make an area"
    )
    codeowners: bool = Field(
        False,
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

    def rules(self) -> AreaRules:
        """The rules that the table says."""
        return AreaRules(
            tuple(self.labels.items()),
            tuple(self.files.items()),
            None if self.roots is None else tuple(dict.fromkeys(self.roots)),
            self.depth,
            self.codeowners,
        )
