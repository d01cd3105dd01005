"""The loopback Stack Exchange: the lists of its API that are asked for, from a site's dump."""
