"""perf-assets: how much of a project's trouble is performance trouble, month by month."""

__version__ = "0.1.0"
