"""Histories of commits by chance, for tests of what reads them."""

from hypothesis import strategies as st

from tests.git_repositories import (
    BINARY,
    EXECUTABLE,
    FILE,
    LINK,
    OTHER_COMMIT,
    SOME_COMMIT,
    SUBMODULE,
    Made,
)

PATHS = (b"a", b"b", b"d/a", b".github/ISSUE_TEMPLATE.md", b"docs/Issue_Template/x.md")
ODD_PATHS = (
    b"a",
    b"b",
    b"d/a",
    b"caf\xe9",
    't\ta "b"\né'.encode(),
    b"x b/x",
    b"c d",
    b"+ e",
    b"sub",
)
LINES = (b"a\n", b"b\n", b"c\n", b"same\n" * 9)
ODD_LINES = (
    *LINES,
    b"crlf\r\n",
    b"+ plus\n",
    b"-- \n",
    b"\r",
    b"caf\xe9\n",
    b"no end",
    b"@@ -1 +1 @@\n",
)
MESSAGES = (
    (b"message", None),
    (b"", None),
    (b" \n\n", None),
    ("Übergrößenträger 雪\n\nbody \r\n".encode(), None),
    ("déjà vu".encode("latin-1"), None),
    ("déjà vu".encode("latin-1"), b"ISO-8859-1"),
    ("雪".encode("euc-jp"), b"EUC-JP"),
    ("é".encode(), b"klingon-8"),
)
AUTHORS = (
    "A U Thor <author@example.org>",
    "Ünal 雪 <Author@Example.org>",
    "7 <7+ada@users.noreply.github.com>",
    "Nobody <>",
)


def blobs(lines):
    """Files and links, empty, binary and of ``lines``."""
    texts = st.lists(st.sampled_from(lines), max_size=6).map(b"".join)
    kinds = st.sampled_from([FILE, EXECUTABLE, LINK])
    return st.tuples(kinds, texts | st.just(BINARY)).filter(
        lambda blob: blob[0] != LINK or b"\0" not in blob[1]
    )


def trees(paths, lines):
    """Files, links and submodules at some of ``paths``."""
    submodules = st.tuples(st.just(SUBMODULE), st.sampled_from([SOME_COMMIT, OTHER_COMMIT]))
    return st.dictionaries(st.sampled_from(paths), blobs(lines) | submodules, max_size=4)


@st.composite
def histories(draw, paths=PATHS, lines=LINES, messages=MESSAGES[:1], authors=AUTHORS[:1]):
    """Commits with roots, merges and octopuses, in which files change, move and are copied."""
    made = []
    for number in range(draw(st.integers(1, 9))):
        earlier = st.integers(0, number - 1) if number else st.nothing()
        parents = draw(st.lists(earlier, max_size=3, unique=True)) if number else []
        previous = made[parents[0]].files if parents else {}
        files = {**previous, **draw(trees(paths, lines))}
        for path in draw(st.sets(st.sampled_from(paths), max_size=2)):
            moved = files.pop(path, None)
            if moved is not None and draw(st.booleans()):
                files[draw(st.sampled_from(paths))] = moved
        when = f"{draw(st.integers(0, 9)) * 1_000_000 + 1_400_000_000} +0000"
        message, encoding = draw(st.sampled_from(messages))
        author = draw(st.sampled_from(authors))
        made.append(Made(files, parents, message, when, encoding, author=author))
    return made


def odd_histories():
    """Histories whose paths, lines, messages and authors are unusual too."""
    return histories(ODD_PATHS, ODD_LINES, MESSAGES, AUTHORS)
