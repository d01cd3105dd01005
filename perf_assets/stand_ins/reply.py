"""An HTTP answer before it is sent."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic_core import to_json

JSON_TYPE = "application/json; charset=utf-8"
HTML_TYPE = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Reply:
    """Status, body and headers; ``is_cut`` where the connection ends in the middle of the body."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON_TYPE
    is_cut: bool = False


def json_reply(status: int, content: object, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a reply with ``content`` as JSON."""
    try:
        body = to_json(content)
    except ValueError:  # halves of characters, from a request that is quoted
        body = json.dumps(content).encode()
    return Reply(status, body, headers or {})


def message_reply(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a reply in the form of GitHub's REST errors."""
    content = {
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": str(status),
    }
    return json_reply(status, content, headers)
