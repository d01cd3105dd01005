"""Where texts name people whom no table knows: mentions, links, trailers, homes and prompts."""

import re
from bisect import bisect_right
from functools import lru_cache
from unicodedata import category

from perf_assets.core.people.full_names import IDEOGRAPHS

LETTERS = (
    "A-Za-z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u1e00-\u1fff"  # Latin, Greek
    "\u0370-\u037d\u0386\u0388-\u0556\u0561-\u0587"  # Greek, Cyrillic, Armenian
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # full-width
    "\u0591-\u05bd\u05d0-\u05ea\u0620-\u0669\u066e-\u06d3\u06d5-\u06dc"  # Hebrew, Arabic
)
"""Letters of words in scripts that put spaces between them, with accents in either normal form."""

WORD = rf"[{LETTERS}](?:[{LETTERS}_-]*[{LETTERS}])?"
_LOGIN = r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?"
_UNSPACED = rf"{IDEOGRAPHS}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_MARKS = "".join(chr(code) for code in range(0x300, 0x10000) if category(chr(code))[0] == "M")
_JOINED = rf"{_MARKS}\u200c\u200d"
# Of any script. In a text of a script without spaces a login ends where letters of it begin.
_NAME = (
    rf"(?:{_LOGIN}(?=[_-]*[{_UNSPACED}])"
    rf"|[^\W_](?:[\w{_JOINED}-]*[^\W_])?[{_MARKS}]*)"
)
_AT = r"(?:@|%40|&#0?64;|&#x40;|&commat;|[ ]{0,2}[\[({<][ ]{0,2}at[ ]{0,2}[\])}>][ ]{0,2})"
_DOT = r"(?:\.|[ ]{0,2}[\[({<][ ]{0,2}dot[ ]{0,2}[\])}>][ ]{0,2})"
# Versions, as in package@1.2, have no letters at their end.
EMAIL = re.compile(
    rf"(?<![\w.%+-])(?!git@)(?P<local>\w[\w.+%'-]{{0,80}}){_AT}"
    rf"(?P<domain>[\w-]{{1,63}}(?:{_DOT}[\w-]{{1,63}}){{0,8}}{_DOT}[^\W\d_][\w-]{{0,60}}[^\W_])(?![\w-])",
    re.IGNORECASE,
)
DOT = re.compile(_DOT)
MAY_HAVE_EMAIL = re.compile(r"@|%40|&#0?64;|&#x40;|&commat;|[\[({<] {0,2}at {0,2}[\])}>]", re.I)

TRAILER = re.compile(
    r"(?P<by>^[ \t>*]*(?:(?:signed-off|reported|reviewed|tested|acked|co-authored|co-developed"
    r"|suggested|helped|approved|pulled|authored|committed|mentored|contributed|patch|found"
    r"|diagnosed|debugged)(?:-and-[a-z]+)?[ -]by|reviewers?|subscribers|cc)[ \t]*:[ \t]*)"
    r"(?P<people>[^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
MAY_HAVE_TRAILER = re.compile(r"by[ \t]*:|reviewers?[ \t]*:|subscribers[ \t]*:|cc[ \t]*:", re.I)
ONE_OF_TRAILER = re.compile(r"[^,;<>()]+")
LONGEST_NAME = 60

_CAPITAL = r"[A-Z\u00c0-\u00d6\u00d8-\u00de][\w.'\u2019-]*"
NAMED_ADDRESS = re.compile(
    rf"(?P<name>{_CAPITAL}(?:[ \t]+{_CAPITAL}){{1,3}})(?=[ \t]*(?:<|&lt;)[^\s<>@]+@)"
)

# Hosts whose paths begin with an account, and folders before it.
_HOSTS = (
    r"github(?:usercontent)?\.com[/:](?:(?:repos|users|orgs|u)/(?=[\w-]))?"
    r"|(?:gitlab|bitbucket|twitter|facebook)\.(?:com|org)[/:]"
    r"|(?:travis-ci\.(?:org|com)|codecov\.io|circleci\.com|coveralls\.io|codacy\.com)/"
    r"(?:(?:github|gh)/)?"
    r"|(?:colab\.research\.google\.com|nbviewer(?:\.jupyter|\.ipython)?\.org)/"
    r"(?:github|gist|urls/github\.com)/"
    r"|linkedin\.com/in/|kaggle\.com/|hub\.docker\.com/[ru]/|(?<=[a-z]/)u/(?=[\w-]+(?:/|\b))"
)
# Of GitHub's searches: https://docs.github.com/search-github/searching-on-github
_QUALIFIERS = (
    r"(?:author|assignee|mentions|commenter|involves|user|reviewed-by|(?:user-)?review-requested"
    r"|committer)"
)
IN_TEXTS = re.compile(
    r"(?P<done>person-[0-9a-f]{12}(?![0-9A-Za-z])(?:@pseudonym\.invalid)?)"
    r"|(?P<user>/users/)(?P<number>\d+)(?:/(?P<slug>[^\s\"'<>)\]/?#&]+))?"
    r"|(?P<attribute>\b(?:Owner|LastEditor)?(?:UserId|DisplayName)=(?:\"|&quot;))(?P<said>[^\"&]+)"
    rf"|(?P<link>{_HOSTS})(?P<linked>person-[0-9a-f]{{12}}|{_NAME})"
    rf"|(?<=[=+])(?P<qualifier>{_QUALIFIERS}:)(?P<qualified>{_NAME})"
    r"|(?<![\w.-])(?P<paged>[A-Za-z0-9][A-Za-z0-9-]{0,38})(?=\.github\.io\b)"
    r"|(?P<merge>Merge pull request #\d+ from |Merge branch '[^']+' of )(?P<merged>[\w-]+)(?=/)"
    r"|(?<![\w/.-])(?P<referred>[A-Za-z0-9][A-Za-z0-9_-]{0,38})(?=/[\w.-]+(?:#\d|@[0-9a-f]{7}))"
    r"|(?P<home>[/\\](?:home|Users)(?:/|\\{1,2}))"
    r"(?P<housed>[^\s/\\\"'<>:;,)\]}`|*$]+(?:(?: [\w.-]+){1,2}(?=\\))?)"
    r"|(?<![\w.@/-])(?P<shell>[A-Za-z_][\w.-]*)@(?P<host>[A-Za-z0-9][\w.-]*)"
    r"(?=:[~/]|[ \t]+[~/\w.-]*\]?[$#%][ \t])"
    rf"|(?:(?<![\w/.])|(?<=[{_UNSPACED}]))(?P<at>[@\uff20\ufe6b])(?P<mention>{_NAME})"
    r"(?P<code>[.(](?=\w)|[ \t]*(?=\n|$))?"
    rf"|(?P<word>{WORD})"
)
PAGES = frozenset(
    (
        *("about", "apps", "blog", "features", "issues", "login", "marketplace", "notifications"),
        *("orgs", "pulls", "search", "security", "settings", "sponsors", "topics", "user", "users"),
        *("enterprise", "explore", "home", "hashtag", "intent", "share", "i", "c", "datasets"),
    )
)
"""Where pages of GitHub and others are, which are nobody's."""

NOBODY = frozenset(
    (
        *("root", "user", "username", "user_name", "your_name", "yourname", "ubuntu", "runner"),
        *("travis", "circleci", "jenkins", "vagrant", "ec2-user", "admin", "administrator"),
        *("public", "default", "shared", "vsts", "vsts_azpcontainer", "conda", "docker", "git"),
        *("builder", "build", "app", "appveyor", "jovyan", "centos", "pi", "me", "name", "xxx"),
        *("...", "anaconda", "anaconda3", "miniconda", "miniconda3", "linuxbrew", "localhost"),
    )
)
"""Accounts of machines, in homes and prompts, which are nobody's."""

_MAY_BE_DECORATED = re.compile(
    r"[ \t]*\n\s*(?:@|#|//|def\b|class\b|async\b|c?p?def\b|public\b|private\b|protected\b|static\b"
    r"|final\b|abstract\b|interface\b|fun\b|func\b|void\b|\w+\s+\w+\s*\()"
)


_ON_THE_WEB = re.compile(r"(?<![^\s\"'<>()`])(?:https?:|www\.)[^\s\"'<>()`]*+")


def is_code(mention: re.Match[str]) -> bool:
    """Return whether a match is ``@tf.function``, ``@jit(...)`` or a decorator, not a mention."""
    after = mention["code"]
    if after is None:
        return False
    if after[:1] in (".", "("):
        return True
    text = mention.string
    line = text[text.rfind("\n", 0, mention.start()) + 1 : mention.start()]
    is_alone = not line.strip()
    return is_alone and _MAY_BE_DECORATED.match(text, mention.end("mention")) is not None


@lru_cache(maxsize=1)  # of the text that is read now
def _addresses(text: str) -> list[tuple[int, int]]:
    """Return where the addresses of pages in ``text`` begin and end, in their order."""
    return [found.span() for found in _ON_THE_WEB.finditer(text)]


def is_on_the_web(found: re.Match[str]) -> bool:
    """Return whether a path is that of a page, which is nobody's home."""
    addresses = _addresses(found.string)
    place = bisect_right(addresses, (found.start(), len(found.string))) - 1
    return place >= 0 and found.start() < addresses[place][1]
