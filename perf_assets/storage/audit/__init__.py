"""The audit of rows that want to be stored: their rules, and what Great Expectations finds."""
