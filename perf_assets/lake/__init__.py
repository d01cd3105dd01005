"""A lake of Delta tables, to which many workers ship what they mined, each of its own repository.

Only what is released counts: a worker adds rows to the tables as often as it likes, and they are
seen by nobody until one commit says which of them are the rows of a month. So nothing is read half
written, whichever process is killed.
"""

from perf_assets.base.errors import PerfAssetsError

try:
    import deltalake as _  # noqa: F401
except ModuleNotFoundError:
    raise PerfAssetsError(
        "a lake needs a library that is not installed: pip install 'perf-assets[lake]'"
    ) from None
