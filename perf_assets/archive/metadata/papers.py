"""The papers whose methods a study follows, and the software, as an archive cites them."""

from dataclasses import dataclass

SOFTWARE = "perf-assets"


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
