"""Surfaces of triangles: which of them are near, and what touches them."""
