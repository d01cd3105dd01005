"""The report as files: a page to look at and send on, and the same in plain text."""

from importlib.metadata import version

from perf_assets.base.code_version import files_version
from perf_assets.base.files import write_file
from perf_assets.base.paths import models_dir
from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.document import html, made_from_what, markdown
from perf_assets.reports.monthly.contents import read_moment, read_report


def keep_report(data_dir: DataDirectory) -> bool:
    """Bring the report up to the published database; returns whether it had to be made anew.

    It is where the database, the code of the reports, a declaration or what draws them is
    another.
    """
    code, drawn_by = files_version("reports", models_dir()), version("vl-convert-python")
    made_from = f"{read_moment(data_dir.published)}, {code}, {drawn_by}"
    if data_dir.report.exists() and made_from_what(data_dir.report_page) == made_from:
        return False
    document = read_report(data_dir.published)
    data_dir.report_page.parent.mkdir(exist_ok=True)
    write_file(data_dir.report, markdown(document))
    write_file(data_dir.report_page, html(document, made_from))
    return True
