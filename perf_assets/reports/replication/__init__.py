"""The paper's own figures, set against what its published data give, and the report on it."""
