"""How results are formatted: p-values in sentences, parameters as text."""

import json


def p_text(p: float | None) -> str:
    """Return a p-value for a sentence: ``p = 0.024``, ``p < 0.001`` or ``not testable``."""
    if p is None:
        return "not testable"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def factor_text(ratio: float, low: float, high: float, p: float | None) -> str:
    """Return a change by year in words: ``a factor of 1.14 a year [1.06, 1.23], p = 0.001``."""
    return f"a factor of {ratio:.2f} a year [{low:.2f}, {high:.2f}], {p_text(p)}"


def as_json(**parameters: object) -> str:
    """Parameters of a method as JSON text."""
    return json.dumps(parameters, ensure_ascii=False)
