"""``CITATION.cff``: how the archive is cited, with the papers whose methods a study follows.

Source: https://github.com/citation-file-format/citation-file-format (version 1.2.0)
"""

from dataclasses import dataclass
from datetime import UTC
from typing import Any

import yaml

from perf_assets.archive.description import Description
from perf_assets.archive.metadata.texts import KEYWORDS

SOFTWARE = "perf-assets"
BREAKS = frozenset("\x85\u2028\u2029")


@dataclass(frozen=True)
class Paper:
    """A paper at a conference.

    authors : each as family name and given names.
    collection : the proceedings.
    url : where it can be read.
    data : where its published data are, of which an archive may hold tables; None without any.
    data_licence : what that place says of their licence; None where it says nothing.
    """

    title: str
    authors: tuple[tuple[str, str], ...]
    collection: str
    year: int
    url: str
    data: str | None = None
    data_licence: str | None = None

    @property
    def citation(self) -> str:
        """It on one line, as in a list of references."""
        names = ", ".join(f"{given} {family}" for family, given in self.authors)
        return f"{names}: {self.title}. {self.collection}, {self.year}."


PAPERS = (
    Paper(
        "An Empirical Study on Performance Bugs in Deep Learning Frameworks",
        (("Makkouk", "Tarek"), ("Kim", "Dong Jae"), ("Chen", "Tse-Hsun (Peter)")),
        "IEEE International Conference on Software Maintenance and Evolution (ICSME)",
        2022,
        "https://petertsehsun.github.io/papers/performance_issues_study.pdf",
        data="https://github.com/dlframeworkperfbugs/performance-bugs-in-dl-frameworks",
    ),
    Paper(
        "Understanding Performance Problems in Deep Learning Systems",
        (
            *(("Cao", "Junming"), ("Chen", "Bihuan"), ("Sun", "Chao"), ("Hu", "Longjie")),
            *(("Wu", "Shuaihong"), ("Peng", "Xin")),
        ),
        "ACM Joint European Software Engineering Conference and Symposium on the Foundations of "
        "Software Engineering (ESEC/FSE)",
        2022,
        "https://arxiv.org/abs/2112.01771",
        data="https://github.com/DLPerf/DLPerf.github.io",
        data_licence="MIT",
    ),
    Paper(
        "An Empirical Study of Common Challenges in Developing Deep Learning Applications",
        (
            *(("Zhang", "Tianyi"), ("Gao", "Cuiyun"), ("Ma", "Lei"), ("Lyu", "Michael R.")),
            ("Kim", "Miryung"),
        ),
        "IEEE International Symposium on Software Reliability Engineering (ISSRE)",
        2019,
        "https://ieeexplore.ieee.org/document/8987482",
    ),
)


def citation(description: Description) -> str:
    """Return the text of ``CITATION.cff``."""
    content = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them, and the papers whose methods they "
        "follow.",
        "title": description.title,
        "abstract": description.abstract,
        "type": "dataset",
        "authors": [{"name": name} for name in description.makers],
        "version": description.edition,
        "date-released": description.published_at.astimezone(UTC).date(),
        "keywords": list(KEYWORDS),
        "references": [*map(_paper, PAPERS), _software(description)],
    }
    names = f"{description.study}{''.join(description.makers)}"
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
