"""Findings in the format that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from perf_assets.lint.files.results import FileResult
from perf_assets.lint.files.settings import Settings
from perf_assets.lint.rules.rule import Rule

Results = Sequence[FileResult]


def written(results: Results, settings: Settings, kind: str, *, is_coloured: bool = False) -> str:
    """Return the findings in a format of `_WRITERS`; the code of the others is not imported."""
    return _WRITERS[kind](results, settings, is_coloured)


def by_name(settings: Settings) -> Mapping[str, Rule]:
    """Return the rules that were checked, by name."""
    return {rule.name: rule for rule in settings.rules}


def _full(results: Results, settings: Settings, is_coloured: bool) -> str:
    from perf_assets.lint.formats.as_text import as_text  # noqa: PLC0415

    return as_text(results, by_name(settings), is_coloured=is_coloured)


def _concise(results: Results, settings: Settings, is_coloured: bool) -> str:
    from perf_assets.lint.formats.as_text import as_text  # noqa: PLC0415

    return as_text(results, by_name(settings), is_coloured=is_coloured, is_concise=True)


def _json(results: Results, settings: Settings, _: bool) -> str:
    from perf_assets.lint.formats.as_json import as_json  # noqa: PLC0415

    return as_json(results, by_name(settings))


def _sarif(results: Results, settings: Settings, _: bool) -> str:
    from perf_assets.lint.formats.as_sarif import as_sarif  # noqa: PLC0415

    return as_sarif(results, settings.rules)


def _github(results: Results, settings: Settings, _: bool) -> str:
    from perf_assets.lint.formats.as_github import as_github  # noqa: PLC0415

    return as_github(results, by_name(settings))


def _gitlab(results: Results, settings: Settings, _: bool) -> str:
    from perf_assets.lint.formats.as_gitlab import as_gitlab  # noqa: PLC0415

    return as_gitlab(results, by_name(settings))


def _junit(results: Results, settings: Settings, _: bool) -> str:
    from perf_assets.lint.formats.as_junit import as_junit  # noqa: PLC0415

    return as_junit(results, by_name(settings), settings.error_on)


_WRITERS: Mapping[str, Callable[[Results, Settings, bool], str]] = {
    "full": _full,
    "concise": _concise,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
}
