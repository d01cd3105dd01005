"""Credentials for GitHub: tokens, or a GitHub App, from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import github
from requests.exceptions import RequestException

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import MOST_DIGITS

APP_VARIABLES = ("GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY", "GITHUB_APP_INSTALLATION_ID")
ORDINALS = ("1st", "2nd", "3rd")


@dataclass(frozen=True)
class Credential:
    """A way to sign requests.

    ``name`` is its position among others and ``kind`` what it is, for sentences; neither reveals
    it.
    """

    name: str
    kind: str
    auth: github.Auth.Auth | None = field(default=None, repr=False)
    issued: list[str] = field(default_factory=list, repr=False, compare=False)

    def renew(self) -> None:
        """Get an installation's token where it is due.

        Raises
        ------
        github.GithubException
            It is refused.
        requests.exceptions.RequestException
            It cannot be obtained.
        ValueError
            The answer has none.
        """
        if not isinstance(self.auth, github.Auth.AppInstallationAuth):
            return
        try:
            token = self.auth.token
        except (github.GithubException, RequestException):
            raise
        except Exception:  # PyGithub reads whatever comes, and stumbles in many ways
            raise ValueError("an answer that has no token") from None
        if not isinstance(token, str) or not token.isprintable():
            raise ValueError("an answer that has no token")
        if token not in self.issued:
            self.issued.append(token)

    def secrets(self) -> list[str]:
        """Return the secrets, which are never shown."""
        is_token = isinstance(self.auth, github.Auth.Token)
        return [self.auth.token, *self.issued] if self.auth and is_token else list(self.issued)


ANONYMOUS = Credential("requests without a token", "requests without a token")


def token_credentials(text: str | None) -> list[Credential]:
    """Return the tokens of ``text``, separated by commas.

    Raises
    ------
    PerfAssetsError
        One has a character that no token has; it is not shown.
    """
    tokens = [token for part in (text or "").split(",") if (token := part.strip())]
    for token in tokens:
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise PerfAssetsError(
                "a token in GITHUB_TOKEN has a character that no token has (an ellipsis, a blank): "
                "copy the whole token again, and separate several by commas"
            )
    return [
        Credential(
            f"the {ORDINALS[index] if index < len(ORDINALS) else f'{index + 1}th'} token",
            "the token in GITHUB_TOKEN",
            github.Auth.Token(token),
        )
        for index, token in enumerate(dict.fromkeys(tokens))
    ]


def credentials_of(environment: Mapping[str, str] = os.environ) -> list[Credential]:
    """Return all that the environment holds: GITHUB_TOKEN's tokens, then the installation of an
    App.

    Raises
    ------
    PerfAssetsError
        Where the App's variables are incomplete or wrong.
    """
    credentials = token_credentials(environment.get("GITHUB_TOKEN"))
    configured = [name for name in APP_VARIABLES if environment.get(name, "").strip()]
    if not configured:
        return credentials
    missing = [name for name in APP_VARIABLES if name not in configured]
    if missing:
        raise PerfAssetsError(
            f"the GitHub App needs {', '.join(APP_VARIABLES)}, and {' and '.join(missing)} "
            "is not set: export it, or unset the others"
        )
    return [*credentials, _app_credential(*(environment[name].strip() for name in APP_VARIABLES))]


def _app_credential(app: str, key: str, installation: str) -> Credential:
    if not installation.isdecimal() or len(installation) > MOST_DIGITS:
        raise PerfAssetsError(
            "GITHUB_APP_INSTALLATION_ID is not a number: it is the last part of the installation's "
            "address in the settings of the account the App is installed on"
        )
    auth = github.Auth.AppAuth(app, _private_key(key))
    try:
        auth.create_jwt()
    except Exception:  # the libraries' errors differ, and may quote the key
        raise PerfAssetsError(
            "GITHUB_APP_PRIVATE_KEY is neither an RSA private key in PEM form nor the path of one: "
            "download it on the App's settings page"
        ) from None
    kind = "the GitHub App of GITHUB_APP_ID"
    return Credential(kind, kind, auth.get_installation_auth(int(installation)))


def _private_key(text: str) -> str:
    if "-----BEGIN" in text:
        return text.replace("\\n", "\n")
    try:
        return Path(text).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError, RuntimeError):  # RuntimeError: the user has no home directory
        raise PerfAssetsError(
            "GITHUB_APP_PRIVATE_KEY is neither a PEM text nor the path of a file that can be read"
        ) from None
