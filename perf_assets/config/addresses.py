"""Addresses and paths in a study file: what they mean, and which are refused.

No sentence here quotes an address: what is wrong with one may be the secret in it.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from pydantic import AfterValidator, GetPydanticSchema, ValidationInfo

from perf_assets.base.config_files import CONTROL, LONGEST, SensitiveValueError, Text

GIT_SCHEMES = ("https", "http", "ssh", "git", "file")


@dataclass(frozen=True)
class GitAddress:
    """Where to clone from.

    url : without anything secret.
    private_url : as it was written, for git's eyes only.
    secrets : texts that must not be shown.
    is_path : whether it is a path on this machine, written as a path.
    """

    url: str
    private_url: str
    secrets: tuple[str, ...] = ()
    is_path: bool = False


def git_address(text: str) -> GitAddress:
    """Return what ``text`` means to git: a URL, ``host:path`` as ssh knows it, or a path.

    Raises
    ------
    SensitiveValueError
        It would be an option or a command to git, or hands a secret to what cannot keep it.
    """
    if CONTROL.search(text) or len(text) > LONGEST:
        raise SensitiveValueError(
            f"give an address of at most {LONGEST:,} characters, none of them a control character"
        )
    if text.startswith("-"):
        raise SensitiveValueError(
            "this would be an option to git; write ./ before a path that begins so"
        )
    if re.match(r"[\w+.-]*::", text):
        raise SensitiveValueError("this would make git run a command; give a URL or a path")
    if "://" in text:
        return _of_url(text)
    # Text that looks like a login, but is not a URL; such a path can be written with ./ before it.
    is_plain_path = re.match(r"[.~]|/(?!/)", text) is not None
    if not is_plain_path and re.search(r":.*@|^[^/\\]*@[^/\\:]*[/\\]", text):
        raise SensitiveValueError(
            "ssh takes no password; write user@host:path, or https://user:token@host/path, and "
            "./ before a path"
        )
    if re.match(r"[^/\\]{2,}:", text):
        return GitAddress(text, text)
    return GitAddress(text, text, is_path=True)


def api_address(text: str) -> str:
    """``text``, an http(s) address without credentials; SensitiveValueError where it is none."""
    parts = _split(text)
    if (
        parts is None
        or parts.scheme not in ("http", "https")
        or not re.fullmatch(r"[A-Za-z0-9.:-]+", parts.hostname or "")
        or "@" in parts.netloc
        or parts.query
        or parts.fragment
        or CONTROL.search(text)
        or len(text) > LONGEST
        or any(sign in text for sign in " \\?#")
    ):
        raise SensitiveValueError(
            "give an http(s) address without credentials; a token belongs in the environment, as "
            "GITHUB_TOKEN"
        )
    return text


def resolved(value: str, info: ValidationInfo) -> Path:
    """Return the path that ``value`` means, relative to the study file in the context."""
    folder = info.context["path"].parent if info.context else Path()
    try:
        path: Path = (folder / Path(value).expanduser()).resolve()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SensitiveValueError(f"this path cannot be read ({reason})") from None
    return path


def _git_source(value: str, info: ValidationInfo) -> str:
    return str(resolved(value, info)) if git_address(value).is_path else value


GitSource = Annotated[Text, AfterValidator(_git_source)]
"""What git clones from: an address as written, or a resolved path."""
ApiAddress = Annotated[str, AfterValidator(api_address)]
_WrittenPath = Annotated[Text, AfterValidator(resolved)]
ResolvedPath = Annotated[
    Path, GetPydanticSchema(lambda _, handler: handler.generate_schema(_WrittenPath))
]
"""A path that is written as a text, relative to the study file."""


def is_private(url: str) -> bool:
    """Return whether nobody on the way reads what goes to ``url``: by TLS, or to this machine."""
    parts = _split(url)
    if parts is None or parts.scheme != "http":
        return parts is not None
    return is_local(url)


def is_local(url: str) -> bool:
    """Return whether ``url`` is of this machine alone."""
    parts = _split(url)
    host = (parts.hostname or "") if parts is not None else ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL, its host and port among them; None where it is not a URL."""
    try:
        parts = urlsplit(url)
        if parts.port == 0:
            return None
    except ValueError:
        return None
    return parts


def _of_url(url: str) -> GitAddress:
    parts = _split(url)
    if parts is None or (not parts.hostname and parts.scheme != "file"):
        raise SensitiveValueError("this is not a URL; write https://host/path")
    if parts.scheme not in GIT_SCHEMES:
        raise SensitiveValueError(f"git is reached by {', '.join(GIT_SCHEMES)} only")
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    host = parts.netloc.rpartition("@")[2]
    if user.startswith("-") or host.startswith("-"):
        raise SensitiveValueError("this would be an option to git; correct the host")
    is_http = parts.scheme in ("http", "https")
    if password and not is_http:
        raise SensitiveValueError(
            f"{parts.scheme} takes no password; write {parts.scheme}://user@host/path"
        )
    if (user or parts.query) and is_http and not is_private(url):
        raise SensitiveValueError("a secret would be sent over plain http; write https://")
    kept = f"{user}@{host}" if user and not is_http else host
    clean = urlunsplit((parts.scheme, kept, parts.path, "", ""))
    hidden = {password, f"{user}:{password}" if password else "", parts.query, parts.fragment}
    if is_http and not password:
        hidden.add(user)
    hidden |= {quote(unquote(text), safe="") for text in hidden} | {
        unquote(text) for text in hidden
    }
    return GitAddress(clean, url, tuple(sorted(filter(None, hidden), key=len, reverse=True)))
