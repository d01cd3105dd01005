"""Engines other than the embedded DuckDB that run the models, for data that no machine holds."""
