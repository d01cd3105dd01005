"""The kinds of hosts that issues are read from, and the addresses of what they have.

A further kind is an entry here and a folder of ``sources``: docs/guides/writing_a_source.md.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

from perf_assets.base.repository_names import split_name

_CLONED = re.compile(r"https://([^/@\s]+)/([^\s]+?)(?:\.git)?/?")


@dataclass(frozen=True)
class HostKind:
    """A kind of host, and the addresses of a project on it.

    Each address has ``{host}`` and ``{path}``, the name of the project there; an empty one is an
    address that the host does not have.

    fields_version, reviewed_version : of the fields that are read of an issue, and of a pull
        request (None if none is read). Raised when more is read: a run reads months again that an
        older version read less of.
    title : its name in sentences.
    host : the one that names without a host are on.
    api : base of the API.
    page : where people look at it.
    git : what to clone.
    lacks : columns of ``raw.issues`` that it says nothing of, which stay NULL.
    change, commit, file : what the pages of pull requests, commits and files begin with; a number
        follows, a SHA, and a SHA, a path and ``#L`` with a line.
    """

    title: str
    fields_version: int
    reviewed_version: int | None
    host: str
    api: str
    page: str
    git: str = ""
    change: str = ""
    commit: str = ""
    file: str = ""
    lacks: tuple[str, ...] = ()

    def address(self, which: str, name: str) -> str | None:
        """Return an address of the project called ``name``; None where the host has none such."""
        host, path = split_name(name)
        template: str = getattr(self, which)
        return template.format(host=host or self.host, path=quote(path)) or None


KINDS = {
    "github": HostKind(
        "GitHub",
        fields_version=5,
        reviewed_version=1,
        host="github.com",
        api="https://api.{host}",
        page="https://{host}/{path}",
        git="https://{host}/{path}.git",
        change="https://{host}/{path}/pull/",
        commit="https://{host}/{path}/commit/",
        file="https://{host}/{path}/blob/",
    ),
    "gitlab": HostKind(
        "GitLab",
        fields_version=1,
        reviewed_version=None,
        host="gitlab.com",
        api="https://{host}/api/v4",
        page="https://{host}/{path}",
        git="https://{host}/{path}.git",
        change="https://{host}/{path}/-/merge_requests/",
        commit="https://{host}/{path}/-/commit/",
        file="https://{host}/{path}/-/blob/",
        lacks=(
            *("author_association", "lock_reason"),
            *("laugh", "hooray", "confused", "heart", "rocket", "eyes"),
        ),
    ),
    "bugzilla": HostKind(
        "Bugzilla",
        fields_version=1,
        reviewed_version=None,
        host="bugzilla.mozilla.org",
        api="https://{host}/rest",
        page="https://{host}/",
        lacks=("author_type", "author_association", "lock_reason", "rocket", "eyes"),
    ),
}
"""The kinds of hosts, by the word that a study has for them and the folder that reads them."""


def kind_of(name: str) -> str | None:
    """Return the kind of host that the project called ``name`` is on, if its name tells.

    A name without a host is GitHub's. A host tells its kind by its first word, as
    ``gitlab.gnome.org`` does, or is the one that the kind is best known by.
    """
    host, _ = split_name(name)
    if host is None:
        return "github"
    known = {kind.host: word for word, kind in KINDS.items()}
    first = host.partition(".")[0]
    return known.get(host) or (first if first in KINDS else None)


def code_address(which: str, name: str, source: str, git: str) -> str | None:
    """Return what the pages of commits or files of a project begin with; None where nobody knows.

    Where its issues are on a host without code, the address that is cloned tells.
    """
    if address := KINDS[source].address(which, name):
        return address
    found = _CLONED.fullmatch(git)
    if found is None:
        return None
    host, path = found.groups()
    place = path if host == KINDS["github"].host else f"{host}/{path}"
    kind = kind_of(place)
    return KINDS[kind].address(which, place) if kind else None
