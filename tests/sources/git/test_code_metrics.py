"""Lines and complexity of files, beside lizard's own."""

import ast
import dataclasses
import sysconfig
import tokenize
from pathlib import Path
from typing import Any

import lizard  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.sources.git.details import analyse

SUFFIXES = ("py", "c", "cpp", "java", "js", "ts", "tsx", "rb", "go", "scala", "f90", "php", "lua")
PIECES = (
    "def f(a, b=1):\n    if a and b:\n        return f'{a if b else 0}'\n",
    "int f(int a) {\n  /* two\n     lines */\n  if (a && a > 1) { return a; } // why\n",
    "  return 0;\n}\n",
    "function f(a) { return a ? 1 : 2; }\n",
    "function g() {\n  f(1, (a) => {\n    return a;\n  }); let h = () => {\n  }; }\n",
    "class A:\n    '''Text\n    of two lines.'''\n    def g(self): pass\n",
    "interface B { f(a: number): void\n g: string; }\n",
    "def h\n  return 1 if a\nend\n",
    "subroutine s(a)\n  if (a > 1) then\n  end if\nend subroutine\n",
    "# lizard forgives\n",
    "#lizard forgives(nloc)\n",
    "#lizard forgive global\n",
    "// #lizard forgives\n",
    "// GENERATED CODE\n",
    "# GENERATED CODE\n",
    "#define A \\\n  1\n",
    'text = """\n\n""" \\\n  + "a"\n',
    "match a:\n    case (1, 2): pass\n",
    "int a() { return 1; } int b() { return 2; }\n",
    "/* one\n two */ int c() { return 3; }\n",
    "\n\n\t",
    "for",
)


def found(file: Any) -> list[object]:
    """All that is read of what lizard finds."""
    functions = [
        (f.long_name, f.nloc, f.cyclomatic_complexity, f.full_parameters, f.start_line, f.end_line)
        for f in file.function_list
    ]
    return [file.nloc, file.CCN, functions]


def assert_as_lizard(name: str, text: str) -> None:
    """Equal numbers, or the same refusal."""
    try:
        expected = found(lizard.analyze_file.analyze_source_code(name, text))
    except Exception as error:
        with pytest.raises(type(error)):
            analyse(name, text)
    else:
        assert found(analyse(name, text)) == expected


@given(st.sampled_from(SUFFIXES), st.lists(st.sampled_from(PIECES) | st.text(max_size=5)))
def test_a_file_has_the_numbers_that_lizard_finds(suffix: str, pieces: list[str]) -> None:
    assert_as_lizard(f"a.{suffix}", "".join(pieces))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_each_piece_has_the_numbers_that_lizard_finds(suffix: str) -> None:
    for piece in PIECES:
        assert_as_lizard(f"a.{suffix}", piece + piece)


@pytest.mark.parametrize("module", [ast, dataclasses, tokenize, lizard])
def test_real_modules_have_the_numbers_that_lizard_finds(module: object) -> None:
    path = Path(str(vars(module)["__file__"]))
    assert_as_lizard(path.name, path.read_text(encoding="utf-8"))


def test_real_headers_have_the_numbers_that_lizard_finds() -> None:
    headers = sorted(Path(sysconfig.get_path("include")).glob("*.h"))[:20]
    if not headers:
        pytest.skip("Python's headers are not installed")
    for path in headers:
        assert_as_lizard(path.name, path.read_text(encoding="utf-8", errors="replace"))
