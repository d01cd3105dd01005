"""Static checks for performance problems in Python code that uses the frameworks.

Successor of the checker DeepPerf of Cao et al., *Understanding Performance Problems in Deep
Learning Systems* (ESEC/FSE 2022). Text goes in, findings come out:
nothing here reads or writes a file.
"""
