"""The job that writes what is published as a static site."""

from pathlib import Path

import dagster as dg
from pydantic import Field

from perf_assets.dagster_app.factory import friendly_errors
from perf_assets.dagster_app.keys import Place

JOB = "write_site"


class SiteConfig(dg.Config):
    """Where the site is written, and what its console has."""

    directory: str = Field(description="where to write the site")
    tables: list[str] = Field(
        default=[], description="tables or schemas that the console has; none: all"
    )
    has_console: bool = Field(default=True, description="whether it has the console")


def write_site_job(place: Place) -> dg.JobDefinition:
    """Return the job, for the published database and the report that are there."""
    data_dir, step = place.data_dir, place.named("site")

    @dg.op(
        name=step,
        description="Writes report, tables, dictionary and console for any host of files.",
    )
    def site(context: dg.OpExecutionContext, config: SiteConfig) -> None:
        # It renders pages, and no other run does.
        from perf_assets.reports.site import SiteOptions, write_site  # noqa: PLC0415

        with friendly_errors(data_dir):
            options = SiteOptions(config.has_console, tuple(config.tables))
            written = write_site(data_dir, Path(config.directory), options)
        context.log.info(
            f"{written.path}: {written.files:,} files, {written.size / 1e6:,.1f} MB; "
            f"{written.written:,} of them are new or changed"
        )

    @dg.job(
        name=place.named(JOB),
        description="Write what is published as a static site, as perf-assets site does.",
        config=dg.RunConfig({step: SiteConfig(directory=str(data_dir.path / "site"))}),
    )
    def write() -> None:
        site()

    return write
