"""What this version declares is written down as DuckDB spells it, and read from there."""

import json

import duckdb
import pytest

from perf_assets.base.paths import models_dir
from perf_assets.storage.definitions import (
    WRITTEN_DOWN,
    declared_definitions,
    definitions_by,
    definitions_text,
)


def test_what_is_written_down_is_what_is_laid() -> None:
    written = json.loads(WRITTEN_DOWN.read_text(encoding="utf-8"))
    if written["duckdb"] != duckdb.__version__:
        pytest.skip(f"it is written down for DuckDB {written['duckdb']}: others lay it themselves")
    assert WRITTEN_DOWN.read_text(encoding="utf-8") == definitions_text(), "make reference"


def test_another_duckdb_lays_it_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    declared_definitions.cache_clear()
    monkeypatch.setattr(duckdb, "__version__", "another")
    try:
        assert declared_definitions() == definitions_by(models_dir())
    finally:
        declared_definitions.cache_clear()
