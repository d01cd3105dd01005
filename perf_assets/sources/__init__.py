"""Where data comes from: GitHub, git, corpus directories. Nothing here knows of Dagster."""
