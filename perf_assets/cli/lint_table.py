"""The shape of the table [tool.perf-assets.check]."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from perf_assets.config_files import Many, StrictModel, validate


class Check(StrictModel):
    """The keys of `perf-assets lint` in a pyproject.toml."""

    select: Many[str] | None = None
    ignore: Many[str] | None = None
    extend_select: Many[str] | None = Field(None, alias="extend-select")
    severity: Literal["note", "warning"] | None = None
    exclude: Many[str] | None = None
    per_file_ignores: dict[str, Many[str]] | None = Field(None, alias="per-file-ignores")


class _Tool(StrictModel):
    check: Check


class _Named(StrictModel):
    perf_assets: _Tool = Field(alias="perf-assets")


class _File(StrictModel):
    tool: _Named


def checked_table(table: object, file: Path) -> Mapping[str, Any]:
    """The keys that a table has, by their names in the file.

    Raises
    ------
    PerfAssetsError
        A key is unknown, or its value is of another type: file, key, and what is needed.
    """
    read = validate(_File, {"tool": {"perf-assets": {"check": table}}}, file)
    return read.tool.perf_assets.check.model_dump(by_alias=True, exclude_none=True)
