"""GitHub's API on loopback."""
