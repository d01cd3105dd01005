"""The warehouse, its audited writer, and the data directory that holds them."""
