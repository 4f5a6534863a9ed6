"""Edits of what is in a World, without rebuilding it: numbers of bodies and joints, shapes, filters."""
