"""E-mail addresses of commits: what they say by themselves, and how they are kept."""

import hashlib
import hmac
import re
from typing import Literal

AddressPolicy = Literal["hashed", "plain", "none"]
"""How addresses are stored: as keyed hashes, as they are, or not at all."""

HASH_DIGITS = 32
_NOREPLY = re.compile(
    r"(?:[0-9]+\+)?([a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\[bot\])?)@users\.noreply\.github\.com"
)


def noreply_login(email: str) -> str | None:
    """Return the login that an address of GitHub's own is made of, in small letters; None of
    others.

    Source: https://docs.github.com/account-and-profile/reference/email-addresses-reference
    """
    found = _NOREPLY.fullmatch(email.casefold())
    return found[1] if found else None


def hashed_address(email: str, key: bytes) -> str:
    """Return a hash of the address, in small letters: 32 hexadecimal digits of HMAC-SHA256.

    Without ``key`` nobody can try addresses until one has the same hash.
    """
    return hmac.new(key, email.casefold().encode(), hashlib.sha256).hexdigest()[:HASH_DIGITS]
