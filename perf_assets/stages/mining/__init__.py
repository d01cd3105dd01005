"""Mining: the raw tables brought up to what the sources say now, and no further."""
