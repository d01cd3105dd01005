"""Imported where processes are forked from: they validate by themselves, ready to be killed.

Great Expectations takes seconds to import: once, for all of them.
"""

from perf_assets.storage.audit.process import validate_here

validate_here()
