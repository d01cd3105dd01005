"""Where a lake is: a folder, or a prefix of a bucket of S3."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.repository_names import forum_of
from perf_assets.base.sanitize import is_utf8, shortened
from perf_assets.config.data_directory import DataDirectory

HOW = "a lake is a folder (/path or file:///path) or s3://bucket/prefix"
# Delta Lake and DuckDB each take some of these for something else than themselves.
UNFIT = re.compile(r"[%*?\[\]\n]")
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]+")
LONGEST_SHOWN = 200
SECONDS_OF_ANSWER = 20
SECONDS_OF_RETRIES = 60
RETRIES = 10


@dataclass(frozen=True)
class Lake:
    """A lake at ``url``, without a slash at its end; credentials are those of the environment.

    retry_seconds : how long a request that S3 refuses or leaves unanswered is tried again.
    data_dir : the data directory that ships to the lake or pulls from it. Its address key must be
        that of the lake. None where rows stay in the lake.
    """

    url: str
    retry_seconds: float = SECONDS_OF_RETRIES
    data_dir: DataDirectory | None = None

    @classmethod
    def of(cls, url: str, data_dir: DataDirectory | None = None) -> "Lake":
        """Return the lake at ``url``, whether or not anything is there yet; see the class.

        Raises
        ------
        PerfAssetsError
            ``url`` is neither an absolute path nor an address of S3, or holds credentials.
        """
        try:
            parts = urlsplit(url)
        except ValueError:
            # What may be a secret cannot be separated from the rest: nothing of it is shown.
            raise PerfAssetsError(f"the lake is named by no address: {HOW}") from None
        if parts.scheme == "s3":
            return cls(_in_s3(url), data_dir=data_dir)
        if parts.scheme not in ("", "file") or parts.netloc:
            raise PerfAssetsError(f"{_harmless(url)}: {HOW}")
        path = Path(unquote(parts.path) if parts.scheme else url)
        shown = shortened(url, LONGEST_SHOWN)
        if not path.is_absolute():
            raise PerfAssetsError(f"{shown}: {HOW}; the path of a folder is an absolute one")
        if UNFIT.search(str(path)):
            raise PerfAssetsError(
                f"{shown}: the folder of a lake has none of % * ? [ ] in its path"
            )
        if not is_utf8(path):
            raise PerfAssetsError(f"{shown}: the path of this folder is not UTF-8; choose another")
        return cls(str(path), data_dir=data_dir)

    @property
    def is_local(self) -> bool:
        """Return whether it is a folder."""
        return self.url.startswith("/")

    def table(self, name: str) -> str:
        """Return the address of the Delta table ``name`` (schema.table)."""
        return f"{self.url}/{name.replace('.', '/')}"

    @property
    def options(self) -> dict[str, str]:
        """Delta Lake's options for S3 beside the credentials, which it finds itself."""
        if self.is_local:
            return {}
        seconds = max(1, round(self.retry_seconds))
        given = {
            "aws_conditional_put": "etag",
            "max_retries": str(RETRIES),
            "retry_timeout": f"{seconds}s",
            "timeout": f"{min(SECONDS_OF_ANSWER, seconds)}s",
            "connect_timeout": f"{min(5, seconds)}s",
            "backoff_config.max_backoff": "5s",
        }
        if "AWS_ENDPOINT_URL" in os.environ and "AWS_REGION" not in os.environ:
            given["aws_region"] = "us-east-1"  # what stands in for S3 takes any
        return given


def bucket_of(subject: str, buckets: int) -> int:
    """Return the bucket of ``subject``, one of ``buckets``; all tag sets of a forum share theirs.

    A question may move from one tag set to another: both are then written together.
    """
    digest = hashlib.sha256((forum_of(subject) or subject).encode()).digest()
    return int.from_bytes(digest[:8], "big") % buckets


def _in_s3(url: str) -> str:
    parts = urlsplit(url)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise PerfAssetsError(
            f"{_harmless(url)}: {HOW}; credentials are taken from the environment alone "
            "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)"
        )
    if BUCKET.fullmatch(parts.netloc) is None or UNFIT.search(parts.path):
        raise PerfAssetsError(f"{_harmless(url)}: {HOW}")
    return f"s3://{parts.netloc}{parts.path.rstrip('/')}"


def _harmless(url: str) -> str:
    """``url`` without what may be a secret."""
    parts = urlsplit(url)
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return shortened(shown, LONGEST_SHOWN)
