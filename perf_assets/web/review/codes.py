"""The codebook as raters let it grow: categories that they proposed, renamed, merged or split."""

import csv
import io
import json
from collections.abc import Iterable, Mapping

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import for_spreadsheet
from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.web.review.store import CodeChange, now

CHANGES = ("propose", "rename", "merge", "split")
LONGEST_NAME, LONGEST_DEFINITION = 80, 2_000


def categories(changes: Iterable[CodeChange]) -> dict[str, str]:
    """Return the present categories, the study's and the raters', with their definitions."""
    found = {code.name: text for code, text in codebook().descriptions.items()}
    for change in changes:
        if change.change in ("propose", "split"):
            found[change.name] = change.definition
        elif change.change == "rename":
            found[change.into_name] = change.definition or found.get(change.name, "")
            found.pop(change.name, None)
        else:
            found.pop(change.name, None)
    return found


def present_name(name: str, changes: Iterable[CodeChange]) -> str:
    """Return the present name of a category of an earlier answer.

    What was split stays under its old name until somebody judges it anew.
    """
    for change in changes:
        if change.change in ("rename", "merge") and change.name == name:
            name = change.into_name
    return name


def study_name(name: str) -> str | None:
    """Return a name of the study's codebook; None for one that raters proposed."""
    return name if name in {code.name for code in codebook().descriptions} else None


def changed(
    rater: str, change: str, name: str, into_name: str, definition: str, before: list[CodeChange]
) -> CodeChange:
    """Return a step in which the codebook grows, as a rater asks for it.

    Raises
    ------
    PerfAssetsError
        A name is missing, taken, or unknown.
    """
    name, into_name, definition = (" ".join(text.split()) for text in (name, into_name, definition))
    there = categories(before)
    own = set(there) - {code.name for code in codebook().descriptions}
    if change not in CHANGES:
        raise PerfAssetsError(f"a codebook is changed by {', '.join(CHANGES)}")
    if max(len(name), len(into_name)) > LONGEST_NAME or len(definition) > LONGEST_DEFINITION:
        raise PerfAssetsError(
            f"a name has at most {LONGEST_NAME} characters, a definition {LONGEST_DEFINITION}"
        )
    new = {"propose": name, "split": name, "rename": into_name}.get(change)
    if new is not None and (not new or new.casefold() in {text.casefold() for text in there}):
        raise PerfAssetsError("a new category needs a name that no other one has")
    if change in ("propose", "split") and not definition:
        raise PerfAssetsError("a new category needs a definition: what belongs to it?")
    if change in ("rename", "merge") and name not in own:
        raise PerfAssetsError("only a category that raters proposed is renamed or merged")
    if change in ("merge", "split") and into_name not in set(there) - {name}:
        raise PerfAssetsError(f"{change} needs another category of the codebook")
    return CodeChange(now(), rater, change, name, into_name, definition)


def as_table(counts: Mapping[str, int] | None, changes: list[CodeChange]) -> str:
    """Return the codebook as CSV: category, definition, whose, how many reports.

    Without ``counts`` their cells are empty.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["category", "definition", "origin", "reports"])
    for name, definition in categories(changes).items():
        origin = "raters" if study_name(name) is None else "study"
        count = "" if counts is None else str(counts.get(name, 0))
        cells = (name, definition, origin, count)
        writer.writerow([for_spreadsheet(cell) for cell in cells])
    return text.getvalue()


def as_toml(changes: list[CodeChange]) -> str:
    """Return the codebook as TOML, as the packaged one, with the history of its names."""
    lines = ["# The codebook of this study, with what its raters added.", ""]
    for name, definition in categories(changes).items():
        lines += [
            "[[categories]]",
            f"name = {_quoted(name)}",
            f"description = {_quoted(definition)}",
            *(["is_own = true"] if study_name(name) is None else []),
            "",
        ]
    for change in changes:
        lines += [
            "[[history]]",
            f"at = {_quoted(change.at)}",
            f"change = {_quoted(change.change)}",
            f"name = {_quoted(change.name)}",
            f"into_name = {_quoted(change.into_name)}",
            "",
        ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    # A string of JSON is one of TOML, which refuses the one control character that JSON keeps.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
