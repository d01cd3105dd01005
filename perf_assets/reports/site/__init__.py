"""A static site of what is published: report, dictionary, tables, and a console to query them."""

from perf_assets.reports.site.writing import Site, SiteOptions, write_site

__all__ = ["Site", "SiteOptions", "write_site"]
