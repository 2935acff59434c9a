"""Random damage to what users hand in."""
