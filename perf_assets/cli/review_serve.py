"""review serve and collect: the page in which people judge, and how answers leave it."""

import getpass
import os
import socket
from pathlib import Path

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.cli.ports import HOST, check_free
from perf_assets.cli.shell import data_dir_option, friendly_errors
from perf_assets.cli.waiting import FOLDER
from perf_assets.config.data_directory import DataDirectory

FIRST_SAMPLE = 40
"""How many of each stratum are drawn where nothing was yet and nobody says how many."""


@click.command("serve")
@click.option(
    "--sample",
    "labelled",
    type=click.IntRange(0, 100_000),
    help="Draw so many that are labelled as of performance; of findings, so many of each rule. "
    "Default: 40, where nothing was drawn yet.",
)
@click.option(
    "--unlabelled",
    type=click.IntRange(0, 100_000),
    help="Draw so many others, mixed in; recall is measured by them. Default: as with --sample.",
)
@click.option(
    "--differing",
    type=click.IntRange(0, 100_000),
    default=0,
    help="Add so many bug reports on which rule and classifier differ; they enter no estimate.",
)
@click.option(
    "--kind",
    type=click.Choice(["bugs", "questions", "findings"]),
    default="bugs",
    show_default=True,
    help="What is judged.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of sample and orders.")
@click.option(
    "--rater",
    "raters",
    multiple=True,
    help="Who judges; again for each. Default: who did before, or you.",
)
@click.option(
    "--overlap",
    type=click.IntRange(0, 100),
    default=100,
    show_default=True,
    help="Percent of the sample that every rater judges; the rest is divided among them.",
)
@click.option("--show-labels", is_flag=True, help="Show the tool's label before raters judge.")
@click.option(
    "--host",
    default=HOST,
    show_default=True,
    help="Address to listen on; 0.0.0.0 for raters at other machines.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=3002, show_default=True)
@data_dir_option
@friendly_errors
def serve_review(  # noqa: PLR0913  (options of the command)
    *,
    labelled: int | None,
    unlabelled: int | None,
    differing: int,
    kind: str,
    seed: int,
    raters: tuple[str, ...],
    overlap: int,
    host: str,
    port: int,
    data_dir: Path,
    show_labels: bool,
) -> None:
    """Open a page in which people judge bug reports, questions or findings, until interrupted.

    One at a time, by keyboard alone: y, n, u, Enter. Raters see neither the tool's label nor what
    others said before they judge. Each has a link with a secret of their own; with --host they work
    from other machines (put it behind https where the network is not yours). An answer is on the
    disk before the page goes on, and comes into the database through the same import as a sheet,
    by the button of the page or perf-assets review collect. Started again, it goes on where raters
    were.

    \b
    Examples:
        perf-assets review serve --sample 80 --unlabelled 80 --rater Ann --rater Ben
        perf-assets review serve --differing 40 --rater Ann
        perf-assets review serve --kind questions --sample 40 --rater Ann
    """
    directory = DataDirectory.of(data_dir)
    if kind != "bugs" and differing:
        raise PerfAssetsError("--differing is for bug reports: the classifier reads nothing else")
    check_free(port)
    from perf_assets.core.reviews.rater_agreement import AGREED
    from perf_assets.stages.reviewing import rater_name
    from perf_assets.web.explore import serve
    from perf_assets.web.guard import answered_names
    from perf_assets.web.review.application import Workbench, application
    from perf_assets.web.review.store import Store, fill
    from perf_assets.web.review.subjects import CHOSEN, RANDOM, Subjects

    named = [rater_name(rater) for rater in raters]
    if AGREED in map(str.casefold, named):
        raise PerfAssetsError(f"--rater {AGREED} is what raters agreed on: choose another name")
    subjects = Subjects(directory)
    store = Store(directory.path / FOLDER)
    names = list(dict.fromkeys(named)) or store.raters() or [rater_name(getpass.getuser())]
    if labelled is None and unlabelled is None and not differing and not store.drawn():
        labelled = unlabelled = FIRST_SAMPLE
    if labelled or unlabelled:
        drawn = subjects.draw(kind, labelled or 0, unlabelled or 0, seed)
        fill(store, drawn, RANDOM, names, seed, overlap)
    if differing:
        fill(store, subjects.differing(differing), CHOSEN, names, seed, 100)
    for name in names:
        if not store.queue(name):  # who comes later judges what was drawn before
            fill(store, list(store.drawn()), RANDOM, [name], seed, 100)
    if not any(store.queue(name) for name in names):
        raise PerfAssetsError("there is nothing for them to judge: draw more with --sample")
    workbench = Workbench(subjects, store, is_blind=not show_labels)
    shown_host = host if host not in ("0.0.0.0", "::") else _own_address()
    links = [f"{name}: http://{shown_host}:{port}/enter/{store.secret_of(name)}" for name in names]
    shutdown.set_resume_hint(
        f"answers are kept in {store.path}: perf-assets review collect brings them into the "
        "database"
    )

    def on_ready() -> None:
        for line in links:
            click.echo(line)
        click.echo("Ctrl-C stops it.")

    more = os.environ.get("PERF_ASSETS_UI_NAMES", "")
    names_of_host = (host, shown_host, socket.gethostname(), socket.getfqdn(), more)
    hosts = answered_names(",".join(names_of_host))
    serve(application(workbench, hosts), host, port, on_ready)


def _own_address() -> str:
    """Return the address under which other machines reach this one; its name where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; RFC 5737: nobody has this address
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def chosen_verdicts(directory: DataDirectory) -> dict[tuple[str, int], bool]:
    """Return what raters said of bug reports that were chosen as rule and classifier differ."""
    from perf_assets.web.review.agreement import verdicts
    from perf_assets.web.review.store import FILE, Store
    from perf_assets.web.review.subjects import CHOSEN

    folder = directory.path / FOLDER
    if not (folder / FILE).exists():
        return {}
    store = Store(folder)
    drawn = store.drawn()
    return {
        (key.container, int(key.number)): is_performance
        for key, is_performance in verdicts(store.answers()).items()
        if key.kind == "bugs" and drawn.get(key) == CHOSEN
    }


@click.command("collect")
@data_dir_option
@friendly_errors
def collect_answers(data_dir: Path) -> None:
    """Bring the answers of the page into the database, as the sheets that they are.

    Each rater's answers are written to a sheet in the folder review of the data directory, and
    imported as perf-assets review import does: nothing is added twice. Answers to what was chosen
    because rule and classifier differ stay where they are, as they are not a sample: review train
    learns from them.
    """
    directory = DataDirectory.of(data_dir)
    folder = directory.path / FOLDER
    from perf_assets.web.review.application import Workbench
    from perf_assets.web.review.store import FILE, Store
    from perf_assets.web.review.subjects import Subjects

    if not (folder / FILE).exists():
        raise PerfAssetsError(f"{folder / FILE} is not there: nobody judged in the page yet")
    for line in Workbench(Subjects(directory), Store(folder)).collect():
        click.echo(line)
