"""A message to a webhook: an address that is itself the secret, so that nobody is told it."""

import logging
from collections.abc import Mapping
from typing import Any

import requests

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.errors.messages import causes
from perf_assets.config.addresses import is_private
from perf_assets.sources.http_deadline import TimedAdapter, within

LONGEST = 2_000  # characters of an address

# At its lowest level it would tell the paths of addresses.
logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)


def post(url: str, body: Mapping[str, Any], variable: str, seconds: float) -> None:
    """Send ``body`` as JSON to the ``url`` that the environment's ``variable`` holds.

    It arrived when the answer begins with a status of success, whatever follows. Redirections are
    not followed, as they would take the message elsewhere.

    Raises
    ------
    PerfAssetsError
        The variable holds no such address, or the message is refused for good (a status of 4xx).
    TransientError
        It did not arrive, or that is not known; no sentence has the address or what was answered.
    """
    if len(url) > LONGEST or not url.startswith(("https://", "http://")) or not is_private(url):
        raise PerfAssetsError(
            f"{variable} is not an address for messages: give one that begins with https://, of at "
            f"most {LONGEST:,} characters; over plain http its secret could be read"
        )
    try:
        status = _status(url, body, seconds)
    except Exception as error:  # whatever it is, its text may have the address
        kind = "not in time" if _is_timeout(error) else "not at all"
        raise TransientError(f"{variable}: the webhook answered {kind}") from None
    if 200 <= status < 300:
        return
    error_type = TransientError if status >= 500 or status in (408, 429) else PerfAssetsError
    raise error_type(f"{variable}: the webhook answered with status {status}")


def _status(url: str, body: Mapping[str, Any], seconds: float) -> int:
    with requests.Session() as session, within(seconds):
        session.mount("https://", TimedAdapter())
        session.mount("http://", TimedAdapter())
        answer = session.post(url, json=body, timeout=seconds, allow_redirects=False, stream=True)
        with answer:  # its text is not read
            return answer.status_code


def _is_timeout(error: BaseException) -> bool:
    return any(
        isinstance(cause, requests.Timeout | TimeoutError) or "timed out" in str(cause)
        for cause in causes(error)
    )
