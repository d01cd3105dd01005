"""The server: searches, bugs, comments and histories, as Mozilla's fork or as Bugzilla 5."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from perf_assets.base.corpus import Corpus
from perf_assets.stand_ins.bugzilla.bugs import Bug, bugs_of
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply, json_reply

PREFIX = "/rest"
MOST_RESULTS = 10_000  # max_search_results
DOCUMENTATION = "https://bmo.readthedocs.io/en/latest/api/"
EXTRA = ("comments", "history")  # only Mozilla's fork has them with a bug, and not by default
OF_FORK = ("type", "votes", "cf_last_resolved", "regressed_by")
COLUMNS = {"changeddate": "last_change_time", "opendate": "creation_time", "bug_id": "id"}
Parameters = Mapping[str, list[str]]
Item = dict[str, Any]
Test = Callable[[Mapping[str, Any]], bool]
PLACES = ("product", "component")
MOMENTS = ("creation_time", "last_change_time")


class RefusedError(Exception):
    """A request is refused: status, code and message."""

    def __init__(self, status: int, code: int, message: str) -> None:
        """Note what is wrong."""
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


@dataclass(frozen=True)
class Request:
    """A line of the server's log."""

    path: str
    parameters: Parameters
    status: int = 200


class BugzillaServer(LoopbackServer):
    """Serves corpora as a Bugzilla would; a repository owner/name is a product and a component.

    is_fork : whether it answers as Mozilla's fork does: it counts, and has more fields.
    restricted : bugs in a group, which nobody but its members sees. A client without a key, as all
        are here, gets none of them.
    private_comments : ids of comments for insiders.
    requests : the log, oldest first.
    """

    def __init__(self, corpora: Iterable[Corpus], port: int = 0, *, is_fork: bool = True) -> None:
        """Prepare the server without listening."""
        super().__init__(port)
        self.is_fork = is_fork
        self.requests: list[Request] = []
        self.restricted: set[int] = set()
        self.private_comments: set[int] = set()
        self.replace(corpora)

    @property
    def url(self) -> str:
        """The base URL of the API."""
        return f"{super().url}{PREFIX}"

    def replace(self, corpora: Iterable[Corpus]) -> None:
        """Serve ``corpora`` from the next request on."""
        self._bugs: Sequence[Bug] = [bug for corpus in corpora for bug in bugs_of(corpus)]

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        """Return the reply to a request, which is logged."""
        parts = urlsplit(target)
        path = unquote(parts.path).removeprefix(PREFIX).strip("/")
        parameters = parse_qs(parts.query, keep_blank_values=True)
        try:
            reply = json_reply(200, self.content(path, parameters))
        except RefusedError as error:
            reply = error_reply(error.status, error.code, error.message)
        self.requests.append(Request(path, parameters, reply.status))
        return reply

    def content(self, path: str, parameters: Parameters) -> Item:
        """Return the content of a good answer."""
        match path.split("/"):
            case ["version"]:
                return {"version": "20260820.1" if self.is_fork else "5.0.6"}
            case ["bug"]:
                return self._search(parameters)
            case ["bug", number]:
                return {"bugs": [self._shown(self._bug(number), parameters)], "faults": []}
            case ["bug", number, "comment"]:
                bugs = [
                    self._bug(one) for one in dict.fromkeys([number, *parameters.get("ids", ())])
                ]
                wanted = _wanted(parameters, ())
                return {
                    "bugs": {
                        str(bug.fields["id"]): {"comments": self._comments(bug, wanted)}
                        for bug in bugs
                    },
                    "comments": {},
                }
            case ["bug", number, "history"]:
                bugs = [
                    self._bug(one) for one in dict.fromkeys([number, *parameters.get("ids", ())])
                ]
                alias: list[str] | None = None if self.is_fork else []
                return {
                    "bugs": [
                        {"id": bug.fields["id"], "alias": alias, "history": bug.history}
                        for bug in bugs
                    ]
                }
        raise RefusedError(404, 32614, f"A REST API resource was not found for 'GET /{path}'.")

    def _bug(self, number: str) -> Bug:
        for bug in self._bugs:
            if str(bug.fields["id"]) == number:
                if bug.fields["id"] in self.restricted:
                    raise RefusedError(401, 102, f"You are not authorized to access bug {number}.")
                return bug
        raise RefusedError(404, 101, f"Bug #{number} does not exist.")

    def _search(self, parameters: Parameters) -> Item:
        """Return the bugs that a search finds; what may not be seen is not found."""
        if "offset" in parameters and "limit" not in parameters:
            raise RefusedError(400, 50, "The function requires a limit argument")
        if not _criteria(parameters):
            raise RefusedError(400, 1000, "You may not search without any search terms.")
        keep = _condition(parameters)
        found = [
            bug
            for bug in self._bugs
            if bug.fields["id"] not in self.restricted and keep(bug.fields)
        ]
        if self.is_fork and _one(parameters, "count_only"):
            return {"bug_count": len(found)}
        for term in reversed(_one(parameters, "order").split(",")):
            column, _, direction = term.strip().partition(" ")
            if column in COLUMNS:
                key = COLUMNS[column]
                found.sort(key=lambda bug: bug.fields[key], reverse=direction.upper() == "DESC")
        limit = min(int(_one(parameters, "limit") or 0) or MOST_RESULTS, MOST_RESULTS)
        offset = int(_one(parameters, "offset") or 0)
        return {"bugs": [self._shown(bug, parameters) for bug in found[offset : offset + limit]]}

    def _shown(self, bug: Bug, parameters: Parameters) -> Item:
        """Return a bug with the requested fields."""
        wants = _wanted(parameters, () if self.is_fork else OF_FORK)
        shown = {name: value for name, value in bug.fields.items() if wants(name)}
        if self.is_fork and _is_named(parameters, "comments"):
            shown["comments"] = self._comments(bug, lambda name: wants(f"comments.{name}"))
        if self.is_fork and _is_named(parameters, "history"):
            shown["history"] = bug.history
        return shown

    def _comments(self, bug: Bug, wants: Callable[[str], bool]) -> list[Item]:
        return [
            {
                name: value
                for name, value in comment.items()
                if wants(name) and (self.is_fork or name != "reactions")
            }
            for comment in bug.comments
            if comment["id"] not in self.private_comments
        ]


def error_reply(status: int, code: int, message: str) -> Reply:
    """Return a refusal in the form of the API's errors."""
    content = {"error": True, "code": code, "message": message, "documentation": DOCUMENTATION}
    return json_reply(status, content)


def _one(parameters: Parameters, name: str) -> str:
    return parameters.get(name, [""])[0]


def _criteria(parameters: Parameters) -> list[str]:
    no_criteria = ("limit", "offset", "order", "include_fields", "exclude_fields", "count_only")
    return [name for name in parameters if name not in no_criteria]


def _wanted(parameters: Parameters, unknown: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a field is requested, by its name or by that of what it is within."""
    included = {name for text in parameters.get("include_fields", ()) for name in text.split(",")}

    def wants(name: str) -> bool:
        if name in unknown:
            return False
        is_named = name in included or name.partition(".")[0] in included
        return is_named or not included or bool(included & {"_default", "_all"})

    return wants


def _is_named(parameters: Parameters, name: str) -> bool:
    included = [part for text in parameters.get("include_fields", ()) for part in text.split(",")]
    return any(part.partition(".")[0] == name for part in included)


def _condition(parameters: Parameters) -> Test:
    """Return a function that says whether the fields of a bug are what is searched for."""
    tests = [
        *(_is_among(name, parameters[name]) for name in PLACES if name in parameters),
        *(_is_since(name, _one(parameters, name)) for name in MOMENTS if name in parameters),
    ]
    if "id" in parameters:
        numbers = {int(text) for value in parameters["id"] for text in value.split(",")}
        tests.append(lambda bug: bug["id"] in numbers)
    place = 1
    while f"f{place}" in parameters:
        tests.append(_chart(*(_one(parameters, f"{letter}{place}") for letter in "fov")))
        place += 1
    return lambda bug: all(test(bug) for test in tests)


def _is_among(name: str, values: Sequence[str]) -> Test:
    """Return the test of a name, whose letters may be large or small."""
    folded = {value.casefold() for value in values}
    return lambda bug: bug[name].casefold() in folded


def _is_since(name: str, text: str) -> Test:
    """Return the test of a moment, which has a time zone or is of UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RefusedError(400, 56, f"{text} is not a legal date.") from None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    least = f"{zoned.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return lambda bug: bug[name] >= least


def _chart(name: str, operator: str, value: str) -> Test:
    """Return the test of a condition, as far as a client of this server has one."""
    match name, operator:
        case "bug_group", "isempty":
            return lambda bug: not bug["groups"]
        case "bug_id", "greaterthan":
            return lambda bug: bug["id"] > int(value)
        case "creation_ts", "lessthan":
            # The server compares texts of its own time zone, here UTC.
            return lambda bug: bug["creation_time"].replace("T", " ") < value.replace("T", " ")
    raise RefusedError(400, 108, f"The field name {name} is not valid here.")
