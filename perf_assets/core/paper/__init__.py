"""The printed values of the papers: how they are declared, computed and compared."""
