"""Which issues are performance bugs."""
