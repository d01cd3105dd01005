"""The address key of a lake: every data directory that ships to it or pulls from it has that key.

The lake stores the fingerprint of the key, and never the key.
"""

from collections.abc import Callable

from perf_assets.base.errors import PerfAssetsError
from perf_assets.lake.contents import remember, remembered
from perf_assets.lake.location import Lake
from perf_assets.storage.address_key import (
    VARIABLE,
    address_key,
    existing_key,
    fingerprint,
    given_key,
)
from perf_assets.storage.publishing import ABOUT, ADDRESS_KEY
from perf_assets.storage.warehouse import Database

ALL, KEY = "all", "address key"  # where a warehouse stores the fingerprint for its rows


def fingerprint_here(lake: Lake) -> str | None:
    """Return the fingerprint for a lake that has none yet; None without a data directory.

    A data directory without a key gets one.
    """
    return None if lake.data_dir is None else fingerprint(address_key(lake.data_dir))


def check_fingerprint(lake: Lake, stored: str | None, is_empty: Callable[[], bool]) -> None:
    """Refuse a data directory whose address key is not that of the lake.

    A lake that an older version made has no fingerprint. Nobody can compute it from the lake, so a
    person has to state the key in the environment.

    Parameters
    ----------
    stored
        The fingerprint in the lake.
    is_empty
        Returns whether nothing was ever released.

    Raises
    ------
    PerfAssetsError
        The data directory has another key, or none; or the key of the lake is not known.
    """
    if lake.data_dir is None:
        return
    if stored is None:
        if given_key() is None and not is_empty():
            raise PerfAssetsError(
                f"{lake.url}: an older perf-assets made this lake and did not store which address "
                f"key it has; nothing was pushed or pulled: set {VARIABLE} to the content of "
                "address.key in the data directory that made the lake, and push once"
            )
        return
    key = existing_key(lake.data_dir)
    if key is None or fingerprint(key) != stored:
        origin = lake.data_dir.address_key if given_key() is None else VARIABLE
        raise PerfAssetsError(
            f"{lake.url}: {origin} does not hold the address key of this lake, so that one person "
            "would become two; nothing was pushed or pulled: in a data directory in which nothing "
            "was mined, copy address.key from the data directory that made the lake, or set "
            f"{VARIABLE} to its content"
        )


def check_rows(database: Database, lake: Lake, stored: str | None) -> None:
    """Refuse a warehouse whose rows are hashed by another key than the lake, and note the key.

    That is so where a person changed the key of a data directory: its rows are not hashed again.

    Parameters
    ----------
    stored
        The fingerprint in the lake.

    Raises
    ------
    PerfAssetsError
        The rows are hashed by another key.
    """
    if lake.data_dir is None or stored is None:
        return
    database.ensure(ABOUT)
    published = database.frame(f"SELECT value FROM {ABOUT} WHERE fact = '{ADDRESS_KEY}'")
    noted = remembered(database, ALL, KEY) or published["value"].to_list()
    if noted and noted != [stored]:
        raise PerfAssetsError(
            f"{lake.url}: {lake.data_dir.warehouse} was hashed by another address key than this "
            "lake, so that one person would become two; nothing was pushed or pulled: use a data "
            "directory in which nothing was mined"
        )
    if not noted:
        remember(database, {ALL: stored}, KEY)
