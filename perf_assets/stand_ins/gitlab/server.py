"""The server: projects by path or id, their lists with pages, filters and totals.

Anyone may read: the server does not see the header PRIVATE-TOKEN.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from perf_assets.base.corpus import Corpus, Record
from perf_assets.stand_ins.gitlab.project import Project
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply, json_reply

VERSION = "/api/v4"
PER_PAGE, LARGEST_PAGE = 20, 100
MOST_COUNTED = 10_000
BOUNDS = {
    "created_after": ("created_at", 1),
    "created_before": ("created_at", -1),
    "updated_after": ("updated_at", 1),
    "updated_before": ("updated_at", -1),
}
"""The field that a bound is about, and whether it is the lowest or the highest; both included."""
ORDERS = ("created_at", "updated_at")
ADDRESSES = {
    "notes": Project.notes,
    "resource_state_events": Project.state_events,
    "resource_label_events": Project.label_events,
    "closed_by": Project.closing,
    "related_merge_requests": Project.related,
}


@dataclass(frozen=True)
class Request:
    """A line of the server's log."""

    path: str
    parameters: Mapping[str, str]
    status: int = 200


class GitLabServer(LoopbackServer):
    """Serves corpora as GitLab would; ``requests`` is the log, oldest first."""

    def __init__(self, corpora: Iterable[Corpus], port: int = 0) -> None:
        """Prepare the server without listening."""
        super().__init__(port)
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self.replace(corpora)

    @property
    def url(self) -> str:
        """The base URL of the API."""
        return f"{super().url}{VERSION}"

    def replace(self, corpora: Iterable[Corpus]) -> None:
        """Serve ``corpora`` from the next request on."""
        projects = [Project(corpus) for corpus in corpora]
        self._projects = {
            key: project
            for project in projects
            for key in (project.path.casefold(), str(project.id))
        }
        self._former = {
            name.casefold(): project for project in projects for name in project.corpus.former_names
        }

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        """Return the reply to a request, which is logged."""
        parts = urlsplit(target)
        log = Request(parts.path, dict(parse_qsl(parts.query)))
        reply = self.respond(log) if method == "GET" else message(405, "405 Not Allowed")
        with self._lock:
            self.requests.append(replace(log, status=reply.status))
        return reply

    def respond(self, log: Request) -> Reply:
        """Return the reply to a request."""
        path = log.path.removeprefix(VERSION).strip("/")
        if path == "version" and log.path.startswith(VERSION):
            return json_reply(200, {"version": "18.5.0-ee", "revision": "0123456789a"})
        head, _, rest = path.partition("/")
        name, _, below = rest.partition("/")
        if head != "projects" or not log.path.startswith(VERSION):
            return message(404, "404 Not Found")
        project = self._projects.get(unquote(name).casefold())
        former = self._former.get(unquote(name).casefold())
        if project is None and former is not None:
            place = "/".join(filter(None, (f"{self.url}/projects/{former.id}", below)))
            return self._moved(place, log.parameters)
        if project is None:
            return message(404, "404 Project Not Found")
        try:
            return self._of_project(project, below, log)
        except ValueError as error:
            return json_reply(400, {"error": f"{error} is invalid"})

    def _of_project(self, project: Project, below: str, log: Request) -> Reply:
        match below:
            case "":
                return json_reply(200, project.own)
            case "issues":
                return self._page(selected(project.issues, log.parameters), log)
            case "issues_statistics":
                return json_reply(200, statistics(selected(project.issues, log.parameters)))
        head, _, rest = below.partition("/")
        number, _, part = rest.partition("/")
        issue = project.issue(int(number)) if head == "issues" and number.isdecimal() else None
        if issue is None or (part and part not in ADDRESSES):
            return message(404, "404 Not found")
        return self._of_issue(project, issue, part, log)

    def _of_issue(self, project: Project, issue: Record, part: str, log: Request) -> Reply:
        if not part:
            return json_reply(200, issue)
        found = ADDRESSES[part](project, issue["iid"])
        if part != "notes":
            return self._page(found, log)
        found = in_order(found, log.parameters)
        if log.parameters.get("activity_filter") == "only_activity":
            found = [note for note in found if note["system"]]
        # What an account may not read is left out of its page, and not replaced.
        return self._page(found, log, lambda note: not note["internal"])

    def _page(
        self, found: list[Record], log: Request, may_read: Callable[[Record], bool] | None = None
    ) -> Reply:
        """Return a page of a list, with the headers about the others."""
        size = min(_positive(log.parameters, "per_page", PER_PAGE), LARGEST_PAGE)
        page = _positive(log.parameters, "page", 1)
        last = max(1, -(-len(found) // size))
        places = {"prev": page - 1, "next": page + 1, "first": 1, "last": last}
        usual = {name: place for name, place in places.items() if 1 <= place <= last}
        headers = {
            "X-Per-Page": str(size),
            "X-Page": str(page),
            "X-Prev-Page": str(usual.get("prev", "")),
            "X-Next-Page": str(usual.get("next", "")),
        }
        if len(found) <= MOST_COUNTED:
            headers |= {"X-Total": str(len(found)), "X-Total-Pages": str(last)}
        else:
            usual.pop("last")
        base = self.url.removesuffix(VERSION) + log.path
        headers["Link"] = ", ".join(
            f'<{base}?{urlencode({**log.parameters, "page": place})}>; rel="{name}"'
            for name, place in usual.items()
        )
        entries = found[(page - 1) * size : page * size]
        return json_reply(200, [e for e in entries if may_read is None or may_read(e)], headers)

    def _moved(self, address: str, parameters: Mapping[str, str]) -> Reply:
        target = f"{address}?{urlencode(parameters)}" if parameters else address
        text = f"This resource has been moved permanently to {target}"
        return Reply(301, text.encode(), {"Location": target}, "text/plain")


def selected(issues: list[Record], parameters: Mapping[str, str]) -> list[Record]:
    """Return the issues that the parameters choose, in their order.

    Raises
    ------
    ValueError
        A parameter has a value that it cannot have.
    """
    found = issues
    if (state := parameters.get("state", "all")) != "all":
        found = [issue for issue in found if issue["state"] == state]
    if (confidential := parameters.get("confidential")) is not None:
        if confidential not in ("true", "false"):
            raise ValueError("confidential")
        found = [issue for issue in found if issue["confidential"] == (confidential == "true")]
    for name, (field, sign) in BOUNDS.items():
        if name in parameters:
            bound = _moment(parameters[name], name)
            found = [issue for issue in found if sign * (_moment(issue[field], field) - bound) >= 0]
    return in_order(found, parameters)


def in_order(entries: list[Record], parameters: Mapping[str, str]) -> list[Record]:
    """Return the entries in the order that is asked for; the usual one is newest first."""
    field, sort = parameters.get("order_by", "created_at"), parameters.get("sort", "desc")
    if field not in ORDERS or sort not in ("asc", "desc"):
        raise ValueError("order_by" if field not in ORDERS else "sort")
    return sorted(entries, key=lambda entry: (entry[field], entry["id"]), reverse=sort == "desc")


def statistics(issues: list[Record]) -> Record:
    """Return the numbers of issues by their state."""
    opened = sum(issue["state"] == "opened" for issue in issues)
    counts = {"all": len(issues), "closed": len(issues) - opened, "opened": opened}
    return {"statistics": {"counts": counts}}


def message(status: int, text: str) -> Reply:
    """Return a refusal in the form of the API's errors."""
    return json_reply(status, {"message": text})


def _positive(parameters: Mapping[str, str], name: str, default: int) -> int:
    text = parameters.get(name, str(default))
    if not text.isdecimal() or not int(text):
        raise ValueError(name)
    return int(text)


def _moment(text: str, name: str) -> float:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).timestamp()
    except ValueError:
        raise ValueError(name) from None
