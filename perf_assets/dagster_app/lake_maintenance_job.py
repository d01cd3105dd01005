"""The job that keeps a lake small: what no longer counts leaves, small files are joined."""

from datetime import timedelta

import dagster as dg
from pydantic import Field

from perf_assets.config.study import Study
from perf_assets.dagster_app.factory import friendly_errors
from perf_assets.dagster_app.keys import Place

JOB = "maintain_lake"
POOL = "lake_maintenance"
DAYS = 7
MOST_DAYS = 36_500  # a hundred years: what is longer leaves the calendar


class Retention(dg.Config):
    """How long what was superseded can still be read."""

    days: int = Field(
        default=DAYS, ge=1, le=MOST_DAYS, description="days that superseded rows are kept for"
    )


def lake_maintenance_job(study: Study, place: Place) -> dg.JobDefinition:
    """Return the job, which may run beside workers: where one is faster, the next time does it."""
    assert study.lake is not None
    url, step = study.lake.url, place.named("lake")

    @dg.op(
        name=step,
        pool=place.named(POOL),
        description="Drops superseded rows, joins small files, vacuums, sizes.",
    )
    def lake(context: dg.OpExecutionContext, config: Retention) -> None:
        from perf_assets.lake.location import Lake  # noqa: PLC0415
        from perf_assets.lake.maintenance import maintain, sizes  # noqa: PLC0415

        with friendly_errors(place.data_dir):
            lake = Lake.of(url)
            done = maintain(lake, timedelta(days=config.days))
            found = sizes(lake)
        for table in done:
            context.log.info(
                f"{table.table}: {table.files_before:,} files of "
                f"{table.bytes_before / 1e6:,.1f} MB are {table.files_after:,} of "
                f"{table.bytes_after / 1e6:,.1f} MB; {table.dropped:,} rows left, "
                f"{table.deleted:,} files deleted, {table.left:,} buckets left for next time"
            )
        for size in found:
            context.log.info(f"{size.table}: {size.rows:,} rows in {size.bytes / 1e6:,.1f} MB")

    @dg.job(
        name=place.named(JOB),
        description="Keep the lake small; it goes on beside workers. Weekly by its schedule.",
        config=dg.RunConfig({step: Retention()}),
    )
    def maintain_lake() -> None:
        lake()

    return maintain_lake
