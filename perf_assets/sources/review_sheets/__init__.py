"""The human part: review sheets, and the codebook by which raters fill them in."""
