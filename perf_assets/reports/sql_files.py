"""The SQL of reports, read from files: one query a file, with the macros written out."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

QUERIES = Path(__file__).with_name("queries")
MACROS = Path(__file__).with_name("macros.sql")


@cache
def sql_of(name: str) -> str:
    """Return the query ``queries/<name>.sql``."""
    return read_sql(QUERIES / f"{name}.sql")


def read_sql(path: Path) -> str:
    """Return the query in a file, as it runs over a database without the macros."""
    text = path.read_text(encoding="utf-8").strip()
    call = rf"\b({'|'.join(_macros())})\(((?:[^()]|\([^()]*\))*)\)"
    return re.sub(call, lambda found: _written_out(found[1], found[2].split(", ")), text)


def _written_out(macro: str, arguments: list[str]) -> str:
    parameters, body = _macros()[macro]
    parts = (argument if argument.isidentifier() else f"({argument})" for argument in arguments)
    values = dict(zip(parameters, parts, strict=True))
    return re.sub(r"\w+", lambda word: values.get(word[0], word[0]), body)


@cache
def _macros() -> Mapping[str, tuple[list[str], str]]:
    """Return the parameters and the expression of each macro."""
    found = {}
    for statement in MACROS.read_text(encoding="utf-8").split(";")[:-1]:
        head, _, body = statement.partition(") as\n")
        name, _, parameters = head.partition("create macro ")[2].partition("(")
        found[name] = (parameters.split(", "), " ".join(body.split()))
    return found
