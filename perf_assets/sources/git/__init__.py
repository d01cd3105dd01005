"""The git source: a bare clone, its commits with sizes, issue templates.

Its modules are imported one by one: the processes that inspect commits need few of them.
"""
