"""The embedded sample: a corpus generator and a loopback GitHub server that serves corpora."""
