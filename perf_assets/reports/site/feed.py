"""The Atom feed of the site: changes of a series, and the newest performance bugs (RFC 4287)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

import duckdb

from perf_assets.base.months import start_of
from perf_assets.base.sanitize import is_address, without_controls
from perf_assets.reports.monthly.first_screen import describe_change
from perf_assets.reports.sql_files import rows_of, sql_of
from perf_assets.storage.lake_rows import lake_rows, names_any

FEED = "feed.xml"
NAMESPACE = "http://www.w3.org/2005/Atom"


NOTHING_YET = datetime(1970, 1, 1, tzinfo=UTC)


def feed(connection: duckdb.DuckDBPyConnection, title: str) -> str:
    """Return the feed, which was updated at the moment of its newest entry."""
    entries = list(_entries(connection))
    updated = max((moment for _, _, moment, _, _ in entries), default=NOTHING_YET)
    root = Element("feed", xmlns=NAMESPACE)
    _add(root, "title", title)
    _add(root, "id", f"urn:perf-assets:{title.replace(' ', '-')}")
    _add(root, "updated", _moment(updated))
    SubElement(root, "link", rel="self", href=FEED)
    author = SubElement(root, "author")
    _add(author, "name", "perf-assets")
    for identity, heading, moment, address, text in entries:
        entry = SubElement(root, "entry")
        _add(entry, "title", heading)
        _add(entry, "id", f"urn:perf-assets:{identity}")
        _add(entry, "updated", _moment(moment))
        SubElement(entry, "link", href=address)
        _add(entry, "summary", text)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _entries(
    connection: duckdb.DuckDBPyConnection,
) -> Iterator[tuple[str, str, datetime, str, str]]:
    """Yield identity, title, moment, address and text of each entry."""
    for row in rows_of(connection, "behind_alerts").to_dicts():
        moment = start_of(row["month"])
        heading = f"{row['area'] or row['repository']}: {describe_change(row)}"
        reports = f"{row['performance_bugs']:,} performance bugs are behind it."
        yield f"alert:{row['alert_id']}", heading, moment, "report.html#alerts", reports
    if names_any(sql_of("newest_bugs"), lake_rows(connection)):
        return
    for row in rows_of(connection, "newest_bugs").to_dicts():
        name = f"{row['repository']}#{row['number']}"
        address = row["html_url"] if is_address(row["html_url"] or "") else "report.html"
        heading = f"{name} {row['title'] or ''}"
        yield f"bug:{name}", heading, row["opened_at"], address, "A new performance bug."


def _add(parent: Element, tag: str, text: str) -> None:
    SubElement(parent, tag).text = without_controls(text)


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
