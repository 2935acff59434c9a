"""What one group of tied rows adds to each area, and sums of such terms that lose no digit."""
