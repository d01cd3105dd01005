"""Deriving: models and statistics, computed whole from what is stored."""
