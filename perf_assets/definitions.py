"""The entry point for Dagster, `dagster dev -m perf_assets.definitions`: all is in dagster_app."""

from perf_assets.dagster_app.component import defs

__all__ = ["defs"]
