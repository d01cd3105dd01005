"""What to know of verdicts in a review sheet that follow an older codebook."""

from collections import Counter

from perf_assets.core.reviews.codebook import folded
from perf_assets.sources.review_sheets.codebook import challenges_codebook, codebook
from perf_assets.sources.review_sheets.sheet import BUG_REPORTS, QUESTIONS, Sheet


def remarks_on(sheet: Sheet) -> list[str]:
    """Return notes on verdicts by names of an older codebook in ``sheet``, a sentence each.

    A name means what the codebook of now says: what it meant otherwise before is said, and what
    has another name now.
    """
    if sheet.form is BUG_REPORTS:
        return _redefined(sheet)
    return _renamed(sheet) if sheet.form is QUESTIONS else []


def _redefined(sheet: Sheet) -> list[str]:
    book = codebook()
    counts = Counter(
        (row.cells.get("codebook", "").strip() or "1", book.code(text) if text else None)
        for row in sheet.rows
        if (text := row.cells["category"].strip())
        or row.cells["is_performance"].strip().casefold() == "yes"
    )
    remarks = []
    for before in book.redefined:
        if number := sum(counts[str(revision), before.code] for revision in before.revisions):
            category = f"of category {before.code.name!r}" if before.code else "without a category"
            remarks.append(
                f"{number} {category} of an older codebook, where {before.held}, imported as "
                "written; judge them again where that matters"
            )
    return remarks


def _renamed(sheet: Sheet) -> list[str]:
    book = challenges_codebook()
    names = {folded(code.name) for code in book.descriptions}
    found = {" ".join(row.cells["challenge"].split()) for row in sheet.rows} - {""}
    return [
        f"{text!r} of an older codebook was read as {book.code(text).name!r}"
        for text in sorted(found)
        if text.casefold() not in names
    ]
