"""What secrets look like: the patterns of detect-secrets, and those that it lacks.

Its guesses by entropy and by words such as *password* are left out: texts about programs are full
of hashes. Secrets without a mark of their own are in :mod:`perf_assets.archive.secret_settings`.
Strangers write the texts, so no pattern may take long on any of them. A token therefore begins only
where no character of one precedes it, and slow patterns of detect-secrets are replaced.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pkgutil import resolve_name

from perf_assets.archive.secret_settings import PLACEHOLDER, Kind, is_port, is_random, settings

# What may not stand before a token, and what is left of one that is longer than its pattern says.
BEGIN, REST = r"(?<![A-Za-z0-9_-])", r"[A-Za-z0-9_-]*+"
LEAST_VARIETY = 6  # of characters; somebody who hides a token writes it as ghp_xxxxxxxx
# A key may be cited, quoted, or a text of a program, where its lines end with \n in letters.
BETWEEN_LINES = r"(?:\\[nrt]|[\s\"'`,|>*])*+"
KEY_BODY = (
    r"-*+(?:: [\w-]++)?"
    rf"(?:{BETWEEN_LINES}(?:[A-Z][A-Za-z-]++: [^\n\\]*+|[A-Za-z0-9+/=]{{16,}}+"
    rf"|[A-Za-z0-9+/=]++(?={BETWEEN_LINES}-*+END )))*+"
    rf"(?:{BETWEEN_LINES}-*+END [A-Z0-9 ]*+-*+)?"
)
KEY_LINE = re.compile(r"[A-Za-z0-9+/]{40}")
MARK = re.compile(r"(?:[^\[\](){}|?*+.\\]|\\.)+")  # a hint without alternatives
MARKS_AT_ONCE, OTHERS_AT_ONCE = 11, 5

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
    "Stripe key": ("stripe:StripeDetector", "k_live_"),
    "Telegram token": ("telegram_token:TelegramBotTokenDetector", r"[0-9]:[0-9A-Za-z_-]{35}"),
}
# Tokens that it has no patterns for, or outdated ones, with their hints.
OTHERS = {
    "GitHub token": (r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}", "github_pat_"),
    "GitLab token": (
        r"gl(?:pat|dt|ft|soat|rt)-[A-Za-z0-9_-]{20,}+(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?",
        r"gl(?:pat|dt|ft|soat|rt)-",
    ),
    "Google key": (r"AIza[0-9A-Za-z_-]{35}", "AIza"),
    "Hugging Face token": (
        r"(?:hf|api_org)_[A-Za-z0-9]{34}",
        r"(?:hf|api_org)_[A-Za-z0-9]{34}",
    ),
    "npm token": (r"npm_[A-Za-z0-9]{36}", r"npm_[A-Za-z0-9]{36}"),
}
# What tokens of services begin with, which is their hint, and what follows at least.
MARKED = (
    ("Anthropic key", "sk-ant-", "[A-Za-z0-9_-]{24}"),
    ("Artifactory key", "AKCp", "[A-Za-z0-9]{40}"),
    ("Atlassian token", "ATATT3", "[A-Za-z0-9_-]{40}"),
    ("Databricks token", "dapi", "[0-9a-f]{32}"),
    ("DigitalOcean token", "dop_v1_", "[0-9a-f]{64}"),
    ("Discord token", "discord.com/api/webhooks/", "[0-9]{16,20}/[A-Za-z0-9_-]{60}"),
    ("Discord token", "discordapp.com/api/webhooks/", "[0-9]{16,20}/[A-Za-z0-9_-]{60}"),
    ("Docker token", "dckr_pat_", "[A-Za-z0-9_-]{24}"),
    ("Docker token", "dckr_oat_", "[A-Za-z0-9_-]{24}"),
    ("Google token", "ya29.", "[A-Za-z0-9_-]{30}"),
    ("Google token", "GOCSPX-", "[A-Za-z0-9_-]{24}"),
    ("Groq key", "gsk_", "[A-Za-z0-9]{40}"),
    ("Kaggle key", "KGAT_", "[0-9a-f]{32}"),
    ("LangSmith key", "lsv2_", "(?:pt|sk)_[0-9a-f]{32}"),
    ("Neptune token", "eyJhcGlf", "[A-Za-z0-9+/_-]{40}[A-Za-z0-9+/]*+={0,2}"),
    ("NVIDIA key", "nvapi-", "[A-Za-z0-9_-]{40}"),
    ("Perplexity key", "pplx-", "[A-Za-z0-9]{40}"),
    ("Pinecone key", "pcsk_", "[A-Za-z0-9_]{40}"),
    ("Replicate token", "r8_", "[A-Za-z0-9]{37}"),
    ("Slack token", "xapp-", "[0-9]-[A-Z0-9]{8,20}-[0-9]{8,20}-[0-9a-f]{32}"),
    ("Supabase token", "sbp_", "[0-9a-f]{40}"),
    ("Vault token", "hvs.", "[A-Za-z0-9_-]{24}"),
    ("Weights & Biases key", "wandb_v1_", "[A-Za-z0-9_]{40}"),
    ("xAI key", "xai-", "[A-Za-z0-9]{60}"),
)
# An account's number in base 64: each four characters are three digits.
DIGITS_OF_DISCORD = "[MNO][DTjz][AEIMQUYcgk][w-z0-5]"
RANDOM = (
    ("Azure secret", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31}", "Q~"),
    (
        "Discord token",
        rf"(?:{DIGITS_OF_DISCORD}){{5,6}}[A-Za-z0-9]{{0,3}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27}}",
        f"{DIGITS_OF_DISCORD}[MNO]",
    ),
    (
        "OpenAI key",
        "sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20}|[A-Za-z0-9]{32})",
        "sk-[A-Za-z0-9_-]{20}",
    ),
    ("Twilio key", "(?:AC|SK)[0-9a-f]{32}", "(?:AC|SK)[0-9a-f]{32}"),
)


@cache
def kinds() -> tuple[Kind, ...]:
    """Return all kinds, those with a mark of their own first; detect-secrets is imported."""
    return (*_tokens(), *_of_aws(), *_keys(), *_passwords(), _web_token(), *settings())


@cache
def hints() -> tuple[str, ...]:
    """Return patterns for Polars. Each text with a secret has one of them, and few others have.

    Polars is fast while a pattern begins with few different characters.
    """
    every = sorted({kind.hint for kind in kinds()})
    marks = [hint for hint in every if MARK.fullmatch(hint)]
    slow = [hint for hint in every if hint.startswith(("[", "(?i:"))]
    others = [hint for hint in every if hint not in {*marks, *slow}]
    return (*slow, *_joined(marks, MARKS_AT_ONCE), *_joined(others, OTHERS_AT_ONCE))


def _joined(patterns: Sequence[str], size: int) -> Iterator[str]:
    for first in range(0, len(patterns), size):
        yield "|".join(f"(?:{pattern})" for pattern in patterns[first : first + size])


def _tokens() -> Iterator[Kind]:
    for name, (plugin, hint) in PLUGINS.items():
        for pattern in _patterns(plugin):
            yield _token(name, pattern, hint)
    for name, (source, hint) in OTHERS.items():
        yield _token(name, re.compile(source), hint)
    for name, mark, rest in MARKED:
        pattern = re.compile(f"{BEGIN}{re.escape(mark)}{rest}{REST}")
        yield Kind(name, pattern, re.escape(mark), _has_random_end, words=(mark.casefold(),))
    for name, source, hint in RANDOM:
        yield Kind(name, re.compile(f"{BEGIN}{source}{REST}"), hint, _has_random_end)


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


def _has_random_end(secret: str) -> bool:
    return is_random(secret[-30:])


def _is_password(secret: str) -> bool:
    return not is_port(secret) and PLACEHOLDER.fullmatch(secret) is None


def _has_key_lines(secret: str) -> bool:
    return KEY_LINE.search(secret) is not None


def _is_web_token(secret: str) -> bool:
    """Return whether header and content of a JSON Web Token are JSON."""
    detector = resolve_name("detect_secrets.plugins.jwt:JwtTokenDetector")
    try:
        return bool(detector.is_formally_valid(".".join(secret.split(".")[:2])))
    except RecursionError:  # of JSON that is nested too deeply
        return False
