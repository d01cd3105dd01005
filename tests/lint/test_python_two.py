"""Python 2 is distinguished from Python 3 that does not parse."""

import ast
import time

import pytest

from perf_assets.lint.python_two import looks_like_python_two

TWO = [
    'print "text"',
    "print 'text' % x",
    "print x, y",
    "print 1",
    "print `x`",
    "print {}",
    "if a: print 'b'",
    "x = 1; print x",
    "try:\n    pass\nexcept ValueError, e:\n    pass",
    "try:\n    pass\nexcept (ValueError, os.error), error:\n    pass",
    "x = `y`",
    "if a <> b:\n    pass",
    'exec "x = 1"',
    "exec code in names",
    'raise ValueError, "text"',
    "raise errors.Bad, 'text', trace",
    "os.chmod(p, 0777)",
    "x = 0644",
    "x = 10L",
    "x = 0xffL",
    "x = ur'text'",
    "def f(a, (b, c)):\n    pass",
    "f = lambda (a, b): a",
]
NOT_TWO = [
    "def f(:\n    pass",
    "x = (1, 2",
    "print(x",
    "print('a' 'b'",
    "printing x",
    "x = 'print 1",
    '"""\nprint x\n"""\ndef (:',
    "# print x\ndef (:",
    "# a: print x\ndef (:",
    "x = 1 +",
    "class A\n    pass",
    "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other",
    "{{ cookiecutter.name }} x y",
    "raise ValueError('a', 'b'",
    "try:\n    pass\nexcept A, B:\n    pass",
    "x = 0x777 y",
    "x = 1.0777 y",
    "x = 000 y",
    "print if x",
    "execute 'x'",
    "match x\n    case 1: pass",
    "def f(a=(1, 2):\n    pass",
    "!ls\nx = 1",
    "f(a)(b",
    "",
]


@pytest.mark.parametrize("text", TWO)
def test_what_only_python_two_parses_is_known(text: str) -> None:
    with pytest.raises(SyntaxError):
        ast.parse(text)
    assert looks_like_python_two(text)
    assert looks_like_python_two(f"import os\n\n{text}\n")


def test_a_first_line_may_say_that_it_is_python_two() -> None:
    assert looks_like_python_two("#!/usr/bin/env python2.7\ndef f(:\n    pass")
    assert not looks_like_python_two("#!/usr/bin/env python3\ndef f(:\n    pass")


def test_a_print_to_a_file_that_also_python_three_parses_is_a_sign_beside_others() -> None:
    assert looks_like_python_two("print >>f, x\ndef f(:\n    pass")


@pytest.mark.parametrize("text", NOT_TWO)
def test_other_mistakes_are_none_of_python_two(text: str) -> None:
    assert not looks_like_python_two(text)


PARTS = ("'", '"""', "(", "print ", " ", "0", "01", "lambda a,", "def f(a,", "\\", "except a", ";")


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_long_text_takes_a_time_in_proportion_to_its_length(part: str) -> None:
    begun = time.process_time()
    looks_like_python_two(part * 100_000 + "x")
    assert time.process_time() - begun < 5
