"""The asset graph: one short file per stage. Wiring only."""

import warnings

from dagster import BetaWarning, PreviewWarning

# What of Dagster is new we use knowingly, and nobody who runs it can do anything about it.
warnings.filterwarnings("ignore", category=BetaWarning)
warnings.filterwarnings("ignore", category=PreviewWarning)
