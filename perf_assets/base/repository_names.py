"""Names of repositories: ``owner/name`` on GitHub, ``host/path`` elsewhere.

An owner on GitHub has no dot in its name, and a host has one, so that no name can be both.
"""

import re

# Accounts have at most 39 characters. Those of managed users end with _shortcode.
# Source: https://docs.github.com/enterprise-cloud@latest/admin/managing-iam/iam-configuration-reference/username-considerations-for-external-authentication
OWNER = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}"
NAME = r"(?!\.{1,2}(?![A-Za-z0-9._-]))[A-Za-z0-9._-]{1,100}"
REPOSITORY = rf"{OWNER}/{NAME}"
"""A pattern for ``owner/name`` within a longer one; ``.`` and ``..`` are not names."""
_WHOLE = re.compile(REPOSITORY)
HOST = r"(?=[A-Za-z0-9-]+\.)[A-Za-z0-9][A-Za-z0-9.-]{0,252}[A-Za-z0-9](?::[0-9]{1,5})?"
# A product and a component of Bugzilla have spaces, and signs that a path of GitLab has not.
_PART = r"(?!\.{1,2}(?:/|$))[^/\s|#<>\"\\`](?:[^/\x00-\x1f\x7f|#<>\"\\`]{0,98}[^/\s|#<>\"\\`])?"
_HOSTED = re.compile(rf"({HOST})/({_PART}(?:/{_PART}){{0,19}})")
_COMMIT_URL = re.compile(
    rf"https?://[^/\s]+/(?:api/v3/)?repos/({REPOSITORY})/(?:git/)?commits/[0-9a-fA-F]+"
)


def is_repository_name(text: str) -> bool:
    """Return whether ``text`` can be the name of a repository on GitHub."""
    return _WHOLE.fullmatch(text) is not None


def is_hosted_name(text: str) -> bool:
    """Return whether ``text`` can be a host and the name of a project there."""
    return _HOSTED.fullmatch(text) is not None


def split_name(name: str) -> tuple[str | None, str]:
    """Return the host that a name begins with, None for GitHub's, and the rest of the name."""
    host, slash, path = name.partition("/")
    return (host, path) if slash and "." in host else (None, name)


def forum_of(subject: str) -> str | None:
    """Return the forum in the name of a tag set, forum:label; None for a name of a repository.

    Only the latter has a slash; on Bugzilla it may have a colon too.
    """
    return None if "/" in subject else subject.partition(":")[0]


def repository_of_commit(url: object) -> str | None:
    """Return the repository of a commit from its address in GitHub's REST API.

    Servers of GitHub Enterprise have ``/api/v3`` before the path. None for any other text.
    """
    match = _COMMIT_URL.fullmatch(url) if isinstance(url, str) else None
    return match[1] if match else None
