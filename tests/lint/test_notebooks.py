"""The Python of notebooks: code cells in their order, and where each line stands in the file."""

import ast
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.lint.findings import Context, Finding, Related, Severity, Unreadable
from perf_assets.lint.notebooks import BrokenCell, CellLine, python_of, without_magics


def notebook(*cells: str | list[str], indent: int | None = 1, **about: Any) -> str:
    made: list[dict[str, Any]] = [
        {"cell_type": "code", "metadata": {}, "outputs": [{"text": ["a\n"]}], "source": cell}
        for cell in cells
    ]
    return json.dumps(
        {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **about},
        indent=indent,
        ensure_ascii=False,
    )


def refusal(content: str) -> tuple[str, str]:
    with pytest.raises(Unreadable) as caught:
        python_of(content)
    return caught.value.reason, str(caught.value)


def test_code_cells_are_joined_and_each_line_knows_its_place() -> None:
    content = json.dumps(
        {
            "metadata": {"kernelspec": {"language": "python"}},
            "cells": [
                {"cell_type": "markdown", "source": ["slow()"]},
                {"cell_type": "code", "source": ["a = 1\n", "slow(a)"]},
                {"cell_type": "raw", "source": ["slow()"]},
                {"cell_type": "code", "source": ["b = 'é'"]},
            ],
            "nbformat": 4,
        },
        indent=2,
    )
    read = python_of(content)
    assert read.text == "a = 1\nslow(a)\nb = 'é'\n"
    lines = content.split("\n")
    assert [lines[cell_line.line - 1].strip() for cell_line in read.cell_lines[:3]] == [
        '"a = 1\\n",',
        '"slow(a)"',
        "\"b = '\\u00e9'\"",
    ]
    assert [cell_line[1:] for cell_line in read.cell_lines[:3]] == [(2, 1), (2, 2), (4, 1)]


def test_a_finding_is_placed_in_the_file_and_says_its_cell() -> None:
    read = python_of(notebook(["a = 1"], ["for x in y:\n", "    slow(\n", "    )\n", "b"]))
    related = (Related(2, "the loop"),)
    found = Finding(3, 5, 4, 6, "a-rule", Severity.NOTE, Context.LIBRARY, "this is slow", related)
    placed = read.located(found)
    first = read.cell_lines[1].line
    assert (placed.line, placed.column, placed.end_line) == (first + 1, 5, first + 2)
    assert placed.message == "this is slow (cell 2, line 2)"
    assert placed.related == (Related(first, "the loop", "line 1 of cell 2"),)


def test_a_notebook_in_one_line_has_findings_in_line_one() -> None:
    read = python_of(notebook("a = 1\nslow()", indent=None))
    assert set(read.cell_lines) == {CellLine(1, 1, 1), CellLine(1, 1, 2)}


def test_a_cell_that_is_one_text_stands_in_one_line() -> None:
    read = python_of(notebook("a = 1\nb = 2\n", "c = 3"))
    assert read.text == "a = 1\nb = 2\n\nc = 3\n"
    assert read.cell_lines[0].line == read.cell_lines[1].line < read.cell_lines[3].line


def test_a_line_in_several_texts_begins_in_the_first() -> None:
    read = python_of(notebook(["", "a = ", "1", "\n", "", "b = 2\nc", " = 3"]))
    assert read.text == "a = 1\nb = 2\nc = 3\n"
    first = read.cell_lines[0].line
    assert [cell_line.line - first for cell_line in read.cell_lines[:3]] == [0, 4, 4]


def test_version_three_has_its_cells_in_worksheets() -> None:
    cells = [
        {"cell_type": "code", "language": "python", "input": ["a = 1\n", "b = 2"]},
        {"cell_type": "code", "language": "ruby", "input": ["puts 1 2"]},
        {"cell_type": "heading", "source": "c"},
    ]
    content = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}, {"cells": cells}]})
    read = python_of(content)
    assert read.text == "a = 1\nb = 2\n" * 2
    assert [cell_line.cell for cell_line in read.cell_lines[:4]] == [1, 1, 4, 4]


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!pip install 'x\ny = 2", "pass\ny = 2"),
        ("if a:\n    !ls\nelse:\n    %cd b", "if a:\n    pass\nelse:\n    pass"),
        ("files = !ls\nfiles", "files = get_ipython()\nfiles"),
        ("a, b = %sql select 1", "a, b = get_ipython()"),
        ("?len\nlen?\nlen??\nx.y?  # help", "pass\npass\npass\npass"),
        ("!echo a \\\n  b \\\n  c\nx = 1", "pass\n\n\nx = 1"),
        ("x = (1\n  % 2)\n%time y", "x = (1\n  % 2)\npass"),
        ('x = """\n%time\n!ls\n"""\n%time y', 'x = """\n%time\n!ls\n"""\npass'),
        ("x = 1 \\\n  % 2\n!ls", "x = 1 \\\n  % 2\npass"),
        ("x = f((1,\n  2),\n  3\n  % 4)\n%time y", "x = f((1,\n  2),\n  3\n  % 4)\npass"),
        ("\n!ls\nx = 1", "\npass\nx = 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("%%timeit -n 3\n%cd a\nx = 1", "\npass\nx = 1"),
        ('\n%%bash\nls | grep "\nx', "\n\n\n"),
        ("%%writefile a.py\nprint 1", "\n"),
        ("# ! no magic\n!ls", "# ! no magic\npass"),
    ],
)
def test_what_only_ipython_takes_is_blanked_in_place(source: str, python: str) -> None:
    assert without_magics(source) == python
    ast.parse(python)
    read = python_of(notebook("before = 1", source, "after = 2"))
    assert read.text == f"before = 1\n{python}\nafter = 2\n"
    assert read.text.count("\n") == source.count("\n") + 3


@pytest.mark.parametrize("source", ["x %= 2", "a = b % c", "a != b", "'?'", "(a\n%b)"])
def test_python_that_looks_like_it_stays(source: str) -> None:
    assert python_of(notebook(source)).text == source + "\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("x = 1", "not JSON"),
        ("[]", "no nbformat"),
        ("3", "no nbformat"),
        ("{}", "no nbformat"),
        ('{"nbformat": 2, "worksheets": []}', "nbformat 2"),
        ('{"nbformat": true, "cells": []}', "nbformat True"),
        ('{"nbformat": [4], "cells": []}', "nbformat [4]"),
        ('{"nbformat": 4}', "no list of cells"),
        ('{"nbformat": 4, "cells": {}}', "no list of cells"),
        ('{"nbformat": 3, "cells": []}', "no list of worksheets"),
        (notebook("1", metadata={"language_info": {"name": "R"}}), "its language is R"),
        (notebook("1", metadata={"kernelspec": {"language": "julia"}}), "its language is julia"),
    ],
)
def test_what_is_not_a_notebook_of_python_is_refused(content: str, words: str) -> None:
    reason, message = refusal(content)
    assert reason == "notebook" and words in message


@pytest.mark.parametrize(
    ("cell", "reason", "message"),
    [
        ("y = 2\nz = (", "syntax", "line 2: '(' was never closed"),
        ("%time\nprint 'y'", "python_2", "line 2 is Python 2"),
        ("%%capture\n%%timeit\nx = = 1", "syntax", "line 3: invalid syntax"),
        ("%sql\nselect 1 from", "", ""),
        ("%md\n# A title\n- a list: of, things", "", ""),
        ("%md-sandbox\n<div>", "", ""),
        ("\n%scala\nval x: Int = 1", "", ""),
        ("%r\nx <- c(1, 2)\nlibrary(a) |> f", "", ""),
        ("%sh\nls *.py | wc", "", ""),
        ("%%capture\n%%bash\nfor x in *; do echo $x; done", "", ""),
        ("%%sql\nselect 1 from", "", ""),
    ],
)
def test_a_cell_that_is_no_python_costs_itself_alone(cell: str, reason: str, message: str) -> None:
    read = python_of(notebook("x = 1", cell, "y = 2"))
    blank = "\n" * (cell.count("\n") + 1)
    assert read.text == f"x = 1\n{blank}y = 2\n"
    assert read.cell_lines[-2][1:] == (3, 1)
    assert read.broken == ((BrokenCell(2, reason, message),) if reason else ())


@pytest.mark.parametrize(
    "cell", ["%sql select 1\nx = 1", "%python\nx = 1", "data = %sql a b\nx = 1"]
)
def test_python_behind_a_magic_of_one_line_is_read(cell: str) -> None:
    read = python_of(notebook(cell))
    assert read.text.endswith("\nx = 1\n") and read.broken == ()


def test_a_notebook_without_any_cell_that_parses_is_refused() -> None:
    assert refusal(notebook("print 'x'", "", "y = 2\nz = (")) == (
        "python_2",
        "cell 1, line 1 is Python 2",
    )
    deep = python_of(notebook("x = 1", "y = " + "-" * 10_000 + "1"))
    assert [cell.cell for cell in deep.broken] == [2]


def test_json_that_is_nested_too_deeply_is_refused() -> None:
    assert refusal('{"nbformat": 4, "cells": ' + "[" * 100_000)[0] == "depth"


@pytest.mark.parametrize(
    "cell",
    [None, 3, {}, {"cell_type": "code"}, {"cell_type": "code", "source": None}, "x"],
)
def test_cells_without_code_are_passed_by(cell: object) -> None:
    assert python_of(json.dumps({"nbformat": 4, "cells": [cell]})).text.strip() == ""


LINES = st.lists(
    st.sampled_from(["x = 1", "", "y = [1,", "2]", "'a'", "# %", "z = 'é\u2028'", "f(x)"]),
    max_size=5,
)


@given(cells=st.lists(LINES, max_size=5), indent=st.sampled_from([None, 0, 1, 4]))
def test_each_line_of_the_text_stands_where_it_is_said_to_stand(
    cells: list[list[str]], indent: int | None
) -> None:
    """Lines as Jupyter writes them: a text each. The file has the end of the line before, too."""
    sources = ["\n".join(lines) for lines in cells]
    parsing = [source for source in sources if _parses(source)]
    written = [re.findall(r"[^\n]*\n|[^\n]+", source) for source in parsing]
    content = notebook(*written, indent=indent)
    read = python_of(content)
    assert read.text == "".join(f"{source}\n" for source in parsing)
    rows = read.text.split("\n")
    assert len(rows) == len(read.cell_lines)
    file = content.split("\n")
    for row, cell_line in zip(rows, read.cell_lines, strict=True):
        assert json.dumps(row, ensure_ascii=False)[1:-1] in file[cell_line.line - 1]


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True
