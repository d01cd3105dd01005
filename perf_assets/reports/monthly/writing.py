"""The report as files: a page to look at and send on, and the same in plain text."""

from importlib.metadata import version

from perf_assets.reports.document import html, made_from_what, markdown
from perf_assets.reports.monthly.contents import read_moment, read_report
from perf_assets.reports.writing import write_report
from perf_assets.storage.fingerprints import version_of
from perf_assets.storage.home import Home


def keep_report(home: Home) -> bool:
    """Bring the report up to the published database; returns whether it had to be made anew.

    It is where the database, the code of the reports or what draws them is another.
    """
    made_from = (
        f"{read_moment(home.published)}, {version_of('reports')}, {version('vl-convert-python')}"
    )
    if home.report.exists() and made_from_what(home.report_page) == made_from:
        return False
    document = read_report(home.published)
    home.report_page.parent.mkdir(exist_ok=True)
    write_report(home.report, markdown(document))
    write_report(home.report_page, html(document, made_from))
    return True
