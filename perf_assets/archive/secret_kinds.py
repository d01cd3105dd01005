"""What secrets look like: the patterns of detect-secrets, and a few that it lacks.

Its guesses by entropy and by words such as *password* are left out, as are kinds without a mark of
their own: texts about programs are full of hashes. Strangers write the texts, so no pattern may
take long on any of them. A token therefore begins only where no character of one stands before it,
and what is slow even so is written anew.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name

# What may not stand before a token, and what is left of one that is longer than its pattern says.
BEGIN, REST = r"(?<![A-Za-z0-9_-])", r"[A-Za-z0-9_-]*+"
LEAST_VARIETY = 6  # of characters; somebody who hides a token writes it as ghp_xxxxxxxx
LONGEST_PORT = 5  # of digits, which are no password
PLACEHOLDER = re.compile(
    r"(?:my|your|the)?[-_.]?(?:pass(?:word|wd|phrase|w)?|pwd?|secret|token|(?:api)?[-_]?key|user(?:name)?"
    r"|x-oauth-basic)|(.)\1*|[<{%\[.…].*",
    re.IGNORECASE,
)
# A key may be cited, quoted, or a text of a program, where its lines end with \n in letters.
BETWEEN_LINES = r"(?:\\[nrt]|[\s\"'`,|>*])*+"
KEY_BODY = (
    r"-*+(?:: [\w-]++)?"
    rf"(?:{BETWEEN_LINES}(?:[A-Z][A-Za-z-]++: [^\n\\]*+|[A-Za-z0-9+/=]{{16,}}+"
    rf"|[A-Za-z0-9+/=]++(?={BETWEEN_LINES}-*+END )))*+"
    rf"(?:{BETWEEN_LINES}-*+END [A-Z0-9 ]*+-*+)?"
)
KEY_LINE = re.compile(r"[A-Za-z0-9+/]{40}")


@dataclass(frozen=True)
class Kind:
    """A kind of secret.

    pattern : finds it.
    hint : a pattern for Polars that is in every text with such a secret, and in few others.
    is_real : whether what was found is a secret and not what stands for one in an example.
    group : of the pattern, the part that is secret.
    """

    name: str
    pattern: re.Pattern[str]
    hint: str
    is_real: Callable[[str], bool]
    group: int = 0

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where secrets of this kind begin and end in ``text``."""
        for match in self.pattern.finditer(text):
            if self.is_real(match[self.group]):
                yield match.span(self.group)


# Of each kind of token its plugin in detect-secrets, and the hint.
PLUGINS = {
    "GitHub token": ("github_token:GitHubTokenDetector", r"gh[opusr]_[A-Za-z0-9_]{36}"),
    "GitLab token": (
        "gitlab_token:GitLabTokenDetector",
        r"(?:gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941)[A-Za-z0-9_-]{20}",
    ),
    "Mailchimp key": ("mailchimp:MailchimpDetector", r"[0-9a-z]{8}-us[0-9]"),
    "OpenAI key": ("openai:OpenAIDetector", "T3BlbkFJ"),
    "PyPI token": ("pypi_token:PypiTokenDetector", "pypi-AgE"),
    "SendGrid key": ("sendgrid:SendGridDetector", r"SG\.[a-zA-Z0-9_-]{22}\."),
    "Slack token": ("slack:SlackDetector", r"(?i:xox[abposr]-[0-9]|hooks\.slack\.com/services/t)"),
    "Square secret": ("square_oauth:SquareOAuthDetector", "sq0csp-"),
    "Stripe key": ("stripe:StripeDetector", "[rs]k_live_"),
    "Telegram token": ("telegram_token:TelegramBotTokenDetector", r"[0-9]{8}:[0-9A-Za-z_-]{35}"),
}
# Tokens that it has no patterns for, or outdated ones, with their hints.
OTHERS = {
    "GitHub token": (r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}", "github_pat_"),
    "GitLab token": (
        r"gl(?:pat|dt|ft|soat|rt)-[A-Za-z0-9_-]{20,}+(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?",
        r"gl(?:pat|dt|ft|soat|rt)-",
    ),
    "Google key": (r"AIza[0-9A-Za-z_-]{35}", "AIza"),
    "Hugging Face token": (r"hf_[A-Za-z]{34}", r"hf_[A-Za-z]{34}"),
    "npm token": (r"npm_[A-Za-z0-9]{36}", r"npm_[A-Za-z0-9]{36}"),
}


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds; detect-secrets is imported for them."""
    return (*_by_plugins(), *_others(), *_of_aws(), *_keys(), *_passwords(), _web_token())


@cache
def hints() -> str:
    """A pattern for Polars that is in every text with a secret, and in few others."""
    return "|".join(sorted({f"(?:{kind.hint})" for kind in kinds()}))


def _by_plugins() -> Iterator[Kind]:
    for name, (plugin, hint) in PLUGINS.items():
        for pattern in _patterns(plugin):
            yield _token(name, pattern, hint)


def _others() -> Iterator[Kind]:
    for name, (pattern, hint) in OTHERS.items():
        yield _token(name, re.compile(pattern), hint)


def _of_aws() -> Iterator[Kind]:
    by_prefix, by_name = _patterns("aws:AWSKeyDetector")
    yield _token("AWS key", by_prefix, r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}")
    hint = r"""(?i:aws)[^\n]*?(?i:key|pw|pass|token)[^\n]*?['"][0-9a-zA-Z/+]{40}['"]"""
    yield Kind("AWS key", by_name, hint, _is_varied, group=1)


def _keys() -> Iterator[Kind]:
    own = re.compile("BEGIN ENCRYPTED PRIVATE KEY|PuTTY-User-Key-File-3")
    for pattern in (*_patterns("private_key:PrivateKeyDetector"), own):
        whole = re.compile(f"(?:{pattern.pattern}){KEY_BODY}")
        yield Kind("private key", whole, "PRIVATE KEY|PuTTY-User-Key", _has_key_lines)
    (pattern,) = _patterns("azure_storage_key:AzureStorageKeyDetector")
    yield Kind("Azure storage key", pattern, "AccountKey=", _is_varied)


def _passwords() -> Iterator[Kind]:
    (pattern,) = _patterns("basic_auth:BasicAuthDetector")
    yield Kind("password in a URL", pattern, r"://[^\s:/@]+:[^\s:/@]+@", _is_password, group=1)
    # That of detect-secrets takes a quadratic time for a line of slashes.
    in_settings = re.compile(r"_authToken=\s*+([A-Fa-f0-9-]{36})")
    yield Kind("npm token", in_settings, "_authToken=", _is_varied, group=1)


def _web_token() -> Kind:
    """JSON Web Tokens; the pattern of detect-secrets is quadratic, and leaves the signature."""
    pattern = re.compile(rf"{BEGIN}eyJ[A-Za-z0-9_-]++\.[A-Za-z0-9_-]++(?:\.[A-Za-z0-9_-]++)?+")
    hint = r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"
    return Kind("JSON Web Token", pattern, hint, _is_web_token)


def _patterns(plugin: str) -> tuple[re.Pattern[str], ...]:
    return tuple(resolve_name(f"detect_secrets.plugins.{plugin}").denylist)


def _token(name: str, pattern: re.Pattern[str], hint: str) -> Kind:
    whole = re.compile(
        f"{BEGIN}(?:{pattern.pattern}){REST}", pattern.flags & ~re.UNICODE | re.ASCII
    )
    return Kind(name, whole, hint, _is_varied)


def _is_varied(secret: str) -> bool:
    return len(set(secret[-20:])) >= LEAST_VARIETY and "EXAMPLE" not in secret.upper()


def _is_password(secret: str) -> bool:
    is_port = secret.isdecimal() and len(secret) <= LONGEST_PORT
    return not is_port and PLACEHOLDER.fullmatch(secret) is None


def _has_key_lines(secret: str) -> bool:
    return KEY_LINE.search(secret) is not None


def _is_web_token(secret: str) -> bool:
    """Whether header and content of a JSON Web Token are JSON."""
    detector = resolve_name("detect_secrets.plugins.jwt:JwtTokenDetector")
    try:
        return bool(detector.is_formally_valid(".".join(secret.split(".")[:2])))
    except RecursionError:  # of JSON that is nested too deeply
        return False
