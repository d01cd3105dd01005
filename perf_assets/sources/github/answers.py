"""Answers about issues: requested, checked, and what they lack."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

import polars as pl

from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.sources.github import response_types, responses
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.gaps import Flaw, gaps_of, missing, null_on
from perf_assets.sources.issues.gaps import ENTRY, Gap, Kind

log = logging.getLogger(__name__)

Shape = TypeVar("Shape")

NO_NUMBERS: Mapping[str, int] = {}
WHAT_IS_LACKING = {
    True: "an entry of {entity} is set aside ({reason})",
    False: "{lacks} of {entity} is not known ({reason})",
}


class AnswerReader:
    """Reads answers about the issues of ``repository`` through ``client``."""

    def __init__(self, client: GitHubClient, repository: str) -> None:
        """Prepare the reader; no request is sent."""
        self.client = client
        self.repository = repository
        self._mentioned: set[tuple[str, str, str]] = set()

    def page(
        self, shape: type[Shape], document: str, variables: dict[str, Any], size: int | None = None
    ) -> tuple[Shape, list[Gap]]:
        """Return a page of issues, and what it lacks.

        What is null without a reason may be there a moment later: it is read again, once.
        """
        data, flaws = self.flawed_page(shape, document, variables, size)
        if any(flaw.kind == "missing" for flaw in flaws):
            self.client.accounts.sleep(self.client.patience.first_pause)
            second, fewer = self.flawed_page(shape, document, variables, size)
            if len(fewer) < len(flaws):
                data, flaws = second, fewer
        return data, list(gaps_of(flaws, data))

    def flawed_page(
        self,
        shape: type[Shape],
        document: str,
        variables: dict[str, Any],
        size: int | None,
        numbers: Mapping[str, int] = NO_NUMBERS,
    ) -> tuple[Shape, list[Flaw]]:
        """Return a page, and the places that are null in it and that null was put into."""
        reply = self.client.query(document, variables, first=size)
        hide = self.client.accounts.hide
        data, flaws = responses.usable(shape, reply.data, self.repository, numbers, hide)
        seen = {flaw.way for flaw in flaws}
        for part in reply.withheld:
            way = null_on(part.path, data)
            if way in seen:  # it is in an entry that cannot be used
                continue
            seen.add(way)
            kind: Kind = "missing" if part.kind == "NOT_FOUND" else "withheld"
            remedy = f": {part.remedy}" if part.remedy else ""
            flaws.append(Flaw(way, kind, f"{part.words}{remedy}"))
        nulls = missing(data)  # type: ignore[arg-type]
        flaws += [flaw for flaw in nulls if flaw.way not in seen]
        whole = {**reply.data, **data}  # type: ignore[dict-item]
        return cast(Shape, whole), flaws  # with the counts that came by the way

    def placed(self, gaps: Iterable[Gap]) -> list[Gap]:
        """Return the gaps of issues whose month is known; the others are mentioned."""
        placed = []
        for gap in gaps:
            if gap.month is None:
                log.warning(
                    "%s: an issue that changed could not be read (%s): what is stored of it stays",
                    self.repository,
                    gap.reason,
                )
            else:
                placed.append(gap)
        return placed

    def mention(self, gaps: pl.DataFrame) -> None:
        """Say once of each kind of gap what GitHub's answers lack."""
        for gap in gaps.iter_rows(named=True):
            sign = (gap["entity"], gap["lacks"], gap["reason"])
            if sign not in self._mentioned:
                self._mentioned.add(sign)
                log.warning(
                    "%s%s: %s; more of this kind are counted in raw.issue_gaps",
                    self.repository,
                    gap["subject"] if gap["number"] else "",
                    WHAT_IS_LACKING[gap["lacks"] == ENTRY].format(**gap),
                )

    def checked(self, shape: type[Shape], data: object, **numbers: int) -> Shape:
        """Return the data of an answer in their shape."""
        return responses.checked(shape, data, self.repository, numbers, self.client.accounts.hide)

    def parts(
        self, shape: type[Shape], data: object, letter: str, size: int, **numbers: int
    ) -> Shape:
        """Return the parts of an answer that were requested under a letter and their index."""
        held = data if isinstance(data, dict) else {}
        keys = [f"{letter}{index}" for index in range(size)]
        for key in keys:
            if key not in held:  # which is not to be taken for null
                subject = f"{self.repository}#{numbers[key]}" if key in numbers else self.repository
                raise responses.unusable(subject, f"{key}: this key is missing")
        return self.checked(shape, {key: held[key] for key in keys}, **numbers)

    def counts(self, data: Mapping[str, Any], size: int) -> list[int]:
        """Return the numbers of issues that ``size`` searches found."""
        found = self.parts(response_types.Counts, data, "c", size)
        return [found[f"c{index}"]["issueCount"] for index in range(size)]

    def quoted(self, text: str) -> str:
        """Return a text of GitHub's for a sentence: on one line, without our secrets."""
        return shortened(self.client.accounts.hide(escape_text(text)), 250)
