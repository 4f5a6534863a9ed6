"""The objects of a World, and what they share with it: its lock and the memory of its scene."""
