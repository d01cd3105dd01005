"""Which commits fixed which issues."""
