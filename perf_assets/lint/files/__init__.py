"""Python files and notebooks: found, read, and checked, each in a budget of its own.

Kept free of imports: the processes that check files start with it.
"""
