"""Releases: which tags are versions, and which release brought a commit first."""
