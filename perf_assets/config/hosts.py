"""The kinds of hosts that issues are read from, and the addresses of what they have.

A further kind is an entry here and a folder of ``sources``: docs/guides/writing_a_source.md.
"""

from dataclasses import dataclass
from urllib.parse import quote

from perf_assets.base.repository_names import split_name


@dataclass(frozen=True)
class HostKind:
    """A kind of host: the addresses of a project on it.

    Each address has ``{host}`` and ``{path}``, the name of the project there; an empty one is an
    address that the host does not have.

    fields_version, reviewed_version : of the fields that are read of an issue, and of a pull
        request (None if none is read). Raised when more is read: a run reads months again that an
        older version read less of.
    title : its name in sentences.
    host : the one that names without a host are on.
    api : base of the API.
    git : what to clone.
    issue, change, commit, file : pages of an issue and a pull request by ``{number}``, of a commit
        by ``{sha}``, and of a ``{line}`` of a ``{file}`` in it.
    """

    title: str
    fields_version: int
    reviewed_version: int | None
    host: str
    api: str
    git: str = ""
    issue: str = ""
    change: str = ""
    commit: str = ""
    file: str = ""

    def address(self, which: str, name: str, **parts: object) -> str | None:
        """Return an address of the project called ``name``; None where the host has none such."""
        host, path = split_name(name)
        template: str = getattr(self, which)
        values = {"host": host or self.host, "path": quote(path), **parts}
        return template.format(**values) if template else None


KINDS = {
    "github": HostKind(
        "GitHub",
        fields_version=5,
        reviewed_version=1,
        host="github.com",
        api="https://api.{host}",
        git="https://{host}/{path}.git",
        issue="https://{host}/{path}/issues/{number}",
        change="https://{host}/{path}/pull/{number}",
        commit="https://{host}/{path}/commit/{sha}",
        file="https://{host}/{path}/blob/{sha}/{file}#L{line}",
    ),
    "gitlab": HostKind(
        "GitLab",
        fields_version=1,
        reviewed_version=None,
        host="gitlab.com",
        api="https://{host}/api/v4",
        git="https://{host}/{path}.git",
        issue="https://{host}/{path}/-/issues/{number}",
        change="https://{host}/{path}/-/merge_requests/{number}",
        commit="https://{host}/{path}/-/commit/{sha}",
        file="https://{host}/{path}/-/blob/{sha}/{file}#L{line}",
    ),
    "bugzilla": HostKind(
        "Bugzilla",
        fields_version=1,
        reviewed_version=None,
        host="bugzilla.mozilla.org",
        api="https://{host}/rest",
        issue="https://{host}/show_bug.cgi?id={number}",
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
