"""Names of repositories, and the repository in the address of a commit."""

import pytest

from perf_assets.base.repository_names import is_repository_name, repository_of_commit

SHA = "0123456789abcdef" * 2 + "01234567"


@pytest.mark.parametrize(
    "name", ["o/n", "mona-cat_octo/hello.world", "octo_admin/x", "A" * 39 + "/" + "n" * 100, "a/.x"]
)
def test_accepts_names_that_github_has(name: str) -> None:
    assert is_repository_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "o",
        "o/n/x",
        "/n",
        "o/",
        "_o/n",
        "-o/n",
        "o/.",
        "o/..",
        "A" * 40 + "/n",
        "o/a b",
        "o\n/n",
        "",
    ],
)
def test_rejects_names_that_github_has_not(name: str) -> None:
    assert not is_repository_name(name)


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        (f"https://api.github.com/repos/other/name/commits/{SHA}", "other/name"),
        (f"https://api.github.com/repos/mona_octo/name.js/git/commits/{SHA}", "mona_octo/name.js"),
        (f"https://github.example.org/api/v3/repos/other/name/commits/{SHA}", "other/name"),
        (f"http://localhost:3000/api/v3/repos/other/name/commits/{SHA}", "other/name"),
        (f"https://api.github.com/repositories/5/commits/{SHA}", None),
        (f"https://api.github.com/repos/other/../commits/{SHA}", None),
        ("https://api.github.com/repos/other/name/pulls/5", None),
        ("", None),
        (None, None),
        (5, None),
    ],
)
def test_reads_the_repository_of_a_commit_from_its_address(
    url: object, repository: str | None
) -> None:
    assert repository_of_commit(url) == repository
