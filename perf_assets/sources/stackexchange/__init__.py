"""Forums of Stack Exchange: their dumps, read in one pass, and their API for what came later."""
