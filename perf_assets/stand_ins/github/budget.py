"""A rate limit: the points a token may spend in an hour on one of GitHub's resources."""

import math
import threading
import time
from datetime import UTC, datetime
from typing import Any


class Budget:
    """Points that are full again ``window`` seconds after the first was spent."""

    def __init__(self, resource: str, limit: int, window: float) -> None:
        """Start full."""
        self.resource, self.limit, self._window = resource, limit, window
        self._lock = threading.Lock()
        self.used = 0
        self._reset = time.time() + window

    def spend(self, points: int) -> bool:
        """Take ``points``; False, and nothing taken, where so many are not left."""
        with self._lock:
            if time.time() >= self._reset:
                self.used, self._reset = 0, time.time() + self._window
            if self.used + points > self.limit:
                return False
            self.used += points
            return True

    @property
    def reset(self) -> int:
        """When the budget is full again, in epoch seconds."""
        return math.ceil(self._reset)

    @property
    def remaining(self) -> int:
        """The points left."""
        return self.limit - self.used

    def headers(self) -> dict[str, str]:
        """Return the rate-limit headers of an answer."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Used": str(self.used),
            "X-RateLimit-Reset": str(self.reset),
            "X-RateLimit-Resource": self.resource,
        }

    def rest(self) -> dict[str, Any]:
        """Return the budget as GET /rate_limit gives it."""
        return {
            "limit": self.limit,
            "used": self.used,
            "remaining": self.remaining,
            "reset": self.reset,
        }

    def graphql(self, cost: int, nodes: int) -> dict[str, Any]:
        """Return the budget as GraphQL's rateLimit, for a query of ``cost`` points."""
        reset_at = datetime.fromtimestamp(self.reset, UTC)
        return {
            "cost": cost,
            "limit": self.limit,
            "nodeCount": nodes,
            "remaining": self.remaining,
            "resetAt": reset_at.isoformat().replace("+00:00", "Z"),
            "used": self.used,
        }
