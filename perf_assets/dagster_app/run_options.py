"""The options of a run: by hand it makes all that it names, as a refresh what is new or changed.

The command line and the schedule refresh. Dagster would plan such a run, and report it, with an
event for each asset and month that it looks at, whatever became of it. A tag keeps it from that:
our own steps report what is new or changed, and earlier reports of the rest stay as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from perf_assets.dagster_app.dagster_internals import EXTERNALLY_MANAGED_ASSETS_TAG

OURS = "perf-assets/"
REASON = "reason"  # why a run was started
COMMAND_LINE = "command line"
FOLLOWING = "made from what was loaded by hand"
REFRESH_TAG = f"{OURS}refresh"  # on a run that makes, and reports, what is new or changed
RECONCILE_TAG = f"{OURS}reconcile"  # on one that reads again what is due
FORCE_TAG = f"{OURS}force"  # on one that computes what did not change too
ON = "true"


def refresh_tags(reason: str, *, reconcile: bool = False, force: bool = False) -> dict[str, str]:
    """Return the tags of a refresh that is started for a ``reason``."""
    chosen = ((RECONCILE_TAG, reconcile), (FORCE_TAG, force))
    return {REASON: reason, REFRESH_TAG: ON, EXTERNALLY_MANAGED_ASSETS_TAG: ON} | {
        tag: ON for tag, is_chosen in chosen if is_chosen
    }


@dataclass(frozen=True)
class RunOptions:
    """The options of a run, from its tags.

    is_refresh : make and report only what is new or changed.
    is_forced : compute what did not change too.
    is_reconciling : read again at the source what is due.
    """

    is_refresh: bool
    is_forced: bool
    is_reconciling: bool

    @classmethod
    def of(cls, tags: Mapping[str, str]) -> "RunOptions":
        """Return the options of a run with these ``tags``; what a person chooses is always done."""
        is_refresh = REFRESH_TAG in tags
        return cls(is_refresh, FORCE_TAG in tags or not is_refresh, RECONCILE_TAG in tags)
