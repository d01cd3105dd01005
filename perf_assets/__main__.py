"""``python -m perf_assets``."""

from perf_assets.cli import main

main()
