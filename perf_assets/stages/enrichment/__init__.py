"""Deciding: what the study decides about issues and commits, by its own rules."""
