"""With a lake: processes that mine one repository after the other, several at once."""
