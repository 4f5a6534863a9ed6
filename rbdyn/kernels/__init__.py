"""Algorithms in C, over the C structs of a Model and a State alone (`.pxd` files; nothing here for Python)."""
