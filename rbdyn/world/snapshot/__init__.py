"""Snapshots of a World: what it is at one time, as bytes, and the way back to it."""
