"""The study's analyses: tables of statistics computed from the marts."""
