"""check: what a person at a terminal, a hook and a CI see of static checks."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perf_assets.lint.rules import REPORTED
from tests.effort import examples
from tests.paths import ROOT
from tests.support import Ran, command, environment, perf_assets

pytestmark = pytest.mark.slow

FORMATS = ("text", "full", "concise", "json", "github", "gitlab", "junit", "sarif")
HEAD = "import tensorflow as tf\n\nds = tf.data.Dataset.range(9)\n"
BAD = HEAD + "ds = ds.map(parse)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a file that has a finding and one that has none."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
    (folder / "bad.py").write_text(BAD)
    (folder / "good.py").write_text(HEAD)
    monkeypatch.chdir(folder)
    return folder


def checked(*arguments: str | Path) -> Ran:
    return perf_assets("lint", *arguments)


def found(*arguments: str | Path) -> list[tuple[str, int, str]]:
    ran = checked(*arguments, "--format", "json")
    assert ran.returncode in (0, 1), ran.stderr
    findings = json.loads(ran.stdout)["findings"]
    assert ran.returncode == any(one["severity"] == "warning" for one in findings)
    return [(one["path"], one["line"], one["rule"]) for one in findings]


def configured(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.perf-assets.lint]\n{text}\n")


def assert_refused(ran: Ran, *words: str) -> None:
    assert ran.returncode == 2 and ran.stdout == "", ran
    (output,) = ran.stderr.strip().splitlines()
    assert output.startswith("Error: ")
    for word in words:
        assert word in output, output


def notebook(*cells: str, **about: Any) -> str:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": made, "nbformat": 4, "metadata": {}, **about}, indent=1)


# ---- what is told, and the exit code


def test_findings_are_reported_and_the_exit_code_says_so(project: Path) -> None:
    ran = checked(".")
    assert ran.returncode == 1 and ran.stderr == ""
    place, source, marks, closing = ran.stdout.splitlines()
    assert re.match(r"bad\.py:4:\d+: PA103 .+ \[sequential-map\]", place)
    assert source == "    ds = ds.map(parse)" and set(marks.strip()) == {"^", "~"}
    assert closing == "1 finding (1 warning) in 1 of 2 files"
    assert checked().stdout == ran.stdout
    assert checked(".", "--exit-zero").returncode == 0


def test_without_findings_all_is_well(project: Path) -> None:
    ran = checked("good.py")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "No findings in 1 file\n", "")


def test_a_folder_without_python_is_reported(project: Path) -> None:
    (project / "empty").mkdir()
    ran = checked("empty")
    assert ran.returncode == 0 and "no Python files" in ran.stderr


def test_what_is_skipped_is_named_counted_and_no_failure(project: Path) -> None:
    (project / "old.py").write_text("def f(:\n")
    (project / "two.py").write_text("print 'x'\n")
    (project / "latin.py").write_bytes(b"x = '\xe9'\n")
    (project / "r.ipynb").write_text(notebook("1", metadata={"language_info": {"name": "R"}}))
    ran = checked(".")
    assert ran.returncode == 1
    *named, counts = ran.stderr.splitlines()
    assert [line.split(":")[0] for line in named] == ["latin.py", "old.py", "r.ipynb", "two.py"]
    assert counts == "4 not checked: encoding 1, notebook 1, python 2 1, syntax 1"
    assert checked("good.py", "old.py").returncode == 0
    skipped = json.loads(checked(".", "--format", "json").stdout)["skipped"]
    assert [(one["path"], one["reason"]) for one in skipped] == [
        ("latin.py", "encoding"),
        ("old.py", "syntax"),
        ("r.ipynb", "notebook"),
        ("two.py", "python_2"),
    ]


@pytest.mark.parametrize("beside", [[], ["good.py"]])
def test_what_a_file_holds_never_decides_and_one_that_cannot_be_opened_does(
    project: Path, beside: list[str]
) -> None:
    (project / "old.py").write_text("def f(:\n")
    (project / "two.py").write_text("print 'x'\n")
    assert checked("old.py", "two.py", *beside).returncode == 0
    (project / "self.py").symlink_to("self.py")
    ran = checked("self.py", "bad.py", *beside)
    assert ran.returncode == 2 and "self.py: not checked (read)" in ran.stderr
    assert "PA103" in ran.stdout
    for option in ("--exit-zero", "--diff", "--fix", "--add-noqa", "--statistics"):
        assert checked("self.py", option, *beside).returncode == 2


NOTE = "import torch\nfor x in y:\n    z = torch.cat([z, x])\n"


@pytest.mark.parametrize(
    ("table", "options", "code"),
    [
        ("", [], 0),
        ("", ["--severity", "warning"], 0),
        ("", ["--error-on", "note"], 1),
        ("", ["--error-on", "note", "--exit-zero"], 0),
        ('error-on = "note"', [], 1),
        ('error-on = "note"', ["--error-on", "warning"], 0),
    ],
)
def test_notes_are_a_failure_where_that_is_asked(
    project: Path, table: str, options: list[str], code: int
) -> None:
    configured(project, table)
    (project / "note.py").write_text(NOTE)
    assert checked("note.py", *options).returncode == code
    assert checked("note.py", "bad.py", *options).returncode == (
        0 if "--exit-zero" in options else 1
    )


def test_many_that_are_skipped_do_not_fill_the_terminal(project: Path) -> None:
    for number in range(30):
        (project / f"old{number:02}.py").write_text("def f(:\n")
    ran = checked(".")
    lines = ran.stderr.splitlines()
    assert len(lines) == 21 and lines[-1].startswith("30 not checked: syntax 30; ")


# ---- inputs


def test_the_standard_input_is_a_file_too(project: Path) -> None:
    ran = subprocess.run(
        [*command("lint", "-", "good.py", "--format", "json")],
        input=BAD.encode(),
        capture_output=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path])),
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    (finding,) = json.loads(ran.stdout)["findings"]
    assert (finding["path"], finding["line"]) == ("-", 4)


def test_a_notebook_has_findings_in_the_lines_of_its_file(project: Path) -> None:
    text = notebook("%pip install x\n" + HEAD, "!ls\nds.map(f)\n")
    (project / "a.ipynb").write_text(text)
    ran = checked("a.ipynb", "--format", "json")
    (finding,) = json.loads(ran.stdout)["findings"]
    assert "ds.map(f)" in text.split("\n")[finding["line"] - 1]
    assert finding["message"].endswith("(cell 2, line 2)")
    assert re.search(r"\n    ds\.map\(f\)\n +\^~+\n", checked("a.ipynb").stdout)


LOOP = "import torch\nz = None\nfor x in y:\n    z = torch.cat([z, x])\n"
GRAPH = "def g(x):\n    return tf.zeros([3]) + x\n"


@pytest.mark.parametrize("kind", FORMATS)
def test_in_a_notebook_every_line_that_is_named_is_one_of_a_cell(project: Path, kind: str) -> None:
    cells = ["x = 1\n" * 30, "import tensorflow as tf\n" + GRAPH, "for a in b:\n    g(a)\n", LOOP]
    (project / "a.ipynb").write_text(notebook(*cells))
    output = checked("a.ipynb", "--output-format", kind).stdout
    assert "of the loop in line 3 of cell 4, so that" in output
    assert "of the loop in line 1 of cell 3, which runs g" in output
    if kind in ("text", "sarif"):
        assert "line 2 of cell 3" in output  # called here
    assert not re.search(r",\s*,|loop in line \d+(?! of cell)|^ +line \d+:", output, re.MULTILINE)


def test_a_broken_cell_is_named_and_the_others_are_checked(project: Path) -> None:
    cells = [HEAD, "x = (", "%sql\nselect 1 from x", "print 'x'", "ds.map(f)"]
    (project / "a.ipynb").write_text(notebook(*cells))
    ran = checked("a.ipynb", "--error-on", "note")
    assert ran.returncode == 1 and "(cell 5, line 1)" in ran.stdout
    assert ran.stderr.splitlines() == [
        "a.ipynb: cell 2 not checked (syntax): line 1: '(' was never closed",
        "a.ipynb: cell 4 not checked (python 2): line 1 is Python 2",
        "2 cells not checked: python 2 1, syntax 1",
    ]
    read = json.loads(checked("a.ipynb", "--format", "json").stdout)
    assert [one["cell"] for one in read["skipped_cells"]] == [2, 4] and read["skipped"] == []


def test_comments_silence(project: Path) -> None:
    silent = BAD.rstrip() + "  # noqa: {}\n"
    for code in ("PA103", "PA", "sequential-map", "E501, PA103"):
        (project / "bad.py").write_text(silent.format(code))
        assert found(".") == []
    for code in ("E501", "TOR401", ""):
        (project / "bad.py").write_text(silent.format(code))
        assert found(".") == [("bad.py", 4, "sequential-map")]
    for comment in ("# perf-assets: noqa", "# perf-assets: noqa: PA103"):
        (project / "bad.py").write_text(f"{BAD}{comment}\n{BAD}")
        assert found(".") == []
    (project / "bad.py").write_text(silent.format("PA102"))
    assert found(".") == [("bad.py", 4, "sequential-map"), ("bad.py", 4, "unused-noqa")]
    assert found(".", "--ignore", "unused-noqa") == [("bad.py", 4, "sequential-map")]


def test_the_files_of_the_user_are_read_and_nothing_else(project: Path) -> None:
    (project / "old.py").write_bytes(b"\xef\xbb\xbfprint 'x'\r\n")
    (project / "a.ipynb").write_text(notebook(HEAD))
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in project.rglob("*")
    }
    for kind in FORMATS:
        checked(".", "--output-format", kind)
    after = {
        path: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in project.rglob("*")
    }
    assert before == after


@given(order=st.permutations(["a.py", "b.py", "c.py", "d"]), processes=st.integers(1, 3))
@settings(max_examples=examples(3, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_neither_the_order_of_paths_nor_processes_change_what_is_found(
    project: Path, order: list[str], processes: int
) -> None:
    (project / "d").mkdir(exist_ok=True)
    for name, text in {"a.py": BAD, "b.py": "def f(:", "c.py": HEAD, "d/e.py": BAD * 2}.items():
        (project / name).write_text(text)
    there = found(*order, "--processes", str(processes))
    alone = [one for name in order for one in found_or_skipped(name)]
    assert there == alone


def found_or_skipped(name: str) -> list[tuple[str, int, str]]:
    findings = json.loads(checked(name, "--format", "json").stdout)["findings"]
    return [(one["path"], one["line"], one["rule"]) for one in findings]


def piped(text: str, *arguments: str) -> Ran:
    ran = subprocess.run(
        command("lint", *arguments),
        input=text.encode(),
        capture_output=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path])),
        check=False,
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def test_the_standard_input_may_be_the_content_of_a_file(project: Path) -> None:
    configured(project, 'exclude = ["third"]\nper-file-ignores = { "no" = ["all"] }')
    for name, context in (("src/a.py", "library"), ("tests/a.py", "test")):
        ran = piped(BAD, "--stdin-filename", name, "-", "--format", "json")
        (finding,) = json.loads(ran.stdout)["findings"]
        assert (finding["path"], finding["context"], finding["fixable"]) == (name, context, False)
    assert json.loads(piped(BAD, "--stdin-filename", "no/a.py", "--format", "json").stdout) == {
        "findings": [],
        "skipped": [],
        "skipped_cells": [],
    }
    assert "PA103" in piped(BAD, "--stdin-filename", "third/a.py").stdout
    assert "PA103" not in piped(BAD, "--stdin-filename", "third/a.py", "--force-exclude").stdout
    ran = piped(notebook(HEAD, "ds.map(f)"), "--stdin-filename", "a.ipynb")
    assert "(cell 2, line 1)" in ran.stdout


# ---- outputs


def test_statistics_count_the_rules(project: Path) -> None:
    (project / "note.py").write_text(NOTE * 2)
    pure = (
        "import tensorflow as tf\ntf.data.TFRecordDataset('a').map(lambda x: tf.cast(x, 'int8'))\n"
    )
    (project / "pure.py").write_text(pure)
    ran = checked(".", "--statistics")
    assert ran.returncode == 1 and ran.stdout.splitlines() == [
        "2\tPA103\t[-] sequential-map",
        "2\tPA202\t[ ] cat-in-loop",
        "4 findings (1 warning, 3 notes) in 3 of 4 files",
        "[*] 1 fixable with --fix; --diff shows the changes",
    ]
    first, _ = json.loads(checked(".", "--statistics", "--format", "json").stdout)
    assert first == {
        "code": "PA103",
        "name": "sequential-map",
        "count": 2,
        "fixable": False,
        "fixable_count": 1,
    }
    assert checked("good.py", "--statistics").stdout == "No findings in 1 file\n"


def test_what_is_there_can_be_silenced_by_comments(project: Path) -> None:
    text = (
        HEAD + "a = ds.map(p)\r\nb = ds.map(p)  # why  \nc = ds.map(p)  # noqa: E501, W291 so\n"
        'd = ds.map(p)  # noqa:\ne = ds.map(p) + \\\n    1\nf = ds.map(p), """\n"""\n'
    )
    (project / "bad.py").write_bytes(text.encode())
    (project / "a.ipynb").write_text(notebook(HEAD, "ds.map(p)"))
    shown = checked(".", "--add-noqa", "--diff")
    assert shown.returncode == 1 and shown.stdout.count("\n+") == 7
    assert (project / "bad.py").read_bytes() == text.encode()
    ran = checked("bad.py", "good.py", "--add-noqa")
    assert (ran.returncode, ran.stderr) == (0, "6 comments added in 1 files\n")
    assert (project / "bad.py").read_bytes().decode() == (
        HEAD + "a = ds.map(p)  # noqa: PA103\r\nb = ds.map(p)  # why  # noqa: PA103\n"
        "c = ds.map(p)  # noqa: E501, W291, PA103 so\nd = ds.map(p)  # noqa: PA103\n"
        'e = ds.map(p) + \\\n    1  # noqa: PA103\nf = ds.map(p), """\n"""  # noqa: PA103\n'
    )
    assert found("bad.py") == []
    assert "0 comments added" in checked("bad.py", "--add-noqa").stderr
    assert len(found(".")) == 1  # nothing is written into a notebook


def test_only_what_fix_mends_is_marked(project: Path) -> None:
    pure = (
        "import tensorflow as tf\ntf.data.TFRecordDataset('é').map(lambda x: tf.cast(x, 'int8'))\n"
    )
    (project / "a.py").write_text(pure)
    (project / "latin.py").write_bytes(f"# coding: latin-1\n{pure}".encode("latin-1"))
    (project / "returns.py").write_bytes(pure.replace("\n", "\r").encode())
    (project / "a.ipynb").write_text(notebook(pure))
    read = json.loads(checked(".", "--format", "json").stdout)["findings"]
    assert {one["path"]: one["fixable"] for one in read} == {
        **{"a.py": True, "bad.py": False, "latin.py": False},
        **{"returns.py": False, "a.ipynb": False},
    }
    lines = checked(".", "--output-format", "concise").stdout.splitlines()
    assert len(lines) == 7
    assert [line.split(":")[0] for line in lines if " PA103 [*] " in line] == ["a.py"]
    assert "1 findings mended in 1 files" in checked(".", "--fix").stderr


def test_the_findings_may_go_to_a_file(project: Path) -> None:
    ran = checked(".", "--format", "sarif", "--output", "out.sarif")
    assert (ran.returncode, ran.stdout) == (1, "")
    log = json.loads((project / "out.sarif").read_text())
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["PA103"]
    (place,) = log["runs"][0]["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "bad.py"
    assert_refused(checked(".", "--output", "no/such/out"), "no/such/out", "cannot be written")


def test_annotations_are_lines_of_their_own(project: Path) -> None:
    ran = checked(".", "--format", "github")
    assert re.fullmatch(
        r"::warning file=bad\.py,line=4,endLine=4,col=\d+,endColumn=\d+,"
        r"title=PA103 sequential-map::.+\n",
        ran.stdout,
    )


def test_a_reader_that_has_had_enough_is_not_an_error(project: Path) -> None:
    (project / "bad.py").write_text(BAD * 2000)
    line = f"{' '.join(command('lint', '.'))} | head -1"
    ran = subprocess.run(
        ["/bin/sh", "-c", line],
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path])),
        check=False,
    )
    assert ran.stdout.count("\n") == 1 and ran.stderr == ""


def on_a_terminal(*arguments: str, **changes: str) -> str:
    """What a command writes where its output is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command("lint", *arguments),
        stdout=theirs,
        stderr=theirs,
        env=environment(
            **{"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "TERM": "xterm", **changes}
        ),
    ) as process:
        os.close(theirs)
        output = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux says that nobody writes any more
                break
            output += part
            if not part:
                break
        process.wait()
    os.close(ours)
    return output.decode()


def test_colours_are_for_terminals(project: Path) -> None:
    assert "\x1b[" in on_a_terminal(".")
    assert "\x1b[" not in on_a_terminal(".", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(".", TERM="dumb")
    assert "\x1b[" not in on_a_terminal(".", "--format", "json")
    assert "\x1b[" not in checked(".").stdout


def test_hostile_names_and_lines_are_made_harmless(project: Path) -> None:
    name = "a\x1b[31m\n::error::.py"
    (project / name).write_text(BAD.replace("parse", "'\u202e\x1b]0;x\x07'"))
    for kind in ("text", "concise", "github", "json", "junit", "gitlab"):
        output = checked(name, "--format", kind).stdout
        assert not any(sign in output for sign in "\x1b\x07\u202e")
        assert not any(line.startswith("::error") for line in output.splitlines())
    (project / "b\x1b.py").write_text("def f(:")
    assert "\x1b" not in checked(".").stderr


def test_a_name_that_is_not_text_is_reported(project: Path) -> None:
    (project / os.fsdecode(b"\xe9.py")).write_text(BAD)
    for kind in sorted(FORMATS):
        ran = checked(".", "--format", kind)
        assert ran.returncode == 1, ran.stderr
        ran.stdout.encode()
    uris = re.findall(r'"uri": "(.*?)"', ran.stdout)
    assert "%E9.py" in uris or "%25E9.py" not in uris


# ---- which rules


def test_rules_are_chosen(project: Path) -> None:
    one = [("bad.py", 4, "sequential-map")]
    assert found(".", "--select", "PA103") == found(".", "--select", "sequential-map") == one
    assert found(".", "--select", "PA1") == found(".", "--select", "all") == one
    assert found(".", "--select", "all", "--ignore", "PA103") == []
    assert found(".", "--ignore", "PA102,PA103") == []
    assert found(".", "--ignore", "PA", "--extend-select", "PA103") == []
    assert found(".", "--severity", "warning") == one


def test_rules_are_listed_and_explained(project: Path) -> None:
    listed = checked("--list-rules").stdout.splitlines()
    assert [line.split()[:3] for line in listed] == [
        [rule.code, rule.name, "on" if rule.on else "off"] for rule in REPORTED
    ]
    for word in ("PA103", "sequential-map"):
        assert checked("--explain", word).stdout.startswith("# sequential-map (PA103)\n")
    assert_refused(checked("--explain", "nothing"), "--explain", "'nothing'")
    assert_refused(checked("--explain", "PA"), "several rules")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], ["nowhere", "no such file"]),
        ([".", "--select", "PA7"], ["--select", "'PA7'"]),
        ([".", "--ignore", "sequential"], ["--ignore", "did you mean sequential-map?"]),
        ([".", "--extend-select", "E501"], ["--extend-select", "'E501'"]),
        ([".", "--config", "nowhere.toml"], ["nowhere.toml", "cannot be read"]),
        ([".", "--config", "pyproject.toml"], ["pyproject.toml", "no table"]),
        ([".", "--config", "bad.py"], ["bad.py", "not TOML"]),
        ([".", "--extend-ignore", "PB"], ["--extend-ignore", "'PB'"]),
        ([".", "--statistics", "--format", "sarif"], ["--statistics", "sarif"]),
        ([".", "--stdin-filename", "a.py"], ["--stdin-filename", "standard input"]),
        (["-", "--add-noqa"], ["--add-noqa", "are for files"]),
        ([".", "--add-noqa", "--fix"], ["--add-noqa", "one of them"]),
    ],
)
def test_bad_usage_is_one_sentence(project: Path, arguments: list[str], words: list[str]) -> None:
    assert_refused(checked(*arguments), *words)


@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 100_000])
def test_a_configuration_that_is_too_long_or_too_deep_is_one_sentence(
    project: Path, value: str
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.perf-assets.lint]\nselect = {value}")
    assert_refused(checked("."), "pyproject.toml", "too long or too deep")


def test_a_directory_that_is_gone_is_one_sentence(project: Path) -> None:
    project.rename(project.with_name("moved"))
    shutil.rmtree(project.with_name("moved"))
    assert_refused(checked("."), "is gone")


@pytest.mark.parametrize(
    "arguments", [["--format", "xml"], ["--processes", "0"], ["--severity", "error"], ["--mend"]]
)
def test_unknown_options_and_values_are_bad_usage(project: Path, arguments: list[str]) -> None:
    ran = checked(".", *arguments)
    assert ran.returncode == 2 and arguments[0] in ran.stderr


# ---- configuration


def test_the_nearest_pyproject_that_has_the_table_counts(project: Path) -> None:
    configured(project, 'ignore = ["PA103"]')
    inner = project / "a" / "b"
    inner.mkdir(parents=True)
    (project / "a" / "pyproject.toml").write_text("[tool.ruff]\n")
    shutil.copy(project / "bad.py", inner)
    assert found("a/b/bad.py") == []
    configured(project / "a", 'select = ["sequential-map"]')
    assert found("a/b/bad.py") == [("a/b/bad.py", 4, "sequential-map")]
    assert found("bad.py", "a") == []


def test_the_command_line_takes_the_place_of_a_key(project: Path) -> None:
    configured(project, 'ignore = ["PA103"]\nexclude = ["good.py"]')
    assert found(".") == []
    assert found(".", "--ignore", "PA102") == [("bad.py", 4, "sequential-map")]
    (project / "other.toml").write_text("[tool.perf-assets.lint]\n")
    assert found(".", "--config", "other.toml") == [("bad.py", 4, "sequential-map")]


def test_files_may_be_excluded_and_rules_not_asked_in_some(project: Path) -> None:
    for name in ("a_pb2.py", "third/x.py", "tests/y.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(BAD)
    configured(
        project,
        'exclude = ["*_pb2.py", "third"]\n'
        "[tool.perf-assets.lint.per-file-ignores]\n"
        '"tests/**" = ["sequential-map"]',
    )
    assert [path for path, _, _ in found(".", "--severity", "note")] == ["bad.py"]
    assert [path for path, _, _ in found("a_pb2.py", "third")] == ["a_pb2.py", "third/x.py"]
    configured(project, 'per-file-ignores = { "tests" = ["all"], "bad.py" = ["PA102"] }')
    assert [path for path, _, _ in found("tests", "bad.py")] == ["bad.py"]


def test_lists_may_be_extended(project: Path) -> None:
    (project / "third").mkdir()
    (project / "third" / "x.py").write_text(BAD)
    configured(project, 'exclude = ["bad.py"]\nextend-exclude = ["third"]\nignore = ["PA1"]')
    assert found(".") == []
    assert found(".", "--ignore", "PA102", "--extend-exclude", "none") == [
        ("third/x.py", 4, "sequential-map")
    ]
    assert found(".", "--ignore", "PA102", "--exclude", "good.py") == [
        ("bad.py", 4, "sequential-map")
    ]
    assert found("bad.py", "--ignore", "PA102", "--extend-ignore", "sequential-map") == []
    configured(project, 'extend-ignore = ["sequential-map"]')
    assert found(".") == []


def test_an_exclusion_counts_for_named_files_where_it_is_forced(project: Path) -> None:
    table = 'exclude = ["bad.py"]\n'
    configured(project, table)
    assert found("bad.py") == [("bad.py", 4, "sequential-map")]
    ran = checked("bad.py", "--force-exclude")
    assert (ran.returncode, ran.stdout) == (0, "No findings in 0 files\n")
    configured(project, table + "force-exclude = true")
    assert found("bad.py", "good.py") == []
    assert found("bad.py", "--no-force-exclude") == [("bad.py", 4, "sequential-map")]


def test_what_git_ignores_is_not_checked(project: Path) -> None:
    for name in ("x/a.py", "x/kept.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(BAD)
    (project / ".gitignore").write_text("bad.py\n")
    (project / "x" / ".gitignore").write_text("*.py\n!kept.py\n")
    assert [path for path, _, _ in found(".")] == ["x/kept.py"]
    assert [path for path, _, _ in found("bad.py")] == ["bad.py"]
    assert len(found(".", "--no-respect-gitignore")) == 3
    configured(project, "respect-gitignore = false")
    assert len(found(".")) == 3


def test_a_severity_may_be_the_least_that_is_reported(project: Path) -> None:
    (project / "tests").mkdir()
    configured(project, 'severity = "warning"')
    assert found("bad.py") == [("bad.py", 4, "sequential-map")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("selct = []", ["selct", "did you mean select?"]),
        ('select = "PA1"', ["select", "a list is needed"]),
        ("ignore = [1]", ["ignore[1]", "a text is needed"]),
        ('severity = "error"', ["severity", "not a known value"]),
        ("exclude = {}", ["exclude", "a list is needed"]),
        ('force-exclude = "yes"', ["force-exclude", "true or false"]),
        ('error-on = "error"', ["error-on", "not a known value"]),
        ("per-file-ignores = []", ["per-file-ignores", "a table"]),
        ('per-file-ignores = { "a" = "PA1" }', ["per-file-ignores.a", "a list is needed"]),
        ('select = ["PA1", "PB"]', ["lint.select", "'PB'"]),
        ('per-file-ignores = { "a" = ["PB"] }', ["per-file-ignores.a", "'PB'"]),
        ("select = [", ["not TOML"]),
    ],
)
def test_a_mistake_in_the_configuration_is_one_sentence(
    project: Path, text: str, words: list[str]
) -> None:
    configured(project, text)
    assert_refused(checked("."), "pyproject.toml", *words)


def test_a_table_that_is_none_is_one_sentence(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.perf-assets]\nlint = 3\n")
    assert_refused(checked("."), "pyproject.toml", "lint", "a table of keys and values")


# ---- how it is installed


def test_the_hook_for_pre_commit_starts_what_there_is() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "perf-assets-check" and hook["types_or"] == ["python", "jupyter"]
    program, name, *options = hook["entry"].split()
    assert program == "perf-assets" and options == ["--force-exclude"]
    assert perf_assets(name, *options, "--help").returncode == 0


def test_a_check_imports_nothing_that_takes_long(project: Path) -> None:
    program = (
        "import sys\n"
        "from perf_assets.cli.commands import commands\n"
        "commands(['lint', '.', '--exit-zero'], standalone_mode=False)\n"
        "slow = {'polars', 'duckdb', 'dagster', 'pandas', 'numpy', 'pyarrow', 'pydantic'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
    )
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path])),
        stdout=subprocess.DEVNULL,
    )


def test_too_small_an_address_space_is_one_sentence(project: Path) -> None:
    line = f"ulimit -v 250000; {' '.join(command('lint', 'bad.py'))}"
    ran = subprocess.run(
        ["/bin/sh", "-c", line],
        capture_output=True,
        text=True,
        env=environment(PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path])),
        check=False,
    )
    assert_refused(Ran(ran.returncode, ran.stdout, ran.stderr), "address space", "ulimit")


def test_on_a_terminal_many_files_are_reported_as_few_are(project: Path) -> None:
    for number in range(60):
        (project / f"more{number}.py").write_text(HEAD)
    lines = on_a_terminal(".", NO_COLOR="1").replace("\r", "").splitlines()
    assert sum("bad.py:4:" in line for line in lines) == 1
    assert lines[-1].endswith("1 finding (1 warning) in 1 of 62 files")
