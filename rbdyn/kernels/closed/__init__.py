"""Algorithms on closed loops: what they leave to move, and how it moves (`.pxd` files; nothing here for Python)."""
