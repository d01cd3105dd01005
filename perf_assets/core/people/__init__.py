"""Who did it: addresses, mail maps, and which of them are one person."""
