"""What all other packages build on: errors, files, processes, texts, months, the corpus format."""
