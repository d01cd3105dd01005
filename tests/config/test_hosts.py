"""Names of repositories with their hosts, and what follows from them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from perf_assets.base.repository_names import (
    forum_of,
    is_hosted_name,
    is_repository_name,
    split_name,
)
from perf_assets.config.repositories import Repository


def repository(name: str, **keys: Any) -> Repository:
    return Repository(**{"name": name, "start": "2020-01", **keys})


@pytest.mark.parametrize(
    ("name", "source", "api", "git"),
    [
        ("o/n", "github", "https://api.github.com", "https://github.com/o/n.git"),
        (
            *("gitlab.com/g/sub/p", "gitlab"),
            *("https://gitlab.com/api/v4", "https://gitlab.com/g/sub/p.git"),
        ),
        (
            *("gitlab.gnome.org/GNOME/gtk", "gitlab"),
            *("https://gitlab.gnome.org/api/v4", "https://gitlab.gnome.org/GNOME/gtk.git"),
        ),
        (
            *("bugzilla.mozilla.org/Core/JavaScript Engine: JIT", "bugzilla"),
            *("https://bugzilla.mozilla.org/rest", ""),
        ),
        ("bugzilla.kernel.org/IO/Storage", "bugzilla", "https://bugzilla.kernel.org/rest", ""),
    ],
)
def test_a_name_says_what_its_host_is(name: str, source: str, api: str, git: str) -> None:
    found = repository(name)
    assert (found.source, found.api, found.git) == (source, api, git)


def test_a_host_that_does_not_say_what_it_is_has_to_be_told() -> None:
    with pytest.raises(ValidationError, match=r"git\.example\.org does not say what runs there"):
        repository("git.example.org/g/p")
    own = repository("git.example.org/g/p", source="gitlab", api_url="https://git.example.org/x")
    assert own.api == "https://git.example.org/x"


@pytest.mark.parametrize(
    ("name", "keys", "sentence"),
    [
        ("o/n", {"source": "gitlab"}, "begins with its host"),
        ("gitlab.com/g/p", {"source": "github"}, "begins with its host"),
        ("o/n", {"source": "svn"}, "issues are read from one of github, gitlab, bugzilla"),
        ("o/n", {"api_url": "https://x.org"}, "api_url for one elsewhere"),
        ("gitlab.com/g/p", {"github_url": "https://x.org"}, "api_url for one elsewhere"),
    ],
)
def test_a_name_and_what_is_said_of_it_fit_together(
    name: str, keys: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ValidationError, match=sentence):
        repository(name, **keys)


@pytest.mark.parametrize(
    "name",
    [
        *("gitlab.com", "gitlab.com/", "gitlab.com/../x", "gitlab.com/a//b", "gitlab.com/a/./b"),
        *("gitlab.com/a|b", "gitlab.com/a\nb", " gitlab.com/a", "gitlab.com/a ", "a b.com/x"),
        *("gitlab.com/a#1", "-.com/x", "gitlab.com/" + "a" * 200, "a/b/c", "localhost/x/y"),
    ],
)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        repository(name)


@given(st.text(max_size=40))
def test_no_name_is_of_two_hosts_and_none_is_a_tag_set(text: str) -> None:
    assert not (is_repository_name(text) and is_hosted_name(text))
    if is_repository_name(text) or is_hosted_name(text):
        assert forum_of(text) is None
        host, path = split_name(text)
        assert text == (path if host is None else f"{host}/{path}")
        assert (host is not None) == is_hosted_name(text)


def test_the_code_of_a_bugzilla_is_where_it_is_cloned_from() -> None:
    cloned = "https://github.com/mozilla-firefox/firefox.git"
    found = repository("bugzilla.mozilla.org/Core/Layout", git=cloned)
    assert found.code_address("commit") == "https://github.com/mozilla-firefox/firefox/commit/"
    elsewhere = repository("bugzilla.mozilla.org/Core/Layout", git="https://hg.example.org/x")
    assert elsewhere.code_address("commit") is None
