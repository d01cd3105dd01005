"""Benchmark results: files of several formats, read as rows of one shape.

A file is data from others: it is parsed with limits, and what cannot be used in it is counted by
reason. :mod:`result_files` finds the files, a module for each format reads one.
"""
