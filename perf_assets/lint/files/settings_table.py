"""The shape of the table [tool.perf-assets.lint]."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Optional

from pydantic import Field

from perf_assets.base.config_files import Many, StrictModel, validate


class Lint(StrictModel):
    """The keys of `perf-assets lint` in a pyproject.toml."""

    select: Optional[Many[str]] = None
    ignore: Optional[Many[str]] = None
    extend_select: Optional[Many[str]] = Field(None, alias="extend-select")
    extend_ignore: Optional[Many[str]] = Field(None, alias="extend-ignore")
    severity: Optional[Literal["note", "warning"]] = None
    error_on: Optional[Literal["note", "warning"]] = Field(None, alias="error-on")
    exclude: Optional[Many[str]] = None
    extend_exclude: Optional[Many[str]] = Field(None, alias="extend-exclude")
    force_exclude: Optional[bool] = Field(None, alias="force-exclude")
    respect_gitignore: Optional[bool] = Field(None, alias="respect-gitignore")
    per_file_ignores: Optional[dict[str, Many[str]]] = Field(None, alias="per-file-ignores")


def checked_table(table: object, name: Sequence[str], file: Path) -> Mapping[str, Any]:
    """Return the keys that a table of that ``name`` has, by their names in the file.

    Raises
    ------
    PerfAssetsError
        A key is unknown, or its value is of another type: file, key, and what is needed.
    """
    shape: Any = Lint
    for part in reversed(name):  # so that a message names the key as it stands in the file
        shape, table = dict[Literal[part], shape], {part: table}  # type: ignore[valid-type]
    read = validate(shape, table, file)
    for part in name:
        read = read[part]
    keys: Mapping[str, Any] = read.model_dump(by_alias=True, exclude_none=True)
    return keys
