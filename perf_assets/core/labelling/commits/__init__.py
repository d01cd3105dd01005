"""Commits that are performance work: what landed as one, the words of such work, the labels."""
