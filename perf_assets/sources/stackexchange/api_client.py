"""A client of the Stack Exchange API that keeps its rules: pauses, daily quota, one at a time.

Source: https://api.stackexchange.com/docs/throttle
"""

import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import in_words
from perf_assets.base.sanitize import shortened
from perf_assets.config.addresses import is_private
from perf_assets.sources.json_client import JsonClient, reason_of
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.stackexchange.api_shapes import INCLUDED, Wrapper

log = logging.getLogger(__name__)

KEY = "STACKEXCHANGE_KEY"
PAGE = 100
MOST_PAGES = 25  # deeper ones are for those who log in
THROTTLED = "throttle_violation"
SECONDS_LEFT = re.compile(r"available in ([0-9]{1,7}) seconds")
Item = TypeVar("Item", bound=BaseModel)


class ApiClient(JsonClient):
    """Asks the API at ``url`` about ``site``; one request at a time, as from one address."""

    def __init__(
        self,
        url: str,
        site: str,
        on_wait: Callable[[str], None] = log.warning,
        patience: RequestPolicy | None = None,
    ) -> None:
        """Prepare the client with the key of the environment, if set; no request is sent.

        Raises PerfAssetsError if the key would be sent unencrypted.
        """
        super().__init__(
            url, f"{url.rstrip('/')} cannot be queried about {site}", on_wait, patience
        )
        self.site = site
        self.quota: int | None = None
        self._key = os.environ.get(KEY, "").strip()
        if self._key and not is_private(self.url):
            raise PerfAssetsError(
                f"{self.url}: the key in {KEY} would be sent over plain http, where others can "
                f"read it: write https:// in the forum's api_url, or unset {KEY}"
            )
        self._rests: dict[str, float] = {}
        self._filter: str | None = None

    @property
    def has_key(self) -> bool:
        """Return whether it sends a key, which allows more requests a day."""
        return bool(self._key)

    def items(
        self, method: str, path: str, shape: type[Item], **parameters: str | int
    ) -> Iterator[tuple[list[Item], int | None]]:
        """Yield the items of a list, page by page, with the total that the API counts.

        ``method`` is the name of the list for pauses, which the API requires by method.

        Raises
        ------
        PerfAssetsError
            It cannot be had: one sentence.
        """
        page, has_more = 1, True
        while has_more and page <= MOST_PAGES:
            paging: dict[str, str | int] = {"page": page, "pagesize": PAGE}
            paging |= {"filter": self._the_filter(), "site": self.site}
            answer = self._request(method, path, parameters | paging)
            yield [self._read(shape, item, path) for item in answer.items], answer.total
            has_more, page = answer.has_more, page + 1
        if has_more:
            raise PerfAssetsError(f"{self.url}/{path}: there are more than {MOST_PAGES} pages")

    def _the_filter(self) -> str:
        """Return the name of the filter that selects what we store; it is made once for all."""
        if self._filter is None:
            parameters = {"base": "none", "include": ";".join(INCLUDED), "unsafe": "false"}
            answer = self._request("filters/create", "filters/create", parameters)
            names = [item.get("filter") for item in answer.items if isinstance(item, dict)]
            if len(names) != 1 or not isinstance(names[0], str):
                raise self._trouble("its answer has no filter")
            self._filter = names[0]
        return self._filter

    def _read(self, shape: type[Item], item: object, path: str) -> Item:
        try:
            return shape.model_validate(item)
        except ValidationError as error:
            raise self._trouble(
                f"an item of {path} is not as documented ({reason_of(error)})"
            ) from None

    def _request(self, method: str, path: str, parameters: Mapping[str, str | int]) -> Wrapper:
        """Return the answer to one request, sent again where it went wrong."""
        signed = {**parameters, **({"key": self._key} if self._key else {})}

        def once() -> Wrapper:
            self._rest(method)
            answer = self._answer(path, signed)
            if answer.backoff:
                self._rests[method] = time.time() + answer.backoff
            if answer.error_id is not None:
                raise ValueError(self._refused(method, answer))
            self.quota = answer.quota_remaining
            return answer

        return self._tried(once)

    def _answer(self, path: str, parameters: Mapping[str, str | int]) -> Wrapper:
        """Return one answer; RequestException or ValueError where no answer of the API comes."""
        status, _, body = self._fetch(path, parameters)
        try:
            answer = Wrapper.model_validate_json(body)
        except ValidationError:
            raise ValueError(f"HTTP {status}, and no answer of the API") from None
        if status != 200 and answer.error_id is None:
            raise ValueError(f"HTTP {status} without a reason")
        return answer

    def _refused(self, method: str, answer: Wrapper) -> str:
        """Return the reason for a failed request; PerfAssetsError if a retry is useless."""
        message = self._hidden(shortened(answer.error_message or "", 160))
        why = f"{answer.error_name}: {message}"
        if answer.error_name == THROTTLED:
            found = SECONDS_LEFT.search(answer.error_message or "")
            self._rests[method] = time.time() + (float(found.group(1)) if found else 60.0)
        elif answer.error_id in (400, 401, 402, 403, 404, 405, 406):
            raise PerfAssetsError(
                f"{self.url} refuses to answer about {self.site} ({why}): check api_url, site and "
                f"tags of the forum in the study{', and ' + KEY if self._key else ''}"
            )
        return why

    def _rest(self, method: str) -> None:
        """Wait as long as the API required, before this method is requested again."""
        until = self._rests.pop(method, 0.0)
        if self.quota is not None and self.quota <= 0:
            # It counts by day, and does not say more: https://api.stackexchange.com/docs/throttle
            tomorrow = datetime.now(UTC).date() + timedelta(days=1)
            midnight = datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=UTC)
            until, self.quota = max(until, midnight.timestamp() + 1), None
        more = "" if self._key else f", or export a key in {KEY}, which is given 10,000 a day"
        left = in_words(max(0.0, until - time.time()))
        self._limit.until(
            until,
            f"{self.url}: pausing as the API requires, going on",
            f"{self.url}: the quota of requests is used up for {left}",
            f"run again then{more}; what was stored is kept",
        )

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text
