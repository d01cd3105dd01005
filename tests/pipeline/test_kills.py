"""Whatever is killed at any moment, and done again, ends as if undisturbed."""

from pathlib import Path

import pytest

from tests.crash_testing import DEEDS, kill_at_random_moments
from tests.effort import KILLS
from tests.support import Prepared

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]


# A whole run that is killed is tried in test_end_to_end.py too.
@pytest.mark.parametrize("name", DEEDS)
def test_what_was_killed_and_is_done_again_ends_as_if_undisturbed(
    small: Prepared, tmp_path: Path, name: str
) -> None:
    kill_at_random_moments(DEEDS[name], small, tmp_path, KILLS)
