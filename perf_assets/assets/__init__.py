"""The asset graph: one short file per stage. Wiring only."""
