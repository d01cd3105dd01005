"""The SQL models: their files, what they read, and how they are laid into the engine."""
