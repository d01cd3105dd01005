"""Stages open a warehouse again and again, which is no point of their tests."""

import pytest


@pytest.fixture(autouse=True)
def _warehouses_stay_open(warehouses_stay_open: None) -> None:
    """Keeps them open for as long as a test takes."""
