"""Tasks of Label Studio, which stand beside the review sheets of bug reports, out and back.

Label Studio (https://labelstud.io) shows a list of tasks by a labelling configuration, and exports
them with what its annotators said: as JSON, where each task has its ``annotations``, or as
JSON-MIN, where each annotation is a flat object with the data of its task. Both are read into the
same rows as a CSV sheet.
"""

import codecs
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import MOST_DIGITS, shortened, without_controls
from perf_assets.core.reviews.codebook import IMPACTS, VERDICTS
from perf_assets.sources.json_answers import read_json
from perf_assets.sources.review_sheets.codebook import codebook
from perf_assets.sources.review_sheets.sheet import BUG_REPORTS, Places, Row, Sheet

ANSWERS = BUG_REPORTS.rated
"""The names of the controls, by which an export names the answers."""

CHOICES = ANSWERS[:-1]
TASKS = Places("task", "key", header=1)
"""The table of verdicts counts the header of a sheet, so the first task is its second line."""

AGAIN = "export the project from Label Studio as JSON or JSON-MIN"
Task = Mapping[str, Any]


def is_label_studio(content: bytes) -> bool:
    """Return whether ``content`` is a list in JSON, as Label Studio exports it."""
    return content.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["


def tasks_text(bugs: pl.DataFrame) -> str:
    """Return the tasks for ``bugs`` in JSON, in their order; the configuration shows texts as plain
    ones.

    Parameters
    ----------
    bugs : columns repository, number, title, body, link and codebook. Labels and keywords that the
        tool found are left out, so that they do not sway who judges.
    """
    rows = bugs.select("repository", "number", "title", "body", "link", "codebook")
    # Every task has every key: a project refuses tasks without one that its configuration shows.
    tasks = [
        {"data": {key: _plain(value) for key, value in row.items()}} for row in rows.to_dicts()
    ]
    return json.dumps(tasks, ensure_ascii=False, indent=2) + "\n"


def _plain(value: str | int | None) -> str | int:
    return value if isinstance(value, int) else without_controls(value or "")


def labelling_configuration() -> str:
    """Return the configuration, in XML, that shows the tasks and asks what a review sheet asks.

    Category and impact are asked of performance bugs alone, in the words of the codebook.
    """
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Header", value="$title")
    # Text, unlike HyperText, shows markup as it is written, and fetches no address.
    for key in ("link", "body"):
        ElementTree.SubElement(view, "Text", name=key, value=f"${key}", valueType="text")
    _ask(view, "is_performance", dict.fromkeys(VERDICTS, ""), required="true")
    of_performance = {
        "visibleWhen": "choice-selected",
        "whenTagName": "is_performance",
        "whenChoiceValue": "yes",
    }
    causes = {code.name: about for code, about in codebook().descriptions.items()}
    _ask(view, "category", causes, layout="select", **of_performance)
    _ask(view, "impact", dict.fromkeys(IMPACTS, ""), **of_performance)
    ElementTree.SubElement(view, "Header", value="note", size="5")
    ElementTree.SubElement(view, "TextArea", name="note", toName="body", maxSubmissions="1")
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _ask(
    view: ElementTree.Element, name: str, choices: Mapping[str, str], **attributes: str
) -> None:
    """Add a question to ``view``, of whose ``choices``, which are described, one is taken."""
    shown = {key: attributes[key] for key in attributes if key.startswith(("visible", "when"))}
    part = ElementTree.SubElement(view, "View", shown)
    ElementTree.SubElement(part, "Header", value=name, size="5")
    asked = ElementTree.SubElement(
        part, "Choices", {"name": name, "toName": "body", "choice": "single", **attributes}
    )
    for value, about in choices.items():
        ElementTree.SubElement(
            asked, "Choice", {"value": value, **({"hint": about} if about else {})}
        )


def read_tasks(path: Path, content: bytes) -> Sheet:
    """Return the tasks that Label Studio exported as ``content`` into ``path``, as a sheet.

    Its rows have the cells that identify a bug report, its codebook and the answers; other cells
    are empty. Of several annotations of a task the last one counts; cancelled ones do not.

    Raises
    ------
    PerfAssetsError
        It is not UTF-8 or JSON, has another shape, or has annotations by several people; the
        message names file, task number and key.
    """
    try:
        tasks = read_json(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise PerfAssetsError(f"{path}: not valid UTF-8; {AGAIN} again") from None
    except ValueError as error:
        why = shortened(error, 100)
        raise PerfAssetsError(f"{path}: not valid JSON ({why}); {AGAIN} again") from None
    if not isinstance(tasks, list) or not tasks:
        raise PerfAssetsError(f"{path}: not a list of tasks; {AGAIN}")
    return Sheet(BUG_REPORTS, list(_Export(path).rows(tasks)), TASKS)


@dataclass(frozen=True)
class _Annotation:
    """What someone said of a task: in which task of the file, and the answers by name."""

    number: int
    content: Task
    answers: Mapping[str, str]


class _Export:
    """Checks each value where it stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.first: tuple[int, str] | None = None

    def rows(self, tasks: Sequence[object]) -> Iterator[Row]:
        """Yield a row for each task, whether it is annotated or not."""
        found: dict[object, tuple[Row, list[_Annotation]]] = {}
        for number, task in enumerate(tasks, start=1):
            if not isinstance(task, dict):
                self.refuse(number, None, f"is not a task of a project; {AGAIN}")
            is_flat = task.keys().isdisjoint(("data", "annotations"))
            data = task if is_flat else task.get("data")
            if not isinstance(data, dict):
                self.refuse(number, "data", f"is not an object that describes the task; {AGAIN}")
            row = Row(number + TASKS.header, self.given(number, data))
            annotations = list((self.flat if is_flat else self.annotated)(number, task))
            # JSON-MIN has a task once for each annotation; one that is in a project twice is not
            # one task, and is refused like a row that is in a sheet twice.
            key = self.identity(row, task) if is_flat else number
            found.setdefault(key, (row, []))[1].extend(annotations)
        for row, annotations in found.values():
            yield self.answered(row, annotations)

    def given(self, number: int, data: Task) -> dict[str, str]:
        """Return the given cells of a sheet; cells that are not checked are empty."""
        cells = dict.fromkeys(BUG_REPORTS.columns, "")
        for key in ("repository", "number", "link", "codebook"):
            value = data.get(key)
            if value is None and key not in BUG_REPORTS.newer:
                self.refuse(number, key, "is missing; keep the data of the tasks unchanged")
            if key in ("number", "codebook") and is_whole(value):
                value = str(value)
            if not isinstance(value, str | None):
                kind = "text" if key in ("repository", "link") else "a whole number"
                self.refuse(number, key, f"is not {kind}")
            cells[key] = value or ""
        return cells

    def identity(self, row: Row, task: Task) -> object:
        """Return the identity that annotations of the same task share."""
        number = row.line - TASKS.header
        identity = task.get("id")
        if identity is None:
            return number
        if not is_whole(identity) and not isinstance(identity, str):
            self.refuse(number, "id", "is not a task number")
        return str(identity), row.cells["repository"], row.cells["number"]

    def annotated(self, number: int, task: Task) -> Iterator[_Annotation]:
        """Yield the annotations of a task of a JSON export that were not cancelled."""
        for annotation in self.objects(number, "annotations", task):
            cancelled = annotation.get("was_cancelled")
            if not isinstance(cancelled, bool | None):
                self.refuse(number, "was_cancelled", "is neither true nor false")
            if cancelled:
                continue
            self.check_person(number, "completed_by", annotation)
            results = self.objects(number, "result", annotation)
            values: dict[str, list[object]] = {}
            for result in results:
                if (name := result.get("from_name")) in ANSWERS:
                    values.setdefault(name, []).append(result.get("value"))
            if results and not values:
                self.refuse(
                    number,
                    "from_name",
                    f"answers none of {', '.join(ANSWERS)}; label with the configuration that "
                    "review sample --label-studio writes",
                )
            answers = {name: self.answer(number, name, each) for name, each in values.items()}
            yield _Annotation(number, annotation, answers)

    def flat(self, number: int, record: Task) -> Iterator[_Annotation]:
        """Yield the annotation in an object of a JSON-MIN export, which has no cancelled ones."""
        values = {name: record[name] for name in ANSWERS if record.get(name) is not None}
        if values or record.get("annotation_id") is not None:
            self.check_person(number, "annotator", record)
            answers = {name: self.answer(number, name, each) for name, each in values.items()}
            yield _Annotation(number, record, answers)

    def objects(self, number: int, key: str, holder: Task) -> list[Task]:
        """Return the list of objects at ``key``, empty where there is none."""
        objects = holder.get(key)
        if objects is None:
            return []
        if not isinstance(objects, list) or not all(isinstance(entry, dict) for entry in objects):
            self.refuse(number, key, f"is not a list of objects; {AGAIN}")
        return objects

    def check_person(self, number: int, key: str, annotation: Task) -> None:
        """Refuse an annotation by somebody else than the first: an import is of one rater."""
        person = annotation.get(key)
        if isinstance(person, dict):
            person = person.get("id", person.get("email"))
        if person is not None and not is_whole(person) and not isinstance(person, str):
            self.refuse(number, key, "names nobody")
        shown = "unknown" if person is None else repr(shortened(person, 60))
        if self.first is None:
            self.first = number, shown
        if shown != self.first[1]:
            before, other = self.first
            self.refuse(
                number,
                key,
                f"is {shown}, where an annotation of task {before} is by {other}: export the "
                "annotations of one annotator, and import each annotator's under a name of its own",
            )

    def answer(self, number: int, name: str, values: object) -> str:
        """Return the answer: the one choice, or the lines of a text."""
        texts = [text.strip() for text in self.texts(number, name, values)]
        if name in CHOICES and len(set(texts)) > 1:
            self.refuse(number, name, f"has {len(set(texts))} choices where one is asked for")
        return texts[0] if name in CHOICES and texts else "\n".join(texts)

    def texts(self, number: int, name: str, values: object) -> list[str]:
        """Return the texts of an answer; JSON-MIN has a single one without list and object."""
        kind = "choices" if name in CHOICES else "text"
        found: list[str] = []
        for value in values if isinstance(values, list) else [values]:
            inner = value.get(kind) if isinstance(value, dict) else value
            for text in inner if isinstance(inner, list) else [inner]:
                if not isinstance(text, str):
                    self.refuse(number, name, f"has {kind} that are not text")
                found.append(text)
        return found

    def answered(self, row: Row, annotations: Sequence[_Annotation]) -> Row:
        """Return ``row`` with the answers of the last of the ``annotations``, if any."""
        if not annotations:
            return row
        # Of those of the same moment the later one in the file; one alone need not have a time.
        last = max(reversed(annotations), key=self.moment) if annotations[1:] else annotations[0]
        return Row(last.number + TASKS.header, {**row.cells, **last.answers})

    def moment(self, annotation: _Annotation) -> datetime:
        """Return the time of the last change of an annotation."""
        for key in ("updated_at", "created_at"):
            if (text := annotation.content.get(key)) is None:
                continue
            try:
                moment = datetime.fromisoformat(text)
            except (TypeError, ValueError):
                shown = shortened(text, 60)
                self.refuse(
                    annotation.number, key, f"{shown!r} is not a time in Label Studio's format"
                )
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        reason = "is missing, by which the last of several annotations of a task is known"
        self.refuse(annotation.number, "updated_at", reason)

    def refuse(self, number: int, key: str | None, reason: str) -> NoReturn:
        where = f"{self.path}, {TASKS.row} {number}"
        where = where if key is None else f"{where}, {TASKS.cell} {key}"
        raise PerfAssetsError(f"{where}: {reason}; nothing was imported")


def is_whole(value: object) -> bool:
    """Return whether ``value`` is a whole number of a size that can be stored."""
    return type(value) is int and abs(value) < 10**MOST_DIGITS
