"""What static checks found, for people and for programs."""
