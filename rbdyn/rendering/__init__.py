"""Pixels from triangles: what cameras see, without a graphics card or a display."""
