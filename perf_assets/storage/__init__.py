"""The warehouse, its audited writer, and the home directory that holds them."""
