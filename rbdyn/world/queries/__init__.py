"""What a World is asked: what rays meet."""
