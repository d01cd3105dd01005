"""What Dagster's web server answers."""

import json
import urllib.request
from typing import Any


def dagster_answer(address: str, query: str, seconds: float) -> dict[str, Any]:
    """The data of the answer to a GraphQL ``query``; OSError where nobody answers in time."""
    request = urllib.request.Request(
        f"{address}/graphql",
        data=json.dumps({"query": query}).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        found: dict[str, Any] = json.load(answer)["data"]
        return found
