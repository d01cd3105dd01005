"""Errors of a lake as messages for people: one sentence, without secrets."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
from deltalake.exceptions import (
    CommitFailedError,
    DeltaError,
    DeltaProtocolError,
    TableNotFoundError,
)

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.errors.messages import DAMAGE, FULL
from perf_assets.lake.location import Lake

FORBIDDEN = re.compile(
    r"Permission denied|Read-only file system|Access ?Denied|Forbidden|InvalidAccessKeyId|"
    r"SignatureDoesNotMatch|not permitted|40[13] (Unauthorized|Forbidden)|lacks? valid auth",
    re.IGNORECASE,
)
NO_BUCKET = re.compile(r"NoSuchBucket|bucket does not exist", re.IGNORECASE)
NO_CREDENTIALS = re.compile(
    r"169\.254\.|metadata (service|endpoint)|no credentials|CredentialsNotLoaded", re.IGNORECASE
)
BUSY = re.compile(
    r"error sending request|timed out|timeout|retry|retries|50[0234] |SlowDown|Service Unavailable|"
    r"Connection (refused|reset)|dns|connect error|error decoding response",
    re.IGNORECASE,
)
UNREADABLE = (duckdb.Error, duckdb.ConversionException, duckdb.InvalidInputException)
TOO_LARGE = re.compile(r"File too large|EFBIG", re.IGNORECASE)


@contextmanager
def friendly_errors(lake: Lake) -> Iterator[None]:
    """Turn what Delta Lake and its storage say into one sentence about ``lake``.

    Raises
    ------
    TransientError
        It does not answer, or another writer was faster again and again.
    PerfAssetsError
        It is full, may not be written, or is damaged.
    """
    try:
        yield
    except CommitFailedError as error:
        if sentence := _of_storage(str(error), lake):
            raise sentence from None
        raise TransientError(
            f"{lake.url}: other writers were faster again and again; run it again, what was "
            "released is whole"
        ) from None
    except duckdb.Error as error:
        raise _of_file(str(error), lake) or _of_bytes(error, lake) or error from None
    except (DeltaError, DeltaProtocolError, TableNotFoundError, OSError) as error:
        raise _of_storage(str(error), lake) or PerfAssetsError(
            f"{lake.url}: the lake cannot be used ({_first_line(error)}); what was released is as "
            "it was: mend that, or choose another --lake, and run again"
        ) from None


def _of_file(message: str, lake: Lake) -> PerfAssetsError | None:
    """Return what DuckDB says of a file of the lake; what it says of others is not for here."""
    found = re.search(re.escape(lake.url) + r"/[^\"'\n]+", message)
    if found is None:
        return None
    file = found[0].removesuffix("...")  # where DuckDB shows a part of the query
    return PerfAssetsError(
        f"{file}: this file of the lake is missing or damaged; bring it back from a backup of the "
        "lake, or ship to a new lake (another --lake)"
    )


def _of_bytes(error: duckdb.Error, lake: Lake) -> PerfAssetsError | None:
    """Return what DuckDB says, without naming the file, of bytes that are not Parquet or of other
    types.

    It has no class of its own for the first; of a damaged warehouse it speaks of its checksums.
    """
    if type(error) not in UNREADABLE or DAMAGE.search(str(error)):
        return None
    return PerfAssetsError(
        f"{lake.url}: a file of the lake is damaged ({_first_line(error)}); bring it back from a "
        "backup of the lake, or ship to a new lake (another --lake)"
    )


def _of_storage(message: str, lake: Lake) -> PerfAssetsError | None:
    if FULL.search(message) or TOO_LARGE.search(message):
        return PerfAssetsError(
            f"{lake.url}: the disk of the lake is full; make room there and run again, what was "
            "released is whole"
        )
    if NO_BUCKET.search(message):
        return PerfAssetsError(f"{lake.url}: there is no such bucket; make it and run again")
    if NO_CREDENTIALS.search(message):
        return PerfAssetsError(
            f"{lake.url}: no credentials are found; set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY (and AWS_ENDPOINT_URL, AWS_REGION), and run again"
        )
    if FORBIDDEN.search(message):
        return PerfAssetsError(
            f"{lake.url}: the lake may not be read or written with these rights; grant them (or "
            "mend AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), and run again"
        )
    if BUSY.search(message) and not lake.is_local:
        return TransientError(
            f"{lake.url}: the storage does not answer, or refuses for now; run it again in a "
            "while, what was released is whole"
        )
    return None


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
