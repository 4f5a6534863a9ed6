"""Momentum, energy and the centre of mass."""
