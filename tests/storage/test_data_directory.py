"""The data directory: which paths it may have."""

from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory


@pytest.mark.parametrize("name", ["a?b", "a%2Fb", "%41"])
def test_a_path_that_means_something_else_in_an_address_is_refused_and_nothing_is_made(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(PerfAssetsError, match="means something else to Dagster"):
        DataDirectory.of(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_percent_sign_alone_is_accepted(tmp_path: Path) -> None:
    assert DataDirectory.of(tmp_path / "100% mine").path.is_dir()
