"""The documentation as one page: tables, lineage, queries, and the state of what is stored."""
