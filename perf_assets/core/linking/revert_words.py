"""Words by which a message says that its commit takes others back, brings them again, or is a copy.

They are those of git, of GitHub's Revert button, and of the tools of Google (``Automated rollback
of commit``), Meta (``Original commit changeset:``) and Mozilla (``Backed out changeset``).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

BACK = (
    r"(?:revert(?:s|ed|ing)?|back(?:s|ed|ing)?[ -]?out(?: of)?|undo(?:es)?"
    r"|(?:auto(?:mated|matic) )?(?:g4 )?roll(?:s|ed|ing)?[ -]?back(?: of)?)"
)
AGAIN = r"(?:re-?appl(?:y|ies|ied)|re-?land(?:s|ed|ing)?|un-?reverts?)"
TAGS = r"(?:\[[^\]\n]{1,40}\]\s*|[\w./-]{1,30}(?:\([\w./ -]{1,40}\))?!?:\s+){0,3}"
NAMES_OTHERS = re.compile(
    r"revert|back(?:s|ed|ing)?[ -]?out|undo|roll(?:s|ed|ing)?[ -]?back|re-?appl|re-?land"
    r"|original commit changeset|picked from",
    re.IGNORECASE,
)

_QUOTE = r"[\"“”]"
QUOTING = re.compile(
    rf"^{TAGS}(?:(?P<back>{BACK})|(?P<again>{AGAIN}))(?:\s+(?:commit|change|pr|diff))?:?\s*"
    rf"{_QUOTE}(?P<subject>.+){_QUOTE}",
    re.IGNORECASE,
)
PLAIN = re.compile(rf"^{TAGS}{BACK}(?:\s+D\d+)?:?\s+(?P<subject>\S.*)$", re.IGNORECASE)
PARTIAL = re.compile(r"\b(?:partial(?:ly)?|parts?|in part|portions?|some)\b", re.IGNORECASE)
_NOISE = (
    r"(?:\s{1,2}(?:the|following|my|our|these|those|all|both|\d+|changes?|in|from|made|introduced"
    r"|by|of|merge|commits?|changesets?|revisions?|and|prs?|pull[ -]requests?)\b){0,12}"
)
_NAMING = re.compile(
    r"(?:^|(?<=[.;!] ))[ \t*\-(]*"
    r"(?:(?:this|it|that|which|and|also|so|commit|patch|pr|pull request|merge|change|cl|diff|to|we"
    rf"|i|please|fully|completely|just|temporarily|cleanly) ){{0,8}}"
    rf"{TAGS}(?:(?P<back>{BACK})|(?P<again>{AGAIN})|original commit changeset)(?P<noise>{_NOISE})"
    r" ?:?\s{0,2}(?:[-*] )?(?=[\"'`(<]{0,2}(?:[0-9a-f]{6,64}\b|https?://|#\d|[\w-]+/[\w.-]+#\d|\d+\b))",
    re.IGNORECASE | re.MULTILINE,
)
_HASH = r"[0-9a-f]{6,64}\b"
_NAME = re.compile(
    rf"[\"'`(<]*(?:(?P<first>{_HASH})(?:\^|~1?)?\.{{2,3}}(?P<last>{_HASH})"
    r"|https?://(?:www\.)?github\.com/(?P<home>[\w.-]+/[\w.-]+)/"
    r"(?:commit/(?P<linked>[0-9a-f]{6,64})|pull/(?P<pull>\d+))\b"
    r"|(?P<repository>[\w-]+/[\w.-]+)?#(?P<number>\d+)\b"
    rf"|(?P<sha>{_HASH})|(?P<bare>\d+)\b)[\"'`)>]*",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"(?: ?\([^()\n]{0,200}\)| ?\"[^\"\n]{0,200}\")?"
    r"(?: ?(?:[,;&] ?\n?|\n(?!\n)|\n\n(?=[-*] ))(?:and )?| and ) ?(?:[-*] )?"
    r"(?:(?:commits?|changesets?|prs?|pull[ -]requests?) )?(?=[\"'`(<]{0,2}[0-9a-fh#\w])",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_ORIGINAL = re.compile(
    r"^[ *_#-]{0,9}original (?:(?:change|commit|pr|cl|diff)(?:'s)? )?"
    r"(?:description|message|summary)\b",
    re.IGNORECASE | re.MULTILINE,
)
_CUT = re.compile(r"(?:…|\.\.\.)[^\S\n]*+\n\s*+(?:…|\.\.\.)")
_TITLE = re.compile(r"^Merge pull request #\d+ from \S+\n+(?P<title>.+)")
_BRANCH = re.compile(r"^Merge pull request #\d+ from [^\s/]+/revert-(?P<number>\d+)-")
_PICKED = re.compile(
    r"\((?:cherry[- ])?picked from commit (?P<sha>[0-9a-f]{7,64})\)", re.IGNORECASE
)
_TRAILER = re.compile(r"picked from commit [0-9a-f]{7,64}\)|^Signed-off-by: ", re.IGNORECASE)
OWN_NUMBERS = re.compile(r"(?: ?\(#\d{1,9}\)){1,3}$")


@dataclass(frozen=True)
class Named:
    """Name other commits as a message does, with its words.

    ``sort`` is ``commit``, ``range`` (two hashes with ``..`` between them), ``pull_request`` or
    ``subject``; ``is_again`` says that what had been taken back is brought again.
    """

    sort: str
    name: str
    words: str
    is_again: bool = False


def whole_message(message: str) -> str:
    """Return the message with its subject in one piece, which GitHub cuts at 72 characters."""
    return _CUT.sub("", message, count=1)


def subject_of(message: str) -> str:
    """Return the subject of a commit; for a merge by GitHub the title of its pull request."""
    text = whole_message(message.lstrip())
    titled = _TITLE.match(text)
    return (titled["title"] if titled else text.partition("\n")[0]).strip()


def subject_key(subject: str, *, with_number: bool = False) -> str:
    """Return a subject as it is compared: no capitals, single blanks, no ``(#12)`` at the end."""
    bare = subject if with_number else OWN_NUMBERS.sub("", subject.strip())
    return " ".join(bare.casefold().split()).rstrip(".")


def taken_back(message: str) -> list[Named]:
    """Return what a message says to take back, or to bring again, most certain first.

    By hashes (also several, a range, or the beginning of a hash), by the numbers of pull requests,
    by the branch that GitHub's Revert button makes, and by subject. A partial revert takes nothing
    back: what it leaves may be the fix. Quoted lines were written elsewhere.
    """
    text = whole_message(own_words(message))
    found = [named for match in _NAMING.finditer(text) for named in _names(text, match)]
    if branch := _BRANCH.match(text):
        found.append(
            Named("pull_request", branch["number"], branch[0].rpartition("from ")[2] + "…")
        )
    subject = subject_of(message)
    if quoting := QUOTING.match(subject):
        again = quoting["again"] is not None
        found.append(Named("subject", quoting["subject"].strip(), subject, again))
    elif (plain := PLAIN.match(subject)) and not PARTIAL.search(subject):
        found.append(Named("plain_subject", plain["subject"].strip(), subject))
    return found


def _names(text: str, match: re.Match[str]) -> Iterator[Named]:
    before = text[text.rfind("\n", 0, match.end("noise")) + 1 : match.end()]
    if PARTIAL.search(before):
        return
    again = match["again"] is not None
    is_of_commits = re.search(r"commit|changeset", match[0], re.IGNORECASE) is not None
    is_of_pulls = re.search(r"\bprs?\b|pull", match["noise"] or "", re.IGNORECASE) is not None
    position = match.end()
    while name := _NAME.match(text, position):
        words = " ".join(f"{match[0].strip(' (*-')} {name[0]}".split())
        if name["first"]:
            yield Named("range", f"{name['first']}..{name['last']}", words, again)
        elif number := (
            name["pull"] or name["number"] or (is_of_pulls and (name["bare"] or name["sha"]))
        ):
            if number.isdecimal():
                home = name["home"] or name["repository"] or ""
                yield Named("pull_request", f"{home}#{number}" if home else number, words, again)
        elif sha := name["linked"] or name["sha"]:
            has_both = re.search(r"\d", sha) and re.search(r"[a-f]", sha, re.IGNORECASE)
            if has_both or is_of_commits or len(sha) >= 10:
                yield Named("commit", sha.lower(), words, again)
        if (following := _NEXT.match(text, name.end())) is None:
            return
        position = following.end()


def picked_from(message: str) -> list[Named]:
    """Return the commits that ``git cherry-pick -x`` says the commit is a copy of."""
    return [
        Named("commit", match["sha"].lower(), match[0])
        for match in _PICKED.finditer(_QUOTED.sub("", message))
    ]


def without_trailers(message: str) -> str:
    """Return the message without the lines by which ``git cherry-pick -x -s`` marks a copy."""
    lines = (line for line in message.splitlines() if not _TRAILER.search(line))
    return "\n".join(lines).strip()


def own_words(message: str) -> str:
    """Return the message without quoted lines and the description of what it takes back."""
    original = _ORIGINAL.search(message)
    return _QUOTED.sub("", message[: original.start()] if original else message)


def without_reverted(line: str) -> str:
    """Return a line of a message without the issues that it names only as what is taken back.

    That is the quoted subject of a revert, and the numbers that follow the verb.
    """
    if NAMES_OTHERS.search(line) is None:
        return line
    if quoting := QUOTING.match(line.strip()):
        return line.replace(quoting["subject"], " ")
    return _REVERTED_NUMBERS.sub(" ", line)


_NUMBER = r"(?:[\w-]+/[\w.-]+)?#\d+"
_REVERTED_NUMBERS = re.compile(
    rf"\b(?:{BACK}|{AGAIN}):?\s+(?:(?:the|for|of|in|from|by|changes?|commits?|merge"
    r"|pull[ -]requests?|prs?|issues?|bugs?|fix(?:e[sd])?|clos(?:e[sd])?|resolv(?:e[sd])?"
    r"|address(?:es)?):?\s+)*"
    rf"(?:{_NUMBER})(?:(?:,| and| &)+ {_NUMBER})*",
    re.IGNORECASE,
)
