"""``CITATION.cff``: how the archive is cited.

Source: https://github.com/citation-file-format/citation-file-format (version 1.2.0)
"""

from datetime import UTC
from typing import Any

import yaml

from perf_assets.archive.description import Description
from perf_assets.archive.metadata.papers import PAPERS, SOFTWARE, Paper
from perf_assets.archive.metadata.texts import KEYWORDS, abstract, authors, title, version

BREAKS = frozenset("\x85\u2028\u2029")


def citation(description: Description) -> str:
    """Return the text of ``CITATION.cff``."""
    content = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them, and the papers whose methods they "
        "follow.",
        "title": title(description),
        "abstract": abstract(description),
        "type": "dataset",
        "authors": [{"name": name} for name in authors(description)],
        "version": version(description),
        "date-released": description.published_at.astimezone(UTC).date(),
        "keywords": list(KEYWORDS),
        "references": [*map(_paper, PAPERS), _software(description)],
    }
    names = f"{description.study}{''.join(authors(description))}"
    # YAML takes these for the end of a line: then all signs beyond ASCII are written as escapes.
    has_breaks = not BREAKS.isdisjoint(names)
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=not has_breaks, width=100)


def _paper(paper: Paper) -> dict[str, Any]:
    names = [{"family-names": family, "given-names": given} for family, given in paper.authors]
    return {
        "type": "conference-paper",
        "title": paper.title,
        "authors": names,
        "conference": {"name": paper.collection},
        "year": paper.year,
        "url": paper.url,
    }


def _software(description: Description) -> dict[str, Any]:
    return {
        "type": "software",
        "title": SOFTWARE,
        "version": description.version,
        "license": "MIT",
        "authors": [{"name": "The perf-assets authors"}],
    }
