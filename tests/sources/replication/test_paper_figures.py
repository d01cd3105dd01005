"""The figures of the paper as they were copied."""

from perf_assets.sources.replication.paper_figures import paper_figures


def test_the_figures_of_the_paper_agree_with_each_other() -> None:
    """Totals are sums, shares are of 141 bugs, impacts add up: no slip of copying."""
    figures = paper_figures()

    def number(text: str) -> int:
        return int(text.replace(",", ""))

    *parts, pooled = figures["table_1"]
    for kind in ("performance", "other"):
        for state, text in pooled[kind].items():
            assert sum(number(part[kind][state]) for part in parts) == number(text)
    total = number(figures["taxonomy"]["bugs"])
    categories = [row for row in figures["table_3"] if "subcategory" not in row]
    assert sum(number(row["bugs"]) for row in categories) == total
    assert str(len(categories)) == figures["taxonomy"]["categories"]
    subcategories = [row for row in figures["table_3"] if "subcategory" in row]
    assert str(len(subcategories)) == figures["taxonomy"]["subcategories"]
    for row in figures["table_3"]:
        assert f"{100 * number(row['bugs']) / total:.2f}" == row["share"]
        impacts = sum(number(row[impact]) for impact in ("speed", "memory", "both"))
        assert impacts == number(row["bugs"])
    for row in categories:
        parts = [part for part in subcategories if part["category"] == row["category"]]
        assert not parts or sum(number(part["bugs"]) for part in parts) == number(row["bugs"])
