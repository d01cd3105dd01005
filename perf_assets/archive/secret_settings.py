"""Secrets without a mark of their own, known by what precedes them.

That is a name such as *api_key* and an assignment, a header, or a command that logs in. Texts about
programs are full of names and hashes. A value counts only if its characters look drawn at random;
a password counts if it is none of the words that stand for one in examples.
"""

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

IsReal = Callable[[str], bool]

CLASS_CHANGES = 6
"""Of so many characters of a random value one at least follows a character of another class.

The classes are small letters, capitals and digits. A random value has twice as many changes and
more; names have one or two a word.
"""
LEAST_DIFFERENT = 8  # characters of a random value
LONGEST_PORT = 5  # of digits, which are not password

# A name in code, JSON, YAML, XML or prose, and what assigns a value to it.
QUOTE = r"""(?:\\{0,2}["'`]|&quot;)"""
ASSIGNED = (
    rf"(?:s|_?[0-9])?{QUOTE}?\]?(?:[ \t]?\[[a-z0-9*]{{0,40}}\])?"
    r"(?:[ \t]{0,8}(?::[ \t]?(?:str|string)[ \t]?=|:=|={1,3}>?|:|>)[ \t]{0,8}"
    r"|[ \t]{1,3}is[ \t:]{1,3}|\r?\n[ \t]{0,40}value:[ \t]{0,8})"
)
OPEN = rf"[rbfu]?{QUOTE}"
ARGUMENT = rf"{QUOTE}[ \t]?,[ \t\n]{{0,8}}{QUOTE}"

SECRET_NAME = (
    r"(?:(?:api|access|secret|account|auth|subscription|private|master|signing|encryption|license"
    r"|service|client|consumer|app|admin|project|deploy|session|storage|shared|wandb|openai|azure"
    r"|kaggle|comet|neptune|ngc|google|cohere|groq|hf|huggingface|aws|twilio|github)[-_. ]?key"
    r"|secret(?:[-_. ]?(?:key|value))?|token|credential)"
)
VARIABLE = r"(?-i:[A-Z0-9]_(?:KEY|TOKEN|SECRET))"
NO_SECRET = "".join(f"(?<!{word}_KEY)" for word in ("CACHE", "PUBLIC", "PRIMARY", "FOREIGN"))
OPTION = r"--?(?:[a-z]{1,20}[-_]){0,3}(?:token|key|secret)"
LOGIN = r"login(?:[ \t]{1,4}--?[a-z][a-z-]{0,30}(?:[= \t][a-z0-9.:/-]{1,100})?){0,3}"
LOGIN_CALL = rf"login\([ \t]?(?:[a-z_]{{1,20}}[ \t]?=[ \t]?)?{QUOTE}"
CALL = rf"(?:api_?key|token|secret)\([ \t]?{QUOTE}"
PROMPT = r"hit enter[^\n:]{0,60}:[ \t]{0,4}"  # of wandb
SCHEMED_HINT = rf"(?i:bearer[ \t]|authorization{ASSIGNED}|auth[\"'`\\&]|_auth=)"
HEADER = (
    rf"(?:bearer[ \t]{{1,4}}|authorization{ASSIGNED}(?:{OPEN})?"
    r"(?:(?:token|bot|key|api-?key)[ \t]{1,4})?)"
)
# A sign after the value shows that it is code or a part of a template.
CODE_AFTER = "([{$%*\u2026"
VALUE = rf"([A-Za-z0-9+][A-Za-z0-9+/_.~-]{{15,}}+={{0,2}}[{re.escape(CODE_AFTER)}]?)"
NAMED_HINT = (
    rf"(?i:(?:key|secret|token|credential)(?:{ASSIGNED}(?:{OPEN})?|{ARGUMENT}|[ \t]{{1,4}}{QUOTE}?"
    rf"|(?:[-_. ]?value)(?:{ASSIGNED}(?:{OPEN})?|{ARGUMENT})|\([ \t]?{QUOTE}))"
    r"(?:[A-Za-z0-9+][A-Za-z0-9+/_.~-]{15}|/[A-Za-z0-9/+]{39})"
)

NAMES = ("key", "secret", "token", "credential")
COMMANDS = ("login", "hit enter", "sshpass", "mysql", "--password", "curl", *NAMES)
PASSWORDS = ("passw", "passphrase", "pwd")

PASSWORD_NAME = r"(?:passw(?:or)?d|passphrase|passwort|pwd)"
QUOTED_PASSWORD = r"""([^\s"'`<>\\]{6,100}+)(?=\\{0,2}["'`])"""
PLAIN_PASSWORD = r"([A-Za-z0-9!@#^*_+=~-][A-Za-z0-9!@#^*_+=.~-]{5,100}+[(\[{]?)"
# Of docker and mysql, sshpass, curl, and files of netrc.
PASSWORD_COMMAND = (
    r"(?:login[^\n]{0,80}[ \t]-p[ \t]{1,4}|mysql[^\n]{0,80}[ \t]-p|sshpass[ \t]{1,4}-p[ \t]{0,4}"
    r"|--password[ \t]{1,4}"
    r"|curl[^\n]{0,80}[ \t](?:-u|--user)[ \t]{1,4}['\"]?[a-z0-9_.@-]{1,60}:"
    r"|login[ \t\n]{1,8}[^\s]{1,60}[ \t\n]{1,8}password[ \t]{1,8})['\"]?"
)
PIPED_PASSWORD = r"([^\s\"'|]{6,100}+)(?=['\"]?[ \t]{0,4}\|[^\n]{0,100}--password-stdin)"
COMMAND_HINT = r"(?i:login[ \t\n(]|sshpass|mysql|--password|curl|hit enter)"
BASIC = (
    rf"(?:auth{QUOTE}[ \t]?:[ \t\n]{{0,8}}{QUOTE}|_auth="
    rf"|authorization{ASSIGNED}(?:{OPEN})?basic[ \t]{{1,4}})"
)

PLACEHOLDER = re.compile(
    r"(?:my|your|the)?[-_.]?(?:pass(?:word|wd|phrase|w)?|pwd?|secret|token|(?:api)?[-_]?key|user(?:name)?"
    r"|x-oauth-basic)|(.)\1*|[<{%\[.…$].*",
    re.IGNORECASE,
)
STAND_IN = re.compile(
    r"xxxx|\*\*|\.\.|your|example|placeholder|redacted|removed|hidden|dummy|fake|sample|change_?me"
    r"|replace|insert|1234567|abcdefg|(.)\1{5}",
    re.IGNORECASE,
)
"""What is in a value that only stands for one."""
OF_PASSWORDS = re.compile(
    r"^[/~.]|pass(?:w|phrase)|pwd|secret|token|credential|\{|\(|\$|%[(sd]", re.IGNORECASE
)
"""What is in a name, a template or a message that is assigned to a password."""
DEFAULTS = re.compile(
    r"admin|administrator|airflow|default|empty|false|field|foobar|guest|input|jenkins|minioadmin"
    r"|mysql|none|null|optional|postgres|prompt|qwerty|required|root|string|test|testing|tests|text"
    r"|true|undefined|user|username|value|123456|12345678|test123",
    re.IGNORECASE,
)
"""Passwords that programs come with, and words of forms."""
_WORD = re.compile(r"[a-z]{4,}")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_PAIR = re.compile(r"[!-9;-~]{1,60}:([!-~]{3,200})")


@dataclass(frozen=True)
class Kind:
    """A kind of secret.

    pattern : finds it.
    hint : a pattern for Polars that is in every text with such a secret, and in few others.
    is_real : whether what was found is a secret and not what stands for one in an example.
    group : of the pattern, the part that is secret.
    words : a text has no such secret without one of them in its case-folded form.
    """

    name: str
    pattern: re.Pattern[str]
    hint: str
    is_real: IsReal
    group: int = 0
    words: tuple[str, ...] = ("",)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets of this kind begin and end in ``text``."""
        folded = text.casefold()
        if not any(word in folded for word in self.words):
            return
        for match in self.pattern.finditer(text):
            if self.is_real(match[self.group]):
                yield match.span(self.group)


def _kind(
    name: str, words: tuple[str, ...], start: str, value: str, hint: str, is_real: IsReal
) -> Kind:
    """Return the kind of secret that is ``value``, a group, and follows ``start`` in any case."""
    return Kind(name, re.compile(f"(?i:{start}){value}"), hint, is_real, 1, words)


def settings() -> Iterator[Kind]:
    """Yield all kinds, the narrow ones first."""
    yield from _of_services()
    assigned = rf"(?:{ASSIGNED}(?:{OPEN})?|{ARGUMENT})"
    in_shell = rf"(?:{assigned}|[ \t]{{1,4}}{QUOTE}?)"
    yield _kind(
        "authorization header", ("bearer", "authorization"), HEADER, VALUE, SCHEMED_HINT, is_random
    )
    for start in (SECRET_NAME + assigned, VARIABLE + NO_SECRET + in_shell):
        yield _kind("key or token", NAMES, start, VALUE, NAMED_HINT, is_random)
    for start in (rf"{OPTION}[ \t]{{1,4}}{QUOTE}?", CALL):
        yield _kind("login command", COMMANDS, start, VALUE, NAMED_HINT, is_random)
    start = rf"(?:{LOGIN}[ \t]{{1,4}}{QUOTE}?|{LOGIN_CALL}|{PROMPT})"
    yield _kind("login command", COMMANDS, start, VALUE, COMMAND_HINT, is_random)
    basic = r"([A-Za-z0-9+/]{8,}+={0,2})"
    yield _kind("basic authentication", ("auth",), BASIC, basic, SCHEMED_HINT, is_pair)
    named = PASSWORD_NAME + ASSIGNED
    hint = f"(?i:(?:ssword|sswd|ssphrase|sswort|pwd){ASSIGNED})"
    yield _kind("password", PASSWORDS, named + OPEN, QUOTED_PASSWORD, hint, is_password)
    yield _kind("password", PASSWORDS, named, PLAIN_PASSWORD, hint, is_plain_password)
    yield _kind(
        "password", COMMANDS, PASSWORD_COMMAND, PLAIN_PASSWORD, COMMAND_HINT, is_plain_password
    )
    start = r"echo[ \t]{1,4}(?:-n[ \t]{1,4})?['\"]?"
    yield _kind("password", ("--password",), start, PIPED_PASSWORD, COMMAND_HINT, is_password)


def _of_services() -> Iterator[Kind]:
    start = rf"aws[a-z_. -]{{0,20}}key{ASSIGNED}(?:{OPEN})?"
    value = "([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
    yield _kind("AWS key", ("aws",), start, value, NAMED_HINT, is_random)
    gap, digits = r"[ \t\r\n\\\"']{0,8}", "([0-9a-f]{32})"
    key = f"key{ASSIGNED}{OPEN}"
    start = rf"username{gap}:{gap}[a-z0-9_-]{{1,60}}{gap},{gap}{key}"
    yield _kind("Kaggle key", ("username",), start, digits, NAMED_HINT, is_random)
    yield _kind(
        "Kaggle key", ("username",), key, f"{digits}(?={gap},{gap}username)", NAMED_HINT, is_random
    )
    start, value = "(?-i:[?&;]sig=)", "([A-Za-z0-9%+/_-]{43}[A-Za-z0-9%=]*+)"
    yield _kind("Azure signature", ("sig=",), start, value, "(?:[?&;]sig=)", is_random)
    yield _kind("password in a URL", ("://",), "://:", r"([^\s:/@]{4,100})@", "://:", is_password)
    value = r"([A-Za-z0-9_-]{20,100}+)(?::x-oauth-basic)?@"
    hint = "://[A-Za-z0-9_-]{20,100}[:@]"
    yield _kind("password in a URL", ("://",), "://", value, hint, is_random)


def is_random(value: str) -> bool:
    """Return whether the characters of ``value`` look drawn at random, and are not words."""
    if len(set(value)) < LEAST_DIFFERENT or value[-1] in CODE_AFTER or STAND_IN.search(value):
        return False
    classes = [_class_of(character) for character in value]
    changes = sum("" != one != other != "" for one, other in pairwise(classes))
    is_of_both = "0" in classes and ("a" in classes or "A" in classes)
    of_words = sum(map(len, _WORD.findall(value))) if "A" in classes else 0
    return is_of_both and changes * CLASS_CHANGES >= len(value) >= 2 * of_words


def _class_of(character: str) -> str:
    if character.isalpha():
        return "a" if character.islower() else "A"
    return "0" if character.isdecimal() else ""


def is_password(value: str) -> bool:
    """Return whether ``value`` is not a word that stands for a password in examples and forms."""
    return not (
        is_port(value)
        or PLACEHOLDER.fullmatch(value)
        or STAND_IN.search(value)
        or OF_PASSWORDS.search(value)
        or DEFAULTS.fullmatch(value)
    )


def is_port(value: str) -> bool:
    """Return whether ``value`` is the number of a port."""
    return value.isdecimal() and len(value) <= LONGEST_PORT


def is_plain_password(value: str) -> bool:
    """Return whether ``value``, which has no quotes, is a password and no name in code."""
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return (
        has_both
        and value[-1] not in "([{"
        and not _ATTRIBUTE.fullmatch(value)
        and is_password(value)
    )


def is_pair(value: str) -> bool:
    """Return whether ``value`` is a user and a password, in base 64."""
    try:
        pair = _PAIR.fullmatch(base64.b64decode(value + "=" * (-len(value) % 4)).decode())
    except ValueError:
        return False
    return pair is not None and is_password(pair[1])
