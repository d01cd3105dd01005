"""Sources of data: GitHub, git, forums, corpus directories. Nothing here imports Dagster."""
