"""Mail maps: entries of all forms, and git itself as the other implementation."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.core.people.mailmap import Mailmap
from tests.effort import examples

TEXT = """
# A comment <no@entry>
Jane Doe <jane@new.org>
<jane@new.org> <jane@OLD.org>
Jane Doe <jane@new.org> <jd@laptop.(none)>
Joe R. <joe@new.org> bugs <bugs@example.com>
Other <other@new.org> <bugs@example.com>
  indented <in@new.org>   <in@old.org>  # trailing
what is this
"""


@pytest.mark.parametrize(
    ("name", "email", "canonical"),
    [
        ("x", "jane@new.org", "jane@new.org"),
        ("x", "JANE@old.org", "jane@new.org"),
        ("x", "jd@laptop.(none)", "jane@new.org"),
        ("Bugs", "bugs@EXAMPLE.com", "joe@new.org"),
        ("joe", "bugs@example.com", "other@new.org"),
        (None, "bugs@example.com", "other@new.org"),
        ("x", "in@old.org", "in@new.org"),
        ("x", "Stranger@example.org", "stranger@example.org"),
    ],
)
def test_an_address_stands_for_another_by_each_form_of_entry(
    name: str | None, email: str, canonical: str
) -> None:
    assert Mailmap.parse(TEXT).canonical(name, email) == canonical


def test_a_map_of_hashes_says_the_same() -> None:
    hidden = Mailmap.parse(TEXT).hidden(lambda email: email.casefold()[::-1])
    assert hidden.canonical("bugs", "moc.elpmaxe@sgub") == "gro.wen@eoj"
    assert hidden.canonical("x", "gro.dlo@enaj") == "gro.wen@enaj"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bare")
    subprocess.run(["git", "init", "--quiet", "--bare", str(path)], check=True)
    return path


words = st.sampled_from(["Ann", "bo", "Ann Lee", ""])
emails = st.sampled_from(["a@x.org", "A@X.org", "b@x.org", "c@y.org"])
contacts = st.builds(lambda name, email: f"{name} <{email}>".strip(), words, emails)
entries = st.lists(contacts, min_size=1, max_size=2).map(" ".join)


@given(st.lists(entries, max_size=6), words.filter(bool), emails)
@settings(max_examples=examples(15), deadline=None)
def test_addresses_are_those_that_git_finds(
    bare: Path, lines: list[str], name: str, email: str
) -> None:
    text = "\n".join(lines)
    found = subprocess.run(
        ["git", "-c", "mailmap.file=/dev/stdin", "check-mailmap", f"{name} <{email}>"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        cwd=bare,
    )
    address = found.stdout.strip().rpartition("<")[2].removesuffix(">")
    assert Mailmap.parse(text).canonical(name, email) == address.casefold()
