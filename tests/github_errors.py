"""An answer for each rule of the table of faults, as GitHub's documentation or a recording has it.

Each is (the rule, HTTP status, body, headers); the words are shortened.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from perf_assets.stand_ins.github.server import PRIMARY_ERROR
from perf_assets.stand_ins.reply import HTML_TYPE, Reply, json_reply

Headers = Mapping[str, str]


class Example(NamedTuple):
    """An answer that is not whole, and the rule that is about it."""

    rule: str
    status: int
    body: Any
    headers: Headers = MappingProxyType({})

    def reply(self) -> Reply:
        """The answer; a body that is a text is a page."""
        if isinstance(self.body, str):
            return Reply(self.status, self.body.encode(), self.headers, HTML_TYPE)
        return json_reply(self.status, self.body, self.headers)

    def __str__(self) -> str:
        return f"{self.rule}: {self.status} {json.dumps(self.body)[:60]} {dict(self.headers)}"


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"errors": [{"message": message, **more}]}


SAML = (
    "Resource protected by organization SAML enforcement. You must grant your Personal Access "
    "token access to this organization."
)
SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)
WRONG = (
    "Something went wrong while executing your query on 2026-09-13T08:56:01Z. Please include "
    "`A:B` when reporting this issue."
)
IP_LIST = (
    "Although you appear to have the correct authorization credentials, the `acme` organization "
    "has an IP allow list enabled, and your IP address is not permitted to access this resource."
)
SPENT = {"X-RateLimit-Remaining": "0"}

TRANSIENT = (
    Example("the rate limit", 200, {"errors": [PRIMARY_ERROR]}, SPENT),
    Example("the rate limit", 200, {"errors": [PRIMARY_ERROR], "data": None}),
    Example("the rate limit", 200, error("API rate limit exceeded", type="RATE_LIMITED"), SPENT),
    Example("the rate limit", 200, error("API rate limit exceeded", type="RATE_LIMITED")),
    Example("the rate limit, by its header", 403, {"message": "API rate limit exceeded"}, SPENT),
    Example("the rate limit, by its header", 429, {}, SPENT),
    Example(
        "a limit that says how long it lasts", 403, {"message": SECONDARY}, {"Retry-After": "0"}
    ),
    Example("a limit that says how long it lasts", 429, "", {"Retry-After": "0"}),
    Example(
        "a limit that says how long it lasts",
        200,
        error("slow down", type="X"),
        {"Retry-After": "0"},
    ),
    Example("a secondary limit", 200, error(SECONDARY)),
    Example("a secondary limit", 403, {"message": SECONDARY}),
    Example(
        "a secondary limit", 403, {"message": "You have triggered an abuse detection mechanism."}
    ),
    Example("too many requests", 429, ""),
    Example(
        "a page that is too heavy",
        200,
        error("Resource limits for this query exceeded.", type="RESOURCE_LIMITS_EXCEEDED"),
    ),
    Example(
        "a page that is too heavy",
        200,
        error("This query requests up to 603,360 possible nodes", type="MAX_NODE_LIMIT_EXCEEDED"),
    ),
    Example("a time-out or trouble at GitHub, by its words", 200, error(WRONG)),
    Example(
        "a time-out or trouble at GitHub, by its words",
        200,
        error("Timeout on validation of query"),
    ),
    Example("a gateway that gives up", 502, {"data": "null", **error(WRONG)}),
    Example("a gateway that gives up", 504, "<html>504 Gateway Time-out</html>"),
    Example("GitHub in trouble", 200, error("down", type="SERVICE_UNAVAILABLE")),
    Example("GitHub in trouble", 200, error("an error", type="INTERNAL")),
    Example("GitHub in trouble", 200, error("too slow", type="TIMEOUT")),
    Example(
        "a server that is not available",
        503,
        {"message": "No server is currently available to service your request."},
    ),
    Example("an answer without a reason", 200, {"data": None, "errors": []}),
    Example("an answer without a reason", 500, "<html>Unicorn!</html>"),
    Example("an answer that is not known", 200, error("an error of the future", type="NEW_TYPE")),
    Example("an answer that is not known", 403, ""),
)
"""Answers after which the right one comes, sooner or later."""

FINAL = (
    Example("a wrong or expired token", 401, {"message": "Bad credentials"}, SPENT),
    Example("an account that is suspended", 403, {"message": "Sorry. Your account was suspended."}),
    Example(
        "a server that is too old",
        200,
        error(
            "Field 'fullDatabaseId' doesn't exist on type 'IssueComment'",
            extensions={"code": "undefinedField"},
        ),
    ),
    Example(
        "a server that is too old, by its words",
        200,
        error("Field 'reactors' doesn't exist on type 'ReactionGroup'"),
    ),
    Example(
        "SAML single sign-on",
        200,
        {"data": {"repository": None}, **error(SAML, type="FORBIDDEN", path=["repository"])},
    ),
    Example(
        "SAML single sign-on",
        403,
        {"message": SAML},
        {"X-GitHub-SSO": "required; url=https://github.com/orgs/acme/sso?authorization_request=A"},
    ),
    Example("an IP allow list", 403, {"message": IP_LIST}),
    Example(
        "a kind of token that the organization forbids",
        403,
        {"message": "`acme` forbids access via a personal access token (classic)."},
    ),
    Example(
        "a permission that the token lacks",
        403,
        {"message": "Resource not accessible by integration"},
    ),
    Example(
        "a scope that the token lacks",
        200,
        error("Your token has not been granted the required scopes", type="INSUFFICIENT_SCOPES"),
    ),
    Example(
        "a query that GitHub cannot parse", 200, error('Parse error on ")" (RPAREN) at [25, 23]')
    ),
    Example("a repository that GitHub has blocked", 451, {"message": "Repository access blocked"}),
    Example(
        "a repository that is not there",
        200,
        {
            "data": {"repository": None},
            **error("Could not resolve", type="NOT_FOUND", path=["repository"]),
        },
    ),
    Example(
        "a repository that may not be seen",
        200,
        {"data": {"repository": None}, **error("No.", type="FORBIDDEN", path=["repository"])},
    ),
    Example("an address that is not there", 404, {"message": "Not Found"}),
    Example("a proxy that takes a header away", 403, "Request forbidden by administrative rules."),
    Example("an address that leads elsewhere", 301, {"message": "Moved Permanently"}),
    Example("a request that GitHub does not take", 422, {"message": "Validation Failed"}),
)
"""Answers that end with a sentence."""

DEGRADED = (
    Example(
        "a part that the token may not see",
        200,
        {
            "data": {"search": {"nodes": [None]}},
            **error(SAML, type="FORBIDDEN", path=["search", "nodes", 0]),
        },
    ),
    Example(
        "a field of a newer server that can be left out",
        200,
        error(
            "Field 'issueType' doesn't exist on type 'Issue'", extensions={"code": "undefinedField"}
        ),
    ),
)
"""Answers of which the client uses what there is; test_withheld.py has what becomes of them."""
