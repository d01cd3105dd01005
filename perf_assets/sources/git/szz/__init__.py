"""SZZ: which commits introduced the lines that a fix removes."""
