"""doctor: whether a run can succeed, and what it will cost."""

import sys
from pathlib import Path

import click

from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import console, explained, home_option, study_option
from perf_assets.progress import phase
from perf_assets.storage.home import Home


@click.command()
@study_option
@home_option
@click.option(
    "--repair",
    is_flag=True,
    help="Mend what is damaged in the home, and look at nothing else. What is replaced is kept in "
    "replaced/ there.",
)
@explained
def doctor(study: str, home: Path, *, repair: bool) -> None:
    """Say whether a run can succeed, and what it will cost GitHub's rate limit, before it starts.

    First the home: is anything that is stored damaged, and what mends it.

    For each token: does it work, how much it may still ask, and when its budget is full again.
    For each repository of the study: can git and the API read it, how many issues are not stored
    yet, and how many requests and points they take. Costs a few requests itself. Corpora need no
    token.

    \b
    Exit code 0: a run can start. 2: it could not succeed, and why, in one sentence each.
    """
    from perf_assets.reports.forecast import examine  # noqa: PLC0415
    from perf_assets.sample.opening import open_study  # noqa: PLC0415

    place = Home.of(home)
    if repair:
        _repair(place)
        return
    is_sound = _tell_damage(place)
    if not examine(open_study(study, place.path), place, click.echo) or not is_sound:
        sys.exit(2)


def _tell_damage(home: Home) -> bool:
    """Say what is damaged in the home; whether all is sound."""
    from perf_assets.storage.health import find_damage  # noqa: PLC0415

    with shown_progress(console), phase(f"reading all of {home.path}"):
        found = list(find_damage(home))
    for damage in found:
        click.echo(str(damage))
    if any(damage.mend for damage in found):
        click.echo(f"perf-assets doctor --repair --home {home.path} does so.")
    return not found


def _repair(home: Home) -> None:
    from perf_assets.storage.health import repair  # noqa: PLC0415

    is_sound = True
    with shown_progress(console), phase(f"mending {home.path}"):
        mended = list(repair(home))
    for damage, why_not in mended:
        is_sound &= why_not is None
        click.echo(f"mended: {damage}" if why_not is None else f"{damage.what}: {why_not}")
    if not mended:
        click.echo(f"{home.path}: nothing is damaged.")
    if not is_sound:
        sys.exit(2)
