"""GitHub's answers that are not whole, by a table: what each means, and what the client does.

The rules are tried in order, and the first that fits decides. Each has its source: GitHub's
documentation, or an issue of a public repository in which the answer is recorded. An answer that no
rule knows is requested again, with growing pauses.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from perf_assets.sources.github.queries import OPTIONAL

GRAPHQL_LIMITS = "docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api"
REST_TROUBLE = "docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api"

WITHHELD = frozenset({"FORBIDDEN", "NOT_FOUND", "INSUFFICIENT_SCOPES"})


class Reaction(Enum):
    """What the client does about an answer that is not whole."""

    REFUSE_TOKEN = "go on with the other tokens"
    REST = "wait until the budget is full again, or use the next token"
    PAUSE = "wait as long as Retry-After says, else a minute, and twice as long each time"
    LACK = "use the answer; what GitHub withholds is null"
    ASK_LESS = "request it again in smaller pages"
    AGAIN = "request it again after a pause"
    LEAVE_OUT = "request it again without a field that this server does not know"
    END = "end with a sentence"


@dataclass(frozen=True)
class Failure:
    """An answer that is not whole.

    status : of HTTP.
    headers : with names in lower case.
    errors : its GraphQL errors, each with ``type``, ``code``, ``message``, ``path`` as far as it
        has them.
    data : its GraphQL data, None where it has none.
    words : the message of the answer, or of its first error.
    """

    status: int
    headers: Mapping[str, str]
    errors: Sequence[Mapping[str, Any]] = ()
    data: dict[str, Any] | None = None
    words: str = ""

    @property
    def kinds(self) -> set[str]:
        """The types and codes of its errors."""
        return {kind for error in self.errors for kind in kinds_of(error)}

    @property
    def lacks_parts_alone(self) -> bool:
        """Return whether the data are complete except for parts that GitHub withholds as null.

        An answer without its repository has nothing to use.
        """
        if not self.errors or self.data is None or self.data.get("repository", 0) is None:
            return False
        return all(
            not WITHHELD.isdisjoint(kinds_of(error))
            and _leads_to_null(self.data, error.get("path"))
            for error in self.errors
        )


@dataclass(frozen=True)
class Rule:
    """A kind of answer that is not whole, and the reaction to it.

    statuses : of HTTP; empty for any.
    kinds : types or codes of GraphQL errors, of which one is there; empty for any.
    words : a regular expression for the message, without regard to case.
    headers : values of headers that are there, as regular expressions.
    lacks_parts_alone : whether the data are whole but for parts that GitHub withholds.
    is_outage : whether GitHub reports its own trouble, which may last.
    remedy : how a person mends what the client cannot.
    """

    name: str
    reaction: Reaction
    source: str
    statuses: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    words: str = ""
    headers: Mapping[str, str] | None = None
    lacks_parts_alone: bool = False
    is_outage: bool = False
    remedy: str = ""

    def fits(self, failure: Failure) -> bool:
        """Return whether this rule is about ``failure``."""
        return (
            (not self.statuses or failure.status in self.statuses)
            and (not self.kinds or not failure.kinds.isdisjoint(self.kinds))
            and (not self.words or _has(self.words, failure))
            and all(
                re.fullmatch(pattern, failure.headers.get(name, ""))
                for name, pattern in (self.headers or {}).items()
            )
            and (not self.lacks_parts_alone or failure.lacks_parts_alone)
        )


AUTHORISE = (
    "authorise the token for that organization (Configure SSO beside the token at "
    "https://github.com/settings/tokens)"
)
REPORT = "upgrade perf-assets, or report this"

RULES = (
    Rule(
        "a wrong or expired token",
        Reaction.REFUSE_TOKEN,
        "cli/cli 1003; hcengineering/platform 5104 (with X-RateLimit-Remaining: 0)",
        statuses=(401,),
    ),
    Rule(
        "an account that is suspended",
        Reaction.REFUSE_TOKEN,
        "octokit/octokit.rb 761; github/site-policy 1258",
        statuses=(403,),
        words=r"account (is|was) suspended|installation has been suspended",
    ),
    Rule(
        "the rate limit",
        Reaction.REST,
        f"{GRAPHQL_LIMITS}; octokit/plugin-throttling.js 824 (RATE_LIMIT) and 632 (RATE_LIMITED, "
        "with points left); yanyongyu/githubkit 271",
        kinds=("RATE_LIMIT", "RATE_LIMITED", "graphql_rate_limit"),
    ),
    Rule(
        "the rate limit, by its header",
        Reaction.REST,
        f"{REST_TROUBLE}; KnpLabs/php-github-api 1070",
        statuses=(403, 429),
        headers={"x-ratelimit-remaining": "0"},
    ),
    Rule(
        "a limit that says how long it lasts",
        Reaction.PAUSE,
        f"{REST_TROUBLE}; release-drafter/release-drafter 1018 (Retry-After alone)",
        statuses=(200, 403, 429),
        headers={"retry-after": ".+"},
    ),
    Rule(
        "a secondary limit",
        Reaction.PAUSE,
        f"{GRAPHQL_LIMITS}; apache/devlake 1322 (HTTP 200); hub4j/github-api 2009 (no header); "
        "sourcecred/sourcecred 536 (abuse detection)",
        words=r"secondary rate limit|abuse detection|rate limit exceeded|submitted too quickly",
    ),
    Rule("too many requests", Reaction.PAUSE, REST_TROUBLE, statuses=(429,)),
    Rule(
        "a part that the token may not see",
        Reaction.LACK,
        "jasperapp/jasper 187, fwouts/prmonitor 1042 (SAML); facebook/sapling 993 (integrations); "
        "aquaproj/user-list 2101 (IP allow list); magit/forge 669 (NOT_FOUND)",
        statuses=(200,),
        lacks_parts_alone=True,
    ),
    Rule(
        "a field of a newer server that can be left out",
        Reaction.LEAVE_OUT,
        "facebook/sapling 906, refined-github/refined-github 6946 (GitHub Enterprise Server 3)",
        kinds=("undefinedField", "argumentNotAccepted"),
        words=rf"'({'|'.join(OPTIONAL)})'",
    ),
    Rule(
        "a server that is too old",
        Reaction.END,
        "turbot/steampipe-plugin-github 306, gitify-app/gitify 3174; GitHawkApp/GitHawk 1124 "
        "(words alone, of 2018)",
        kinds=("undefinedField", "argumentNotAccepted", "undefinedType"),
        remedy="this server is too old: upgrade GitHub Enterprise Server",
    ),
    Rule(
        "a server that is too old, by its words",
        Reaction.END,
        "GitHawkApp/GitHawk 1124; github/VisualStudio 2085",
        words=r"^field '\w+' doesn't (exist on type|accept argument) '\w+'",
        remedy="this server is too old: upgrade GitHub Enterprise Server",
    ),
    Rule(
        "SAML single sign-on",
        Reaction.END,
        "cli/cli 2661; scala-steward-org/scala-steward-action 173 (REST)",
        statuses=(200, 403),
        words=r"SAML enforcement",
        remedy=AUTHORISE,
    ),
    Rule(
        "an IP allow list",
        Reaction.END,
        "renovatebot/renovate 20253; microsoft/vscode-remote-repositories-github 491",
        statuses=(200, 403),
        words=r"IP allow list",
        remedy="run from an address that the organization allows",
    ),
    Rule(
        "a kind of token that the organization forbids",
        Reaction.END,
        "refined-github/refined-github 6951; HHS/simpler-grants-gov 2547 (lifetime); "
        "microsoft/vscode-pull-request-github 1114 (OAuth apps); actions/add-to-project 356",
        statuses=(200, 403),
        words=r"forbids access via|OAuth App access restrictions|do not support the GraphQL API",
        remedy="use a token of another kind or lifetime, as this says",
    ),
    Rule(
        "a permission that the token lacks",
        Reaction.END,
        "gavinr/github-csv-tools 124; github-community-projects/contributors 492",
        statuses=(200, 403),
        words=r"Resource not accessible by|must have admin rights",
        remedy="give the token read access to issues and pull requests",
    ),
    Rule(
        "a scope that the token lacks",
        Reaction.END,
        "cli/cli 9195; github/docs 19712",
        kinds=("INSUFFICIENT_SCOPES",),
        remedy="give the token the scope that this names",
    ),
    Rule(
        "a query that GitHub cannot parse",
        Reaction.END,
        "ocurrent/ocurrent 395; pyvec/python.cz 417",
        statuses=(200,),
        words=r"^parse error on",
        remedy=REPORT,
    ),
    Rule(
        "a repository that GitHub has blocked",
        Reaction.END,
        "github/rest-api-description 3314 (451); PyGithub/PyGithub 1015 (403)",
        statuses=(200, 403, 451),
        words=r"access blocked",
        remedy="take the repository out of the study",
    ),
    Rule(
        "a repository that is not there",
        Reaction.END,
        "cli/cli 436; docs.github.com/rest (404)",
        kinds=("NOT_FOUND",),
    ),
    Rule("a repository that may not be seen", Reaction.END, "as above", kinds=("FORBIDDEN",)),
    Rule("an address that is not there", Reaction.END, REST_TROUBLE, statuses=(404,)),
    Rule(
        "a proxy that takes a header away",
        Reaction.END,
        "tmamb/deep-learning 23; microsoft/PowerShellForGitHub 296",
        statuses=(403,),
        words=r"administrative rules",
        remedy="let the User-Agent header pass",
    ),
    Rule(
        "a page that is too heavy",
        Reaction.ASK_LESS,
        f"{GRAPHQL_LIMITS}; palantir/policy-bot 1086 (partial data); semantic-release/github 911; "
        "dblock/fue 5 (EXCESSIVE_PAGINATION)",
        kinds=("RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED", "EXCESSIVE_PAGINATION"),
        is_outage=True,
    ),
    Rule(
        "a time-out or trouble at GitHub, by its words",
        Reaction.ASK_LESS,
        "cli/cli 4037 and 12441, octokit/graphql.js 261 (something went wrong); "
        "MeltanoLabs/tap-github 466 (timeout on validation)",
        statuses=(200,),
        words=r"something went wrong|time-?d? ?out",
    ),
    Rule(
        "a gateway that gives up",
        Reaction.ASK_LESS,
        f"{GRAPHQL_LIMITS}; shurcooL/githubv4 38, magit/forge 65",
        statuses=(502, 504),
        is_outage=True,
    ),
    Rule(
        "GitHub in trouble",
        Reaction.AGAIN,
        "osunyorg/admin 3843 (503); GitHub names these types in no documentation",
        kinds=("SERVICE_UNAVAILABLE", "INTERNAL", "TIMEOUT", "LOADING_TIMEOUT"),
        is_outage=True,
    ),
    Rule(
        "a server that is not available",
        Reaction.AGAIN,
        "osunyorg/admin 3843; taskcluster/taskcluster-github 96",
        statuses=(503,),
        is_outage=True,
    ),
    Rule(
        "an answer without a reason",
        Reaction.ASK_LESS,
        "faros-ai/airbyte-connectors 1865 (no data); octokit/graphql.js 554 (HTML)",
        statuses=(200, 201, 202, 204, 408, 500),
    ),
    Rule(
        "an address that leads elsewhere",
        Reaction.END,
        f"{REST_TROUBLE}; gidgethub/gidgethub 214",
        statuses=(*range(300, 400), 405, 410, 418),
        remedy="check the address (github_url in the study file)",
    ),
    Rule(
        "a request that GitHub does not take",
        Reaction.END,
        "github-rs/github-rs 140 (400); SpinlockLabs/github.dart 414 (422)",
        statuses=(400, 406, 409, 413, 414, 415, 422, 451),
        remedy=REPORT,
    ),
)
UNKNOWN = Rule("an answer that is not known", Reaction.AGAIN, "the default")


def rule_for(failure: Failure) -> Rule:
    """Return the first rule that fits ``failure``, or the default."""
    return next((rule for rule in RULES if rule.fits(failure)), UNKNOWN)


def kinds_of(error: Mapping[str, Any]) -> Iterator[str]:
    """Yield the type and the codes of a GraphQL error, wherever it has them."""
    extensions = error.get("extensions")
    for holder in (error, extensions if isinstance(extensions, Mapping) else {}):
        for key in ("type", "code"):
            if isinstance(kind := holder.get(key), str) and kind:
                yield kind


def _has(pattern: str, failure: Failure) -> bool:
    messages = (failure.words, *(str(error.get("message", "")) for error in failure.errors))
    return any(re.search(pattern, message, re.IGNORECASE) for message in messages)


def _leads_to_null(data: object, path: object) -> bool:
    if not isinstance(path, list) or not path:
        return False
    held: Any = data
    for part in path:
        try:
            held = held[part]
        except (KeyError, IndexError, TypeError):
            return False
        if held is None:
            return True
    return False
