"""Where the data of a study lie when one machine is not enough, and what computes there."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from perf_assets.base.config_files import SensitiveValueError, StrictModel
from perf_assets.config.addresses import resolved

BUCKET = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[\w.=/-]*)?")
SERVER = re.compile(r"sc://(?:\[[0-9a-f:]+\]|[\w.-]+)(?::\d{1,5})?/?(?:;use_ssl=(?:true|false))?")
FROM_OUTSIDE = "credentials come from the environment alone"

Engine = Literal["duckdb", "spark"]


def _lake_url(value: str, info: ValidationInfo) -> str:
    if "@" in value or "?" in value:
        raise SensitiveValueError(f"this address holds a secret: remove it; {FROM_OUTSIDE}")
    scheme, _, rest = value.partition("://")
    is_folder = bool(value.strip()) and (not rest or (scheme == "file" and rest.startswith("/")))
    if not is_folder and BUCKET.fullmatch(value) is None:
        raise ValueError("a lake is a folder (file:///path, or a path) or s3://bucket/prefix")
    return (value if "://" in value else f"file://{resolved(value, info)}").rstrip("/")


def _spark_url(value: str) -> str:
    if "token" in value or "@" in value:
        raise SensitiveValueError(f"this address holds a secret: remove it; {FROM_OUTSIDE}")
    if SERVER.fullmatch(value) is None:
        raise ValueError("a Spark Connect server is sc://host:port")
    return value


class Lakehouse(StrictModel):
    """The [lake] table of a study file."""

    url: Annotated[str, AfterValidator(_lake_url)] = Field(
        description="a folder, seen from this file, `file:///path`, or `s3://bucket/prefix`"
    )
    engine: Engine = Field(default="duckdb", description="what computes models and statistics")
    spark: Annotated[str, AfterValidator(_spark_url)] | None = Field(
        default=None, description='the Spark Connect server of `engine = "spark"`: `sc://host:port`'
    )

    @model_validator(mode="after")
    def _names_its_server(self) -> "Lakehouse":
        if self.engine == "spark" and self.spark is None:
            raise ValueError('engine "spark" needs its server: add spark = "sc://host:port"')
        if self.engine == "duckdb" and self.spark is not None:
            raise ValueError(
                'a spark server is named, but the engine is duckdb: write engine = "spark"'
            )
        return self
