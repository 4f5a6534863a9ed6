"""Solve one island: its velocity space, factors of a matrix, the proximal Newton method."""
