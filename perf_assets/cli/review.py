"""The human part: sheets for raters, their verdicts, and how far these agree."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.progress import phase
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.memory import check_memory
from perf_assets.cli.review_serve import chosen_verdicts, collect_answers, serve_review
from perf_assets.cli.shell import console, data_dir_option, friendly_errors, json_option
from perf_assets.cli.waiting import mentions_waiting_answers
from perf_assets.config.data_directory import DataDirectory

if TYPE_CHECKING:
    from perf_assets.stages.reviewing import Imported


@click.group()
def review() -> None:
    """Sheets for people to judge, their verdicts, and how far these agree."""


@review.command("sample")
@click.option(
    "--n",
    "labelled",
    type=int,
    required=True,
    help="How many that are labelled as of performance; of findings, how many of each rule.",
)
@click.option(
    "--unlabelled",
    type=int,
    default=0,
    show_default=True,
    help="How many other bug reports, mixed in; recall is measured by them.",
)
@click.option(
    "--fixed",
    "is_of_fixed",
    is_flag=True,
    help="Fixed performance bugs alone, of which the precision and root causes of the paper are.",
)
@click.option("--forum", help="Questions of this forum instead of bug reports.")
@click.option(
    "--tag-sets",
    "is_of_tag_sets",
    is_flag=True,
    help="With --forum: --n questions of each tag set, of performance or not.",
)
@click.option(
    "--findings", "is_of_findings", is_flag=True, help="Findings of the static checks instead."
)
@click.option(
    "--endorsements",
    "is_of_endorsements",
    is_flag=True,
    help="With --forum: comments in which the asker endorses an answer, instead of questions.",
)
@click.option(
    "--label-studio",
    "is_for_label_studio",
    is_flag=True,
    help="Tasks and a labelling configuration for Label Studio instead of a sheet.",
)
@click.option("--seed", type=int, required=True, help="The same seed draws the same sample.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Where to write the sheet; default: review-N-SEED.csv (.json) in the data directory.",
)
@data_dir_option
@friendly_errors
@mentions_waiting_answers
def sample_for_review(  # noqa: PLR0913  (options of the command)
    labelled: int,
    unlabelled: int,
    forum: str | None,
    seed: int,
    output: Path | None,
    data_dir: Path,
    *,
    is_for_label_studio: bool,
    is_of_endorsements: bool,
    is_of_findings: bool,
    is_of_fixed: bool,
    is_of_tag_sets: bool,
) -> None:
    """Write a review sheet: a random sample of bug reports, or of questions, for people to judge.

    A CSV file that spreadsheets open safely. Fill in, for each row, is_performance (yes, no or
    unsure) and for performance bugs, if you like, category and impact, as the codebook describes
    them. Rows left empty are not judged. A sheet that is there already is never overwritten.

    With --forum the rows are questions of users: fill in is_performance, and if you like their
    kinds, separated by |, the root cause of what makes them hard (challenge), and of performance
    problems up to two symptoms, root cause and stages. A question with several problems takes as
    many rows: copy it. answer is the text of the accepted answer or, where there is none, of one
    that the asker endorses in a comment: root causes are read from it. Kinds of crash (shape
    inconsistency, numerical error, CPU GPU incompatibility) stand among the kinds. With --tag-sets
    there are --n questions of each tag set, whether of performance or not. With --endorsements they
    are comments that count as endorsing an answer where none is accepted: fill in verdict (right,
    wrong or unsure); from it follows how often the rule is right.

    With --findings they are findings of the static checks in the newest trees, up to --n of each
    rule in each repository: fill in verdict (right, wrong or unsure), and where the project was
    told, state (reported, confirmed, fixed or rejected) with the web address where that stands.

    With --label-studio the same bug reports are tasks of Label Studio, with their texts:
    review-N-SEED.json to import there, and beside it review-N-SEED.xml, the labelling configuration
    of the project.

    \b
    Examples:
        perf-assets review sample --n 40 --seed 1
        perf-assets review sample --n 40 --seed 1 --label-studio
        perf-assets review sample --n 40 --seed 1 --fixed
        perf-assets review sample --forum stackoverflow --n 40 --unlabelled 40 --seed 1
        perf-assets review sample --forum stackoverflow --tag-sets --n 50 --seed 1
        perf-assets review sample --forum stackoverflow --endorsements --n 50 --seed 1
        perf-assets review sample --findings --n 20 --seed 1
    """
    from perf_assets.sources.review_sheets import codebook
    from perf_assets.stages.reviewing import (
        endorsement_sheet,
        finding_sheet,
        sample_sheet,
        tag_set_sheet,
        write_sheet,
    )

    directory = DataDirectory.of(data_dir)
    others = forum is not None or is_of_findings or is_of_endorsements or is_of_tag_sets
    if is_of_fixed and (others or unlabelled):
        raise PerfAssetsError(
            "--fixed is for performance bugs alone: it goes without --unlabelled, --findings, "
            "--forum, --endorsements and --tag-sets"
        )
    if is_for_label_studio:
        if others:
            raise PerfAssetsError(
                "--label-studio is for bug reports alone: it goes without --findings, --forum, "
                "--endorsements and --tag-sets, whose answers are for a sheet"
            )
        write_tasks(directory, labelled, unlabelled, seed, output, is_of_fixed=is_of_fixed)
        return
    if is_of_findings:
        if forum is not None or unlabelled or is_of_tag_sets or is_of_endorsements:
            raise PerfAssetsError(
                "--findings takes --n alone: neither --forum nor --tag-sets nor --endorsements nor "
                "--unlabelled has a meaning for findings of static checks"
            )
        text, judged = finding_sheet(directory.published, labelled, seed)
        drawn, subjects = "findings-", "findings"
    elif is_of_endorsements:
        if forum is None or unlabelled or is_of_tag_sets:
            raise PerfAssetsError(
                "--endorsements goes with --forum, and without --tag-sets and --unlabelled: it "
                "takes --n comments that endorse an answer"
            )
        text, judged = endorsement_sheet(directory.published, forum, labelled, seed)
        drawn, subjects = f"{forum}-endorsements-", "endorsements"
    elif is_of_tag_sets:
        if forum is None or unlabelled:
            raise PerfAssetsError(
                "--tag-sets goes with --forum, and without --unlabelled: it takes --n questions of "
                "each tag set, of performance or not"
            )
        text, judged = tag_set_sheet(directory.published, forum, labelled, seed)
        drawn, subjects = f"{forum}-tag-sets-", "questions"
    else:
        text = sample_sheet(
            directory.published, labelled, unlabelled, seed, forum, is_of_fixed=is_of_fixed
        )
        judged = labelled + unlabelled
        drawn, subjects = ("", "bug reports") if forum is None else (f"{forum}-", "questions")
    path = output or directory.path / f"review-{drawn}{labelled}-{seed}.csv"
    write_sheet(path, text)
    click.echo(f"{path}: {judged} {subjects} to judge")
    books = {
        "bug reports": (codebook.PATH,),
        "questions": (codebook.PROBLEMS_PATH, codebook.CHALLENGES_PATH),
    }
    for book in books.get(subjects, ()):
        click.echo(f"Codebook: {book}")
    click.echo(bring_back(path))


def write_tasks(
    directory: DataDirectory,
    labelled: int,
    unlabelled: int,
    seed: int,
    output: Path | None,
    *,
    is_of_fixed: bool,
) -> None:
    """Write a sample as tasks of Label Studio, and beside them the configuration to label by."""
    from perf_assets.sources.review_sheets import codebook
    from perf_assets.sources.review_sheets.label_studio import labelling_configuration
    from perf_assets.stages.reviewing import sample_tasks, write_sheet

    path = output or directory.path / f"review-{labelled}-{seed}.json"
    if path.suffix.casefold() == ".xml":
        raise PerfAssetsError(
            f"--output {path}: the labelling configuration takes that name beside the tasks; "
            "choose one that ends with .json"
        )
    tasks = sample_tasks(directory.published, labelled, unlabelled, seed, is_of_fixed=is_of_fixed)
    write_sheet(path, tasks, "utf-8")
    configuration = path.with_suffix(".xml")
    write_sheet(configuration, labelling_configuration(), "utf-8")
    click.echo(f"{path}: {labelled + unlabelled} bug reports to judge")
    click.echo(f"Labelling configuration: {configuration}")
    click.echo(f"Codebook: {codebook.PATH}")
    export = Path("EXPORT.json")
    click.echo(f"Export the annotations of one annotator as JSON. {bring_back(export)}")


def bring_back(path: Path) -> str:
    """Return how a sheet that was filled in comes back."""
    return f"Bring it back with: perf-assets review import {quote(str(path))} --rater YOUR_NAME"


@review.command("import")
@click.argument(
    "sheets", metavar="SHEET...", type=click.Path(path_type=Path), nargs=-1, required=True
)
@click.option(
    "--rater",
    "raters",
    required=True,
    multiple=True,
    help="Who filled it in. Of several sheets: once for all, or once for each, in their order.",
)
@data_dir_option
@friendly_errors
@mentions_waiting_answers
def import_review(sheets: tuple[Path, ...], raters: tuple[str, ...], data_dir: Path) -> None:
    """Bring the verdicts of filled-in review SHEETs into the database.

    Each is a CSV file, or what Label Studio exported as JSON or JSON-MIN of tasks that review
    sample --label-studio wrote, with the annotations of one annotator; its content says which.

    What a CSV sheet is about, bug reports, questions, findings of static checks or endorsements,
    its header says. Verdicts are added and never overwritten; the last one of a rater on each
    subject is in force. A sheet with a mistake is refused whole, and the others are imported. The
    same sheet again changes nothing.

    \b
    Examples:
        perf-assets review import review-40-1.csv --rater Ann
        perf-assets review import project-1.json --rater Ann
        perf-assets review import ann.csv ben.csv --rater Ann --rater Ben
    """
    from perf_assets.reports.summary import print_agreement

    if len(raters) not in (1, len(sheets)):
        raise PerfAssetsError(
            f"--rater is given {len(raters)} times for {len(sheets)} sheets: name one rater for "
            "all of them, or one for each, in their order"
        )
    directory = DataDirectory.of(data_dir)
    named = ", ".join(map(str, sheets))
    whose, again = (named, "it") if len(sheets) == 1 else (f"each of {named}", "them")
    shutdown.set_resume_hint(
        f"the verdicts of {whose} are stored as a whole or not at all; import {again} again, which "
        "adds nothing twice and brings the rest up to date"
    )
    with shown_progress(console):
        with phase("starting"):
            check_memory()
            from perf_assets.dagster_app.execution import run_import
        given = list(zip(sheets, raters * (len(sheets) // len(raters)), strict=True))
        results = run_import(directory, given)
    imported = []
    for sheet, result in zip(sheets, results, strict=True):
        if not isinstance(result, PerfAssetsError):
            imported.append(result)
            _print_imported(sheet, result)
    if any(result.added + result.superseding + result.unchanged for result in imported):
        print_agreement(directory.published, console)
    if refused := [str(result) for result in results if isinstance(result, PerfAssetsError)]:
        raise PerfAssetsError("; ".join(refused))


def _print_imported(sheet: Path, imported: "Imported") -> None:
    if imported.imported_before is not None:
        click.echo(
            f"{sheet}: imported already on {imported.imported_before:%Y-%m-%d %H:%M UTC}; "
            "nothing changed"
        )
        return
    click.echo(
        f"{sheet}: {imported.added} verdicts added, {imported.superseding} supersede an "
        f"earlier one, {imported.unchanged} as before"
    )
    for remark in imported.remarks:
        click.echo(f"{sheet}: {remark}")


@review.command("agreement")
@data_dir_option
@json_option
@friendly_errors
@mentions_waiting_answers
def agreement(data_dir: Path, *, is_json: bool) -> None:
    """Say how good the labels are by the verdicts of people, and how far these agree.

    Precision by rule, recall where other bug reports were judged too, Cohen's and Fleiss' kappa,
    and the bug reports on which raters differ; precision of the static checks, by rule.
    """
    from perf_assets.reports.status import as_json
    from perf_assets.reports.summary import print_agreement, read_agreement

    published = DataDirectory.of(data_dir).published
    if is_json:
        found = read_agreement(published)
        click.echo(as_json({name: rows.to_dicts() for name, rows in found.items()}))
    else:
        print_agreement(published, console)


@review.command("train")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@data_dir_option
@friendly_errors
@mentions_waiting_answers
def train_classifier(files: tuple[Path, ...], data_dir: Path) -> None:
    """Train the classifier that stands beside the rule on what people judged.

    Without FILES it goes on from the packaged model with the verdicts of this study's raters. FILES
    are JSON lines with repository, title, body and is_performance, packed by gzip or not; with them
    it begins anew, and learns the raters' verdicts too. The model, words and weights without texts,
    is written to the data directory, and the next run scores all issues by it; delete it to go back
    to the packaged one.

    \b
    Examples:
        perf-assets review train
        perf-assets review train judged.jsonl.gz --data-dir data
    """
    with shown_progress(console), phase("training the classifier"):
        from perf_assets.core.labelling.classifier.model import counted
        from perf_assets.core.labelling.vocabulary import COUNTED_KINDS
        from perf_assets.stages.classifier_training import train_model

        directory = DataDirectory.of(data_dir)
        chosen = chosen_verdicts(directory)
        model, path = train_model(directory.published, directory.path, files, chosen)
    learned, unseen = model.description, model.description["unseen"]
    click.echo(
        f"{path}: model {model.version}, learned from {learned['reports']} reports, of which "
        f"{learned['performance_reports']} about performance"
    )
    click.echo(
        f"On reports that it had not seen: area under the ROC curve {unseen['area_under_roc']} "
        f"[{unseen['area_low']}, {unseen['area_high']}]; from a probability of "
        f"{model.thresholds[counted(COUNTED_KINDS)]} "
        f"on F1 {unseen['f1']} (precision {unseen['precision']}, recall {unseen['recall']}); "
        f"calibration error {unseen['calibration_error']}"
    )
    click.echo(f"Score by it: perf-assets run --data-dir {quote(str(directory.path))}")


review.add_command(serve_review)
review.add_command(collect_answers)
