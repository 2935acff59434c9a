"""What one group of tied rows adds to each area, its derivatives, and sums of such terms that lose no digit."""
