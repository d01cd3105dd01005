"""The report as files: a page, the same in plain text, a summary, and each picture by itself."""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from perf_assets.base.code_version import files_version
from perf_assets.base.files import write_file
from perf_assets.base.paths import models_dir
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.document import Document, html, made_from_what, markdown, summary
from perf_assets.reports.figures.drawing import picture, png
from perf_assets.reports.monthly.contents import read_moment, read_report

FIRST_PICTURE = "share"
"""The name of the picture of the first screen; others have the names of their tables."""


def keep_report(data_dir: DataDirectory) -> bool:
    """Bring the report up to the published database, and return whether it had to be made anew.

    It is made anew if the database, the code of the reports, a declaration, or the library that
    draws has changed. The page is written last: a run that was killed before makes all of it again.
    """
    code, drawn_by = files_version("reports", models_dir()), version("vl-convert-python")
    made_from = f"{read_moment(data_dir.published)}, {code}, {drawn_by}"
    if data_dir.report.exists() and made_from_what(data_dir.report_page) == made_from:
        return False
    document = read_report(data_dir.published)
    data_dir.pictures.mkdir(parents=True, exist_ok=True)
    names = set(_write_pictures(document, data_dir.pictures))
    for path in data_dir.pictures.iterdir():
        if path.stem not in names:
            path.unlink()
    write_file(data_dir.report, markdown(document))
    write_file(data_dir.report_summary, summary(document))
    write_file(data_dir.report_page, html(document, made_from))
    return True


def _write_pictures(document: Document, folder: Path) -> Iterator[str]:
    """Write each picture as SVG and PNG, and yield its name."""
    for name, image in _pictures(document):
        write_file(folder / f"{name}.svg", image, is_durable=False)
        write_file(folder / f"{name}.png", png(image), is_durable=False)
        yield name


def _pictures(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the name of each picture, and the picture as SVG."""
    if document.first is not None and document.first.panels:
        yield FIRST_PICTURE, picture(document.first.panels)
    for section in (*document.sections, *document.appendix):
        for part in section.parts:
            if part.panels:
                yield part.name, picture(part.panels)
