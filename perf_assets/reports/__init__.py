"""What people read: summaries on the terminal, report pages, charts."""
