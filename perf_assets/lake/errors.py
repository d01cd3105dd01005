"""Errors of a lake as messages for people: one sentence, without secrets."""

import re
from contextlib import AbstractContextManager
from functools import partial

import duckdb
from deltalake.exceptions import (
    CommitFailedError,
    DeltaError,
    DeltaProtocolError,
    TableNotFoundError,
)

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.errors.messages import DAMAGE, FULL, explained
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


# What storages say, and the error that each is: a class and the rest of its sentence.
OF_STORAGE = (
    (
        re.compile(f"{FULL.pattern}|File too large|EFBIG", re.IGNORECASE),
        PerfAssetsError,
        "the disk of the lake is full; make room there and run again, what was released is whole",
    ),
    (NO_BUCKET, PerfAssetsError, "there is no such bucket; make it and run again"),
    (
        NO_CREDENTIALS,
        PerfAssetsError,
        "no credentials are found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and "
        "AWS_ENDPOINT_URL, AWS_REGION), and run again",
    ),
    (
        FORBIDDEN,
        PerfAssetsError,
        "the lake may not be read or written with these rights; grant them (or mend "
        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), and run again",
    ),
    (
        BUSY,
        TransientError,
        "the storage does not answer, or refuses for now; run it again in a while, what was "
        "released is whole",
    ),
)


def friendly_errors(lake: Lake) -> AbstractContextManager[None]:
    """Turn an error of Delta Lake or of its storage into one sentence about ``lake``.

    Raises
    ------
    TransientError
        The storage does not answer, or concurrent commits kept conflicting.
    PerfAssetsError
        The lake is full, may not be written, or is damaged.
    """
    kinds = (duckdb.Error, CommitFailedError, DeltaError, DeltaProtocolError, TableNotFoundError)
    return explained(partial(_lake_error, lake=lake), *kinds, OSError)


def _lake_error(error: Exception, lake: Lake) -> PerfAssetsError | None:
    if isinstance(error, duckdb.Error):
        return _of_file(str(error), lake) or _of_bytes(error, lake)
    for pattern, kind, sentence in OF_STORAGE:
        if pattern.search(str(error)) and not (pattern is BUSY and lake.is_local):
            return kind(f"{lake.url}: {sentence}")
    if isinstance(error, CommitFailedError):
        return TransientError(
            f"{lake.url}: concurrent commits kept conflicting; run it again, what was "
            "released is whole"
        )
    return PerfAssetsError(
        f"{lake.url}: the lake cannot be used ({_first_line(error)}); what was released is as it "
        "was: mend that, or choose another --lake, and run again"
    )


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


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
