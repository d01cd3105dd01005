"""What a declaration says of a table: its columns, what they mean, and which values they allow."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import polars as pl
from pydantic import Field, field_validator, model_validator

from perf_assets.base.config_files import Many, StrictModel, nearest, validate
from perf_assets.schema.types import polars_type

# How the models of a layer are kept. All other tables are filled by the audited writer.
LAYERS: dict[str, Literal["view", "table"]] = {
    "staging": "view",
    "intermediate": "view",
    "marts": "table",
}

Bound = int | float | str
"""A number, or the name of the column that holds the bound."""


class Column(StrictModel):
    """A column: its DuckDB type, what it means, its unit if any, and the values it may have.

    nullable : whether it may be NULL; the other limits speak of its values alone.
    values : the values it may have.
    min, max : the least and the greatest value, or the column that holds it.
    pattern : a regular expression that the whole text matches.
    of : of the month of a partition, the moment that lies within it.
    stamped : whether it is the moment of storing, which the audited writer fills in.
    why : why its values are limited like that, as one text or one for each limit.
    """

    name: str
    type: str
    description: str = Field(min_length=1)
    unit: str | None = None
    nullable: bool = False
    values: Many[str] | None = None
    min: Bound | None = None
    max: Bound | None = None
    pattern: str | None = None
    of: str | None = None
    stamped: bool = False
    why: str | dict[str, str] = ""

    @field_validator("type")
    @classmethod
    def _is_known(cls, value: str) -> str:
        polars_type(value)
        return value

    @property
    def comment(self) -> str:
        """Meaning and unit as one text."""
        return self.description if self.unit is None else f"{self.description} Unit: {self.unit}."

    def reason(self, limit: str) -> str:
        """Return the declared reason for the ``limit`` (values, min, ...); empty without one."""
        if isinstance(self.why, str):
            return self.why
        return self.why.get(limit, "")


class Analysis(StrictModel):
    """How a table of statistics is computed.

    function : the dotted name of the function of the core that returns its rows.
    reads : the tables that are its arguments, in order; of each the columns needed, default all.
    reference_data : the dotted name of the function of the sources that returns its first argument,
        where it takes more than tables.
    """

    function: str = Field(pattern=r"^perf_assets\.core\.[\w.]+$")
    reads: dict[str, Many[str] | None] = Field(min_length=1)
    reference_data: str | None = Field(default=None, pattern=r"^perf_assets\.sources\.[\w.]+$")


SectionName = Literal[
    "alerts",
    "trend",
    "comparisons",
    "causes",
    "areas",
    "users",
    "work",
    "benchmarks",
    "checks",
    "quality",
    "data",
]
"""A section of the report that shows figures."""


class FigureDeclaration(StrictModel):
    """How the report and the UI show a table; its queries are in ``figures/`` beside the table.

    ``figures/<name>.sql`` gives its rows, ``<name>.verdicts.sql`` its sentences, and
    ``<name>.drawn.sql``, where that is another query, the data of its picture. In the last two
    ``from figure_rows`` reads the rows of the first.

    title : what it shows.
    section : the section of the report; without one only the replication report shows it.
    place : its place in the section, in steps of ten.
    draw : the function of ``perf_assets/reports/figures`` that returns the panels of its picture.
    """

    title: str = Field(min_length=1)
    section: SectionName | None = None
    place: int = 0
    draw: str | None = Field(default=None, pattern=r"^[a-z_]+\.[a-z_]+$")


class Table(StrictModel):
    """A table or view called ``schema.table``.

    key : the columns that tell its rows apart, and why they do.
    analysis : how it is computed; tables of the schema analysis have it, marts that no SELECT can
        make too, and no others.
    asset : the main table whose asset in the UI shows it too; without it the asset is its own.
    is_main : whether readers begin with it; ``describe`` lists these tables first.
    made_from : the tables that its rows are decided from, where no SQL or ``analysis`` names them.
    partitioned : whether it is stored by subject (repository, or tag set of a forum) and month.
    constraints : SQL conditions that no row breaks, beside the limits of its columns (as in a
        CHECK, NULL passes).
    """

    name: str = Field(pattern=r"^[a-z_]+\.[a-z_0-9]+$")
    description: str = ""
    column: dict[str, Column] = Field(alias="columns", min_length=1)
    key: Many[str] = Field(min_length=1)
    key_why: str = ""
    analysis: Analysis | None = None
    # None of these is part of what audit and contents follow from (storage/fingerprints.py).
    asset: str | None = Field(default=None, repr=False)
    is_main: bool = Field(default=False, repr=False)
    made_from: Many[str] = Field(default=(), repr=False)
    figures: dict[str, FigureDeclaration] = Field(default_factory=dict, repr=False)
    partitioned: bool = False
    constraints: Many[str] = ()

    @model_validator(mode="after")
    def _names_its_own_columns(self) -> "Table":
        limits = [
            (f"{column.name} has the {limit}", named)
            for column in self.columns
            for limit, named in (("min", column.min), ("max", column.max), ("of", column.of))
            if isinstance(named, str)
        ]
        for origin, named in [*(("key has", name) for name in self.key), *limits]:
            if named not in self.column:
                raise ValueError(f"{origin} {named}, no column; {nearest(named, self.column)}")
        return self

    @model_validator(mode="after")
    def _says_how_it_is_computed(self) -> "Table":
        is_computed = self.analysis is not None
        if self.schema_name != "marts" and (self.schema_name == "analysis") != is_computed:
            raise ValueError(
                "tables of the schema analysis have the key analysis (function and reads), marts "
                "without a SQL file too, and no others do"
            )
        return self

    @property
    def columns(self) -> tuple[Column, ...]:
        """Its columns, in order."""
        return tuple(self.column.values())

    @property
    def schema_name(self) -> str:
        """The part of the name before the dot: the layer of a model."""
        return self.name.split(".")[0]

    @property
    def parts(self) -> tuple[str, ...]:
        """The columns whose values, with a colon between them, name the subject of a partition."""
        return ("forum", "tag_set") if "tag_set" in self.column else ("repository",)

    @property
    def is_view(self) -> bool:
        """Return whether it is computed on each read."""
        return LAYERS.get(self.schema_name) == "view"

    @property
    def is_made_anew(self) -> bool:
        """Return whether it is stored whole and computed anew from a source or other tables."""
        anew = ("raw", "labels", "marts", "analysis")
        return not self.partitioned and self.schema_name in anew

    @property
    def is_series(self) -> bool:
        """Return whether its rows are points in time without gaps."""
        return not {"month", "quarter"}.isdisjoint(self.key)

    @cached_property
    def frame_schema(self) -> pl.Schema:
        """Names and types of the columns of a frame of its rows, before they are stored."""
        return pl.Schema(
            {column.name: polars_type(column.type) for column in self.columns if not column.stamped}
        )


def read_table(
    name: str, content: object, shared: Mapping[str, Mapping[str, Any]], origin: str
) -> Table:
    """Return the table ``name`` as the ``content`` of its file at ``origin`` declares it.

    ``shared`` are columns that several tables have: a column of the same name inherits from it, and
    the table's own entries take precedence.

    Raises
    ------
    PerfAssetsError
        Something is missing or misspelt, or a name is not that of a column.
    """
    entries = validate(dict[str, Any], content, origin)
    declared = validate(
        dict[str, dict[str, Any] | None], entries.get("columns", {}), f"{origin}: columns"
    )
    columns = {
        column: {**shared.get(column, {}), **(entry or {}), "name": column}
        for column, entry in declared.items()
    }
    return validate(Table, {**entries, "name": name, "columns": columns}, origin)
