"""The libraries that stem words and learn from examples, imported where that is done.

Both take along what is of no use here, where it is installed: 90 MB, and a third of a second.
"""

from functools import cache
from typing import TYPE_CHECKING

from perf_assets.base.processes.imports import without

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer


@cache
def porter_stemmer() -> "PorterStemmer":
    """Porter's stemmer as NLTK has it, whose own classifiers would take scikit-learn along."""
    with without("sklearn"):
        from nltk.stem.porter import PorterStemmer  # noqa: PLC0415

    return PorterStemmer()


@cache
def import_scikit_learn() -> None:
    """Import what is used of scikit-learn, before its names are imported from it.

    It reads tables of pandas, of which it gets none here.
    """
    with without("pandas"):
        import sklearn.feature_extraction.text  # noqa: PLC0415
        import sklearn.linear_model  # noqa: PLC0415
        import sklearn.model_selection  # noqa: F401, PLC0415
