"""The file of the words by which kinds of questions are distinguished."""

import tomllib
from functools import cache
from importlib.resources import files

from perf_assets.core.questions.words import Wordlists


@cache
def wordlists() -> Wordlists:
    """Return the content of ``wordlists.toml``: words that stand in every text, keywords of each
    kind.
    """
    resource = files("perf_assets.sources.question_kinds").joinpath("wordlists.toml")
    content = tomllib.loads(resource.read_text("utf-8"))
    keywords = {kind: tuple(words) for kind, words in content["keywords"].items()}
    return Wordlists(frozenset(content["stop_words"]), keywords)
