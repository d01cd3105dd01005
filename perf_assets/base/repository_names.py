"""Names of repositories on GitHub: ``owner/name``."""

import re

# Accounts have at most 39 characters. Those of managed users end with _shortcode.
# Source: https://docs.github.com/enterprise-cloud@latest/admin/managing-iam/iam-configuration-reference/username-considerations-for-external-authentication
OWNER = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}"
NAME = r"(?!\.{1,2}(?![A-Za-z0-9._-]))[A-Za-z0-9._-]{1,100}"
REPOSITORY = rf"{OWNER}/{NAME}"
"""A pattern for ``owner/name`` within a longer one; ``.`` and ``..`` are not names."""
_WHOLE = re.compile(REPOSITORY)
_COMMIT_URL = re.compile(
    rf"https?://[^/\s]+/(?:api/v3/)?repos/({REPOSITORY})/(?:git/)?commits/[0-9a-fA-F]+"
)


def is_repository_name(text: str) -> bool:
    """Return whether ``text`` can be the name of a repository on GitHub."""
    return _WHOLE.fullmatch(text) is not None


def repository_of_commit(url: object) -> str | None:
    """Return the repository of a commit from its address in GitHub's REST API.

    Servers of GitHub Enterprise have ``/api/v3`` before the path. None for any other text.
    """
    match = _COMMIT_URL.fullmatch(url) if isinstance(url, str) else None
    return match[1] if match else None
