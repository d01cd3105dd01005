"""The loopback Stack Exchange: the lists of its API that are needed, from a site's dump."""
