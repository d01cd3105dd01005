"""Areas: which part of the code a bug report is about, by labels, files and stack traces."""
