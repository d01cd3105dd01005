"""Archives: a study in one file that others can cite, check and extend."""
