"""The warehouse, the gate before it, and the home directory that holds them."""
