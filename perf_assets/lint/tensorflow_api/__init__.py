"""What the frameworks offer: lists made from their public API, each with the version it is of."""
