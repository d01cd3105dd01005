"""Assets, checks, jobs, schedules and sensors for Dagster: wiring only."""

import logging
import warnings

from dagster import BetaWarning, PreviewWarning

from perf_assets.dagster_app.dagster_internals import PLAN_LOGGER

# What of Dagster is new we use knowingly, and nobody who runs it can do anything about it.
warnings.filterwarnings("ignore", category=BetaWarning)
warnings.filterwarnings("ignore", category=PreviewWarning)
# It warns of each rule that a refresh does not judge again because no row changed.
logging.getLogger(PLAN_LOGGER).setLevel(logging.ERROR)
