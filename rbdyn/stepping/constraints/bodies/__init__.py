"""Constraints between points and frames of bodies, far apart or not."""
