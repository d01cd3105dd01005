"""A study as a component of Dagster: a few lines of YAML beside other people's assets."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from perf_assets.base.config_files import validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_file
from perf_assets.base.sanitize import shortened
from perf_assets.config.data_directory import DEFAULT, DataDirectory
from perf_assets.config.study import SAMPLE, Study
from perf_assets.dagster_app.definitions import Parts, build_definitions
from perf_assets.dagster_app.executor import single_writer
from perf_assets.dagster_app.keys import Place
from perf_assets.sources.rate_limit import wait_in_seconds
from perf_assets.stages.study_loader import open_study, with_added

DATA_DIR, MAX_WAIT = "PERF_ASSETS_DATA_DIR", "PERF_ASSETS_MAX_WAIT"
PREFIX = re.compile(r"[A-Za-z0-9_]{1,60}(/[A-Za-z0-9_]{1,60}){0,4}")
MOUNTED_FROM = "defs.yaml"

SCAFFOLD = """\
type: {type}

attributes:
  study: sample  # see it at work; then write the keys of your study here in place of this line:
  # name: mine
  # repositories:
  #   - name: owner/name
  #     start: "2024-01"
"""


class Mounting(BaseModel):
    """The attributes of a study in a code location: the keys of a study file, and these."""

    model_config = ConfigDict(extra="allow")

    study: str | None = Field(
        default=None,
        description="a study file, beside this one or anywhere, or a packaged study such as "
        "`sample`; in place of the keys of a study",
    )
    data_dir: str | None = Field(
        default=None,
        description=f"where the study is kept; default: a folder called after the key prefix in "
        f"{DATA_DIR}, or in ./{DEFAULT}",
    )
    key_prefix: str | None = Field(
        default=None,
        description="what stands before the keys of assets and the names of jobs, schedules and "
        "sensors, with a slash between folders; empty: nothing; default: the name of the folder",
    )
    checks: bool | str = Field(default=True, description="whether the assets have their checks")
    jobs: bool | str = Field(default=True, description="whether there are jobs and schedules")
    schedules: bool | str = Field(default=True, description="whether there are schedules")
    sensors: bool | str = Field(default=True, description="whether there are sensors")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the schema with the keys of a study, for editors."""
        own = handler.resolve_ref_schema(handler(core_schema))
        study = handler.resolve_ref_schema(handler(Study.__pydantic_core_schema__))
        properties = {**own["properties"], **study["properties"]}
        return {**own, "properties": properties, "additionalProperties": False}


class StudyScaffolder(dg.Scaffolder):
    """Writes the file of a study that shows the sample, with what to write for one's own."""

    def scaffold(self, request: dg.ScaffoldRequest) -> None:
        """Write ``defs.yaml``, or the Python file that loads the component."""
        if request.scaffold_format == "yaml" and not request.append:
            text = SCAFFOLD.format(type=request.type_name)
            write_file(request.target_path / MOUNTED_FROM, text)
        else:
            dg.scaffold_component(request, {"study": SAMPLE})


@dg.scaffold_with(StudyScaffolder)
@dataclass
class StudyComponent(dg.Component):
    """The performance bugs of repositories, month by month: mined, labelled, linked, published.

    study : the study, its file, or the name of a packaged one, by default the sample.
    data_dir : where it is kept; by default a folder called after ``key_prefix`` in the directory
        that the environment's PERF_ASSETS_DATA_DIR names, or in ./data.
    key_prefix : what stands before keys and names, by a slash; by default the name of the folder.
    parts : what the code location has beside the assets.

    The token for GitHub is the environment's GITHUB_TOKEN.
    """

    study: Study | str | Path | None = None
    data_dir: str | Path | None = None
    key_prefix: str | None = None
    parts: Parts = field(default_factory=Parts)

    @classmethod
    def get_model_cls(cls) -> type[BaseModel]:
        """Return what the attributes are."""
        return Mounting

    @classmethod
    def get_spec(cls) -> dg.ComponentTypeSpec:
        """Return what the component brings."""
        produces = ["asset", "asset_check", "job", "schedule", "sensor"]
        return dg.ComponentTypeSpec(tags=["duckdb", "github", "issues"], produces=produces)

    @classmethod
    def load(
        cls, attributes: BaseModel | None, context: dg.ComponentLoadContext
    ) -> "StudyComponent":
        """Return the component of the ``attributes`` of a ``defs.yaml``.

        Raises
        ------
        PerfAssetsError
            One sentence with file, key and reason, as for a study file.
        """
        path = context.path / MOUNTED_FROM if context.path.is_dir() else context.path
        given = attributes if isinstance(attributes, Mounting) else Mounting()
        values = context.resolution_context.resolve_value(given.model_dump(exclude_unset=True))
        own = Mounting.model_validate(values)
        keys = own.model_extra or {}
        if own.study is not None and keys:
            raise PerfAssetsError(
                f"{path}: study: {shortened(own.study, 60)} has keys of its own: leave it out, or "
                f"{', '.join(sorted(keys))}"
            )
        study: Study | str = (
            _beside(own.study, path)
            if own.study is not None
            else validate(Study, keys, path, {"path": path})
        )
        switches = {
            name: validate(bool, getattr(own, name), f"{path}: {name}")
            for name in Parts.__dataclass_fields__
        }
        return cls(study, own.data_dir, own.key_prefix, Parts(**switches))

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """Return the assets of the study, and what comes along."""
        folder = re.sub(r"\W+", "_", context.path.name.removesuffix(".yaml"), flags=re.ASCII)
        prefix = folder if self.key_prefix is None else self.key_prefix
        return self.definitions(prefix, context.project_root)

    def definitions(self, prefix: str, root: Path = Path()) -> dg.Definitions:
        """Return them with ``prefix``; a data directory that is not absolute is below ``root``.

        Raises
        ------
        PerfAssetsError
            The prefix, the study or the data directory cannot be what it is.
        """
        if prefix and not PREFIX.fullmatch(prefix):
            raise PerfAssetsError(
                f"key_prefix: {shortened(prefix, 60)!r} cannot stand before keys: write "
                "letters, digits and _, with / between folders"
            )
        base = Path(os.environ.get(DATA_DIR) or DEFAULT)
        data_dir = DataDirectory.of(root / Path(self.data_dir or base / prefix).expanduser())
        study = (
            with_added(self.study, data_dir)
            if isinstance(self.study, Study)
            else open_study(self.study, data_dir)
        )
        longest_wait = wait_in_seconds(os.environ.get(MAX_WAIT))
        return build_definitions(study, data_dir, longest_wait, prefix=prefix, parts=self.parts)


@dg.definitions
def defs() -> dg.Definitions:
    """Return what `dagster dev` shows: the study and data directory that the environment names."""
    data_dir = DataDirectory.of(os.environ.get(DATA_DIR))
    component = StudyComponent(os.environ.get("PERF_ASSETS_STUDY"), data_dir.path)
    # Runs of assets that a person chooses on a page belong to no job, which would have its own.
    executor = dg.Definitions(executor=single_writer(Place(data_dir)))
    return dg.Definitions.merge(component.definitions(prefix=""), executor)


def _beside(study: str, path: Path) -> str:
    """Return the address of a study file that ``path`` names; others as they are."""
    beside = path.parent / study
    return str(beside) if beside.is_file() else study
