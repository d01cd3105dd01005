"""What each stage does to the warehouse, without Dagster."""
