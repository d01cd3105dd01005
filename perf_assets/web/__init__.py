"""Dagster's web server behind a guard, and the review page: for local users only."""
