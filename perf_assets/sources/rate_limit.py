"""How long a run waits for a source's rate limit: a default, and what the environment says."""

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import shortened

# In seconds: more than the hour after which every budget of GitHub is full again.
LONGEST_WAIT = 90 * 60.0


def wait_in_seconds(minutes: str | None) -> float:
    """The longest wait that PERF_ASSETS_MAX_WAIT allows.

    Raises
    ------
    PerfAssetsError
        It is no number of minutes.
    """
    if not minutes:
        return LONGEST_WAIT
    try:
        seconds = 60 * float(minutes)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        shown = shortened(minutes, 60)
        raise PerfAssetsError(f"PERF_ASSETS_MAX_WAIT={shown!r} is no number of minutes")
    return seconds
