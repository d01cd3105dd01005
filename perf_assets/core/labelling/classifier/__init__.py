"""A classifier beside the rule: how probable it is that a report is about performance.

Trained on reports that people judged; a model is words and weights, and scoring needs no library
but Polars and NumPy.
"""
