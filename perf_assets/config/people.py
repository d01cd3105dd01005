"""What a study says of people: which accounts are programs, and which are one person's."""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from perf_assets.base.config_files import Many, StrictModel
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import shortened
from perf_assets.core.people.addresses import AddressPolicy

ACCOUNT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,60})(?:\[bot\])?|[^\s<>@]+@[^\s<>@]+")


def _account(value: str) -> str:
    if len(value) > 320 or ACCOUNT.fullmatch(value) is None:
        raise ValueError("a login or an e-mail address is needed here")
    return value


def _login(value: str) -> str:
    if "@" in _account(value):
        raise ValueError("a login is needed here, and no address")
    return value


def checked_login(value: str) -> str:
    """Return the login, as a person typed it.

    Raises
    ------
    PerfAssetsError
        It is none.
    """
    try:
        return _login(value.strip().removeprefix("@"))
    except ValueError as error:
        raise PerfAssetsError(f"{shortened(value, 60)}: {error}") from None


def _several(values: Sequence[str]) -> Sequence[str]:
    if len({value.casefold() for value in values}) < 2:
        raise ValueError("two logins or addresses at least are needed here")
    return values


def _pair(values: Sequence[str]) -> Sequence[str]:
    if len(_several(values)) != 2:
        raise ValueError("a pair of logins or addresses is needed here")
    return values


_Account = Annotated[str, AfterValidator(_account)]
_Login = Annotated[str, AfterValidator(_login)]


class People(StrictModel):
    """The [people] table of a study file: what it says of accounts."""

    addresses: AddressPolicy = Field(
        default="hashed",
        description="how addresses of commits are stored: `hashed` by the key of the data "
        "directory, `plain`, or `none`",
    )
    bots: Many[_Login] = Field(
        default=(), description="accounts that are programs, whatever GitHub takes them for"
    )
    persons: Many[_Login] = Field(
        default=(), description="accounts that are persons, whatever their name or GitHub says"
    )
    same: Many[Annotated[Many[_Account], AfterValidator(_several)]] = Field(
        default=(), description="lists of logins and addresses that are one person's"
    )
    different: Many[Annotated[Many[_Account], AfterValidator(_pair)]] = Field(
        default=(),
        description="pairs of logins or addresses that are two persons', whatever else says",
    )

    @model_validator(mode="after")
    def _says_one_thing(self) -> "People":
        both = {bot.casefold() for bot in self.bots} & {
            person.casefold() for person in self.persons
        }
        for login in sorted(both):
            raise ValueError(f"{shortened(login, 60)!r} is among bots and persons: remove one")
        seen: set[str] = set()
        for group in self.same:
            accounts = {account.casefold() for account in group}
            for account in sorted(accounts & seen):
                raise ValueError(
                    f"same: {shortened(account, 60)!r} is in two lists: join these to one"
                )
            seen |= accounts
        return self
