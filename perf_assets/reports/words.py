"""Numbers as a person says them: months, shares, and how likely chance is."""

from perf_assets.base.months import start_of


def month_name(month: str) -> str:
    """Return a month as it is said.

    Examples
    --------
    >>> month_name("2021-05")
    'May 2021'
    """
    return f"{start_of(month):%B %Y}"


def percent(value: float) -> str:
    """Return a percentage without digits that nobody says.

    Examples
    --------
    >>> percent(28.69), percent(0.42), percent(0), percent(99.8), percent(100)
    ('29 %', '0.4 %', '0 %', '99.8 %', '100 %')
    """
    if 0 < value < 1:
        return f"{value:.1g} %"
    return f"{value:.1f} %" if 99 < value < 100 else f"{value:.0f} %"


def times(p: float) -> str:
    """Return a probability as a frequency.

    Examples
    --------
    >>> times(0.0003), times(0.021), times(0.3), times(0.004)
    ('less than 1 time in 1,000', 'about 1 time in 50', 'about 1 time in 3', 'about 1 time in 200')
    """
    if p < 0.001:
        return "less than 1 time in 1,000"
    number = 1 / p
    step = 1 if number < 10 else 5 if number < 30 else 10 if number < 100 else 100
    return f"about 1 time in {step * round(number / step):,}"


def counted(number: float, word: str) -> str:
    """Return a number and its noun, in the plural where it is not one.

    Examples
    --------
    >>> counted(1, "bug"), counted(1200, "bug")
    ('1 bug', '1,200 bugs')
    """
    return f"{number:,.4g} {word}{'' if number == 1 else 's'}"


def listed(parts: list[str]) -> str:
    """Return a list as a sentence has it.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *rest, last = parts
    return f"{', '.join(rest)} and {last}" if rest else last
