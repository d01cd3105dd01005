"""What the study computes: plain functions over Polars frames; no Dagster, HTTP, DuckDB, files."""
