"""Write a summary as a comment on an issue, in place of the comment of the last run.

comment.py ISSUE NAME SUMMARY, in a job of GitHub Actions; the token is in GITHUB_TOKEN.
"""

import json
import os
import re
import sys
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

AUTHOR = "github-actions[bot]"  # whom the token of a job speaks for: others' comments stay
LONGEST = 65_000  # characters; GitHub refuses a comment above 65,536
MOST_PAGES = 100  # of 100 comments


class _NoRedirects(HTTPRedirectHandler):
    """Raise an error for a redirection, because the other host would get the token."""

    def redirect_request(self, *_: object) -> None:
        return None


def write_comment(api: str, issue: str, name: str, summary: str, token: str) -> None:
    """Create the comment of the study ``name``, or replace its text.

    api : address of the repository in GitHub's API.
    issue : number of the issue.

    Raises
    ------
    ValueError
        The number or the name is not one.
    HTTPError, OSError
        GitHub refuses a request or cannot be reached.
    """
    if not re.fullmatch(r"[0-9]{1,18}", issue):
        raise ValueError(f"issue: {issue!r} is not the number of an issue")
    if not re.fullmatch(r"[\w. -]{1,100}", name, re.ASCII):
        raise ValueError(f"name: {name!r} has characters other than letters, digits, '.', '_', '-'")
    mark = f"<!-- perf-assets: {name} -->"
    body = {"body": f"{mark}\n{summary}"[:LONGEST]}
    comments = f"{api}/issues/{issue}/comments"
    for page in range(1, MOST_PAGES + 1):
        found = _request("GET", f"{comments}?per_page=100&page={page}", token)
        for comment in found:
            if (comment.get("user") or {}).get("login") == AUTHOR and (
                (comment.get("body") or "").startswith(mark)
            ):
                _request("PATCH", f"{api}/issues/comments/{int(comment['id'])}", token, body)
                return
        if len(found) < 100:
            break
    _request("POST", comments, token, body)


def _request(
    method: str, address: str, token: str, content: dict[str, str] | None = None
) -> list[dict]:  # type: ignore[type-arg]
    request = Request(
        address,
        method=method,
        data=json.dumps(content).encode() if content else None,
        headers={
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "User-Agent": "perf-assets",
        },
    )
    with build_opener(_NoRedirects).open(request, timeout=60) as response:
        answer = json.load(response)
    return answer if isinstance(answer, list) else [answer]


def main() -> None:
    """Read arguments and the variables of the runner; end with one sentence on an error."""
    issue, name, summary = sys.argv[1:]
    variables = os.environ
    api = f"{variables['GITHUB_API_URL']}/repos/{variables['GITHUB_REPOSITORY']}"
    text = Path(summary).read_text(encoding="utf-8")
    try:
        write_comment(api, issue, name, text, variables["GITHUB_TOKEN"])
    except HTTPError as error:
        sys.exit(
            f"The comment on issue {issue} was not written: GitHub answered {error.code} "
            f"{error.reason}. The job needs 'permissions: issues: write'."
        )
    except (ValueError, OSError, HTTPException) as error:
        sys.exit(f"The comment was not written: {error}")


if __name__ == "__main__":
    main()
