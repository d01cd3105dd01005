"""Addresses: those that GitHub gave, and hashes that only the key can make."""

import hashlib
import hmac

import pytest

from perf_assets.core.people.addresses import hashed_address, noreply_login


@pytest.mark.parametrize(
    ("email", "login"),
    [
        ("123+Ada-L@users.noreply.github.com", "ada-l"),
        ("ada@users.noreply.github.com", "ada"),
        ("7+ada_corp@users.noreply.github.com", "ada_corp"),
        ("49699333+dependabot[bot]@users.noreply.github.com", "dependabot[bot]"),
        ("noreply@github.com", None),
        ("ada@users.noreply.github.com.evil.org", None),
        ("1+@users.noreply.github.com", None),
        ("a b@users.noreply.github.com", None),
        ("ada@example.org", None),
    ],
)
def test_an_address_of_githubs_own_names_its_account(email: str, login: str | None) -> None:
    assert noreply_login(email) == login


def test_a_hash_is_that_of_the_address_in_small_letters_by_the_key() -> None:
    expected = hmac.new(b"key", b"ada@example.org", hashlib.sha256).hexdigest()
    assert hashed_address("Ada@Example.org", b"key") == expected[:32]
    assert hashed_address("ada@example.org", b"other") != expected[:32]
