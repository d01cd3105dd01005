"""Processes of the operating system: what this one started, and how that is ended."""
