"""Single commits looked at closely: what SZZ traces, what PyDriller finds, what both must bear."""

import hashlib
import signal
import stat
import sys
import time
from pathlib import Path

import pydriller
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.git import changed_files, inspection_worker
from perf_assets.sources.git.changed_files import ChangedFile, too_large
from perf_assets.sources.git.inspection import CommitInspection, inspect_commits
from perf_assets.sources.git.inspection_worker import Inspected, inspect
from perf_assets.sources.git.szz import removed_lines
from perf_assets.sources.git.szz.introducing import Trace, trace_by_blame
from perf_assets.sources.git.szz.line_history import LineHistory
from tests.effort import examples
from tests.git_repositories import (
    BINARY,
    FILE,
    LINK,
    OTHER_COMMIT,
    SOME_COMMIT,
    SUBMODULE,
    Made,
    git,
    make,
)

pytestmark = pytest.mark.slow


def history(path: Path, *versions: dict[str | bytes, object], **changes: object) -> list[str]:
    """One commit a version (path → text, or mode and content), each an hour after the other."""
    commits = []
    for number, version in enumerate(versions):
        files = {
            name.encode() if isinstance(name, str) else name: content
            if isinstance(content, tuple)
            else (FILE, content if isinstance(content, bytes) else str(content).encode())
            for name, content in version.items()
        }
        when = f"{1_500_000_000 + 3600 * number} +0000"
        commits.append(Made(files, [number - 1] if number else [], when=when, **changes))
    return make(path, commits)


def inspected(path: Path, sha: str) -> Inspected:
    (found,) = inspect(path, [sha])
    return found


def traced(path: Path, sha: str) -> Trace:
    """As git's own blame traces it, and as the history does."""
    fixes = [(sha, inspected(path, sha).removed)]
    (trace,) = trace_by_blame(path, fixes)
    assert LineHistory(path, [sha]).trace(fixes) == [trace]
    return trace


def origins(path: Path, sha: str) -> set[tuple[str, str, int]]:
    return {(file, origin, lines) for file, origin, _, _, lines in traced(path, sha).introducing}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tmp_path / "source.git"


BLOCK = "".join(f"    total_{n} = accumulate(weights[{n}], total_{n})\n" for n in range(6))


# ---- SZZ


def test_the_removed_lines_of_a_fix_lead_to_the_commits_that_wrote_them(repository: Path) -> None:
    """White space, a rename, remarks and blanks on the way do not: worked out by hand."""
    first, second, *_, fix = history(
        repository,
        {"a.py": "alpha(1)\nbeta(2)\n# a remark\n\ngamma(3)\n"},
        {"a.py": "alpha(1)\nbeta(22)\n# a remark\n\ngamma(3)\n"},
        {"a.py": "if x:\n    alpha(1)\nbeta(22)\n# a remark\n\ngamma(3)\n"},
        {"b.py": "if x:\n    alpha(1)\nbeta(22)\n# a remark\n\ngamma(3)\n"},
        {"b.py": "if x:\n    delta(4)\ngamma(3)\nepsilon(5)\n"},
    )
    assert origins(repository, fix) == {("b.py", first, 1), ("b.py", second, 1)}
    found = traced(repository, fix)
    assert (found.removed_lines, found.problem) == (2, None)
    assert {when for _, _, when, _, _ in found.introducing} == {1_500_000_000, 1_500_003_600}


def test_moved_code_is_followed_to_its_author(repository: Path) -> None:
    first, _, fix = history(
        repository,
        {"a.py": f"start()\n{BLOCK}stop()\n", "b.py": "other()\n" * 3},
        {"a.py": "start()\nstop()\n", "b.py": "other()\n" * 3 + BLOCK},
        {"a.py": "start()\nstop()\n", "b.py": "other()\n" * 3 + BLOCK.replace("weights[3]", "w")},
    )
    assert origins(repository, fix) == {("b.py", first, 1)}


def test_a_fix_that_moves_code_takes_none_of_it_away(repository: Path) -> None:
    *_, fix = history(
        repository,
        {"a.py": f"start()\n{BLOCK}stop()\n", "b.py": "other()\n" * 3},
        {"a.py": "start()\nstop()\n", "b.py": "other()\n" * 3 + BLOCK},
    )
    assert traced(repository, fix) == Trace(0, [], None)


def test_tests_and_texts_are_not_traced(repository: Path) -> None:
    *_, fix = history(
        repository,
        {"tests/test_a.py": "one()\n", "README.md": "one\n", "run": "one\n", "a.py": "one()\n"},
        {"tests/test_a.py": "two()\n", "README.md": "two\n", "run": "two\n", "a.py": "two()\n"},
    )
    assert {path for path, *_ in origins(repository, fix)} == {"a.py"}
    assert traced(repository, fix).removed_lines == 1


def test_a_line_that_a_merge_wrote_is_attributed_to_the_merge(repository: Path) -> None:
    versions = ("one()\ntwo()\n", "one()\nside()\n", "main()\ntwo()\n", "main()\nby_merge()\n")
    made = [Made({b"a.py": (FILE, text.encode())}) for text in versions]
    for commit, parents in zip(made, ([], [0], [0], [2, 1]), strict=True):
        commit.parents = parents
    fix = Made({b"a.py": (FILE, b"done()\n")}, [3])
    shas = make(repository, [*made, fix])
    found = {(sha, is_merge) for _, sha, _, is_merge, _ in traced(repository, shas[4]).introducing}
    assert found == {(shas[2], False), (shas[3], True)}


def test_odd_files_of_a_fix_are_borne(repository: Path) -> None:
    odd = b"src/caf\xe9.py"
    before = {
        "gone.py": "one()\ntwo()\n",
        "latin.py": b"name = '\xe9'\nother()\n",
        odd: "one()\n",
        "logo.png": BINARY,
        "blob.py": BINARY,
        "lib.js": (SUBMODULE, SOME_COMMIT),
        "link.py": (LINK, b"gone.py"),
        "becomes.py": "one()\n",
        "a\tb\n.py": "one()\n",
    }
    after = {
        "latin.py": b"name = '\xe8'\nother()\n",
        odd: "two()\n",
        "logo.png": BINARY + b"\0",
        "blob.py": BINARY + b"\0",
        "lib.js": (SUBMODULE, OTHER_COMMIT),
        "link.py": (LINK, b"latin.py"),
        "becomes.py": (LINK, b"latin.py"),
        "a\tb\n.py": "two()\n",
    }
    root, fix = history(repository, before, after)
    (found,) = inspect_commits(repository, [fix])
    assert found.problem is None and found.trace.problem is None
    traced_paths = {path for path, sha, *_ in found.trace.introducing if sha == root}
    assert traced_paths == {"gone.py", "latin.py", "src/caf\\xe9.py", "becomes.py", "a\tb\n.py"}


def test_a_root_takes_nothing_away(repository: Path) -> None:
    (root,) = history(repository, {"a.py": "def f(x):\n    return x\n"})
    (found,) = inspect_commits(repository, [root])
    assert found.trace == Trace(0, [], None)
    assert found.details is not None
    assert found.details["changed_methods"] == ["a.py::f( x )"]


def test_a_fix_that_rewrites_the_code_is_not_traced(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"step({n})\n" for n in range(6))
    *_, fix = history(repository, {"a.py": text}, {"a.py": "done()\n"})
    monkeypatch.setattr(removed_lines, "MOST_LINES", 5)
    assert traced(repository, fix) == Trace(problem="it removes more than 5 lines of code")
    monkeypatch.setattr(changed_files, "LARGEST_FILE", 40)
    assert traced(repository, fix).problem == "a.py is larger than 40 bytes"


LINES = st.lists(st.integers(0, 30), min_size=1, max_size=12)


@settings(max_examples=examples(8))
@given(versions=st.lists(LINES, min_size=2, max_size=5))
def test_what_is_traced_is_what_pydriller_traces(
    tmp_path_factory: pytest.TempPathFactory, versions: list[list[int]]
) -> None:
    """Where nothing was moved, as PyDriller's git blame does not look for that."""
    repository = tmp_path_factory.mktemp("traced") / "source.git"
    texts = [
        "".join(f"v{number}_{n} = f({number * 31 % 97})\n" for n in lines)
        for number, lines in enumerate(versions)
    ]
    merged = [texts[0]]
    for text in texts[1:]:
        kept = merged[-1].splitlines(keepends=True)[::2]
        merged.append("".join(kept) + text)
    shas = history(repository, *({"a.py": text} for text in merged))
    theirs = pydriller.Git(str(repository))
    for sha in shas[1:]:
        found = theirs.get_commits_last_modified_lines(theirs.get_commit(sha))
        expected = {(path, origin) for path, origins in found.items() for origin in origins}
        assert {(path, origin) for path, origin, _ in origins(repository, sha)} == expected


# ---- PyDriller's details

SHORT = "def short(x):\n    return x\n"
BRANCHY = "def branchy(x):\n" + "".join(f"    if x == {n}:\n        return {n}\n" for n in range(7))


def test_details_of_a_commit_are_worked_out_by_hand(repository: Path) -> None:
    _, fix = history(
        repository,
        {"a.py": SHORT, "notes.md": "one\n"},
        {"a.py": SHORT.replace("return x", "return -x") + BRANCHY, "notes.md": "two\n"},
    )
    (found,) = inspect_commits(repository, [fix])
    assert found.details == {
        "analysed_files": 1,
        "changed_methods": ["a.py::branchy( x )", "a.py::short( x )"],
        "methods_changed": 2,
        "nloc": 17,
        "complexity": 9,
        "complexity_change": 8,
        # 15 lines of a method that is long enough to be at the limit, but too complex.
        "dmm_unit_size": 1.0,
        "dmm_unit_complexity": 0.0,
        "dmm_unit_interfacing": 1.0,
    }


def test_details_are_those_of_pydriller_itself(repository: Path) -> None:
    shas = history(
        repository,
        {"a.py": SHORT},
        {"a.py": SHORT + BRANCHY},
        {"a.py": BRANCHY.replace("7", "8"), "b.cc": "int f(int a) { return a ? 1 : 2; }\n"},
        {"c.py": BRANCHY.replace("7", "8") + "\n"},
        {"c.py": SHORT},
    )
    theirs = pydriller.Git(str(repository))
    for found in inspect_commits(repository, shas):
        commit = theirs.get_commit(found.sha)
        details = found.details
        assert details is not None
        files = commit.modified_files
        assert details["methods_changed"] == sum(len(file.changed_methods) for file in files)
        assert details["nloc"] == sum(file.nloc or 0 for file in files)
        assert details["complexity"] == sum(file.complexity or 0 for file in files)
        for name in ("dmm_unit_size", "dmm_unit_complexity", "dmm_unit_interfacing"):
            assert details[name] == getattr(commit, name)


def test_a_commit_without_code_has_no_complexity(repository: Path) -> None:
    _, fix = history(repository, {"a.md": "one\n"}, {"a.md": "two\n"})
    (found,) = inspect_commits(repository, [fix])
    assert found.details is not None
    assert (found.details["methods_changed"], found.details["analysed_files"]) == (0, 0)
    assert found.details["nloc"] is found.details["complexity_change"] is None


def test_large_files_are_not_analysed() -> None:
    def file(size: int) -> ChangedFile:
        return ChangedFile("a.py", "a.py", "1", "2", size, size)

    assert too_large([file(1_000_000)]) is None
    assert too_large([file(1_000_001)]) == "a.py is larger than 1,000,000 bytes"
    assert too_large([file(900_000)] * 5) == "its files are larger than 8,000,000 bytes together"


# ---- the pool


def digest(directory: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(directory.rglob("*")):
        total.update(str(path).encode() + (path.read_bytes() if path.is_file() else b""))
    return total.hexdigest()


def test_a_clone_stays_as_it_was_to_the_last_byte_whatever_the_surroundings_say(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [SHORT.replace("x", f"x{n}") + "\t# remark\n" * n for n in range(30)]
    shas = history(repository, *({"a.py": text} for text in texts))
    git(repository, "config", "diff.algorithm", "patience")
    before = digest(repository)
    plain = list(inspect_commits(repository, shas))
    assert digest(repository) == before
    assert [one.sha for one in plain] == shas
    assert all(one.problem is None and one.trace.problem is None for one in plain)
    (tmp_path / ".gitconfig").write_text(
        "[diff]\n\tnoprefix = true\n\texternal = false\n[color]\n\tui = always\n"
        "[blame]\n\tignoreRevsFile = nowhere\n[core]\n\tattributesFile = ~/attributes\n"
    )
    (tmp_path / "attributes").write_text("*.py -diff\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert list(inspect_commits(repository, shas)) == plain


def test_an_error_in_one_commit_is_its_reason(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, fix = history(repository, {"a.py": "one()\n"}, {"a.py": "two()\n"})

    def fail(*arguments: object) -> None:
        raise RecursionError("too deep\nfor me")

    monkeypatch.setattr(inspection_worker, "removed_code", fail)
    found = inspected(repository, fix)
    assert found.details is not None and found.problem is None
    assert found.removed.problem == "RecursionError: too deep"


def test_an_analysis_that_does_not_end_is_ended(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, fix = history(repository, {"a.py": "one()\n"}, {"a.py": "two()\n"})

    def forever(*arguments: object) -> None:
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue

    monkeypatch.setattr(inspection_worker, "removed_code", forever)
    monkeypatch.setattr(inspection_worker, "TIME_LIMIT", 0.5)
    assert inspected(repository, fix).removed.problem == "it takes longer than 0 seconds"
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_commit_that_takes_its_process_down_is_reported_and_the_others_go_on(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shas = history(repository, *({"a.py": f"step({n})\n"} for n in range(5)))
    program = tmp_path / "python"
    program.write_text(
        f"#!{sys.executable}\n"
        "import json, os, sys\n"
        "from dataclasses import asdict\n"
        "from perf_assets.sources.git.inspection_worker import Inspected\n"
        "for line in sys.stdin:\n"
        f"    if line.strip() == {shas[2]!r}: os.kill(os.getpid(), 9)\n"
        "    print(json.dumps(asdict(Inspected(line.strip(), {}))), flush=True)\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(program))
    found = list(inspect_commits(repository, shas))
    reason = "the process that analysed it was stopped by signal 9"
    assert [one.sha for one in found] == shas
    assert found[2] == CommitInspection(shas[2], problem=reason, trace=Trace(problem=reason))
    assert all(one.details == {} for one in found if one.sha != shas[2])


def test_a_process_that_cannot_work_is_not_a_fault_of_the_commit(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shas = history(repository, {"a.py": "one()\n"})
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 'error: no module called pydriller' >&2\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(PerfAssetsError, match="no module called pydriller"):
        list(inspect_commits(repository, shas))


def test_a_commit_that_the_clone_lacks_is_a_damaged_clone(repository: Path) -> None:
    history(repository, {"a.py": "one()\n"})
    with pytest.raises(PerfAssetsError, match=r"commit f{40} is not there"):
        list(inspect_commits(repository, ["f" * 40]))
