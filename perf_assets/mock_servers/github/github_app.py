"""A GitHub App's installation: hands out tokens that expire to whoever signs as the App.

Source: https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
"""

import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

import jwt

from perf_assets.mock_servers.reply import Reply, json_reply, message_reply

TOKEN_SECONDS = 3600.0


@dataclass
class GitHubApp:
    """The App ``app_id`` with one installation.

    ``public_key`` (PEM) checks what the App signs; a token is good for ``token_seconds``.
    ``tokens`` maps those handed out to their ends, in epoch seconds.
    """

    app_id: str
    installation: int
    public_key: str
    token_seconds: float = TOKEN_SECONDS
    tokens: dict[str, float] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where tokens are requested."""
        return f"/app/installations/{self.installation}/access_tokens"

    def admits(self, token: str) -> bool:
        """Whether ``token`` was handed out and is still good."""
        return self.tokens.get(token, 0.0) > time.time()

    def hand_out(self, signature: str) -> Reply:
        """A new token, for a JSON Web Token that the App signed."""
        try:
            jwt.decode(signature, self.public_key, algorithms=["RS256"], issuer=self.app_id)
        except jwt.InvalidTokenError:
            return message_reply(401, "A JSON web token could not be decoded")
        token = f"ghs_{secrets.token_hex(18)}"
        self.tokens[token] = time.time() + self.token_seconds
        expires_at = datetime.fromtimestamp(self.tokens[token], UTC)
        return json_reply(
            201, {"token": token, "expires_at": expires_at.isoformat().replace("+00:00", "Z")}
        )
