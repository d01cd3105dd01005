"""Source files of others that are checked: modules and notebooks."""

import json
import random
import sys

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text
from perf_assets.lint.files.reading import result_of
from perf_assets.lint.files.results import SourceFile
from perf_assets.lint.rules import RULES
from tests.damaged_inputs.damage import damaged, json_of, spoilt
from tests.damaged_inputs.kinds import FindingError, Kind, Surroundings, TryOne
from tests.paths import ROOT

CORPUS = ROOT / "tests" / "lint" / "corpus"
MEGABYTES = 512
PARTS = (
    *("for x in y:\n    ", "(" * 150, "[" * 90, "-" * 500, "a." * 400, "if x:\n ", "\\\n", '"""'),
    *("# noqa", "# noqa: PA101, \n", "# -*- coding: utf-7 -*-\n", "# coding: rot13\n", "\t", "\f"),
    *("9" * 5000, "1e400", "0x" + "f" * 5000, "\N{GREEK SMALL LETTER LAMDA}", "f'{x!r:>{y}}'"),
    *("match x:\n case _:\n  pass\n", "async for x in y: pass\n", "lambda: (yield)", "*a, = b"),
    *("import tensorflow as tf\n", "tf.constant(1)", "@tf.function\n", "global tf\n", "del tf\n"),
)


def _modules(_: Surroundings) -> TryOne:
    valid = [path.read_bytes() for path in sorted(CORPUS.rglob("*.py"))]

    def try_one(chance: random.Random) -> object:
        content = chance.choice(valid)
        if chance.random() < 0.4:
            content = damaged(content, chance)
        for _ in range(chance.choice((0, 1, 2, 5))):
            position = chance.randrange(len(content) + 1)
            content = content[:position] + chance.choice(PARTS).encode() + content[position:]
        if chance.random() < 0.2:
            other = chance.choice(valid)
            content = content[: chance.randrange(len(content) + 1)] + other
        return _checked("a/b.py", content)

    return try_one


def _notebooks(_: Surroundings) -> TryOne:
    texts = [path.read_text() for path in sorted(CORPUS.rglob("*.py"))[::7]]
    about = {"metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}

    def try_one(chance: random.Random) -> object:
        cells: list[object] = []
        for text in chance.sample(texts, 3):
            source: object = text if chance.random() < 0.5 else text.splitlines(keepends=True)
            cells.append({"cell_type": "code", "source": source, "outputs": [], "metadata": {}})
        valid = {**about, "cells": cells}
        if chance.random() < 0.6:
            return _checked("a/b.ipynb", json_of(spoilt(valid, chance), chance))
        return _checked("a/b.ipynb", damaged(json.dumps(valid, indent=1).encode(), chance))

    return try_one


def _checked(path: str, content: bytes) -> object:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(3000)
    try:
        result = result_of(SourceFile(path, content), RULES, MEGABYTES)
    finally:
        sys.setrecursionlimit(before)
    if result.skipped is None:
        return result.findings
    if result.skipped.reason == "error":
        raise FindingError(f"{result.skipped.message}: {content[:300]!r}")
    raise PerfAssetsError(escape_text(result.skipped.message))


KINDS = (
    Kind("modules", 60, _modules),
    Kind("notebooks", 60, _notebooks),
)
