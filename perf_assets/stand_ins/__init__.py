"""Servers on loopback that answer as the sources do, over a corpus of files."""
