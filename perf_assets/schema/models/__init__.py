"""The SQL models: their files, their inputs, and their creation in the engine."""
